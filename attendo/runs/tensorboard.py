"""The curves of a run for TensorBoard, for those who use it. The package is asked for only where a recipe wants it."""

import math
from pathlib import Path

from attendo.errors import ConfigError
from attendo.files.durable import cannot_write
from attendo.report.formatting import visible
from attendo.training.callback import Callback, CheckpointRecord, StepRecord, ValidationRecord


class TensorBoard(Callback):
    """What earlier runs wrote of steps that are now done again, TensorBoard leaves out."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def on_start(self, step: int, max_steps: int) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError as error:
            raise ConfigError("training.tensorboard needs the package tensorboard: pip install tensorboard") from error
        try:
            self.writer = SummaryWriter(str(self.folder), purge_step=step + 1)
        except OSError as error:
            raise cannot_write(self.folder, error) from error
        self.step = step

    def on_end(self, error: BaseException | None) -> None:
        if hasattr(self, "writer"):
            self.writer.close()

    def on_step(self, record: StepRecord) -> None:
        self.step = record.step
        for name in ("loss", "learning_rate", "gradient_norm", "target_tokens_per_second", "padding", "epoch"):
            self.add_finite(f"training/{name}", getattr(record, name))
        if record.skipped:
            self.add_finite("training/skipped", 1)

    def on_validation(self, record: ValidationRecord) -> None:
        self.step = record.step
        for name, score in record.scores.items():
            self.add_finite(f"validation/{name}", score)
        for index, sample in enumerate(record.samples, start=1):
            lines = map(indent_as_code, (sample.source, sample.reference, sample.translation))
            self.writer.add_text(f"sample/{index}", "\n".join(lines), record.step)
        self.writer.flush()

    def on_checkpoint(self, record: CheckpointRecord) -> None:
        self.writer.flush()

    def on_message(self, step: int, text: str) -> None:
        self.writer.add_text("remarks", indent_as_code(text), self.step)

    def add_finite(self, name: str, value: float) -> None:
        """What is no finite number would only break the scale of a curve."""
        if math.isfinite(value):
            self.writer.add_scalar(name, value, self.step)


def indent_as_code(text: str) -> str:
    """TensorBoard reads Markdown, where four spaces make code, in which nothing means anything."""
    return f"    {visible(text)}"
