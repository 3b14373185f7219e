"""What a model says of given translations: the log-probability of each, token by token.

    log p(target | source) = Σ_n log p(token_n | source, tokens before it), </s> included

A pair is one sentence to the model, as it was in training; both sides are read as a translator reads a text, without
controls and with single spaces.
"""

from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from attendo.decoding.hypothesis import Hypothesis
from attendo.documents.line_reader import LineReader
from attendo.engines.engine import Request
from attendo.errors import DataError, InputError
from attendo.special_tokens import SPECIAL
from attendo.text.normalize import for_model
from attendo.text.sentences import Segment
from attendo.translation.decode import batches
from attendo.translation.directions import choose_source
from attendo.translation.translator import Translator
from attendo.translation.wish import SEARCH, Wish, wish_for

LIKE_A_BEAM_OF = 4  # the logits of all tokens of a batch are in memory at once

Pair = tuple[str, str]


def score_pairs(
    translator: Translator, pairs: Sequence[Pair], to: str | None = None, from_: str | None = None
) -> list[Hypothesis]:
    """For each (source, target) what the model says of the target; the score is the mean over its tokens."""
    wish = wish_for(translator.bundle.directions, to, from_, SEARCH, None, keep=False)
    asked = [request(translator, pair, wish, f"pair {number}") for number, pair in enumerate(pairs, start=1)]
    return scored(translator, asked)


def score_lines(stream: BinaryIO, name: str, translator: Translator, to: str | None = None) -> Iterator[Hypothesis]:
    """One answer for each line `source<TAB>target`; a line that is none is an error that names it."""
    wish = wish_for(translator.bundle.directions, to, None, SEARCH, None, keep=False)
    for chunk in LineReader(stream, name, strict=True).chunks(translator.engine.tokens_per_batch):
        where = [f"{name}, line {number}" for number in range(chunk.first, chunk.first + len(chunk.texts))]
        asked = [
            request(translator, columns(text, line), wish, line) for text, line in zip(chunk.texts, where, strict=True)
        ]
        yield from scored(translator, asked)


def columns(text: str, where: str) -> Pair:
    found = text.split("\t")
    if len(found) != 2:
        raise DataError(f"{where} has {len(found)} columns: expected source<TAB>target")
    return found[0], found[1]


def request(translator: Translator, pair: Pair, wish: Wish, where: str) -> tuple[Request, tuple[int, ...]]:
    """The pair as ids; an error where a side is empty, or longer than the model can take."""
    source, target = map(for_model, pair)
    for side, text in (("source", source), ("target", target)):
        if not text:
            raise DataError(f"{where}: the {side} is empty")
    language = choose_source(wish.from_, wish.target, source, translator.bundle.directions)
    job, _ = translator.preparer.job(Segment(source), language, wish)
    said = (*translator.tokenizer.encode(target), SPECIAL.eos)
    limits = translator.engine.limits
    if len(job.ids) > limits.source or len(said) > limits.target:
        raise InputError(
            f"{where}: {len(job.ids):,} tokens of source and {len(said):,} of target are too many: "
            f"this model reads {limits.source:,} and says {limits.target:,}"
        )
    return Request(job.ids, len(said)), said


def scored(translator: Translator, asked: Sequence[tuple[Request, tuple[int, ...]]]) -> list[Hypothesis]:
    """In batches of like lengths; the answers come in the order of the questions."""
    answers: dict[int, Hypothesis] = {}
    lengths = [max(len(one.ids), len(said)) for one, said in asked]
    for places in batches(lengths, translator.engine.tokens_per_batch // LIKE_A_BEAM_OF):
        found = translator.engine.score([asked[place] for place in places])
        answers |= dict(zip(places, found, strict=True))
    return [answers[place] for place in range(len(asked))]


def score_table(answer: Hypothesis, names: Sequence[str]) -> dict[str, Any]:
    """For `--json`; `names` are those of all tokens."""
    return {
        "log_prob": answer.log_prob,
        "tokens": len(answer.ids),
        "log_prob_per_token": answer.score,
        "pieces": [names[number] for number in answer.ids],
        "token_log_probs": list(answer.token_log_probs),
    }
