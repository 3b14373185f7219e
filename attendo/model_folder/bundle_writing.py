"""How a model folder is written: whole or not at all, over an older model and over nothing else; and nothing is written
that could not be read again.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from attendo.errors import InputError
from attendo.files.durable import new_folder, sweep
from attendo.files.manifest import NAME as MANIFEST
from attendo.files.manifest import read_manifest, write_manifest
from attendo.files.tensor_writing import write_arrays
from attendo.model_folder.bundle import (
    CARD,
    CONFIG,
    FILES,
    FORMAT,
    LARGEST_CARD,
    SHORTLIST,
    TOKENIZER,
    WEIGHTS,
    read_config,
    read_directions,
)
from attendo.model_folder.optional_keys import AlignmentHeads, check_alignment, read_alignment
from attendo.model_folder.shortlist import Shortlist, stored_lists
from attendo.text.tokenizer import Tokenizer

OF_THE_SYSTEM = (".DS_Store", ".directory", ".localized", "Thumbs.db", "desktop.ini")


def write_bundle(
    folder: Path,
    model_table: dict[str, Any],
    tokenizer: Tokenizer,
    directions: Sequence[tuple[str, str]],
    card: str,
    write_weights: Callable[[Path], None],
    needs: int,
    *,
    stand_ins: bool = False,
    alignment: AlignmentHeads | None = None,
    shortlist: Shortlist | None = None,
) -> None:
    """The folder is there whole or not at all. An older model folder of that name is replaced, any other is not.

    `write_weights` is given the path of the file to write; `needs` is about how many bytes all files take.
    """
    folder = folder.resolve() if folder.is_symlink() else folder
    check_replaceable(folder)
    if len(card.encode()) > LARGEST_CARD:
        raise InputError(f"the model card has {len(card.encode()):,} bytes: expected at most {LARGEST_CARD:,}")
    description = describe(
        model_table, tokenizer, directions, folder / CONFIG, stand_ins=stand_ins, alignment=alignment
    )
    kind, vocab_size = tokenizer.subwords.kind, tokenizer.vocab_size
    lists = stored_lists(folder / SHORTLIST, shortlist, directions, kind, vocab_size) if shortlist else None
    if folder.parent.is_dir():
        sweep(folder.parent)
    with new_folder(folder, needs, replace=True, shared=True) as new:
        (new / CONFIG).write_bytes(description)
        tokenizer.save(new / TOKENIZER)
        write_weights(new / WEIGHTS)
        if lists:
            write_arrays(new / SHORTLIST, lists)
        (new / CARD).write_text(card, encoding="utf-8")
        write_manifest(new)


def describe(
    model_table: dict[str, Any],
    tokenizer: Tokenizer,
    directions: Sequence[tuple[str, str]],
    path: Path,
    *,
    stand_ins: bool = False,
    alignment: AlignmentHeads | None = None,
) -> bytes:
    """What is to stand in config.json at `path`."""
    texts = [f"{source}-{target}" for source, target in directions]
    # Through the same gate as when it is read, so that nothing is written that cannot be read again.
    read_directions(path, texts, tokenizer.languages, model_table)
    if alignment:
        check_alignment(path, read_alignment(path, alignment.to_dict()), read_config(path, model_table))
    table = {
        "format": FORMAT,
        "model": model_table,
        "tokenizer": {"kind": tokenizer.subwords.kind},
        "languages": list(tokenizer.languages),
        "directions": texts,
        **({"stand_ins": True} if stand_ins else {}),
        **({"alignment": alignment.to_dict()} if alignment else {}),
    }
    return (json.dumps(table, indent=2) + "\n").encode()


def check_replaceable(folder: Path) -> None:
    """Free, an empty folder, or a model folder, perhaps damaged: its manifest is ours, and nothing else is there but
    what an operating system leaves in every folder."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise InputError(f"{folder} is a file: a model is a folder")
    there = [path for path in folder.iterdir() if path.name not in OF_THE_SYSTEM and not path.name.startswith("._")]
    plain = all(path.is_file() and not path.is_symlink() for path in folder.iterdir())
    ours = {path.name for path in there} <= {*FILES, SHORTLIST, MANIFEST}
    if any(folder.iterdir()) and not (plain and ours and lists_a_model(folder)):
        raise InputError(f"{folder} is there and is no model folder: it is not replaced, give another name")


def lists_a_model(folder: Path) -> bool:
    """A manifest.json alone says little: browsers and many others have one, too."""
    try:
        return set(read_manifest(folder)) - {SHORTLIST} == set(FILES)
    except (InputError, OSError):
        return False
