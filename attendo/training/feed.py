"""Batches put together and sent to the device in the background, while the step before is computed."""

import queue
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch

from attendo.data.batch import Batch
from attendo.data.batches import Position
from attendo.errors import DataError
from attendo.files.tables import short_repr
from attendo.special_tokens import SPECIAL
from attendo.training.ranks import ALONE, Ranks

AHEAD = 16  # steps; the next epoch is planned meanwhile, which takes some 0.2 s, and little to hold


@runtime_checkable
class BatchSource(Protocol):
    """Where batches come from, such as `Batches`."""

    def stream(self, position: Position) -> Iterator[tuple[Batch, Position]]:
        """Batches without end from a position on, each with the position after it."""


@dataclass(frozen=True)
class Repeated:
    """A list of batches, or whatever can be iterated over again and again: once an epoch."""

    batches: Iterable[Batch]

    def stream(self, position: Position) -> Iterator[tuple[Batch, Position]]:
        epoch, start = position.epoch, position.batch
        while True:
            count = 0
            for count, batch in enumerate(self.batches, start=1):
                if count > start:
                    yield batch, Position(epoch, count)
            if count == 0:
                raise DataError(f"epoch {epoch} has no batches: expected some that can be iterated over in each epoch")
            epoch, start = epoch + 1, 0


@dataclass(frozen=True)
class Work:
    """What one step computes: this rank's part of its micro-batches, and where the data goes on after them."""

    micro_batches: list[Batch]
    first: Position
    after: Position
    padding: float  # share of positions on both sides that hold no token
    target_tokens: int  # real ones, of all ranks


class Feed:
    """Iterate over it for the work of one step after the other, without end.

    An error in the background is raised where the work was to come out.
    """

    def __init__(
        self,
        batches: BatchSource,
        position: Position,
        accumulate: int,
        device: torch.device,
        ranks: Ranks = ALONE,
    ) -> None:
        self.batches, self.position, self.accumulate, self.device = batches, position, accumulate, device
        self.ranks = ranks
        self.ready: queue.Queue[Work | BaseException] = queue.Queue(AHEAD)
        self.closed = threading.Event()
        self.thread = threading.Thread(target=self.fill, name="feed", daemon=True)

    def __enter__(self) -> "Feed":
        self.thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.closed.set()
        self.thread.join()

    def __iter__(self) -> Iterator[Work]:
        while True:
            work = self.ready.get()
            if isinstance(work, BaseException):
                raise work
            yield work

    def fill(self) -> None:
        try:
            for work in self.work():
                if not self.put(work):
                    return
        except BaseException as error:  # whatever it is, it must not be lost with the thread
            self.put(error)

    def put(self, work: Work | BaseException) -> bool:
        while not self.closed.is_set():
            try:
                self.ready.put(work, timeout=0.1)
                return True
            except queue.Full:
                continue
        return False

    def work(self) -> Iterator[Work]:
        stream = self.batches.stream(self.position)
        before = self.position
        while True:
            first, micro_batches = before, []
            for _ in range(self.accumulate):
                batch, before = next(stream)
                if not isinstance(batch, Batch):
                    raise DataError(f"a batch is {short_repr(batch)}: expected a Batch")
                micro_batches.append(batch)
            padding, tokens = share_of_padding(micro_batches), sum(batch.num_target_tokens for batch in micro_batches)
            own = self.ranks.share(micro_batches)
            yield Work([self.send(batch) for batch in own], first, before, padding, tokens)

    def send(self, batch: Batch) -> Batch:
        # From pinned memory a copy to the GPU runs beside the computing.
        return batch.pinned().to(self.device) if self.device.type == "cuda" else batch


def share_of_padding(micro_batches: list[Batch]) -> float:
    sides = [side for batch in micro_batches for side in (batch.source, batch.target_in)]
    real = sum(int((side != SPECIAL.pad).sum()) for side in sides)
    return 1 - real / sum(side.numel() for side in sides)
