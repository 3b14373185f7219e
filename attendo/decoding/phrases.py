"""Phrases that a target must contain, such as the entries of a glossary: none ends before it has said them all.

Two things bring them about. *Masks*, for every search: </s> is forbidden while a phrase is missing; where the model
would rather end it must say one first; and once the room left is just enough for what is missing, nothing else may be
said, and each token makes it less by one at least. So the phrases appear whenever they fit. *Turns*, for beam search:
hypotheses that have said more of the phrases would lose against those that have not begun, so the beam's places go
round by how much was said (after Post and Vilar 2018), and continuations that say more are always candidates.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from attendo.decoding.constraints import Rows
from attendo.errors import InputError
from attendo.special_tokens import SPECIAL, pad_rows

Phrase = tuple[int, ...]


@dataclass(frozen=True)
class PhraseProgress:
    """Where a hypothesis stands: how many tokens are missing, and which next ones make it fewer."""

    missing: int  # at most: phrases may overlap
    if_left: int  # the same, if the next token leaves the phrase that was begun
    going_on: tuple[int, ...]  # what continues a phrase that the last tokens began
    starts: tuple[int, ...]  # what begins a phrase that is missing

    @property
    def next_tokens(self) -> tuple[int, ...]:
        return self.going_on or self.starts


def progress(output: Sequence[int], phrases: Sequence[Phrase]) -> PhraseProgress:
    """phrases (5, 6) and (7,), output 9 5 -> missing 2, going on 6, starts 5 and 7."""
    missing = [phrase for phrase in phrases if not contains(output, phrase)]
    begun = {phrase: begun_tokens(output, phrase) for phrase in missing}
    most = max(begun.values(), default=0)
    going_on = {phrase[most] for phrase in missing if begun[phrase] == most} if most else set()
    starts = {phrase[0] for phrase in missing}
    whole = sum(map(len, missing))
    return PhraseProgress(whole - most, whole, tuple(sorted(going_on)), tuple(sorted(starts)))


def contains(output: Sequence[int], phrase: Phrase) -> bool:
    return any(tuple(output[at : at + len(phrase)]) == phrase for at in range(len(output) - len(phrase) + 1))


def begun_tokens(output: Sequence[int], phrase: Phrase) -> int:
    """How many of the last tokens are the beginning of the phrase."""
    longest = min(len(phrase) - 1, len(output))
    return next((n for n in range(longest, 0, -1) if tuple(output[len(output) - n :]) == phrase[:n]), 0)


class Phrases:
    """phrases[sentence] are the token sequences that the sentence's target must contain.

    As a constraint, for a search with one hypothesis, a phrase once begun must be said to its end: having only one
    hypothesis, it could not come back to it. Beam search may drop a phrase and begin it elsewhere (`loosely`).
    """

    def __init__(self, phrases: Sequence[Sequence[Sequence[int]]]) -> None:
        self.phrases: list[tuple[Phrase, ...]] = [tuple({tuple(p): None for p in of_one}) for of_one in phrases]
        for sentence, of_one in enumerate(self.phrases):
            for phrase in of_one:
                if not phrase or {SPECIAL.pad, SPECIAL.bos, SPECIAL.eos} & set(phrase):
                    raise InputError(f"a phrase of sentence {sentence} is {list(phrase)}: expected tokens of a text")

    def __call__(self, logits: Tensor, rows: Rows) -> Tensor:
        return self.masked(logits, rows, lambda now: bool(now.going_on))

    def loosely(self, logits: Tensor, rows: Rows) -> Tensor:
        return self.masked(logits, rows, lambda now: False)

    def masked(self, logits: Tensor, rows: Rows, must_go_on: Callable[[PhraseProgress], bool]) -> Tensor:
        forbidden = torch.zeros_like(logits, dtype=torch.bool)
        would_end = (logits.argmax(-1) == SPECIAL.eos).tolist()
        for row, (now, room) in enumerate(zip(self.of_rows(rows), rows.room.tolist(), strict=True)):
            if not now.missing:
                continue
            if rows.output.shape[1] == 0 and now.missing > room - 1:
                raise InputError(
                    f"the phrases of sentence {int(rows.sentence[row])} have {now.missing} tokens, but its target may "
                    f"have {room}, </s> included: expected room for all of them"
                )
            # Any other token leaves room - 1 places, the last of them for </s>.
            if would_end[row] or now.if_left > room - 2 or must_go_on(now):
                forbidden[row] = True
                forbidden[row, list(now.next_tokens)] = False
            forbidden[row, SPECIAL.eos] = True
        return logits.masked_fill(forbidden, -torch.inf)

    def of_rows(self, rows: Rows) -> list[PhraseProgress]:
        pairs = zip(rows.output.tolist(), rows.sentence.tolist(), strict=True)
        return [progress(output, self.phrases[sentence]) for output, sentence in pairs]

    def with_next_tokens(self, ids: Tensor, rows: Rows) -> Tensor:
        """Candidates [rows, n] -> [rows, n + m]: and what would bring a phrase nearer; padding fills up the rows."""
        wanted = []
        for have, now in zip(ids.tolist(), self.of_rows(rows), strict=True):
            wanted.append(sorted({*now.going_on, *now.starts} - set(have)))
        return torch.cat((ids, ids.new_tensor(pad_rows(wanted))), dim=1).sort(dim=1).values

    def missing(self, sentence: int, output: Sequence[int]) -> int:
        return progress(output, self.phrases[sentence]).missing


def in_turn(missing: Sequence[int]) -> list[int]:
    """Candidates, best first, each with how much it still misses -> the order in which they get places.

    First the best of those that miss least, then the best of those that miss next to least, and so on, and round
    again: [2, 2, 0, 2, 0] -> [2, 0, 4, 1, 3].
    """
    banks: dict[int, int] = {}
    turns = []
    for index, amount in enumerate(missing):
        banks[amount] = banks.get(amount, -1) + 1
        turns.append((banks[amount], amount, index))
    return [index for _, _, index in sorted(turns)]
