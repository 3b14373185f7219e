"""What a run was made with: versions, machine, state of the sources."""

import platform
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from attendo import __version__
from attendo.training.device import Machine

LIBRARIES = ("torch", "tokenizers", "safetensors", "numpy", "sacrebleu")


def environment(machine: Machine, folder: Path) -> dict[str, Any]:
    """`folder` is where the recipe lies; its git state is told if it has one."""
    return {
        "attendo": __version__,
        "python": platform.python_version(),
        "libraries": {name: installed(name) for name in LIBRARIES},
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        **machine.to_dict(),
        "git": git_state(folder),
    }


def installed(name: str) -> str:
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
