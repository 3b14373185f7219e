"""Does code that was changed still measure what it measured? A small run tells, where the full one takes a GPU.

Stored evidence carries the hash of the code that measured it, and most changes of code change no number: a field more,
a part that other models use. So beside the evidence stands what a small run gave to that code: the size of the tests,
which builds the same models from the same seeds and trains them for a few steps. Where the code of today gives the same
numbers, the evidence still speaks for it; where it does not, the evidence is stale. (`attendo lab check`)
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from attendo.errors import AttendoError, InputError
from attendo.files.durable import write_file
from attendo.files.tables import from_dict, read_json, short_repr
from attendo.lab.claim import Numbers, Runs
from attendo.lab.tools.evidence import check_runs, stored_path

NAME = "small_runs"  # of the file, in the folder of the evidence
LARGEST = 10_000_000  # bytes
NEAR = 1e-3  # of a number: another processor rounds otherwise, and a few steps magnify it


@dataclass(frozen=True)
class SmallRun:
    """Of one claim."""

    code: str  # the hash of the code that measured the evidence
    still: str = ""  # the hash of later code that gave the same numbers
    runs: Runs = ()


def read_small_runs() -> dict[str, SmallRun]:
    """claim -> its small run. A file may hold anything: whatever does not fit is an error that names it."""
    path = stored_path(NAME)
    if not path.exists():
        return {}
    table = read_json(path, LARGEST)
    try:
        if not isinstance(table, dict):
            raise InputError(f"it is {short_repr(table)}: expected an object with a row for each claim")
        return {claim: checked(row, claim) for claim, row in table.items()}
    except AttendoError as error:
        raise InputError(f"{path} is no table of small runs: {error}") from error


def checked(row: object, claim: str) -> SmallRun:
    if not isinstance(row, dict):
        raise InputError(f"{claim} is {short_repr(row)}: expected an object")
    head = from_dict(SmallRun, {key: value for key, value in row.items() if key != "runs"}, claim)
    return replace(head, runs=check_runs(row.get("runs")))


def write_small_runs(rows: Mapping[str, SmallRun]) -> None:
    """In the order of the claims' numbers."""
    table = {
        claim: {"code": row.code, "still": row.still, "runs": [dict(run) for run in row.runs]}
        for claim, row in sorted(rows.items(), key=lambda item: (len(item[0]), item[0]))
    }
    write_file(stored_path(NAME), (json.dumps(table, ensure_ascii=False) + "\n").encode())


def what_repeats(one: Runs, again: Runs) -> list[Numbers]:
    """The numbers that two runs of the same code share. No seconds, nor what is made of them: two runs may have the
    same only because the second took a trained model, and its time, from the cache."""
    pairs = list(zip(one, again, strict=True))
    names = [name for name in one[0] if "seconds" not in name and all(a[name] == b[name] for a, b in pairs)]
    return [{name: run[name] for name in names} for run in one]


def different(before: Runs, now: Runs) -> list[str]:
    """The names of the numbers that are others now, or gone. What is new has nothing to be compared with."""
    if len(before) != len(now):
        return ["seeds"]
    return [
        name
        for name in before[0]
        if not all(name in late and near(early[name], late[name]) for early, late in zip(before, now, strict=True))
    ]


def near(one: float | Sequence[float], other: float | Sequence[float]) -> bool:
    if isinstance(one, Sequence) or isinstance(other, Sequence):
        both_rows = isinstance(one, Sequence) and isinstance(other, Sequence) and len(one) == len(other)
        return both_rows and all(near(a, b) for a, b in zip(one, other, strict=True))  # type: ignore[arg-type]
    return math.isclose(one, other, rel_tol=NEAR, abs_tol=1e-6)
