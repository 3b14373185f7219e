"""What is installed: the models that came with the package."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from attendo.model_folder.bundle import CARD, DEFAULT, read_bundle, shipped_models


@dataclass(frozen=True)
class InstalledModel:
    """A model that `load` and `--model` know by its name."""

    name: str
    default: bool
    directions: tuple[tuple[str, str], ...]  # source and target
    bytes: int  # of its weights
    licence: str
    folder: Path

    def to_dict(self) -> dict[str, Any]:
        directions = ["-".join(direction) for direction in self.directions]
        return asdict(self) | {"directions": directions, "folder": str(self.folder)}


def models() -> list[InstalledModel]:
    """The models that came with the package, by name; every file of each is checked against its manifest.

    >>> import attendo
    >>> [(model.name, model.directions) for model in attendo.models()]
    [('default', (('zh', 'en'), ('en', 'zh'), ('de', 'en'), ('en', 'de')))]
    """
    return [describe_installed(folder) for folder in shipped_models()]


def describe_installed(folder: Path) -> InstalledModel:
    bundle = read_bundle(folder)
    size, default = bundle.weights.stat().st_size, folder.name == DEFAULT
    return InstalledModel(folder.name, default, bundle.directions, size, licence_of(folder), folder)


def licence_of(folder: Path) -> str:
    """As its card says in a line of its own, `Licence: …`; a card that says nothing gives nothing."""
    lines = (folder / CARD).read_text(encoding="utf-8", errors="replace").split("\n")
    return next((line.removeprefix("Licence: ") for line in lines if line.startswith("Licence: ")), "")
