"""Candidates for what is masked in a text, with their probabilities.

Several masks of a text are answered side by side: each is guessed from the visible tokens, while the others stay
hidden. So the best candidates of two masks need not be the best pair.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from attendo.decoding.length import group_by_length
from attendo.engines.encoding import EncodingEngine
from attendo.reading.masked_text import MaskedText, check_length
from attendo.text.tokenizer import Tokenizer


@dataclass(frozen=True)
class MaskCandidate:
    """A token that may stand in place of a mask."""

    id: int
    token: str  # as it would stand in the text, with its space; the name of what has no text
    probability: float
    text: str  # the whole text with it


@dataclass(frozen=True)
class FilledText:
    text: str  # as it was read, with its masks
    masks: tuple[tuple[MaskCandidate, ...], ...]  # for each the likeliest first
    best: str  # the text with the likeliest candidate of every mask

    def to_dict(self) -> dict[str, Any]:
        return {
            "text": self.text,
            "best": self.best,
            "masks": [
                [
                    {"id": one.id, "token": one.token, "probability": one.probability, "text": one.text}
                    for one in candidates
                ]
                for candidates in self.masks
            ],
        }


def fill_masks(texts: Sequence[MaskedText], tokenizer: Tokenizer, engine: EncodingEngine, top: int) -> list[FilledText]:
    """For each text its candidates; texts of like length are read together."""
    for one in texts:
        check_length(one.ids, engine.longest)
    filled: dict[int, FilledText] = {}
    for indices in group_by_length([len(one.ids) for one in texts], engine.tokens_per_batch):
        asked = [texts[index] for index in indices]
        guesses = engine.guess([one.ids for one in asked], [one.positions for one in asked])
        for index, log_probabilities in zip(indices, guesses, strict=True):
            filled[index] = name_candidates(texts[index], log_probabilities, tokenizer, top)
    return [filled[index] for index in range(len(texts))]


def name_candidates(text: MaskedText, log_probabilities: Any, tokenizer: Tokenizer, top: int) -> FilledText:
    """log_probabilities [masks, vocab] -> the `top` likeliest tokens of each mask, equal ones in the order of ids."""
    masks = []
    for index, row in enumerate(log_probabilities):
        ids = (-row).argsort(kind="stable")[:top].tolist()
        tokens = [tokenizer.decode([token]) for token in ids]
        shown = [  # part of a character and what has no text are called by their names
            token if token and "\ufffd" not in token else tokenizer.names([one])[0]
            for token, one in zip(tokens, ids, strict=True)
        ]
        masks.append(
            tuple(
                MaskCandidate(one, token, math.exp(row[one]), text.with_tokens({index: token}))
                for one, token in zip(ids, shown, strict=True)
            )
        )
    best = text.with_tokens({index: candidates[0].token for index, candidates in enumerate(masks)})
    return FilledText(text.text, tuple(masks), best)
