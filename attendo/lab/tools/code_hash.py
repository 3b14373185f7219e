"""What an experiment's numbers depend on, as one hash: the code that measures, the model it looks into, its tables.

How a picture is drawn, how a verdict is computed and what comments say changes no number, and is left out: stored
numbers are judged and drawn by the code of today anyway.
"""

import ast
import hashlib
import io
import tokenize
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from attendo.files.manifest import NAME as MANIFEST
from attendo.files.source_code import DIGITS
from attendo.model_folder.bundle import model_folder

LOOKS_INTO_THE_MODEL = "attendo.lab.tools.default_model"
SHOWS = ("attendo.lab.tools.chart", "attendo.report.")  # modules that measure nothing
JUDGES_AND_DRAWS = ("judge", "draw")  # functions of a claim that measure nothing


def code_hash(module: str, also: str = "") -> str:
    """Of a module and of all modules of this project that it imports, and these import, and so on.

    And of the table that stands beside such a source; of the model that came with the package, where that is what is
    looked at. `also` is what else decides.
    """
    names = reached_modules(module)
    digest = hashlib.sha256(also.encode())
    for name in sorted(names):
        path = source_of(name)
        digest.update(f"{name}\n{what_measures(path.read_text(encoding='utf-8'))}".encode())
        if (table := path.with_suffix(".tsv")).exists():
            digest.update(table.read_bytes())
    if LOOKS_INTO_THE_MODEL in names:
        digest.update((model_folder(None) / MANIFEST).read_bytes())
    return digest.hexdigest()[:DIGITS]


@cache
def what_measures(source: str) -> str:
    """The source without comments, docstrings and empty lines, and without the functions that judge and draw.

    Lines are cut out rather than the syntax tree printed: how that looks differs from one Python to the next.
    """
    lines = source.split("\n")
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
            first = node.body[0]
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                blank(lines, first)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name in JUDGES_AND_DRAWS:
            blank(lines, node)
    return "\n".join(line.rstrip() for line in lines if line.strip())


def blank(lines: list[str], node: ast.stmt) -> None:
    for row in range(node.lineno - 1, node.end_lineno or node.lineno):
        lines[row] = ""


def reached_modules(module: str) -> set[str]:
    found: set[str] = set()
    ahead = [module]
    while ahead:
        name = ahead.pop()
        if name not in found and not name.startswith(SHOWS):
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
