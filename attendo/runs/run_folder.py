"""The folder of a run: what lies where, and that only one run at a time works in it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from attendo.errors import TrainingError, WriteError
from attendo.files.durable import lock, sweep


@dataclass(frozen=True)
class RunFolder:
    path: Path

    @property
    def recipe(self) -> Path:
        """As it was resolved: every default filled in."""
        return self.path / "recipe.toml"

    @property
    def environment(self) -> Path:
        return self.path / "environment.json"

    @property
    def config(self) -> Path:
        """Of the model, as a model folder has it."""
        return self.path / "config.json"

    @property
    def tokenizer(self) -> Path:
        return self.path / "tokenizer.json"

    @property
    def log(self) -> Path:
        return self.path / "log.jsonl"

    @property
    def checkpoints(self) -> Path:
        return self.path / "checkpoints"

    @property
    def report(self) -> Path:
        return self.path / "report.html"

    @property
    def model(self) -> Path:
        """The model that came of it."""
        return self.path / "model"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Make the folder if need be, and keep others out; the lock goes with the process, however it ends."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self.path / ".lock", os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise WriteError(f"cannot use {self.path} as a run folder: {error.strerror or error}") from error
        try:
            if not lock(descriptor):
                raise TrainingError(f"another run is at work in {self.path}: wait for it, or name another --run-dir")
            sweep(self.path, ours_alone=True)
            yield
        finally:
            os.close(descriptor)
