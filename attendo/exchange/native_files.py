"""Which files of a native Marian folder are which: decoder.yml says it, or there is only one that it can be.

    decoder.yml                  models: [a.npz], vocabs: [a.vocab.yml, a.vocab.yml]
    *.npz                        the weights
    *.yml                        tokens and their ids, of both sides or of each; or an .spm, whose ids are its own
    source.spm, target.spm       how either side is cut; or one .spm for both

Of the names in decoder.yml the last part alone is taken, within the folder: they often are those of the machine that a
model was trained on, and may lead anywhere.
"""

from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from attendo.errors import InputError
from attendo.exchange.marian_yaml import Settings, read_settings
from attendo.files.tables import read_small_file

LARGEST_SETTINGS = 2**20
DECODER, PIECES = "decoder.yml", ("source.spm", "target.spm")


@dataclass(frozen=True)
class NativeFiles:
    """Vocabularies and pieces of source and target; one file may be both."""

    weights: Path
    vocabularies: tuple[Path, Path]
    pieces: tuple[Path, Path]


def is_native(folder: Path) -> bool:
    return (folder / DECODER).is_file() or any(folder.glob("*.npz"))


def native_files(folder: Path) -> NativeFiles:
    settings = decoder_settings(folder)
    weights = named(folder, settings, "models") or sorted(folder.glob("*.npz"))
    if len(weights) != 1:
        raise InputError(f"{folder} has {len(weights)} models (.npz): expected one, or {DECODER} that names one")
    vocabularies = named(folder, settings, "vocabs") or [
        path for path in sorted((*folder.glob("*vocab*.yml"), *folder.glob("*vocab*.spm"))) if path.name != DECODER
    ]
    if not 1 <= len(vocabularies) <= 2:
        raise InputError(f"{folder} has {len(vocabularies)} vocabularies: expected one or two, or {DECODER}")
    return NativeFiles(
        weights[0],
        (vocabularies[0], vocabularies[-1]),
        pieces_of(folder, vocabularies),
    )


def pieces_of(folder: Path, vocabularies: list[Path]) -> tuple[Path, Path]:
    both = [folder / name for name in PIECES]
    if all(path.is_file() for path in both):
        return both[0], both[1]
    if all(path.suffix == ".spm" for path in vocabularies):
        return vocabularies[0], vocabularies[-1]
    found = sorted(folder.glob("*.spm"))
    if len(found) != 1:
        raise InputError(f"{folder} has {len(found)} .spm files: expected {' and '.join(PIECES)}, or one for both")
    return found[0], found[0]


def decoder_settings(folder: Path) -> Settings:
    path = folder / DECODER
    if not path.is_file():
        return {}
    try:
        return read_settings(read_small_file(path, LARGEST_SETTINGS))
    except ValueError as error:
        raise InputError(f"{path} is no list of settings: {error}") from error


def named(folder: Path, settings: Settings, key: str) -> list[Path]:
    names = settings.get(key, [])
    found = [folder / PurePosixPath(name).name for name in ([names] if isinstance(names, str) else names)]
    for path in found:
        if not path.is_file() or path == folder:
            raise InputError(f"{folder / DECODER} names {path.name[:60]!r} under {key}, which the folder has not")
    return found
