"""What an experiment gave, with all that made it, as a JSON file: in the cache, or stored beside the claims.

Models of the real size are trained on a GPU, and few who read the lab's pages have one. What such an experiment
measured is stored in evidence/L29.json and comes with the package; anyone can judge and draw it again, and measure it.
A result is kept as long as the hash of the code that measured it stays the same.
"""

import ast
import datetime
import json
import math
import platform
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch

from attendo.errors import AttendoError, InputError
from attendo.files.durable import write_file
from attendo.files.manifest import NAME as MANIFEST
from attendo.files.source_code import hash_of_sources
from attendo.files.tables import from_dict, read_json, short_repr
from attendo.lab.claim import Numbers, Runs, Size
from attendo.model_folder.bundle import model_folder

FOLDER = Path(__file__).parent.parent / "evidence"
LARGEST = 10_000_000  # bytes


@dataclass(frozen=True)
class Evidence:
    claim: str
    size: Size
    seeds: tuple[int, ...]
    seconds: float  # that measuring took
    code: str  # the hash of what measured
    machine: str
    date: str  # such as 2026-11-15
    runs: Runs = ()
    data: Mapping[str, str] | None = None  # sha256 of each file of data; None where all data are made up


def stored_path(claim: str) -> Path:
    return FOLDER / f"{claim}.json"


def today() -> str:
    return datetime.datetime.now(datetime.UTC).date().isoformat()


def hardware() -> str:
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else f"CPU ({platform.machine()})"
    return f"{device}, torch {torch.__version__}, Python {platform.python_version()}"


def write_evidence(path: Path, evidence: Evidence) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    table = {**asdict(evidence), "runs": list(map(dict, evidence.runs))}
    write_file(path, (json.dumps(table, indent=1, ensure_ascii=False) + "\n").encode())


def read_evidence(path: Path) -> Evidence:
    """A file may hold anything: whatever does not fit is an error that names it."""
    table = read_json(path, LARGEST, nan=True)
    if not isinstance(table, dict):
        raise InputError(f"{path} is no evidence of the lab: expected a JSON object")
    try:
        head = from_dict(Evidence, {key: value for key, value in table.items() if key not in ("runs", "data")}, "it")
        whole = replace(head, runs=check_runs(table.get("runs")), data=check_data(table.get("data")))
        if len(whole.runs) != len(whole.seeds) or not whole.seeds:
            raise InputError(f"it has {len(whole.runs)} runs of {len(whole.seeds)} seeds")
    except AttendoError as error:
        raise InputError(f"{path} is no evidence of the lab: {error}") from error
    return whole


def check_runs(runs: object) -> Sequence[Numbers]:
    """A row of numbers for each seed, under the same names; no NaN, by which nothing can be judged."""
    if not isinstance(runs, list) or not all(isinstance(run, dict) for run in runs):
        raise InputError(f"runs is {short_repr(runs)}: expected a list of objects")
    for run in runs:
        if run.keys() != runs[0].keys():
            raise InputError("its runs have numbers of different names")
        for name, value in run.items():
            each = value if isinstance(value, list) else [value]
            if not all(is_number(one) for one in each):
                raise InputError(f"{name} in a run is {short_repr(value)}: expected a number or a list of them")
    return runs


def is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


def check_data(data: object) -> Mapping[str, str] | None:
    if data is None:
        return None
    whole = isinstance(data, dict) and all(
        isinstance(digest, str) and re.fullmatch("[0-9a-f]{64}", digest) for digest in data.values()
    )
    if not whole or not isinstance(data, dict):
        raise InputError(f"data is {short_repr(data)}: expected names of files and the sha256 of each")
    return data


# --- what an experiment depends on, as one hash

LOOKS_INTO_THE_MODEL = "attendo.lab.tools.default_model"
READS_THE_PAGES = "attendo.lab.tools.tokenizer_trial"
PAGES = Path(__file__).parent.parent


def code_hash(module: str, also: str = "") -> str:
    """Of the sources of a module and of all modules of this project that it imports, and these import, and so on.

    And of the table that stands beside such a source; of the model that came with the package, and of the words of all
    claims, where these are what is looked at. `also` is what else decides.
    """
    names = reached_modules(module)
    looked_at: list[Path] = []
    if LOOKS_INTO_THE_MODEL in names:
        looked_at.append(model_folder(None) / MANIFEST)
    if READS_THE_PAGES in names:
        looked_at += sorted(PAGES.rglob("*.md"))
    return hash_of_sources({name: source_of(name) for name in names}, also, *looked_at)


def reached_modules(module: str) -> set[str]:
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
