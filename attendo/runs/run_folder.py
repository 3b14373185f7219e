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
from attendo.errors import AttendoError, InputError, TrainingError, WriteError
from attendo.files.durable import lock, sweep
from attendo.files.source_code import DIGITS, PACKAGE, package_code
from attendo.files.tables import read_json, short_path
from attendo.recipe.read import read_recipe
from attendo.recipe.write import recipe_to_toml
from attendo.training.device import Machine

LARGEST_ENVIRONMENT = 100_000  # bytes
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
        self.tensorboard = path / "tensorboard"
        self.lock = path / ".lock"  # the first of all

    def code(self) -> str:
        """The hash of the code that worked here last. A file that says nothing of it, or no sense, is no obstacle."""
        try:
            table = read_json(self.environment, LARGEST_ENVIRONMENT)
        except InputError:
            return "unknown"
        return str(table.get("attendo_code", "unknown"))[:DIGITS] if isinstance(table, dict) else "unknown"

    @property
    def written(self) -> list[Path]:
        """All that a run writes or replaces."""
        files = [self.recipe, self.environment, self.config, self.tokenizer, self.log, self.report]
        return [*files, self.checkpoints, self.model, self.tensorboard, self.lock]

    def check_ours(self) -> None:
        """An error where files of somebody else bear the names that a run would write; other names do not matter.

        First the names, then the lock: a run that begins there at the same moment makes its lock before all else.
        """
        # Among the files of a folder of that name a checkpoint is only added.
        harmless = (self.lock, self.checkpoints)
        there = [path.name for path in self.written if path not in harmless and os.path.lexists(path)]
        if there and not self.is_of_a_run():
            raise InputError(
                f"{self.path} has {', '.join(there)}, and no run of attendo wrote that: a run would write onto it; "
                "name another folder"
            )

    def is_of_a_run(self) -> bool:
        """Its lock, empty, is there from the first moment on; a copy may be without, and is known by its papers."""
        if self.lock.is_file() and self.lock.stat().st_size == 0:
            return True
        saved = any(self.checkpoints.glob("step-*/state.json"))
        return saved or self.code() != "unknown" or is_as_written(self.recipe)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Make the folder if need be, and keep others out; the lock goes with the process, however it ends."""
        self.check_ours()
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self.lock, os.O_RDWR | os.O_CREAT, 0o666)
        except (OSError, ValueError) as error:  # ValueError: a name that no folder can have
            why = getattr(error, "strerror", None) or error
            raise WriteError(f"cannot use {short_path(self.path)} as a run folder: {why}") from error
        try:
            if not lock(descriptor):
                raise TrainingError(f"another run is at work in {self.path}: wait for it, or name another --run-dir")
            sweep(self.path, ours_alone=True)
            yield
        finally:
            os.close(descriptor)


def is_as_written(recipe: Path) -> bool:
    """A run's own recipe.toml, as attendo wrote it: to write it again loses nothing."""
    try:
        return recipe.is_file() and recipe.read_bytes() == recipe_to_toml(read_recipe(recipe)).encode()
    except (AttendoError, OSError):
        return False


def describe_environment(machine: Machine, folder: Path) -> dict[str, Any]:
    """`folder` is where the recipe lies; its git state is told if it has one, and attendo's own beside it."""
    return {
        "attendo": __version__,
        "attendo_code": package_code(),
        "attendo_git": package_git(),
        "python": platform.python_version(),
        "libraries": {name: installed_version(name) for name in LIBRARIES},
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        **machine.to_dict(),
        "git": git_state(folder),  # of the recipe's folder
    }


def installed_version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def git_state(folder: Path) -> str:
    """The commit, and whether anything was changed since: "3f2a91c, changed"."""
    if shutil.which("git") is None:
        return "no git"
    commit = git(folder, "rev-parse", "--short", "HEAD")
    if commit is None:
        return "no repository"
    return commit + (", changed" if git(folder, "status", "--porcelain", "--untracked-files=no") else "")


def package_git(package: Path = PACKAGE) -> str:
    """Of attendo's own checkout. A package installed below a project of the user's is no part of that."""
    if git(package, "ls-files", "--error-unmatch", "__init__.py") is None:
        return "no checkout"
    commit = git(package, "rev-parse", "--short", "HEAD")
    return f"{commit}{', changed' if git(package, 'status', '--porcelain', '.') else ''}"


def git(folder: Path, *words: str) -> str | None:
    """What git says of a folder; None where there is no git, or it knows nothing of it."""
    program = shutil.which("git")
    if program is None:
        return None
    try:
        done = subprocess.run(  # noqa: S603 - fixed words
            [program, "-C", str(folder), *words], capture_output=True, text=True, check=False, timeout=20
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
