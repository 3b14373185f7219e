"""Models that the user added: copies in a folder of the user's own, each known by its name like those of the package.

attendo models add models/en-fr         ~/.local/share/attendo/models/en-fr, or under $ATTENDO_MODELS
attendo models remove en-fr
"""

import os
import re
import shutil
from pathlib import Path

from attendo.errors import InputError, UsageError
from attendo.files.durable import new_folder
from attendo.files.manifest import NAME as MANIFEST

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def added_folder() -> Path:
    """Where they are; it need not be there."""
    if named := os.environ.get("ATTENDO_MODELS"):
        return Path(named)
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "attendo" / "models"


def added_models() -> list[Path]:
    try:
        return sorted(path.parent for path in added_folder().glob(f"*/{MANIFEST}") if NAME.fullmatch(path.parent.name))
    except OSError:  # a folder that may not be read has no models for us
        return []


def check_name(name: str, taken: list[str]) -> None:
    if not NAME.fullmatch(name):
        raise UsageError(f"'{name}' is no name of a model: expected letters, digits, points and hyphens")
    if name in taken:
        raise UsageError(f"there is a model '{name}' already: give another name, or remove it first")


def copy_model(folder: Path, name: str, files: tuple[str, ...]) -> Path:
    """The files of a model folder that was checked, whole or not at all."""
    place = added_folder() / name
    place.parent.mkdir(parents=True, exist_ok=True)
    needs = sum((folder / file).stat().st_size for file in files)
    with new_folder(place, needs, shared=True) as new:
        for file in files:
            shutil.copyfile(folder / file, new / file)
    return place


def remove_model(name: str) -> Path:
    """Only what was added; what came with the package stays."""
    found = {folder.name: folder for folder in added_models()}
    if name not in found:
        known = ", ".join(found) or "none"
        raise InputError(f"no model '{name}' was added: those that were are {known}")
    shutil.rmtree(found[name])
    return found[name]
