"""Loss and gradients replayed as one CUDA graph.

A step of a Transformer is hundreds of small programs, and the host takes longer to start them one by one than a fast
GPU takes to run them. All batches of a run have one shape, so the whole row of programs is recorded once; after that
a single call starts them all, with other numbers in the same places.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from attendo.data.batch import Batch
from attendo.training.objective import Objective

FIRST = 3  # batches computed without it: compilers and libraries make their choices at the first calls


@dataclass(frozen=True)
class Recording:
    """Where `replay` reads the batch, and where it leaves the loss and the gradients."""

    batch: Batch
    parameters: Sequence[nn.Parameter]
    loss: Tensor
    gradients: Sequence[Tensor]
    replay: Callable[[], None]

    def fits(self, batch: Batch) -> bool:
        return shapes(batch) == shapes(self.batch)


class Graphed:
    """An objective like the one it is made of, and as exact. Where nothing can be recorded it says so and goes on."""

    def __init__(self, objective: Objective, say: Callable[[str], None]) -> None:
        self.objective, self.say = objective, say
        self.calls = 0
        self.recording: Recording | None = None

    def __call__(self, model: nn.Module, batch: Batch) -> Tensor:
        self.calls += 1
        if self.calls == FIRST + 1:
            try:
                self.recording = record(self.objective, model, batch)
            except RuntimeError as error:  # a lack of memory is one of them
                reason = str(error).strip().partition("\n")[0]
                self.say(f"this step cannot be recorded as a CUDA graph ({reason}); going on without, slower")
        if self.recording and not self.recording.fits(batch):
            self.recording = None  # batches were halved for want of memory: this gives some back
        if self.recording is None:
            return self.objective(model, batch)
        loss: Tensor = Replayed.apply(self.recording, batch, *self.recording.parameters)  # type: ignore[no-untyped-call]
        return loss


class Replayed(torch.autograd.Function):
    """To autograd, a function of the parameters whose gradients are known as soon as its value is."""

    @staticmethod
    def forward(ctx: Any, recording: Recording, batch: Batch, *parameters: Tensor) -> Tensor:
        for place, tensor in zip(tensors(recording.batch), tensors(batch), strict=True):
            place.copy_(tensor)
        recording.replay()
        ctx.recording = recording
        return recording.loss.clone()  # the next replay writes over it

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        return None, None, *torch._foreach_mul(list(ctx.recording.gradients), gradient)


def record(objective: Objective, model: nn.Module, batch: Batch) -> Recording:
    torch.cuda.empty_cache()  # the recording keeps memory of its own
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    place = batch.each(torch.clone)
    graph = torch.cuda.CUDAGraph()
    # thread_local: the thread that feeds the next batches may go on with its copies meanwhile.
    with torch.cuda.graph(graph, capture_error_mode="thread_local"):
        loss = objective(model, place)
        gradients = torch.autograd.grad(loss, parameters)
    return Recording(place, parameters, loss.detach(), gradients, graph.replay)


def tensors(batch: Batch) -> list[Tensor]:
    return [batch.source, batch.target_in, batch.target_out, *(batch.segments or ())]


def shapes(batch: Batch) -> list[torch.Size]:
    return [tensor.shape for tensor in tensors(batch)]
