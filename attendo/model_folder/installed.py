"""What is installed: the models that came with the package, and those that the user added."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from attendo.files.manifest import NAME as MANIFEST
from attendo.files.tensor_file import read_header
from attendo.model_folder.added import check_name, copy_model
from attendo.model_folder.bundle import CARD, DEFAULT, known_models, model_folder, read_bundle
from attendo.model_folder.storage import Storage, check_weights


@dataclass(frozen=True)
class InstalledModel:
    """A model that `load` and `--model` know by its name."""

    name: str
    default: bool
    directions: tuple[tuple[str, str], ...]  # source and target
    bytes: int  # of its weights
    licence: str
    folder: Path
    origin: str = ""
    storage: Storage = "float32"  # the kind of number its weights are stored in

    def to_dict(self) -> dict[str, Any]:
        directions = ["-".join(direction) for direction in self.directions]
        return asdict(self) | {"directions": directions, "folder": str(self.folder)}


def models() -> list[InstalledModel]:
    """The models that have a name, those of the package first; every file is checked against its manifest.

    >>> import attendo
    >>> [(model.name, model.directions) for model in attendo.models()]
    [('default', (('zh', 'en'), ('en', 'zh'), ('de', 'en'), ('en', 'de')))]
    """
    return [describe_installed(folder) for folder in known_models()]


def add_model(folder: Path, name: str | None = None) -> InstalledModel:
    """A copy of a model folder, known from now on by its name."""
    bundle = read_bundle(model_folder(folder))
    name = name or bundle.folder.resolve().name
    check_name(name, [known.name for known in known_models()])
    return describe_installed(copy_model(bundle.folder, name, (*bundle.files, MANIFEST)))


def describe_installed(folder: Path) -> InstalledModel:
    bundle = read_bundle(folder)
    size, default = bundle.weights.stat().st_size, folder.name == DEFAULT
    licence, origin = (said_by_card(folder, word) for word in ("Licence", "Origin"))
    storage = check_weights(bundle.weights, read_header(bundle.weights), bundle.config)
    return InstalledModel(folder.name, default, bundle.directions, size, licence, folder, origin, storage)


def licence_of(folder: Path) -> str:
    return said_by_card(folder, "Licence")


def said_by_card(folder: Path, word: str) -> str:
    """As its card says in a line of its own, `Licence: …`, `Origin: …`; a card that says nothing gives nothing."""
    lines = (folder / CARD).read_text(encoding="utf-8", errors="replace").split("\n")
    return next((line.removeprefix(f"{word}: ") for line in lines if line.startswith(f"{word}: ")), "")
