"""An objective compiled for the one shape that batches have, where torch can do it."""

import logging
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from attendo.data.batch import Batch
from attendo.training.objective import Objective

logger = logging.getLogger("attendo")


@dataclass
class Compiled:
    """Compiled at its first call. Should the compiler fail, a warning says so and the run goes on without it."""

    objective: Objective
    compiled: Objective | None = field(init=False)

    def __post_init__(self) -> None:
        # By the stopwatch the compiler would choose differently from run to run, and so would the sums.
        self.compiled = torch.compile(self.objective, dynamic=False, options={"deterministic": True})

    def __call__(self, model: nn.Module, batch: Batch) -> Tensor:
        if self.compiled is not None:
            from torch._dynamo.exc import TorchDynamoException  # takes a second, which only a compiled run should pay

            try:
                return self.compiled(model, batch)
            except TorchDynamoException as error:
                reason = str(error).strip().partition("\n")[0]
                name = type(error).__name__
                logger.warning("torch.compile fails here (%s: %s); going on without it, slower", name, reason)
                self.compiled = None
        return self.objective(model, batch)
