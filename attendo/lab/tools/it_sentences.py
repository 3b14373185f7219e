"""Pairs of sentences in which one word decides what "it" is (it_sentences.tsv), and what the model makes of them.

    The animal didn't cross the street because it was too tired.   it: the animal, in German es
    The animal didn't cross the street because it was too wide.    it: the street, in German sie

In German the two nouns have different genders, so whoever knows what "it" is has to say it. The first pair is the
notes'; the others were made up.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from attendo.decoding.options import SearchOptions
from attendo.inspection.alignment import join_tokens
from attendo.inspection.inspect import inspect_text
from attendo.inspection.readable import pieces, words
from attendo.model.transformer import Transformer
from attendo.text.tokenizer import Tokenizer

DIRECTIONS = (("en", "de"),)
FILE = Path(__file__).with_suffix(".tsv")
PRONOUN = re.compile(r"\b(er|sie|es)\b")


@dataclass(frozen=True)
class ItPair:
    frame: str
    nouns: tuple[str, str]
    adjectives: tuple[str, str]  # the first speaks of the first noun
    pronouns: tuple[str, str]


def it_pairs() -> list[ItPair]:
    rows = [line.split("\t") for line in FILE.read_text(encoding="utf-8").removesuffix("\n").split("\n")[1:]]
    return [ItPair(row[0], (row[1], row[2]), (row[3], row[4]), (row[5], row[6])) for row in rows]


def it_looks(model: Transformer, tokenizer: Tokenizer, pair: ItPair) -> tuple[Tensor, list[str]]:
    """What "it" looks at: [sentences, layers × heads, (first noun, second noun, adjective)]; and the pronouns."""
    weights, pronouns = [], []
    for adjective in pair.adjectives:
        found = inspect_text(
            model, tokenizer, pair.frame.replace("_", adjective), DIRECTIONS, options=SearchOptions(stop="exact")
        )
        units = words(pieces(found.source, tokenizer))
        texts = [unit.text.strip() for unit in units]
        maps = join_tokens(torch.cat(found.record.encoder_self).double(), units, units).flatten(0, 1)
        weights.append(maps[:, texts.index("it")][:, [texts.index(word) for word in (*pair.nouns, adjective)]])
        pronouns.append(pronoun(tokenizer.decode(found.best.ids)))
    return torch.stack(weights), pronouns


def pronoun(german: str) -> str:
    """The first one after the last comma, where the reason is given: …, weil es zu müde war. Else nothing."""
    found = PRONOUN.search(german.rpartition(",")[2])
    return found.group() if found else ""


def toward(weights: Tensor) -> Tensor:
    """How much more "it" gives to the right noun than to the wrong one, mean of both sentences: [layers × heads].

    A head that always prefers the first noun, or the nearer one, comes to 0.
    """
    first, second = weights[..., 0] - weights[..., 1]
    return (first - second) / 2


def both_at_once(weights: Tensor) -> float:
    """Of the first sentence: the most that one head gives to the first noun while another gives it to the adjective."""
    noun, adjective = weights[0, :, 0], weights[0, :, 2]
    least = torch.minimum(noun[:, None], adjective)
    return float(least.fill_diagonal_(0).max())


def of_the_notes(weights: Tensor) -> dict[str, float | list[float]]:
    """The notes' pair: what each head gives to each word, and the most that any gives."""
    numbers: dict[str, float | list[float]] = {"both": both_at_once(weights)}
    for sentence, last in zip(weights, ("tired", "wide"), strict=True):
        for name, each in zip(("animal", "street", last), sentence.T.tolist(), strict=True):
            numbers |= {f"{last}_{name}": max(each), f"{last}_{name}_by_head": each}
    return numbers


def of_pronouns(pairs: Sequence[ItPair], pronouns: Sequence[Sequence[str]]) -> dict[str, float]:
    """How often the German pronoun changes between the two sentences, and how often both are the right ones."""
    changes = [first != second for first, second in pronouns]
    right = [tuple(each) == pair.pronouns for pair, each in zip(pairs, pronouns, strict=True)]
    return {
        "notes_pronoun_changes": float(changes[0]),
        "pronoun_changes": sum(changes) / len(changes),
        "pronouns_right": sum(right) / len(right),
    }
