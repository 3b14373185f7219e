"""The models that came with the package, found by their names."""

from pathlib import Path

from attendo.errors import InputError, UsageError
from attendo.files.manifest import NAME as MANIFEST
from attendo.model_folder.bundle import CARD

SHIPPED = Path(__file__).parents[1] / "models"
DEFAULT = "default"


def shipped_models() -> list[Path]:
    """Their folders; the name of a folder is that of the model."""
    return sorted(path.parent for path in SHIPPED.glob(f"*/{MANIFEST}"))


def model_folder(model: str | Path | None) -> Path:
    """A folder, or the name of a model that came with the package; without either, the default one.

    A name means the model of the package even where a folder beside has the same: that one is ./NAME.
    """
    name = DEFAULT if model is None else str(model)
    shipped = {folder.name: folder for folder in shipped_models()}
    if name in shipped:
        return shipped[name]
    if model is None:
        raise UsageError("this installation has no default model: name a model folder, such as RUN/model")
    folder = Path(model)
    if not folder.is_dir():
        known = f", or a name: {', '.join(shipped)}" if shipped else ""
        expected = f"expected the folder `attendo train` wrote, RUN/model{known}"
        raise InputError(f"there is no model folder {folder}: {expected}")
    return folder


def licence_of(folder: Path) -> str:
    """As its card says in a line of its own, `Licence: …`; a card that says nothing gives nothing."""
    for line in (folder / CARD).read_text(encoding="utf-8").split("\n"):
        if line.startswith("Licence: "):
            return line.removeprefix("Licence: ")
    return ""
