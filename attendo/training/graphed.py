"""A step of training replayed as one CUDA graph.

A step of a Transformer is hundreds of small programs, and the host takes longer to start them one by one than a fast
GPU takes to run them. All batches of a run have one shape, so the whole row of programs is recorded once; after that
a single call starts them all, with other numbers in the same buffers. Where they have a few shapes, each is recorded.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from attendo.data.batch import Batch
from attendo.training.objective import Objective
from attendo.training.ranks import ALONE, Ranks
from attendo.training.step import StepOutcome, train_step

logger = logging.getLogger("attendo")

FIRST = 3  # steps without it: compilers and libraries make their choices at the first calls

# Memory that recordings may share, as long as one is replayed at a time: what torch.cuda.graph_pool_handle() gives.
Pool = Any


@dataclass(frozen=True)
class Recording:
    """Where `replay` reads its batches and the learning rate, and where it leaves what came of them."""

    micro_batches: Sequence[Batch]
    learning_rate: Tensor
    outcome: StepOutcome
    replay: Callable[[], None]

    def fits(self, micro_batches: Sequence[Batch]) -> bool:
        return shapes_of(micro_batches) == shapes_of(self.micro_batches)

    def of(self, micro_batches: Sequence[Batch], learning_rate: float) -> StepOutcome:
        for buffer, tensor in zip(tensors_of(self.micro_batches), tensors_of(micro_batches), strict=True):
            buffer.copy_(tensor)
        self.learning_rate.fill_(learning_rate)
        self.replay()
        outcome = self.outcome  # the next replay writes over it
        return StepOutcome(outcome.loss.clone(), outcome.gradient_norm.clone(), outcome.finite.clone())


class GraphedStep:
    """Called like `train_step`, and as exact. Where nothing can be recorded a warning says so and it goes on."""

    def __init__(self, pool: Pool | None = None) -> None:
        self.calls = 0
        self.pool = pool
        self.recording: Recording | None = None

    def __call__(
        self,
        model: nn.Module,
        optimizer: torch.optim.Optimizer,
        micro_batches: Sequence[Batch],
        learning_rate: float,
        objective: Objective,
        *,
        max_gradient_norm: float = 1.0,
        ranks: Ranks = ALONE,
    ) -> StepOutcome:
        self.calls += 1
        if self.calls == FIRST + 1:
            try:
                pool = self.pool
                self.recording = record(model, optimizer, micro_batches, objective, max_gradient_norm, pool, ranks)
            except RuntimeError as error:  # a lack of memory is one of them
                optimizer.zero_grad()
                reason = str(error).strip().partition("\n")[0]
                logger.warning("the step cannot be recorded as a CUDA graph (%s); it runs without, slower", reason)
        if self.recording and not self.recording.fits(micro_batches):
            self.recording = None  # batches were halved for want of memory: this gives some back
        if self.recording:
            return self.recording.of(micro_batches, learning_rate)
        # A tensor here, too: rounded alike, so that a run is the same whenever its recording begins.
        rate = torch.full((), learning_rate, device=micro_batches[0].source.device)
        return train_step(
            model, optimizer, micro_batches, rate, objective, max_gradient_norm=max_gradient_norm, ranks=ranks
        )


class GraphedShapes:
    """Called like `train_step`, for batches of a few shapes: a recording for each, all in the same memory.

    What one recording leaves there is read before the next is replayed, so none needs memory of its own.
    """

    def __init__(self) -> None:
        self.by_shape: dict[tuple[torch.Size, ...], GraphedStep] = {}
        self.pool = torch.cuda.graph_pool_handle() if torch.cuda.is_available() else None

    def __call__(
        self,
        model: nn.Module,
        optimizer: torch.optim.Optimizer,
        micro_batches: Sequence[Batch],
        learning_rate: float,
        objective: Objective,
        *,
        max_gradient_norm: float = 1.0,
        ranks: Ranks = ALONE,
    ) -> StepOutcome:
        step = self.by_shape.setdefault(tuple(shapes_of(micro_batches)), GraphedStep(self.pool))
        return step(
            model, optimizer, micro_batches, learning_rate, objective, max_gradient_norm=max_gradient_norm, ranks=ranks
        )


def record(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    micro_batches: Sequence[Batch],
    objective: Objective,
    max_gradient_norm: float,
    pool: Pool | None = None,
    ranks: Ranks = ALONE,
) -> Recording:
    device = micro_batches[0].source.device
    torch.cuda.empty_cache()  # the recording keeps memory of its own
    buffers = [batch.each(torch.clone) for batch in micro_batches]
    rate = torch.zeros((), device=device)
    graph = torch.cuda.CUDAGraph()
    # thread_local: the thread that feeds the next batches may go on with its copies meanwhile.
    with (
        made_recordable(optimizer),
        keep_generator(device),
        torch.cuda.graph(graph, pool, capture_error_mode="thread_local"),
    ):
        outcome = train_step(
            model, optimizer, buffers, rate, objective, max_gradient_norm=max_gradient_norm, ranks=ranks
        )
    return Recording(buffers, rate, outcome, graph.replay)


@contextmanager
def made_recordable(optimizer: torch.optim.Optimizer) -> Iterator[None]:
    """AdamW wants to be told that its step count must stay on the device; told for good, it would warn elsewhere."""
    for group in optimizer.param_groups:
        group["capturable"] = True
    try:
        yield
    finally:
        for group in optimizer.param_groups:
            group["capturable"] = False


@contextmanager
def keep_generator(device: torch.device) -> Iterator[None]:
    """A recording that fails leaves the generator waiting for its end: then it gets a fresh state, as it was before."""
    before = torch.cuda.get_rng_state(device)
    try:
        yield
    except BaseException:
        fresh = torch.Generator(device)
        fresh.set_state(before)
        torch.cuda.default_generators[device.index or 0].graphsafe_set_state(fresh.graphsafe_get_state())
        raise


def tensors_of(micro_batches: Sequence[Batch]) -> list[Tensor]:
    return [
        tensor
        for batch in micro_batches
        for tensor in (batch.source, batch.target_in, batch.target_out, *(batch.segments or ()))
    ]


def shapes_of(micro_batches: Sequence[Batch]) -> list[torch.Size]:
    return [tensor.shape for tensor in tensors_of(micro_batches)]
