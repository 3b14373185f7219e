"""Dropout from few random bits.

torch draws a number for every number that may be dropped, which on a CPU takes as long as a small matrix product. Here
16 bits decide: p is rounded to a multiple of 2^-16, and what is left grows by what is really dropped. The bits are
SFC64's, whose seed torch's generator draws, so that `torch.manual_seed` still makes a training repeatable.
"""

import numpy as np
import torch
from torch import Tensor

STEPS = 2**16


class FewBits:
    """The factors of one dropout after the other, all from one seed."""

    def __init__(self) -> None:
        self.bits = np.random.SFC64(int(torch.randint(2**62, ())))

    def factors(self, like: Tensor, dropout: float) -> Tensor | None:
        """0 where a number is dropped, 1 / (1 - p) elsewhere, of the shape and type of `like`; None where p is 0."""
        dropped = min(round(dropout * STEPS), STEPS - 1)  # a little is left of whatever is less than 1
        if dropped == 0:
            return None
        drawn = self.bits.random_raw(like.numel() // 4 + 1).view(np.int16)[: like.numel()]
        factors = torch.empty_like(like)
        torch.ge(torch.from_numpy(drawn).view(like.shape), dropped - STEPS // 2, out=factors)
        return factors.mul_(STEPS / (STEPS - dropped))
