"""What became of a shard, in files that are there whole or not at all.

    shards/00042.done         what was made: the file, its lines, its sha256, the ledger. It is written last of all
    shards/00042.attempt-1    a runner failed at it, and why
    shards/00042.failed       it was tried as often as the plan says, and set aside

The marker names its file, which has the runner's id in its name: if two runners did a shard, because one was taken for
dead, each wrote a file of its own, and whichever marker stands at last belongs to a whole one.
"""

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from attendo.bulk.lease import DONE, FAILED
from attendo.bulk.plan import Plan, Shard
from attendo.bulk.runner import Runner
from attendo.errors import AttendoError, InputError
from attendo.files.durable import cannot_write, write_file
from attendo.files.tables import from_dict, read_json
from attendo.translation.answer import Ledger

LARGEST_MARKER = 100_000  # bytes
LONGEST_REASON = 500  # characters


@dataclass(frozen=True, kw_only=True)
class Marker:
    file: str
    lines: int
    bytes: int
    sha256: str
    left: int  # rows without a text to translate, which stayed as they were
    seconds: float
    threads: int  # of the CPU
    gpu: bool
    engine: str
    runner: str
    host: str
    ledger: Ledger = field(default_factory=Ledger)


def done_path(plan: Plan, shard: Shard) -> Path:
    return plan.shard_folder / f"{shard.name}.{DONE}"


def failed_path(plan: Plan, shard: Shard) -> Path:
    return plan.shard_folder / f"{shard.name}.{FAILED}"


def write_marker(plan: Plan, shard: Shard, marker: Marker) -> None:
    write_file(done_path(plan, shard), to_json(asdict(marker)))


def read_marker(plan: Plan, shard: Shard) -> Marker | None:
    """None where the shard is not done; an error where its marker is damaged."""
    path = done_path(plan, shard)
    if not path.exists():
        return None
    try:
        return from_dict(Marker, read_json(path, LARGEST_MARKER), str(path))
    except AttendoError as error:
        raise InputError(f"{error}; remove {path} and run the plan again: the shard is made anew") from error


def note_attempt(plan: Plan, shard: Shard, me: Runner, reason: str) -> int:
    """One more failure at this shard; how many there are. The last of them sets it aside."""
    number = len(attempts(plan, shard)) + 1
    table = {"reason": reason[:LONGEST_REASON], "runner": me.id, "host": me.host, "time": me.time}
    while not exclusive(attempt_path(plan, shard, number), to_json(table)):
        number += 1  # another runner wrote that one
    if number >= plan.settings.attempts:
        every = attempts(plan, shard)
        write_file(failed_path(plan, shard), to_json({"attempts": every, "reason": reason[:LONGEST_REASON]}))
    return number


def attempts(plan: Plan, shard: Shard) -> list[Any]:
    found: list[Any] = []
    while (path := attempt_path(plan, shard, len(found) + 1)).exists():
        try:
            found.append(read_json(path, LARGEST_MARKER))
        except InputError:  # torn when its writer died: an attempt all the same
            found.append({"reason": "unknown"})
    return found


def attempt_path(plan: Plan, shard: Shard, number: int) -> Path:
    return plan.shard_folder / f"{shard.name}.attempt-{number}"


def read_failure(plan: Plan, shard: Shard) -> str:
    """Why a shard was set aside; "" if it was not."""
    path = failed_path(plan, shard)
    if not path.exists():
        return ""
    with suppress(InputError, TypeError, KeyError):
        return str(read_json(path, LARGEST_MARKER)["reason"])
    return "unknown"


def forget_failure(plan: Plan, shard: Shard) -> None:
    """So that the shard is tried again. The attempts go first, and the last of them first."""
    for number in range(len(attempts(plan, shard)), 0, -1):
        attempt_path(plan, shard, number).unlink(missing_ok=True)
    failed_path(plan, shard).unlink(missing_ok=True)


def exclusive(path: Path, data: bytes) -> bool:
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
    except FileExistsError:
        return False
    except OSError as error:
        raise cannot_write(path, error) from error
    return True


def to_json(table: dict[str, Any]) -> bytes:
    return json.dumps(table, ensure_ascii=False, indent=1).encode("utf-8", errors="replace") + b"\n"
