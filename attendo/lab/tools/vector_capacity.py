"""How many symbols a model can give back in reverse: one that has seen them as one vector, and two that look at them.

    7 5 9 </s>  ->  9 5 7 </s>

Nothing can be guessed: each of the 16 symbols is as likely as any other. A sequence of n symbols has 4 n bits, and all
of them must pass through the state with which the decoder begins, if that is all it gets. What is lost is lost there.
"""

from dataclasses import dataclass
from functools import partial
from typing import Literal

import torch

from attendo.data.batch import Batch
from attendo.lab.claim import Numbers
from attendo.lab.tools.kept_models import code_of, kept_or_measured, kept_path
from attendo.lab.tools.measuring import at_the_end, unseen_generator
from attendo.lab.tools.toy_tasks import FIRST_SYMBOL, reversal
from attendo.lab.tools.toy_training import Budget, accuracy, toy_config, train_one_by_one
from attendo.model.build import build_model
from attendo.model.config import ModelConfig, RecurrentConfig

Kind = Literal["fixed", "attention", "transformer"]

SYMBOLS = 16
PAIRS, UNSEEN_PAIRS = 32, 512  # of a step; of the test


@dataclass(frozen=True)
class Cell:
    """One model to be trained for one length."""

    kind: Kind
    width: int  # of the vector, and of everything else in the model
    length: int
    steps: int
    seed: int

    @property
    def config(self) -> ModelConfig:
        if self.kind == "transformer":
            return toy_config(SYMBOLS, self.width, 2 * self.width, num_heads=1)
        return RecurrentConfig(
            vocab_size=FIRST_SYMBOL + SYMBOLS, d_model=self.width, encoder_layers=1, decoder_layers=1, dropout=0.0,
            attention="additive" if self.kind == "attention" else "none",
        )  # fmt: skip

    @property
    def rate(self) -> float:
        """The best of 0.002, 0.005, 0.01 and 0.02 for LSTMs of these widths (length 12, one seed): the wider, the
        slower. The Transformer learns it all at 0.01."""
        return 0.01 if self.kind == "transformer" else min(0.02, 0.32 / self.width)


def recall(cell: Cell) -> Numbers:
    """The share of symbols of sequences never seen that come back right, fed the right ones before; and the loss.

    From the cache, where the same was measured before.
    """
    return kept_or_measured(kept_path("json", code_of(__name__), cell), partial(recall_now, cell))


def recall_now(cell: Cell) -> Numbers:
    torch.manual_seed(cell.seed)
    model = build_model(cell.config)
    draw = partial(reversed_rows, cell.length)
    losses = train_one_by_one([model], draw, [cell.seed], Budget(cell.steps, PAIRS, cell.rate))
    unseen = draw(UNSEEN_PAIRS, unseen_generator(cell.seed))
    return {"right": accuracy(model, unseen), "loss": at_the_end(losses)}


def reversed_rows(length: int, num_pairs: int, generator: torch.Generator) -> Batch:
    return reversal(num_pairs, range(length, length + 1), SYMBOLS, generator)
