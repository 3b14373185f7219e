"""What a run tells whoever listens: a screen, a log file, an experiment tracker, nobody."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from attendo.files.arguments import as_list, wrong_argument


@dataclass(frozen=True)
class StepRecord:
    """One update. A step whose loss or gradient was no finite number changed nothing and is `skipped`."""

    step: int
    loss: float  # mean over the real target tokens, smoothing and R-Drop included
    learning_rate: float
    gradient_norm: float  # before clipping
    target_tokens: int  # real ones
    target_tokens_per_second: float
    padding: float  # share of positions of the batch, both sides, that hold no token
    epoch: int
    batch: int  # the index in the epoch of the first micro-batch
    skipped: bool = False


@dataclass(frozen=True)
class TranslationSample:
    source: str
    reference: str
    translation: str


@dataclass(frozen=True)
class ValidationRecord:
    """The scores by name, `loss` always among them; `best` tells whether the run has seen no better.

    >>> attendo.ValidationRecord(step=500, scores={"loss": 2.1}, best=True).scores["loss"]
    2.1
    """

    step: int
    scores: dict[str, float]
    best: bool
    samples: Sequence[TranslationSample] = field(default=())


@dataclass(frozen=True)
class CheckpointRecord:
    """A checkpoint that is whole on the disk."""

    step: int
    seconds: float  # that it took to write
    path: Path


class Callback:
    """Override what you want to react to; every method does nothing by default.

    >>> class Printed(attendo.Callback):
    ...     def on_step(self, record):
    ...         print(record.step, record.loss)

    Methods are called in the order of events, from one thread. What they raise ends the training.
    """

    def on_start(self, step: int, max_steps: int) -> None:
        """Before the first step; `step` is the last one of the runs before this one, 0 if there was none."""

    def on_step(self, record: StepRecord) -> None: ...

    def on_steps(self, records: Sequence[StepRecord]) -> None:
        """Steps that were read together (a GPU is read every 16 steps): by default `on_step` of each."""
        for record in records:
            self.on_step(record)

    def on_validation_start(self, step: int) -> None: ...

    def on_validation(self, record: ValidationRecord) -> None: ...

    def on_checkpoint(self, record: CheckpointRecord) -> None: ...

    def on_message(self, step: int, text: str) -> None:
        """A warning or remark for the person, which the logger "attendo" has got, too."""

    def on_end(self, error: BaseException | None) -> None:
        """After the last step, or after what ended the run before it."""


def as_callbacks(given: object) -> list[Callback]:
    """A list of them, or of what has their methods; an error before the training begins, not at its first event."""
    callbacks = as_list("callbacks", given, "a list of Callback")
    events = [name for name in vars(Callback) if name.startswith("on_")]
    for callback in callbacks:
        if isinstance(callback, type) or not all(callable(getattr(callback, event, None)) for event in events):
            raise wrong_argument("a callback", callback, "an object of a class of Callback's")
    return callbacks
