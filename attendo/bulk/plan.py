"""The plan of a bulk translation: which lines of which files make a shard, and how they are translated.

    OUT/plan.json             what is below, written last; nothing of it changes afterwards
    OUT/pieces/00042.gz       the lines of a shard of a packed input, so that nobody has to unpack all before them
    OUT/shards/00042.*        what runners say to one another and what they made, see lease.py and marker.py
    OUT/joined/               the translations, one file for each input

A shard is known by its number, which counts from 0 over all inputs. It never goes over the end of an input, and it
holds at most `lines_per_shard` lines; fewer where these have many bytes.
"""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from attendo.errors import ConfigError, InputError
from attendo.files.durable import write_file
from attendo.files.packed import ENDINGS
from attendo.files.tables import from_dict, read_json
from attendo.translation.glossary import Glossary
from attendo.translation.options import TranslationOptions

FORMAT = 1
PLAN, SHARDS, PIECES, JOINED = "plan.json", "shards", "pieces", "joined"
LARGEST_PLAN = 2**30  # bytes; a shard takes about a hundred
FormName = Literal["lines", "jsonl", "parquet"]
FORMS: dict[str, FormName] = {".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}


@dataclass(frozen=True)
class Source:
    """One input file as it was when the plan was made."""

    path: str
    form: FormName
    bytes: int
    sha256: str
    lines: int  # or rows

    @property
    def is_packed(self) -> bool:
        return Path(self.path).suffix in ENDINGS

    @property
    def name(self) -> str:
        """Of the translation: that of the input, without the ending of a packed file."""
        path = Path(self.path)
        return path.stem if self.is_packed else path.name


@dataclass(frozen=True)
class Shard:
    number: int
    source: int  # which of the inputs
    first: int  # line or row of the input, counted from 1
    lines: int
    start: int  # byte of the unpacked input; 0 of a parquet file
    bytes: int
    sha256: str  # of these bytes; of a parquet file, of the texts: see parquet.py

    @property
    def name(self) -> str:
        return shard_name(self.number)

    @property
    def where(self) -> str:
        return f"lines {self.first:,} to {self.first + self.lines - 1:,}"


def shard_name(number: int) -> str:
    return f"{number:05}"


@dataclass(frozen=True, kw_only=True)
class PlanSettings:
    """All that decides what is written, and what runners must agree on."""

    model: str  # the name of an installed model, or a folder
    model_key: str  # sha256 of its manifest
    to: str
    from_: str | None = None
    lines_per_shard: int = 5_000
    column: str = "text"  # of .jsonl and .parquet: what is translated …
    into: str = "translation"  # … and where it goes
    beam: int | None = None
    passes: int | None = None
    keep: bool = False
    wider_retry: bool = True
    glossary: tuple[tuple[str, str], ...] = ()
    attempts: int = 3  # at a shard, before it is set aside
    stale_after: float = 120.0  # seconds without a sign of life, after which a lease is another's to take

    def __post_init__(self) -> None:
        for name, value, least, most in (
            ("lines_per_shard", self.lines_per_shard, 1, 10_000_000),
            ("attempts", self.attempts, 1, 1_000),
            ("stale_after", self.stale_after, 0.1, 1_000_000),
        ):
            if not least <= value <= most:
                raise ConfigError(f"{name} = {value}: expected {least:,} to {most:,}")
        if not self.column or not self.into or self.column == self.into:
            raise ConfigError(f"--column is {self.column!r} and --into {self.into!r}: expected two different names")

    @property
    def options(self) -> TranslationOptions:
        glossary = Glossary.from_pairs(dict(self.glossary)) if self.glossary else None
        return TranslationOptions(
            beam=self.beam, passes=self.passes, keep=self.keep, wider_retry=self.wider_retry, glossary=glossary
        )


@dataclass(frozen=True)
class Plan:
    folder: Path
    settings: PlanSettings
    sources: tuple[Source, ...]
    shards: tuple[Shard, ...] = field(repr=False)

    @property
    def shard_folder(self) -> Path:
        return self.folder / SHARDS

    @property
    def lines(self) -> int:
        return sum(source.lines for source in self.sources)

    def source_of(self, shard: Shard) -> Source:
        return self.sources[shard.source]

    def to_bytes(self) -> bytes:
        """A line for each shard, so that people can read it, too."""
        said = {key: value for key, value in asdict(self.settings).items() if value is not None}
        table = {"attendo": "bulk", "format": FORMAT, "settings": said}
        table["inputs"] = [asdict(source) for source in self.sources]
        head = json.dumps(table, ensure_ascii=False, indent=1).removesuffix("\n}")
        rows = (
            json.dumps([shard.source, shard.first, shard.lines, shard.start, shard.bytes, shard.sha256])
            for shard in self.shards
        )
        between = ",\n  "
        return f'{head},\n "shards": [\n  {between.join(rows)}\n ]\n}}\n'.encode()


def write_plan(plan: Plan) -> None:
    """Whole or not at all; a plan that stands there already stays."""
    write_file(plan.folder / PLAN, plan.to_bytes())


def read_plan(folder: Path) -> Plan:
    path = folder / PLAN
    if not path.is_file():
        raise InputError(f"{folder} has no {PLAN}: attendo bulk plan makes one")
    table = read_json(path, min(path.stat().st_size, LARGEST_PLAN))  # room for the largest is not taken for a small one
    match table:
        case {"attendo": "bulk", "format": int(version), **rest} if version != FORMAT or not rest:
            raise InputError(f"{path} has format {version}: this version reads {FORMAT}")
        case {"attendo": "bulk", "settings": dict(settings), "inputs": list(inputs), "shards": list(rows)}:
            pass
        case _:
            raise InputError(f"{path} is no plan of a bulk translation")
    sources = tuple(from_dict(Source, one, f"{path}, inputs") for one in inputs)
    shards = tuple(shard_of(number, row, len(sources), path) for number, row in enumerate(rows))
    return Plan(folder, from_dict(PlanSettings, settings, f"{path}, settings"), sources, shards)


def shard_of(number: int, row: Any, sources: int, path: Path) -> Shard:
    match row:
        case [int(source), int(first), int(lines), int(start), int(size), str(sha256)] if (
            0 <= source < sources and min(first, lines) >= 1 and min(start, size) >= 0
        ):
            return Shard(number, source, first, lines, start, size, sha256)
    raise InputError(f"{path}: shard {number} is none")
