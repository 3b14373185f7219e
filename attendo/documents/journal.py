"""What a translation of a file was made of and how far it came, as lines of JSON; and what is known of finished ones.

    {"attendo": "translation", "format": 2, "engine": …, "run": {"model": …, "to": …, …}}
    {"lines": 500, "bytes": 21340, "whole": false, "read": …, "seconds": 8.1, "ledger": {…}}
    {"lines": 1000, …}

Each line counts from the beginning, so the last one tells all.
"""

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, BinaryIO

from attendo.documents.pipeline import Account
from attendo.errors import InputError, WriteError
from attendo.files.cache_folder import cache_folder
from attendo.files.durable import write_file
from attendo.files.tables import read_json
from attendo.translation.answer import Ledger
from attendo.translation.options import TranslationOptions

FORMAT = 2
LARGEST_RECORD = 100_000  # bytes; one has about a thousand
DIFFERENCES = {
    "model": "another model",
    "to": "another --to",
    "from": "another --from",
    "options": "another --beam or --n-best",
    "keep": "or without --keep",
    "second_look": "or without --no-wider-retry",
    "doubt": "another --doubt-below, or without --no-doubt",
    "glossary": "another --glossary",
    "json": "or without --json",
    "input_bytes": "an input of another size",
}

RunDescription = dict[str, Any]


def describe_run(
    model: str, to: str, from_: str | None, options: TranslationOptions, as_json: bool, input_bytes: int | None
) -> RunDescription:
    """All that decides what is written. `model` is the key of its folder; `input_bytes` is None where the input cannot
    be read a second time."""
    return {
        "model": model,
        "to": to,
        "from": from_,
        **options.to_dict(),
        "json": as_json,
        "input_bytes": input_bytes,
    }


def differences(one: RunDescription, other: RunDescription) -> str:
    """In words; empty if there is none."""
    return " and ".join(words for key, words in DIFFERENCES.items() if one.get(key) != other.get(key))


@dataclass(frozen=True)
class Entry:
    """One line of a journal: all that is done up to the end of a chunk."""

    account: Account = field(default_factory=Account)
    size: int = 0  # bytes of output
    whole: bool = False  # nothing is left to translate
    end: int = 0  # of this line in the journal; 0 where it does not stand in one

    def to_dict(self) -> dict[str, Any]:
        return {
            "lines": self.account.lines,
            "bytes": self.size,
            "whole": self.whole,
            "read": self.account.read,
            "seconds": round(self.account.seconds, 3),
            "ledger": asdict(self.account.ledger),
        }


def entry_from_dict(table: Any, end: int = 0) -> Entry:
    """A file is looked at before it is believed; what does not fit is a ValueError."""
    match table:
        case {
            "lines": int(lines),
            "bytes": int(size),
            "whole": bool(whole),
            "read": str(read),
            "seconds": float(seconds) | int(seconds),
            "ledger": dict(counts),
        } if min(lines, size) >= 0:
            names = {one.name for one in fields(Ledger)}
            if set(counts) == names and all(type(count) is int for count in counts.values()):
                return Entry(Account(lines, read, float(seconds), Ledger(**counts)), size, whole, end)
    raise ValueError("no account of a translation")


@dataclass(frozen=True)
class Journal:
    run: RunDescription
    engine: str
    last: Entry  # empty, if no chunk was done


def read_journal(file: BinaryIO, path: Path) -> Journal | None:
    """None for an empty file. A line that was being written when the process died is no line."""
    head: Any = None
    last, end = Entry(), 0
    file.seek(0)
    for raw in file:
        end += len(raw)
        try:
            table = json.loads(raw if raw.endswith(b"\n") else b"")
            last = last if head is None else entry_from_dict(table, end)
        except (ValueError, RecursionError):
            break
        head = head or table
    match head:
        case {"attendo": "translation", "format": int(version), "engine": str(engine), "run": dict(run)}:
            if version == FORMAT:
                return Journal(run, engine, last)
            raise InputError(f"{path} is of another version of attendo: remove it to begin anew")
        case None if end == 0 or b'{"attendo": "translation"'.startswith(beginning(file)):
            return None
        case _:
            raise InputError(f"{path} is in the way: it is no journal of a translation")


def beginning(file: BinaryIO) -> bytes:
    file.seek(0)
    return file.read(25)


def head_line(run: RunDescription, engine: str) -> bytes:
    return json_line({"attendo": "translation", "format": FORMAT, "engine": engine, "run": run})


def json_line(table: dict[str, Any]) -> bytes:
    return json.dumps(table).encode() + b"\n"


def record_path(path: Path) -> Path:
    """Finished files are remembered in the cache, so that nothing has to lie beside them."""
    folder = cache_folder() / "translated"
    folder.mkdir(exist_ok=True)
    return folder / f"{hashlib.sha256(os.fsencode(path.absolute())).hexdigest()[:32]}.json"


def write_record(path: Path, run: RunDescription, entry: Entry) -> None:
    with suppress(WriteError, OSError):  # without it a second run with --resume asks, and nothing else is lost
        write_file(record_path(path), json_line(entry.to_dict() | {"run": run, "changed": path.stat().st_mtime_ns}))


def read_record(path: Path) -> tuple[RunDescription, Entry] | None:
    """How a file was made; None where that is not known, or the file has changed since."""
    with suppress(WriteError, InputError, OSError, ValueError, LookupError, TypeError):
        table = read_json(record_path(path), LARGEST_RECORD)
        entry, now = entry_from_dict(table), path.stat()
        if (entry.size, table["changed"]) == (now.st_size, now.st_mtime_ns):
            return dict(table["run"]), entry
    return None
