"""Scores of quick translations while a model is being trained: the likeliest token at each step, no search."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from attendo.data.batch import padded
from attendo.data.corpus import Pair
from attendo.decoding.greedy import greedy_decode
from attendo.decoding.interface import AutoregressiveModel
from attendo.evaluation.metrics import bleu, chrf, tokenisations
from attendo.special_tokens import SPECIAL
from attendo.text.tokenizer import Tokenizer
from attendo.translation.decode import batches

TOKENS_PER_BATCH = 8_000
LONGEST = 256  # tokens of a translation, beyond which it has lost its way


@dataclass(frozen=True)
class Question:
    """A source to translate into a language, and what a person made of it."""

    pair: Pair
    language: str


def translate_greedily(
    model: AutoregressiveModel[Any], tokenizer: Tokenizer, questions: Sequence[Question], device: torch.device
) -> list[str]:
    """In the order of the questions; like lengths are translated together."""
    sources = tokenizer.encode_all(question.pair.source for question in questions)
    rows = [
        [tokenizer.tag(question.language), *pieces, SPECIAL.eos]
        for question, pieces in zip(questions, sources, strict=True)
    ]
    answers = [""] * len(rows)
    for places in batches([len(row) for row in rows], TOKENS_PER_BATCH):
        source = padded([rows[place] for place in places]).to(device)
        # A translation of twice the length and a little more is no translation.
        said = greedy_decode(model, source, max_length=min(LONGEST, 2 * source.shape[1] + 10)).tolist()
        for place, ids in zip(places, said, strict=True):
            answers[place] = tokenizer.decode(ids[: ids.index(SPECIAL.eos)] if SPECIAL.eos in ids else ids)
    return answers


def scores(translations: Sequence[str], questions: Sequence[Question]) -> dict[str, float]:
    """BLEU and chrF by sacreBLEU, the mean over target languages; and the share that is exactly the reference."""
    languages = sorted({question.language for question in questions})
    found: dict[str, list[float]] = {"bleu": [], "chrf": []}
    for language in languages:
        mine = [place for place, question in enumerate(questions) if question.language == language]
        said = [translations[place] for place in mine]
        references = [[questions[place].pair.target for place in mine]]
        found["bleu"].append(bleu(said, references, tokenisations(language)[0]).score)
        found["chrf"].append(chrf(said, references).score)
    exact = sum(said == question.pair.target for said, question in zip(translations, questions, strict=True))
    return {name: sum(each) / len(each) for name, each in found.items()} | {"exact": exact / len(questions)}
