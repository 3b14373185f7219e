"""Which words of the source each word of a translation was made from, by what the model's cross-attention looked at.

    我爱机器学习。  ->  I love machine learning.        machine: 机器 1.00

The weight of a word of the source is the sum over its tokens, and the mean over those of the word that was said; the
tag and </s>, at which a model looks when it looks at nothing, do not count. A word can only come from a word, and a
sign from a sign; what had a stand-in comes from what it stood for. What a word is, and where, says word_spans.py; which
heads are asked, model_folder/optional_keys.py.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from attendo.engines.engine import Request
from attendo.text.normalize import EDGE, one_line
from attendo.text.offsets import CharacterMap, compare
from attendo.text.tokenizer import Tokenizer
from attendo.translation.answer import AlignedWord, Sentence, Translation
from attendo.translation.prepare import PreparedText
from attendo.translation.word_spans import TextUnit, answers_in, sides

LEAST_SHARE = 0.25  # of what the words of the source get: one with less is left out, unless it is the best
LEAST_ON_WORDS = 0.2  # of all attention: where the tag, </s> and the signs get the rest, a word comes from none

Answer = tuple[Request, tuple[int, ...]]  # what the model was asked, and what it said


class WordLogProb(NamedTuple):
    """One word of a translation, text[start:end], and the log-probability of its tokens, all together."""

    start: int
    end: int
    log_prob: float


def with_alignment(translation: Translation, prepared: PreparedText, tokenizer: Tokenizer) -> Translation:
    """The same with the alignment of each sentence, and of all of it in the characters of the user's own text."""
    sentences = [
        replace(sentence, alignment=align(sentence, translation.target_language, tokenizer))
        for sentence in translation.sentences
    ]
    answered = [sentence for sentence in sentences if sentence.hypothesis]
    if answered and all(sentence.alignment is None for sentence in answered):
        return translation
    words: list[AlignedWord] = []
    at = 0
    for segment, sentence, placed in zip(
        prepared.segments, sentences, places(translation.text, sentences), strict=True
    ):
        at += len(segment.before)
        for word in sentence.alignment or ():
            if span := placed.span(word.start, word.end):
                sources = tuple([(start + at, end + at, weight) for start, end, weight in word.sources])
                words.append(AlignedWord(*span, sources))
        at += len(segment.text) + len(segment.after)
    return replace(translation, sentences=tuple(sentences), alignment=tuple(words))


def places(text: str, sentences: Sequence[Sentence]) -> Iterator[CharacterMap]:
    """Where the characters of each sentence's translation stand in that of the whole text: only white space and
    controls stand between them."""
    at = 0
    for sentence in sentences:
        at = len(text) - len(text[at:].lstrip(EDGE))
        shown = one_line(sentence.text)
        shown = shown if text.startswith(shown, at) else sentence.source  # which stays where there is nothing to say
        placed = compare(sentence.text, shown)
        yield CharacterMap([(start + at, end + at) for start, end in placed.spans])
        at += len(shown)


def align(sentence: Sentence, to: str, tokenizer: Tokenizer) -> tuple[AlignedWord, ...] | None:
    """The words of the best translation; None where the model was not asked, or did not say what it looked at."""
    answers = answers_in(sentence)
    if not answers or any(one.hypothesis.attention is None for one in answers):
        return None
    source, target = sides(sentence, answers, to, tokenizer)
    weights = [[0.0] * len(source.units) for _ in target.units]
    counts = [0] * len(target.units)
    for index, one in enumerate(answers):
        for unit, row in zip(target.tokens[index], one.hypothesis.attention or (), strict=False):
            if unit is None:
                continue
            counts[unit] += 1
            for weight, column in zip(row, source.tokens[index], strict=False):
                if column is not None:
                    weights[unit][column] += weight
    same = {unit.number: unit for unit in source.units if unit.kind == "verbatim"}
    return tuple(
        [
            AlignedWord(unit.start, unit.end, sources_of(unit, row, count, source.units, same))
            for unit, row, count in zip(target.units, weights, counts, strict=True)
        ]
    )


def sources_of(
    unit: TextUnit, weights: Sequence[float], count: int, sources: Sequence[TextUnit], same: Mapping[int, TextUnit]
) -> tuple[tuple[int, int, float], ...]:
    """Of a word whose `count` tokens gave these weights to the words of the source, all together."""
    if unit.kind == "verbatim":
        one = same.get(unit.number)
        return ((one.start, one.end, 1.0),) if one else ()
    alike = [
        (one, weight) for one, weight in zip(sources, weights, strict=True) if one.kind == unit.kind and weight > 0
    ]
    on_words = sum(weight for _, weight in alike)
    if not alike or on_words < LEAST_ON_WORDS * count:
        return ()
    shares = [(one.start, one.end, weight / on_words) for one, weight in alike]
    shares.sort(key=lambda share: (-share[2], share[0]))
    return tuple([share for rank, share in enumerate(shares) if not rank or share[2] >= LEAST_SHARE])


# --- how sure the model is of each word


def answers_to_score(translations: Sequence[Translation]) -> list[Answer]:
    """Those whose tokens have no log-probabilities yet, each once."""
    return list(
        dict.fromkeys(
            (one.request, one.hypothesis.ids)
            for translation in translations
            for sentence in translation.sentences
            for one in answers_in(sentence)
            if one.hypothesis.ids and not one.hypothesis.token_log_probs
        )
    )


def words_with_log_probs(
    translation: Translation, scored: Mapping[Answer, Sequence[float]], tokenizer: Tokenizer
) -> tuple[WordLogProb, ...]:
    """The words that the model said, in order; `scored` has the log-probabilities of tokens that came without."""
    words: list[WordLogProb] = []
    for sentence, placed in zip(translation.sentences, places(translation.text, translation.sentences), strict=True):
        answers = answers_in(sentence)
        if not answers:
            continue
        _, target = sides(sentence, answers, translation.target_language, tokenizer)
        sums: dict[int, float] = {}
        for one, units in zip(answers, target.tokens, strict=True):
            log_probs = one.hypothesis.token_log_probs or scored.get((one.request, one.hypothesis.ids), ())
            before = 0.0  # a space that is a token of its own belongs to the word after it
            for unit, log_prob in zip(units, log_probs, strict=False):
                if unit is None:
                    before += log_prob
                else:
                    sums[unit], before = sums.get(unit, 0.0) + before + log_prob, 0.0
        for unit in sorted(sums):
            if span := placed.span(target.units[unit].start, target.units[unit].end):
                words.append(WordLogProb(*span, sums[unit]))
    return tuple(words)
