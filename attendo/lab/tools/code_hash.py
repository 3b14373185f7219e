"""What an experiment depends on, as one hash: a result is kept as long as it stays the same."""

import ast
import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from attendo.files.manifest import NAME as MANIFEST
from attendo.model_folder.bundle import model_folder

LOOKS_INTO_THE_MODEL = "attendo.lab.tools.default_model"
READS_THE_PAGES = "attendo.lab.tools.two_languages"
PAGES = Path(__file__).parent.parent


def code_hash(module: str, also: str = "") -> str:
    """Of the sources of a module and of all modules of this project that it imports, and these import, and so on.

    And of the table that stands beside such a source; of the model that came with the package, and of the words of all
    claims, where these are what is looked at. `also` is what else decides.
    """
    digest = hashlib.sha256(also.encode())
    names = reached(module)
    for name in sorted(names):
        digest.update(f"{name}\n".encode())
        digest.update(source_of(name).read_bytes())
        if (table := source_of(name).with_suffix(".tsv")).exists():
            digest.update(table.read_bytes())
    if LOOKS_INTO_THE_MODEL in names:
        digest.update((model_folder(None) / MANIFEST).read_bytes())
    if READS_THE_PAGES in names:
        for page in sorted(PAGES.rglob("*.md")):
            digest.update(page.read_bytes())
    return digest.hexdigest()[:16]


def reached(module: str) -> set[str]:
    found: set[str] = set()
    ahead = [module]
    while ahead:
        name = ahead.pop()
        if name not in found:
            found.add(name)
            ahead.extend(imports(name))
    return found


@cache
def imports(module: str) -> tuple[str, ...]:
    """Modules of this project that the file names, at its top or inside a function."""
    names: list[str] = []
    for node in ast.walk(ast.parse(source_of(module).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            # from attendo.model import masks: a module; from attendo.model.masks import causal: a name in one.
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return tuple(name for name in names if name.startswith("attendo.") and is_module(name))


def is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # its parent is a module, not a package: so it is a name in that
        return False


@cache
def source_of(module: str) -> Path:
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(module)
    return Path(spec.origin)
