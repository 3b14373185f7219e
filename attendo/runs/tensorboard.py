"""The curves of a run for TensorBoard, for those who use it. The package is asked for only where a recipe wants it."""

import math
from pathlib import Path
from types import TracebackType
from typing import Self

from attendo.errors import ConfigError
from attendo.files.durable import cannot_write
from attendo.report.formatting import visible
from attendo.training.watch import Sample, StepRecord, ValidationRecord


class TensorBoard:
    """Implements `Watcher`; use it as a context manager.

    `start_step` is the last step of the runs before this one: what they wrote of later steps, which are now done
    again, TensorBoard leaves out.
    """

    def __init__(self, folder: Path, start_step: int = 0) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError as error:
            raise ConfigError("training.tensorboard needs the package tensorboard: pip install tensorboard") from error
        try:
            self.writer = SummaryWriter(str(folder), purge_step=start_step + 1)
        except OSError as error:
            raise cannot_write(folder, error) from error
        self.step = start_step

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.writer.close()

    def stepped(self, record: StepRecord) -> None:
        self.step = record.step
        self.add_finite("training/loss", record.loss)
        self.add_finite("training/learning_rate", record.learning_rate)
        self.add_finite("training/gradient_norm", record.gradient_norm)
        self.add_finite("training/target_tokens_per_second", record.target_tokens_per_second)
        self.add_finite("training/padding", record.padding)
        self.add_finite("training/epoch", record.epoch)
        if record.skipped:
            self.add_finite("training/skipped", 1)

    def validating(self, step: int) -> None:
        pass

    def validated(self, record: ValidationRecord) -> None:
        self.step = record.step
        for name, score in record.scores.items():
            self.add_finite(f"validation/{name}", score)
        for index, sample in enumerate(record.samples, start=1):
            self.writer.add_text(f"sample/{index}", sample_as_code(sample), record.step)
        self.writer.flush()

    def saved(self, step: int, seconds: float) -> None:
        self.writer.flush()

    def said(self, sentence: str) -> None:
        self.writer.add_text("remarks", indent_as_code(sentence), self.step)

    def add_finite(self, name: str, value: float) -> None:
        """What is no finite number would only break the scale of a curve."""
        if math.isfinite(value):
            self.writer.add_scalar(name, value, self.step)


def sample_as_code(sample: Sample) -> str:
    return "\n".join(map(indent_as_code, (sample.source, sample.reference, sample.translation)))


def indent_as_code(text: str) -> str:
    """TensorBoard reads Markdown, where four spaces make code, in which nothing means anything."""
    return f"    {visible(text)}"
