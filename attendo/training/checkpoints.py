"""The checkpoints of a run: immutable folders step-N, whole or not there, checked before they are believed.

step-500/
  model.safetensors  optimizer.safetensors  average.safetensors (if there is one)
  state.json         progress, random generators, and what the run was made of
  manifest.json      size and sha256 of each, written last
"""

import json
import logging
import os
import re
import shutil
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import Tensor, nn

from attendo.errors import InputError, TrainingError, WriteError
from attendo.files.durable import mark, new_folder, sweep
from attendo.files.manifest import check_manifest, write_manifest
from attendo.files.tables import read_json
from attendo.model_folder.weights import read_tensors, write_tensors
from attendo.training.fingerprint import Fingerprint
from attendo.training.progress import TrainingProgress
from attendo.training.state import Snapshot, expected_optimizer, expected_weights

FORMAT = 1
FILES = ("model.safetensors", "optimizer.safetensors", "state.json")
AVERAGE = "average.safetensors"
LARGEST_STATE = 20_000_000  # bytes of state.json; it has some 15,000 and 10,000 for each further rank
NAME = re.compile(r"step-([1-9][0-9]{0,11})")
DAMAGED = "damaged-"  # before the name of one that was set aside

logger = logging.getLogger("attendo")


@dataclass(frozen=True)
class LoadedCheckpoint:
    """A checkpoint that was read and proved good."""

    path: Path
    snapshot: Snapshot
    fingerprint: Fingerprint


@dataclass(frozen=True)
class Checkpoints:
    folder: Path

    def prepare(self) -> None:
        """Make the folder, and remove what killed runs left in it."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WriteError(f"cannot make the folder {self.folder}: {error.strerror or error}") from error
        sweep(self.folder, ours_alone=True)

    def steps(self) -> list[int]:
        """Of all checkpoints there are, oldest first."""
        names = [NAME.fullmatch(path.name) for path in self.folder.iterdir()] if self.folder.is_dir() else []
        return sorted(int(name[1]) for name in names if name)

    def path(self, step: int) -> Path:
        return self.folder / f"step-{step}"

    def save(self, snapshot: Snapshot, fingerprint: Fingerprint) -> tuple[int, float]:
        """Returns the step and the seconds. A step that is there already is not written again: it is the same state."""
        started = time.perf_counter()
        path = self.path(snapshot.progress.step)
        if not path.exists():
            needs = sum(
                tensor.numel() * tensor.element_size() for group in snapshot.tensors for tensor in group.values()
            )
            with new_folder(path, needs) as folder:
                write_tensors(folder / "model.safetensors", snapshot.weights)
                write_tensors(folder / "optimizer.safetensors", snapshot.optimizer)
                if snapshot.average:
                    write_tensors(folder / AVERAGE, snapshot.average)
                table = {
                    "format": FORMAT,
                    "progress": snapshot.progress.to_dict(),
                    "random": snapshot.random,
                    "must": fingerprint.required,
                    "may": fingerprint.advisory,
                }
                (folder / "state.json").write_text(json.dumps(table, indent=1), encoding="utf-8")
                write_manifest(folder)
        return snapshot.progress.step, time.perf_counter() - started

    def latest(self, model: nn.Module, accept: Callable[[Fingerprint], None]) -> LoadedCheckpoint | None:
        """The newest that is whole; damaged ones are set aside and named. `accept` may refuse what it was made of."""
        steps = self.steps()
        for index in reversed(range(len(steps))):
            path = self.path(steps[index])
            try:
                check_manifest(path, FILES, [AVERAGE])
                progress, random, fingerprint = read_state(path)
                if progress.step != steps[index]:
                    raise InputError(f"{path} holds step {progress.step}")
            except (InputError, OSError) as error:  # a disk that cannot read a file has damaged it
                self.set_aside(path, error, steps[index - 1] if index else None)
                continue
            accept(fingerprint)
            return LoadedCheckpoint(path, read_snapshot(path, model, progress, random), fingerprint)
        if any(self.folder.glob(f"{DAMAGED}step-*")):  # now or in an earlier call
            raise TrainingError(f"no checkpoint in {self.folder} can be read: delete the folder to begin anew")
        return None

    def set_aside(self, path: Path, error: Exception, before: int | None) -> None:
        instead = f"going back to {self.path(before).name}" if before else "there is none before it"
        logger.warning("checkpoint %s is damaged (%s); %s", path.name, error, instead)
        aside = path.with_name(f"{DAMAGED}{path.name}")
        shutil.rmtree(aside, ignore_errors=True)
        path.rename(aside)

    def prune(self, keep: Collection[int]) -> None:
        """Delete the others, but never the newest two. A deletion that fails is a remark, not an error."""
        steps = self.steps()
        for step in steps[:-2]:
            if step in keep:
                continue
            path = self.path(step)
            # Under another name first: half a checkpoint must not look like one.
            gone = path.with_name(f"{mark()}{os.getpid()}-{path.name}")
            try:
                path.rename(gone)
                shutil.rmtree(gone)
            except OSError as error:
                logger.warning("cannot delete the old checkpoint %s: %s", path, error.strerror or error)

    def is_whole(self, step: int) -> bool:
        try:
            check_manifest(self.path(step), FILES, [AVERAGE])
        except (InputError, OSError) as error:  # a disk that cannot read a file has damaged it
            logger.warning("checkpoint %s is damaged (%s)", self.path(step).name, error)
            return False
        return True

    def weights(self, step: int, model: nn.Module) -> dict[str, Tensor]:
        """The weights that were validated at a step: the moving average where there is one."""
        averaged = self.path(step) / AVERAGE
        return read_tensors(averaged, expected_weights(model)) if averaged.exists() else self.raw_weights(step, model)

    def raw_weights(self, step: int, model: nn.Module) -> dict[str, Tensor]:
        """Those that the next step would start from."""
        return read_tensors(self.path(step) / "model.safetensors", expected_weights(model))


def read_snapshot(path: Path, model: nn.Module, progress: TrainingProgress, random: dict[str, str]) -> Snapshot:
    weights = expected_weights(model)
    has_average = (path / AVERAGE).exists()
    return Snapshot(
        weights=read_tensors(path / "model.safetensors", weights),
        optimizer=read_tensors(path / "optimizer.safetensors", expected_optimizer(model)),
        average=read_tensors(path / AVERAGE, weights) if has_average else {},
        random=random,
        progress=progress,
    )


def read_state(path: Path) -> tuple[TrainingProgress, dict[str, str], Fingerprint]:
    table: Any = read_json(path / "state.json", LARGEST_STATE, nan=True)  # of a validation
    if not isinstance(table, dict) or table.get("format") != FORMAT:
        found = table.get("format") if isinstance(table, dict) else type(table).__name__
        raise InputError(f"{path / 'state.json'} has format {str(found)[:20]}: this version reads {FORMAT}")
    random, must, may = (words_of(path, table.get(name)) for name in ("random", "must", "may"))
    return TrainingProgress.from_dict(table.get("progress")), random, Fingerprint(must, may)


def words_of(path: Path, table: Any) -> dict[str, str]:
    if not isinstance(table, dict) or not all(isinstance(word, str) for pair in table.items() for word in pair):
        raise InputError(f"{path / 'state.json'} is not the state of a run")
    return table
