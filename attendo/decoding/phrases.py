"""Phrases that a target must contain, such as the entries of a glossary: none ends before it has said them all.

Two things bring them about. *Masks*, for every search: </s> is forbidden while a phrase is missing; where the model
would rather end it must say one first; and once the room left is just enough for what is missing, nothing else may be
said, and each token makes it less by one at least. So the phrases appear whenever they fit. *Turns*, for beam search:
hypotheses that have said more of the phrases would lose against those that have not begun, so the beam's places go
round by how much was said (after Post and Vilar 2018), and continuations that say more are always candidates.
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from attendo.decoding.constraints import Rows
from attendo.decoding.options import MOST_PHRASE_TOKENS, MOST_PHRASES
from attendo.decoding.phrase_tree import Phrase, PhraseProgress, PhraseTree, Standing
from attendo.errors import InputError
from attendo.special_tokens import SPECIAL, pad_rows


class Phrases:
    """phrases[sentence] are the token sequences that the sentence's target must contain.

    As a constraint, for a search with one hypothesis, a phrase once begun must be said to its end: having only one
    hypothesis, it could not come back to it. Beam search may drop a phrase and begin it elsewhere (`loosely`).
    """

    def __init__(self, phrases: Sequence[Sequence[Sequence[int]]]) -> None:
        self.phrases: list[tuple[Phrase, ...]] = [tuple({tuple(p): None for p in of_one}) for of_one in phrases]
        for sentence, of_one in enumerate(self.phrases):
            tokens = sum(map(len, of_one))
            if len(of_one) > MOST_PHRASES or tokens > MOST_PHRASE_TOKENS:
                raise InputError(
                    f"sentence {sentence} has {len(of_one):,} phrases of {tokens:,} tokens: expected at most "
                    f"{MOST_PHRASES:,} of {MOST_PHRASE_TOKENS:,}"
                )
            for phrase in of_one:
                if not phrase or {SPECIAL.pad, SPECIAL.bos, SPECIAL.eos} & set(phrase):
                    raise InputError(f"a phrase of sentence {sentence} is {list(phrase)}: expected tokens of a text")
        self.trees = [PhraseTree(of_one) for of_one in self.phrases]

    def __call__(self, logits: Tensor, rows: Rows) -> Tensor:
        return self.masked(logits, rows, lambda now: bool(now.going_on))

    def loosely(self, logits: Tensor, rows: Rows) -> Tensor:
        return self.masked(logits, rows, lambda now: False)

    def masked(self, logits: Tensor, rows: Rows, must_go_on: Callable[[PhraseProgress], bool]) -> Tensor:
        forbidden = torch.zeros_like(logits, dtype=torch.bool)
        would_end = (logits.argmax(-1) == SPECIAL.eos).tolist()
        for row, (tree, standing, room) in enumerate(zip(*self.of_rows(rows), rows.room.tolist(), strict=True)):
            if not standing.lacking:
                continue
            now = tree.progress(standing)
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

    def of_rows(self, rows: Rows) -> tuple[list[PhraseTree], list[Standing]]:
        """The tree of each row, and where its output stands in it."""
        trees = [self.trees[sentence] for sentence in rows.sentence.tolist()]
        return trees, [tree.standing(output) for tree, output in zip(trees, rows.output.tolist(), strict=True)]

    def with_next_tokens(self, ids: Tensor, rows: Rows) -> Tensor:
        """Candidates [rows, n] -> [rows, n + m]: and what would bring a phrase nearer; padding fills up the rows."""
        wanted = []
        for have, tree, standing in zip(ids.tolist(), *self.of_rows(rows), strict=True):
            now = tree.progress(standing)
            wanted.append(sorted({*now.going_on, *now.starts} - set(have)))
        return torch.cat((ids, ids.new_tensor(pad_rows(wanted))), dim=1).sort(dim=1).values


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
