"""`attendo import`: from another project's model to a model folder of ours, which everything here can use."""

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from attendo.errors import InputError
from attendo.exchange.foreign_model import ForeignModel
from attendo.exchange.language_tags import Directions
from attendo.exchange.own_export import is_own_export, read_own_export
from attendo.files.tables import read_small_file, short_path
from attendo.files.tensor_arrays import Arrays, check_numbers
from attendo.files.tensor_writing import write_arrays
from attendo.model.config import config_to_dict
from attendo.model.shapes import weight_shapes
from attendo.model_folder.bundle_writing import write_bundle
from attendo.model_folder.checked_weights import LARGEST_WEIGHT
from attendo.text.tokenizer import build_tokenizer

LARGEST_README = 2**20
OTHER_FILES = 30_000_000  # bytes, about: tokenizer and card
LICENCE = re.compile(r"^\s*licen[cs]e:\s*['\"]?([\w.+-]+)", re.IGNORECASE | re.MULTILINE)
OUR_LICENCE = re.compile(r"^Licence: (.+)$", re.MULTILINE)  # of a card that attendo wrote
FILE_NAMES = ("LICENSE", "LICENCE", "LICENSE.txt", "COPYING")


def import_model(path: Path, out: Path, *, directions: Directions = (), licence: str = "", origin: str = "") -> None:
    """What `path` holds, as the model folder `out`. Nothing in it is run, and nothing is believed before it is checked.

    A folder of Hugging Face's Marian, a folder of Marian's own, or an Argos package. `licence` and `origin` go into the
    card, where the files do not say them.
    """
    if is_own_export(path):
        config, weights, tokenizer, found = read_own_export(path, directions)
        kind = "model that attendo exported"
    else:
        model, kind = read_foreign(path, directions)
        config, weights, found = model.config(), model.weights(), model.directions
        tokenizer = build_tokenizer(model.subwords(), model.languages)
    weights = {name: weights[name] for name in weight_shapes(config)}  # in the order that all files have
    for name, array in weights.items():
        check_numbers(path, name, array, LARGEST_WEIGHT)
    text = readme_of(path)
    card = card_of(path.name, kind, found, licence or licence_of(path, text), origin, text)
    needs = sum(array.nbytes for array in weights.values()) + OTHER_FILES
    write_bundle(out, config_to_dict(config), tokenizer, found, card, partial(write_weights, weights=weights), needs)


def read_foreign(path: Path, directions: Directions) -> tuple[ForeignModel, str]:
    """By what is there, not by a name."""
    if path.is_file() or (path / "metadata.json").exists():
        from attendo.exchange.argos_package import read_argos_package

        return read_argos_package(path, directions), "Argos Translate package"
    if not path.is_dir():
        raise InputError(f"there is no {short_path(path)}: expected a folder of a model, or an Argos package")
    if (path / "config.json").exists():
        from attendo.exchange.hugging_face_marian import read_hugging_face_marian

        return read_hugging_face_marian(path, directions), "Marian model in the form of Hugging Face"
    from attendo.exchange.native_files import is_native

    if is_native(path):
        from attendo.exchange.native_marian import read_native_marian

        return read_native_marian(path, directions), "Marian model"
    raise InputError(
        f"{short_path(path)} holds no model that can be imported: expected config.json of Hugging Face, "
        "an .npz of Marian or metadata.json of Argos"
    )


def write_weights(path: Path, weights: Arrays) -> None:
    write_arrays(path, {name: np.ascontiguousarray(array, dtype=np.float32) for name, array in weights.items()})


def readme_of(path: Path) -> str:
    readme = path / "README.md"
    if path.is_file():
        from attendo.exchange.argos_package import readme_in

        return readme_in(path)
    return read_small_file(readme, LARGEST_README).decode("utf-8", "replace") if readme.is_file() else ""


def licence_of(path: Path, readme: str) -> str:
    """As the front of a README says, or that there is a file of it."""
    if match := OUR_LICENCE.search(readme[:5_000]) or LICENCE.search(readme[:5_000]):
        return match[1]
    if match := re.search(r"licensed (?:under )?([A-Z][\w .+-]{2,30}\d)", readme[:5_000]):
        return match[1]
    found = next((name for name in FILE_NAMES if (path / name).is_file()), "")
    return f"see {found} of the original" if found else "not said by the files: ask who made it"


def card_of(name: str, kind: str, directions: Directions, licence: str, origin: str, readme: str) -> str:
    arrows = ", ".join(f"{source} → {target}" for source, target in directions[:20])
    more = f" and {len(directions) - 20} more" if len(directions) > 20 else ""
    lines = [
        f"# {name}",
        "",
        f"Licence: {one_line(licence)}",
        f"Origin: {one_line(origin) or f'imported from {name}: {kind}'}",
        "",
        f"{arrows}{more}. Trained by others; `attendo import` put its ids into another order.",
    ]
    return "\n".join([*lines, *quoted(readme)]) + "\n"


def quoted(readme: str) -> Sequence[str]:
    """What they say of it themselves."""
    if not readme.strip():
        return ()
    return ["", "## The original's card", "", *(f"> {line}" for line in readme.strip().split("\n"))]


def one_line(text: str) -> str:
    return " ".join(text.split())[:300]
