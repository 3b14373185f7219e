"""The task of an encoder alone: guess tokens that were hidden (Devlin et al. 2019, 3.1)."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from attendo.data.batch import Batch
from attendo.data.batches import Position
from attendo.special_tokens import MASK, SPECIAL


@dataclass(frozen=True)
class Masking:
    """Of every sentence a share of tokens is to be guessed: 80 % of them hidden, 10 % replaced, 10 % left as they are.

    The draw is a function of (seed, position): a run that is stopped and goes on sees the same masks.
    """

    share: float
    vocab_size: int
    first_piece: int  # ids below it are control ids and tags, which are neither hidden nor put in
    seed: int

    def __call__(self, batch: Batch, position: Position) -> Batch:
        rng = np.random.default_rng([self.seed, position.epoch, position.batch])
        tokens = sentences(batch).numpy()
        chance, kind = rng.random(tokens.shape), rng.random(tokens.shape)
        pieces = tokens >= self.first_piece
        chosen = pieces & (chance < self.share)
        # A sentence of few pieces may get none; then its likeliest is chosen, so that every row teaches something.
        first = np.where(pieces, chance, 2.0).argmin(axis=1)
        rows = np.flatnonzero(pieces.any(axis=1))
        chosen[rows, first[rows]] = True
        random = rng.integers(self.first_piece, self.vocab_size, tokens.shape)
        shown = np.where(chosen & (kind < 0.8), MASK, tokens)
        shown = np.where(chosen & (kind >= 0.8) & (kind < 0.9), random, shown)
        said = np.where(chosen, tokens, SPECIAL.pad)
        source = torch.from_numpy(shown)
        return Batch(source, source, torch.from_numpy(said), num_target_tokens=int(chosen.sum()))


def sentences(batch: Batch) -> Tensor:
    """Sources and targets of a batch (one pair a row) as rows of one sheet, each ending in </s>."""
    width = max(batch.source.shape[1], batch.target_out.shape[1])
    sides = (batch.source, batch.target_out)
    return torch.cat([torch.nn.functional.pad(side, (0, width - side.shape[1]), value=SPECIAL.pad) for side in sides])
