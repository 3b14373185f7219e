"""The task of a translator that says all words at once: guess hidden words of the target (Ghazvininejad et al. 2019).

When it translates, it begins with every word hidden and ends with few. So it is asked for any number of them.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attendo.data.batch import Batch
from attendo.errors import InputError
from attendo.model.non_autoregressive import length_class
from attendo.special_tokens import MASK, SPECIAL
from attendo.training.loss import cross_entropy_sum

NO_LENGTH = -100  # torch's own mark for what counts nothing


@dataclass(frozen=True)
class MaskPredict:
    """Σ over hidden words of -log p(word | x, the others), and over pairs of -log p(length | x).

    </s> is never hidden: whoever knows the length knows where it stands.
    """

    label_smoothing: float = 0.0  # of the words

    def __call__(self, model: nn.Module, batch: Batch) -> Tensor:
        if batch.segments is not None:
            raise InputError("a target is guessed as a whole, with its length: expected one pair a row")
        target = batch.target_out
        hidden = hidden_words(target)
        logits, length_logits = model(batch.source, target.masked_fill(hidden, MASK))
        words = cross_entropy_sum(logits, target.masked_fill(~hidden, SPECIAL.pad), self.label_smoothing)
        no_pair = (target == SPECIAL.pad).all(1)  # a row that only fills the sheet
        lengths = length_class(batch.source, target).masked_fill(no_pair, NO_LENGTH)
        return words + F.cross_entropy(length_logits, lengths, ignore_index=NO_LENGTH, reduction="sum")


def hidden_words(target: Tensor) -> Tensor:
    """Of n words 1 to n, each number equally likely, and then all choices of as many. [batch, target], True = hidden"""
    words = (target != SPECIAL.pad) & (target != SPECIAL.eos)
    n = words.sum(1, keepdim=True)
    number = 1 + (torch.rand(n.shape, device=target.device) * n).long()  # torch.rand is never 1
    shuffled = torch.rand(target.shape, device=target.device).masked_fill(~words, 2.0)
    place = shuffled.argsort(1).argsort(1)  # of each word in a random order; behind all words what is none
    return words & (place < number)
