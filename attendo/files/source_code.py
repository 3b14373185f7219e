"""Which code this is: a hash over source files. A version number stays the same while the code beneath it changes."""

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parent.parent
DIGITS = 16  # of the hash, hexadecimal


def hash_of_sources(sources: Mapping[str, Path], also: str = "", *more: Path) -> str:
    """Of modules by name, of the table that stands beside a source, of `also`, and of `more` files."""
    digest = hashlib.sha256(also.encode())
    for name, path in sorted(sources.items()):
        digest.update(f"{name}\n".encode())
        digest.update(path.read_bytes())
        if (table := path.with_suffix(".tsv")).exists():
            digest.update(table.read_bytes())
    for path in more:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:DIGITS]


@cache
def package_code() -> str:
    """Of all modules of attendo, as they are on the disk when it is first asked for."""
    return hash_of_sources(modules_in(PACKAGE))


def modules_in(package: Path) -> dict[str, Path]:
    """Name → source: "attendo.files.source_code" → …/attendo/files/source_code.py.

    Hidden files are not modules: Emacs leaves links to nowhere beside what is being edited.
    """
    files = [path for path in package.rglob("*.py") if path.is_file() and not path.name.startswith(".")]
    return {".".join(path.relative_to(package.parent).with_suffix("").parts): path for path in files}
