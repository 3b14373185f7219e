"""What a translation of a file was made of and how far it came, as lines of JSON; and what is known of finished ones.

    {"attendo": "translation", "format": 3, "engine": …, "run": {"model": …, "to": …, …}, "seal": …}
    {"lines": 500, "bytes": 21340, "output": …, "whole": false, "read": …, "seconds": 8.1, "ledger": {…}, "seal": …}
    {"lines": 1000, …}

Each line counts from the beginning, so the last one tells all. `read` and `output` are sha256 of the bytes up to there,
of the input and of the output. A line's seal is the sha256 of the seal before it and of the line itself: a line that
was changed, or that is not where it was written, does not fit its seal. This finds damage and edits; it is no
signature, and who wants to forge a journal can.
"""

import hashlib
import json
import os
import re
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, BinaryIO

from attendo.documents.pipeline import Account
from attendo.errors import InputError, WriteError
from attendo.files.cache_folder import cache_folder
from attendo.files.durable import write_file
from attendo.translation.answer import Ledger
from attendo.translation.options import TranslationOptions

FORMAT = 3
EMPTY = hashlib.sha256().hexdigest()
SEALED = re.compile(rb'(\{.*), "seal": "([0-9a-f]{64})"\}\n', re.DOTALL)
LARGEST_RECORD = LONGEST_LINE = 100_000  # bytes; a record and a line of a journal have about a thousand
DIFFERENCES = {
    "model": "another model",
    "to": "another --to",
    "from": "another --from",
    "options": "another --beam, --passes or --n-best",
    "sampling": "or without --sample, or another --temperature, --top-k, --top-p or --seed",
    "keep": "or without --keep",
    "second_look": "or without --no-wider-retry",
    "doubt": "another --doubt-below, or without --no-doubt",
    "glossary": "another --glossary",
    "json": "or without --json",
    "strict": "or without --strict",
    "full_vocabulary": "or without --full-vocabulary",
    "input_bytes": "an input of another size",
    "bilingual": "another --bilingual",
    "memory": "another --memory",
}

RunDescription = dict[str, Any]


def describe_run(
    model: str,
    to: str,
    from_: str | None,
    options: TranslationOptions,
    as_json: bool,
    input_bytes: int | None,
    *,
    strict: bool = False,
    full_vocabulary: bool = False,
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
        # Left out as by earlier versions, whose runs are resumed.
        **({"strict": True} if strict else {}),
        **({"full_vocabulary": True} if full_vocabulary else {}),
    }


def differences(one: RunDescription, other: RunDescription) -> str:
    """In words; empty if there is none."""
    return " and ".join(words for key, words in DIFFERENCES.items() if one.get(key) != other.get(key))


@dataclass(frozen=True)
class Entry:
    """One line of a journal: all that is done up to the end of a chunk."""

    account: Account = field(default_factory=Account)
    size: int = 0  # bytes of output
    output: str = EMPTY  # sha256 of them
    whole: bool = False  # nothing is left to translate
    end: int = 0  # of this line in the journal; 0 where it does not stand in one
    seal: str = ""  # of this line

    def to_dict(self) -> dict[str, Any]:
        return {
            "lines": self.account.lines,
            "bytes": self.size,
            "output": self.output,
            "whole": self.whole,
            "read": self.account.read,
            "seconds": round(self.account.seconds, 3),
            "ledger": asdict(self.account.ledger),
        }


def entry_from_dict(table: Any, end: int = 0, seal: str = "") -> Entry:
    """A file is looked at before it is believed; what does not fit is a ValueError."""
    match table:
        case {
            "lines": int(lines),
            "bytes": int(size),
            "output": str(output),
            "whole": bool(whole),
            "read": str(read),
            "seconds": float(seconds) | int(seconds),
            "ledger": dict(counts),
        } if min(lines, size) >= 0:
            names = {one.name for one in fields(Ledger)}
            if set(counts) == names and all(type(count) is int for count in counts.values()):
                return Entry(Account(lines, read, float(seconds), Ledger(**counts)), size, output, whole, end, seal)
    raise ValueError("no account of a translation")


@dataclass(frozen=True)
class Journal:
    run: RunDescription
    engine: str
    seal: str  # of its first line
    last: Entry  # empty, if no chunk was done
    changed: int | None = None  # the first line that is not what was written; nothing from there on is believed


def read_journal(file: BinaryIO, path: Path) -> Journal | None:
    """None for an empty file. A line that was being written when the process died is no line."""
    file.seek(0)
    first = file.readline(LONGEST_LINE)
    if not first.endswith(b"\n"):
        if len(first) < LONGEST_LINE and b'{"attendo": "translation"'.startswith(first[:25]):
            return None
        raise InputError(f"{path} is in the way: it is no journal of a translation")
    match parsed(first):
        case {"attendo": "translation", "format": int(version), "engine": str(engine), "run": dict(run)}:
            if version != FORMAT:
                raise InputError(
                    f"{path} has format {version} and this version of attendo writes {FORMAT}: finish it with the "
                    "version that began it, or remove it and the .partial file beside it to begin anew"
                )
        case _:
            raise InputError(f"{path} is in the way: it is no journal of a translation")
    seal = read_seal(first)
    journal = Journal(run, engine, seal or "", Entry(), None if seal else 1)
    end = len(first)
    for number, raw in enumerate(iter(lambda: file.readline(LONGEST_LINE), b""), start=2):
        if journal.changed or not raw.endswith(b"\n"):
            break
        end += len(raw)
        seal = read_seal(raw, seal or "")
        try:
            last = entry_from_dict(parsed(raw) if seal else None, end, seal or "")
        except ValueError:
            return replace(journal, changed=number)
        journal = replace(journal, last=last)
    return journal


def parsed(raw: bytes) -> Any:
    """None for what is no JSON."""
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


def sealed_line(table: dict[str, Any], before: str = "") -> tuple[bytes, str]:
    """A line of JSON that carries a seal, and the seal; `before` is the seal of the line before."""
    body = json.dumps(table).encode().removesuffix(b"}")
    seal = seal_of(body, before)
    return body + f', "seal": "{seal}"}}\n'.encode(), seal


def read_seal(raw: bytes, before: str = "") -> str | None:
    """The seal of a line; None where it does not fit."""
    found = SEALED.fullmatch(raw)
    fits = found and seal_of(found[1], before) == found[2].decode()
    return found[2].decode() if found and fits else None


def seal_of(body: bytes, before: str) -> str:
    return hashlib.sha256(before.encode() + body).hexdigest()


def head_line(run: RunDescription, engine: str) -> tuple[bytes, str]:
    return sealed_line({"attendo": "translation", "format": FORMAT, "engine": engine, "run": run})


def record_path(path: Path) -> Path:
    """Finished files are remembered in the cache, so that nothing has to lie beside them."""
    folder = cache_folder() / "translated"
    folder.mkdir(exist_ok=True)
    return folder / f"{hashlib.sha256(os.fsencode(path.absolute())).hexdigest()[:32]}.json"


def write_record(path: Path, run: RunDescription, entry: Entry) -> None:
    with suppress(WriteError, OSError):  # without it a second run with --resume asks, and nothing else is lost
        write_file(record_path(path), sealed_line(entry.to_dict() | {"run": run})[0])


def read_record(path: Path) -> tuple[RunDescription, Entry] | None:
    """How a file was made; None where that is not known. Whether it is still that file, its hash tells."""
    with suppress(WriteError, OSError, ValueError, LookupError, TypeError):
        record = record_path(path)
        if record.is_symlink() or not record.is_file():  # a pipe would keep us waiting
            return None
        with record.open("rb") as file:
            raw = file.read(LARGEST_RECORD)
        table: Any = parsed(raw) if read_seal(raw) else None
        return dict(table["run"]), entry_from_dict(table)
    return None
