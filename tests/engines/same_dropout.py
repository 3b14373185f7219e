"""The dropout of one step put into another: what the first one dropped, the written-out model drops, too."""

from contextlib import contextmanager
from itertools import combinations

import torch
from torch import nn


@contextmanager
def dropping_again(recorded, monkeypatch):
    """Every dropout of torch multiplies by the next recorded factors: no two are alike, and all are used."""
    for one, other in combinations(recorded, 2):
        assert not torch.equal(one, other)
    left = list(recorded)

    def multiply(self, x):
        return x * left.pop(0).view_as(x).to(x.dtype) if self.training and self.p > 0 else x

    with monkeypatch.context() as patch:
        patch.setattr(nn.Dropout, "forward", multiply)
        yield
    assert not left
