"""Batches put together and sent to the device in the background, while the step before is computed."""

import threading
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch

from attendo.data.batch import Batch
from attendo.data.batches import Position
from attendo.errors import DataError
from attendo.files.tables import short_repr
from attendo.special_tokens import SPECIAL
from attendo.training.ranks import ALONE, Ranks

# Steps that wait ready. A small model's takes a GPU 15 ms, and now and then the host is busy for a second or two; on a
# CPU more of them would only take time from the first steps.
AHEAD = {"cpu": 16, "cuda": 256}
AHEAD_BYTES = 128 * 2**20  # of all that wait, but one may always: 160 packed batches of 25,000 tokens, 4 of a million


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
        self.most = AHEAD.get(device.type, AHEAD["cpu"])
        self.ready: deque[Work | BaseException] = deque()
        self.bytes = 0  # of what is ready
        self.closed = False
        self.changed = threading.Condition()  # of the three
        self.thread = threading.Thread(target=self.fill, name="feed", daemon=True)

    def __enter__(self) -> "Feed":
        self.thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        with self.changed:
            self.closed = True
            self.changed.notify_all()
        self.thread.join()

    def __iter__(self) -> Iterator[Work]:
        while True:
            work = self.take()
            if isinstance(work, BaseException):
                raise work
            yield work

    def take(self) -> Work | BaseException:
        with self.changed:
            self.changed.wait_for(lambda: self.ready)
            work = self.ready.popleft()
            self.bytes -= bytes_of(work)
            self.changed.notify_all()
            return work

    def fill(self) -> None:
        try:
            for work in self.work():
                if not self.put(work):
                    return
        except BaseException as error:  # whatever it is, it must not be lost with the thread
            self.put(error)

    def put(self, work: Work | BaseException) -> bool:
        """As soon as there is room for it; False: it is not wanted any more."""
        size = bytes_of(work)
        with self.changed:
            self.changed.wait_for(lambda: self.closed or self.has_room(size))
            if self.closed:
                return False
            self.ready.append(work)
            self.bytes += size
            self.changed.notify_all()
            return True

    def has_room(self, size: int) -> bool:
        return not self.ready or (len(self.ready) < self.most and self.bytes + size <= AHEAD_BYTES)

    def work(self) -> Iterator[Work]:
        with ExitStack() as at_the_end:
            stream = self.batches.stream(self.position)
            if isinstance(stream, Generator):  # which may have work of its own under way
                at_the_end.enter_context(closing(stream))
            before = self.position
            while True:
                first, micro_batches = before, []
                for _ in range(self.accumulate):
                    batch, before = next(stream)
                    if not isinstance(batch, Batch):
                        raise DataError(f"a batch is {short_repr(batch)}: expected a Batch")
                    micro_batches.append(batch)
                padding = share_of_padding(micro_batches)
                tokens = sum(batch.num_target_tokens for batch in micro_batches)
                own = self.ranks.share(micro_batches)
                yield Work([self.send(batch) for batch in own], first, before, padding, tokens)

    def send(self, batch: Batch) -> Batch:
        # From pinned memory a copy to the GPU runs beside the computing.
        return batch.pinned().to(self.device) if self.device.type == "cuda" else batch


def bytes_of(work: Work | BaseException) -> int:
    return 0 if isinstance(work, BaseException) else sum(batch.num_bytes for batch in work.micro_batches)


def share_of_padding(micro_batches: list[Batch]) -> float:
    sides = [side for batch in micro_batches for side in (batch.source, batch.target_in)]
    real = sum(int((side != SPECIAL.pad).sum()) for side in sides)
    return 1 - real / sum(side.numel() for side in sides)
