"""What an experiment's numbers depend on, as one hash: the code that measures, the model it looks into, its tables.

Of every module only those definitions count that measuring reaches. How a picture is drawn, how a verdict is computed,
what comments say and what else stands in a file changes no number, and is left out: stored numbers are judged and drawn
by the code of today anyway.
"""

import ast
import hashlib
import io
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from attendo.files.manifest import NAME as MANIFEST
from attendo.files.source_code import DIGITS
from attendo.model_folder.bundle import model_folder

LOOKS_INTO_THE_MODEL = "attendo.lab.tools.default_model"
# Modules that measure nothing: they draw, speak, or say what measured.
SHOWS = ("attendo.lab.tools.chart", "attendo.lab.tools.code_hash", "attendo.report.", "attendo.errors")
STATEMENTS = "<statements>"  # the name under which statements of a module stand that define nothing

Place = tuple[str, str]  # a module, and a name that it defines


def code_hash(module: str, also: str = "") -> str:
    """Of what a module's experiment measures with; of any other module, of all it defines. `also`: what else decides.

    And of the table that stands beside a source; of the model that came with the package, where that is looked at.
    """
    places = reached(module)
    digest = hashlib.sha256(also.encode())
    for name, definition in sorted(places):
        digest.update(f"{name} {definition}\n{read_module(name).sources[definition]}\n".encode())
    for name in sorted({name for name, _ in places}):
        if (table := source_of(name).with_suffix(".tsv")).exists():
            digest.update(table.read_bytes())
        if name == LOOKS_INTO_THE_MODEL:
            digest.update((model_folder(None) / MANIFEST).read_bytes())
    return digest.hexdigest()[:DIGITS]


def reached(module: str) -> set[Place]:
    """Where the definitions stand that a module's experiment measures with: those it names, those that they name…"""
    found: set[Place] = set()
    ahead = [*places_of(module, read_module(module).roots())]
    while ahead:
        module, definition = ahead.pop()
        if (module, definition) not in found:
            found.add((module, definition))
            ahead.extend(places_of(module, read_module(module).uses[definition]))
    return found


def reached_modules(module: str) -> set[str]:
    return {name for name, _ in reached(module)}


def places_of(module: str, names: Iterable[str]) -> Iterator[Place]:
    """Where the names that stand in a module are defined; its statements count with any of them."""
    here = read_module(module)
    for name in (*names, STATEMENTS):
        first, _, attribute = name.partition(".")
        if first in here.sources:
            yield module, first
        elif first in here.imported:
            yield from imported_places(here.imported[first], attribute)


def imported_places(name: str, attribute: str) -> Iterator[Place]:
    """attendo.model.masks.causal is a name in a module; attendo.model.masks a module, asked for an attribute."""
    if name.startswith(SHOWS):
        return
    if is_module(name):
        defined = read_module(name).sources
        wanted = [attribute] if attribute in defined else list(defined)
    else:
        name, _, attribute = name.rpartition(".")
        passed_on = read_module(name).imported.get(attribute)
        if passed_on:
            yield from imported_places(passed_on, "")
        wanted = [attribute] if attribute in read_module(name).sources else []
    for one in wanted:
        yield name, one


# --- one module


@dataclass(frozen=True)
class ModuleSource:
    sources: Mapping[str, str]  # what each name is defined by, without comments and docstrings
    uses: Mapping[str, list[str]]  # the names that stand in each definition: attention, masks.causal
    imported: Mapping[str, str]  # names that come from this project -> their full names
    measuring: list[str] = field(default_factory=list)  # names that an experiment is given as its measure

    def roots(self) -> list[str]:
        return self.measuring or list(self.sources)


@cache
def read_module(module: str) -> ModuleSource:
    return read_source(source_of(module).read_text(encoding="utf-8"))


def read_source(source: str) -> ModuleSource:
    lines = uncommented(source)
    sources: dict[str, str] = {STATEMENTS: ""}
    uses: dict[str, list[str]] = {STATEMENTS: []}
    tree = ast.parse(source)
    measuring: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom) or is_text(node):
            continue
        begin = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])
        text = "\n".join(line for line in lines[begin - 1 : node.end_lineno] if line)
        for name in names_defined(node):
            sources[name] = f"{sources.get(name, '')}{text}\n"
            uses.setdefault(name, []).extend(names_used(node))
        measuring += given_to_measure(node)
    return ModuleSource(sources, uses, imported_names(tree), measuring)


def names_defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)] or [STATEMENTS]


def names_used(node: ast.stmt) -> list[str]:
    """What stands there by its name, and what by the name of something it belongs to."""
    dotted = [one for one in ast.walk(node) if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name)]
    owners = {id(one.value) for one in dotted}
    alone = {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and id(one) not in owners}
    return sorted(alone | {f"{one.value.id}.{one.attr}" for one in dotted if isinstance(one.value, ast.Name)})


def given_to_measure(node: ast.stmt) -> list[str]:
    """EXPERIMENT = Experiment("L1", for_each_seed(measure), …): for_each_seed, measure."""
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "Experiment":
            return [one.id for one in ast.walk(call.args[1]) if isinstance(one, ast.Name)]
    return []


def imported_names(tree: ast.Module) -> dict[str, str]:
    """Names of this project that the file brings in, at its top or inside a function."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.asname: alias.name for alias in node.names if alias.asname}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return {name: full for name, full in found.items() if full.startswith("attendo.")}


def uncommented(source: str) -> list[str]:
    """The lines, empty where a comment or a docstring stood.

    Lines are cut out rather than the syntax tree printed: how that looks differs from one Python to the next.
    """
    lines = source.split("\n")
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            for first in filter(is_text, node.body[:1]):
                for row in range(first.lineno - 1, first.end_lineno or first.lineno):
                    lines[row] = ""
    return [line.rstrip() for line in lines]


def is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


@cache
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
