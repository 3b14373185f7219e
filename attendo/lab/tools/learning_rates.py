"""The learning rate of each side of each tuned claim, as `attendo lab tune` found it: learning_rates.json."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from attendo.errors import AttendoError, InputError
from attendo.files.durable import write_file
from attendo.files.tables import from_dict, looks_like, read_json, short_repr

PATH = Path(__file__).parent.parent / "learning_rates.json"
LARGEST = 1_000_000  # bytes


@dataclass(frozen=True)
class Row:
    """What one claim was tuned to, and where that comes from."""

    date: str  # such as 2026-11-16
    machine: str
    seeds: tuple[int, ...]  # others than those it is judged by
    code: str  # the hash of what measured
    rates: Mapping[str, float] = field(default_factory=dict)  # of each side


def rate_of(claim: str, side: str) -> float:
    rates = rates_of(claim)
    if side not in rates:
        raise InputError(f"{PATH} has no learning rate for {side} of {claim}: attendo lab tune {claim} writes it")
    return rates[side]


def rates_of(claim: str) -> Mapping[str, float]:
    """side -> rate; empty for a claim that was never tuned."""
    found = read_rows().get(claim)
    return found.rates if found else {}


def read_rows() -> dict[str, Row]:
    """claim -> what it was tuned to. A file may hold anything: whatever does not fit is an error that names it."""
    if not PATH.exists():
        return {}
    table = read_json(PATH, LARGEST)
    try:
        if not isinstance(table, dict):
            raise InputError(f"it is {short_repr(table)}: expected an object with a row for each claim")
        return {claim: checked(row, claim) for claim, row in table.items()}
    except AttendoError as error:
        raise InputError(f"{PATH} is no table of learning rates: {error}") from error


def checked(row: object, claim: str) -> Row:
    if not isinstance(row, dict):
        raise InputError(f"{claim} is {short_repr(row)}: expected an object")
    rates = row.get("rates")
    if not isinstance(rates, dict) or not all(looks_like(rate, float) and rate > 0 for rate in rates.values()):
        raise InputError(f"rates of {claim} is {short_repr(rates)}: expected a number above 0 for each side")
    return replace(from_dict(Row, {key: row[key] for key in row if key != "rates"}, claim), rates=rates)


def write_rows(rows: Mapping[str, Row]) -> None:
    """These rows; what the table has of other claims stays. In the order of the claims' numbers."""
    table = {**read_rows(), **rows}
    in_order = {claim: asdict(table[claim]) for claim in sorted(table, key=lambda claim: (len(claim), claim))}
    write_file(PATH, (json.dumps(in_order, indent=1, ensure_ascii=False) + "\n").encode())
