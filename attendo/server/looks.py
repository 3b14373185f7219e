"""Looks that are kept for who asks for their numbers, the latest ones: as many as so many bytes hold."""

from collections import OrderedDict
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol, TypeVar

from attendo.glass.look import Look
from attendo.glass.reading import Glass


class Weighed(Protocol):
    @property
    def nbytes(self) -> int: ...


@dataclass(frozen=True)
class KeptLook:
    """What the routes tell of a look. Weights are the model's, and cost nothing more."""

    head: bytes  # JSON
    groups: dict[str, bytes]  # float32, little-endian, one tensor after the other
    glass: Glass

    @cached_property
    def nbytes(self) -> int:
        return len(self.head) + sum(map(len, self.groups.values()))


@dataclass(frozen=True)
class KeptPlain:
    """A look without hands, less its tensors but for those that one with hands is compared by."""

    look: Look

    @cached_property
    def nbytes(self) -> int:
        return sum(self.look.trace[name].nbytes for name in self.look.trace)


Kept = TypeVar("Kept", bound=Weighed)


@dataclass(eq=False)
class Looks:
    """By their ids; what was asked for last is forgotten last. Only the thread of the event loop comes here."""

    most_bytes: int
    nbytes: int = 0
    kept: OrderedDict[str, Weighed] = field(default_factory=OrderedDict)

    def put(self, key: str, look: Weighed) -> None:
        self.drop(key)
        self.kept[key] = look
        self.nbytes += look.nbytes
        while self.nbytes > self.most_bytes:
            self.drop(next(iter(self.kept)))

    def get(self, key: str, kind: type[Kept]) -> Kept | None:
        found = self.kept.get(key)
        if not isinstance(found, kind):
            return None
        self.kept.move_to_end(key)
        return found

    def drop(self, key: str) -> None:
        if key in self.kept:
            self.nbytes -= self.kept.pop(key).nbytes
