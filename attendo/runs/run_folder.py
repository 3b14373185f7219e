"""The folder of a run: what lies where, what it was made with, and that only one run at a time works in it."""

import os
import platform
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from attendo import __version__
from attendo.errors import TrainingError, WriteError
from attendo.files.durable import lock, sweep
from attendo.training.device import Machine

LIBRARIES = ("torch", "tokenizers", "safetensors", "numpy", "sacrebleu")


class RunFolder:
    """The paths of what a run writes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.recipe = path / "recipe.toml"  # as it was resolved: every default filled in
        self.environment = path / "environment.json"
        self.config = path / "config.json"  # of the model, as a model folder has it
        self.tokenizer = path / "tokenizer.json"
        self.log = path / "log.jsonl"
        self.checkpoints = path / "checkpoints"
        self.report = path / "report.html"
        self.model = path / "model"  # the one that came of it

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


def describe_environment(machine: Machine, folder: Path) -> dict[str, Any]:
    """`folder` is where the recipe lies; its git state is told if it has one."""
    return {
        "attendo": __version__,
        "python": platform.python_version(),
        "libraries": {name: installed_version(name) for name in LIBRARIES},
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        **machine.to_dict(),
        "git": git_state(folder),
    }


def installed_version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def git_state(folder: Path) -> str:
    """The commit, and whether anything was changed since: "3f2a91c, changed"."""
    git = shutil.which("git")
    if git is None:
        return "no git"
    commit, changes = (
        subprocess.run(  # noqa: S603 - fixed words
            [git, "-C", str(folder), *words], capture_output=True, text=True, check=False, timeout=20
        )
        for words in (["rev-parse", "--short", "HEAD"], ["status", "--porcelain", "--untracked-files=no"])
    )
    if commit.returncode != 0:
        return "no repository"
    return commit.stdout.strip() + (", changed" if changes.stdout.strip() else "")
