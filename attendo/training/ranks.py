"""The other processes of a run: a rank is one of them, usually with a GPU of its own (docs/scaling.md).

Training asks these few things of the others, and does not know whether there are any: `Ranks` is a process alone, to
which every answer is its own; `ManyRanks` really asks. All ranks ask the same questions in the same order.

    gradients     each rank computes those of its share of a step; what counts is the sum over all
    decisions     to stop, to give up, which score is best: all take the same one
    what is read  a checkpoint is read by rank 0, and handed out
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn

from attendo.data.batch import Batch
from attendo.errors import TrainingError
from attendo.training.device import Machine
from attendo.training.gradient_sum import GradientSum
from attendo.training.launch import Launch
from attendo.training.share import my_share
from attendo.training.stop import Stop

Expected = Mapping[str, tuple[tuple[int, ...], torch.dtype]]


class Ranks:
    """A process alone."""

    rank, world = 0, 1

    @property
    def is_first(self) -> bool:
        """Rank 0 alone writes files and talks to people."""
        return self.rank == 0

    def placed(self, machine: Machine) -> Machine:
        """The machine with this rank's own GPU."""
        return machine

    def share(self, micro_batches: Sequence[Batch]) -> list[Batch]:
        """This rank's part of a step."""
        return my_share(micro_batches, self.rank, self.world)

    # --- numbers on the device

    def will_train(self, model: nn.Module) -> None:
        """Before the first `backward`."""

    def backward(self, loss: Tensor, model: nn.Module, last: bool) -> None:
        """Gradients of a micro-batch; after the `last` one of a step those of all ranks are added up."""
        loss.backward()

    def total(self, number: Tensor) -> Tensor:
        """The sum over all ranks."""
        return number

    # --- words and decisions, on the host

    def highest(self, number: int) -> int:
        """Of what the ranks say: 1 if any of them says 1."""
        return number

    def told(self, what: Any) -> Any:
        """What rank 0 says, anything that JSON can hold; the others may say what they like."""
        return what

    def gather(self, what: Any) -> list[Any]:
        """What each rank says, in order."""
        return [what]

    def in_turn(self) -> AbstractContextManager[None]:
        """One process of each machine does first what the others then find done."""
        return nullcontext()

    def may_break_off(self, stop: Stop) -> AbstractContextManager[None]:
        """Work inside which a signal may end the run at once, as nobody waits for it."""
        return stop.at_once()

    # --- tensors

    def handed_out(self, tensors: Mapping[str, Tensor], expected: Expected) -> Iterator[tuple[str, Tensor]]:
        """Rank 0's tensors, one after the other; the others need have none."""
        yield from tensors.items()

    def hand_out_(self, tensors: Iterable[Tensor]) -> None:
        """Rank 0's numbers in the place of one's own."""

    def first_that_differs(self, tensors: Mapping[str, Tensor]) -> str | None:
        """The name of a tensor that has not the same bits on every rank."""
        return None


ALONE = Ranks()


class ManyRanks(Ranks):
    def __init__(self, launch: Launch, patient: dist.ProcessGroup) -> None:
        self.launch, self.patient = launch, patient
        self.rank, self.world = launch.rank, launch.world
        self.sums: dict[nn.Module, GradientSum] = {}

    def placed(self, machine: Machine) -> Machine:
        if machine.device.type != "cuda":
            return machine
        return replace(machine, device=torch.device("cuda", torch.cuda.current_device()))

    def will_train(self, model: nn.Module) -> None:
        self.sums[model] = GradientSum(model)

    def backward(self, loss: Tensor, model: nn.Module, last: bool) -> None:
        with answering():
            if last:
                self.sums[model].backward(loss)
            else:
                loss.backward()

    def total(self, number: Tensor) -> Tensor:
        total = number.clone()
        with answering():
            dist.all_reduce(total)
        return total

    def highest(self, number: int) -> int:
        tensor = torch.tensor(number)
        with answering():
            dist.all_reduce(tensor, dist.ReduceOp.MAX)
        return int(tensor)

    def told(self, what: Any) -> Any:
        message = as_tensor(what)
        length = torch.tensor(len(message))
        with answering():
            dist.broadcast(length, 0)
            message = message if self.is_first else torch.empty(int(length), dtype=torch.uint8)
            dist.broadcast(message, 0)
        return from_tensor(message)

    def gather(self, what: Any) -> list[Any]:
        message = as_tensor(what)
        longest = self.highest(len(message))
        own = torch.full((longest,), ord(" "), dtype=torch.uint8)  # JSON may end in blanks
        own[: len(message)] = message
        every = [torch.empty_like(own) for _ in range(self.world)]
        with answering():
            dist.all_gather(every, own)
        return [from_tensor(each) for each in every]

    @contextmanager
    def in_turn(self) -> Iterator[None]:
        # Corpora take as long as they take; but whoever ends is missed at once, however patient the group is.
        if self.launch.local_rank == 0:
            yield
        with answering():
            dist.barrier(self.patient)
        if self.launch.local_rank != 0:
            yield

    def may_break_off(self, stop: Stop) -> AbstractContextManager[None]:
        return nullcontext()  # the others would wait for this rank's part: all stop together, after it

    def handed_out(self, tensors: Mapping[str, Tensor], expected: Expected) -> Iterator[tuple[str, Tensor]]:
        for name, (shape, dtype) in expected.items():  # one at a time: all may be more than fits
            tensor = tensors[name] if self.is_first else torch.empty(shape, dtype=dtype)
            with answering():
                dist.broadcast(tensor, 0)
            yield name, tensor

    def hand_out_(self, tensors: Iterable[Tensor]) -> None:
        with answering():
            for tensor in tensors:
                dist.broadcast(tensor, 0)

    def first_that_differs(self, tensors: Mapping[str, Tensor]) -> str | None:
        if not tensors:
            return None
        sums = torch.stack([sum_of_bits(tensor) for tensor in tensors.values()])
        largest = torch.cat((sums, -sums))
        with answering():
            dist.all_reduce(largest, dist.ReduceOp.MAX)
        high, low = largest.chunk(2)
        alike = (high == -low).tolist()  # of all ranks the highest is also the lowest
        return next((name for name, same in zip(tensors, alike, strict=True) if not same), None)


def sum_of_bits(tensor: Tensor) -> Tensor:
    """A number that changes with every bit of a tensor, computed where the tensor lies."""
    return tensor.detach().contiguous().view(-1).view(torch.int32).sum(dtype=torch.int64)


def as_tensor(what: Any) -> Tensor:
    return torch.frombuffer(bytearray(json.dumps(what).encode()), dtype=torch.uint8)


def from_tensor(message: Tensor) -> Any:
    return json.loads(bytes(message.tolist()))


@contextmanager
def answering() -> Iterator[None]:
    """A rank that has ended, or hangs, is an error in one line to those who wait for it."""
    try:
        yield
    except RuntimeError as error:
        if isinstance(error, torch.OutOfMemoryError) or not is_of_ranks(error):
            raise
        # "[…/pair.cc:537] Read error […]: Connection reset by peer. This is typically caused by …"
        reason = str(error).strip().partition("\n")[0].rpartition(".cc:")[2].partition("] ")[2] or str(error).strip()
        reason = reason.partition(". ")[0].partition("\n")[0]
        raise TrainingError(
            f"another process of this run has ended or does not answer ({reason[:200]}); the same command resumes from "
            f"the last checkpoint"
        ) from error


def is_of_ranks(error: RuntimeError) -> bool:
    """Of the two ways by which ranks talk NCCL has an error of its own; gloo tells it in words."""
    words = ("gloo", "connection", "timed out", "peer", "application timeout")
    return isinstance(error, dist.DistError) or any(word in str(error).lower() for word in words)
