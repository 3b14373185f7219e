"""What a run tells whoever watches it: a screen, a file, nobody."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True)
class StepRecord:
    """One update. A step whose loss or gradient was no finite number changed nothing and is `skipped`."""

    step: int
    loss: float  # mean over the real target tokens, smoothing and R-Drop included
    learning_rate: float
    gradient_norm: float  # before clipping
    target_tokens: int  # real ones
    target_tokens_per_second: float
    padding: float  # share of places of the batch, both sides, that hold no token
    epoch: int
    batch: int  # the number in the epoch of the first micro-batch, from 0
    skipped: bool = False


@dataclass(frozen=True)
class Sample:
    source: str
    reference: str
    translation: str


@dataclass(frozen=True)
class ValidationRecord:
    """The scores by name, `loss` always among them; `best` tells whether the run has seen no better."""

    step: int
    scores: dict[str, float]
    best: bool
    samples: Sequence[Sample] = field(default=())


class Watcher(Protocol):
    """Methods are called in the order of events, from one thread."""

    def stepped(self, record: StepRecord) -> None: ...

    def validating(self, step: int) -> None: ...

    def validated(self, record: ValidationRecord) -> None: ...

    def saved(self, step: int, seconds: float) -> None: ...

    def said(self, sentence: str) -> None:
        """A warning or remark for the person."""


@dataclass(frozen=True)
class Watchers:
    """Several at once."""

    each: Sequence[Watcher]

    def stepped(self, record: StepRecord) -> None:
        for watcher in self.each:
            watcher.stepped(record)

    def validating(self, step: int) -> None:
        for watcher in self.each:
            watcher.validating(step)

    def validated(self, record: ValidationRecord) -> None:
        for watcher in self.each:
            watcher.validated(record)

    def saved(self, step: int, seconds: float) -> None:
        for watcher in self.each:
            watcher.saved(step, seconds)

    def said(self, sentence: str) -> None:
        for watcher in self.each:
            watcher.said(sentence)
