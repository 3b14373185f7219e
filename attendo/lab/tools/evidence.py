"""What an experiment gave, with all that made it, as a JSON file: in the cache, or stored beside the claims.

Training takes minutes, and real models take a GPU, which few who read the lab's pages have. What a full run of such an
experiment measured is stored in evidence/L29.json and comes with the package; anyone can judge and draw it again, and
measure it. It carries the hash of the code that measured it (code_hash.py): where that has changed, it is called stale.
"""

import datetime
import json
import math
import platform
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch

from attendo.errors import AttendoError, InputError
from attendo.files.durable import write_file
from attendo.files.tables import from_dict, read_json, short_repr
from attendo.lab.claim import Numbers, Runs
from attendo.lab.knobs import Size

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
