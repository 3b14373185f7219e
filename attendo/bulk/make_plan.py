"""From files to a plan: each is read once, from its beginning to its end."""

import hashlib
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path

from attendo.bulk.lines import check_first_object, cut_lines, read_to_the_end, write_piece
from attendo.bulk.parquet import borders, check_columns, opened, read_texts, texts_hash
from attendo.bulk.plan import FORMS, JOINED, PIECES, PLAN, SHARDS, Plan, PlanSettings, Shard, Source, write_plan
from attendo.data.lines import open_bytes
from attendo.errors import DataError, InputError, UsageError
from attendo.files.durable import UNFINISHED, cannot_write, sync_folder
from attendo.files.packed import ENDINGS
from attendo.model_folder.bundle import read_bundle, shipped_models
from attendo.translation.load import check_translates
from attendo.translation.prepare import choose_source, choose_target

logger = logging.getLogger("attendo")


def known_model(folder: Path, to: str, from_: str | None) -> tuple[str, str]:
    """How the plan calls a model, and its key. One that came with the package is known by its name, as another machine
    may have it elsewhere. Languages it does not know are an error now, and not in every shard."""
    bundle = read_bundle(folder)
    check_translates(bundle)
    choose_source(from_, choose_target(to, bundle.directions), "", bundle.directions)
    name = folder.name if folder in shipped_models() else str(folder.resolve())
    return name, bundle.key


def make_plan(paths: Sequence[Path], folder: Path, settings: PlanSettings) -> Plan:
    """The plan of these files in that folder, written last of all. The same again changes nothing; one that says
    something else is an error."""
    check_names(paths)
    check_folder(folder)
    there = folder / PLAN
    new = not there.exists()
    try:
        (folder / PIECES).mkdir(parents=True, exist_ok=True)
        (folder / SHARDS).mkdir(exist_ok=True)
    except OSError as error:
        raise cannot_write(folder, error) from error
    sources: list[Source] = []
    shards: list[Shard] = []
    for index, path in enumerate(paths):
        made = Maker(folder if new else None, settings, index, len(shards))
        shards += made.shards(path.resolve())
        sources.append(made.source)
    plan = Plan(folder, settings, tuple(sources), tuple(shards))
    if not new:
        if there.read_bytes() != plan.to_bytes():
            raise InputError(f"{there} is the plan of something else (other inputs or options): name another folder")
        logger.info(f"{there} is there already, and says the same: nothing to do")
        return plan
    sync_folder(folder)
    write_plan(plan)
    return plan


def check_names(paths: Sequence[Path]) -> None:
    """Of each input comes one translation, which has its name."""
    names: dict[str, Path] = {}
    for path in paths:
        if path.is_dir():
            raise UsageError(f"{path} is a folder: name the files in it (the last name is that of the plan's folder)")
        name = path.stem if path.suffix in ENDINGS else path.name
        if other := names.get(name):
            raise UsageError(f"{other} and {path} would both become {name}: plan them in two folders")
        names[name] = path


def check_folder(folder: Path) -> None:
    """Nothing of anybody else's stands there."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is in the way: it is no folder")
    if folder.is_dir() and not (folder / PLAN).exists():
        ours = {SHARDS, PIECES, JOINED}  # of a plan that was stopped before it was written
        if others := [one.name for one in folder.iterdir() if one.name not in ours and UNFINISHED not in one.name]:
            raise InputError(f"{folder} holds {min(others)!r} and no plan: name a new folder")


class Maker:
    """The shards of one input. Without a folder no piece is written: the plan is there already."""

    source: Source

    def __init__(self, folder: Path | None, settings: PlanSettings, index: int, number: int) -> None:
        self.folder, self.settings, self.index, self.number = folder, settings, index, number

    def shards(self, path: Path) -> Iterator[Shard]:
        name = path.with_suffix("") if path.suffix in ENDINGS else path
        form = FORMS.get(name.suffix, "lines")
        if form == "parquet":
            if name != path:
                raise DataError(f"{path} is packed: parquet files are read as they are; unpack it first")
            return self.of_rows(path)
        return self.of_lines(path, form == "jsonl")

    def of_lines(self, path: Path, as_json: bool) -> Iterator[Shard]:
        lines = 0
        with open_bytes(path) as stream:
            for cut in cut_lines(stream, path, self.settings.lines_per_shard):
                if as_json and not lines:
                    check_first_object(path, cut.data, self.settings.column, self.settings.into)
                if self.folder and path.suffix in ENDINGS:
                    write_piece(self.folder, self.number, cut.data)
                sha256 = hashlib.sha256(cut.data).hexdigest()
                yield Shard(self.number, self.index, cut.first, cut.lines, cut.start, len(cut.data), sha256)
                self.number += 1
                lines += cut.lines
            size, sha256 = read_to_the_end(stream)
        self.source = Source(str(path), "jsonl" if as_json else "lines", size, sha256, lines)

    def of_rows(self, path: Path) -> Iterator[Shard]:
        with open_bytes(path) as stream:  # the sha256 of the whole, and whether it is a file at all
            size, sha256 = read_to_the_end(stream)
        column = self.settings.column
        with opened(path) as file:
            check_columns(file, path, column, self.settings.into)
            for first, rows in borders(file, self.settings.lines_per_shard):
                texts = read_texts(file, first, rows, column)
                yield Shard(self.number, self.index, first + 1, rows, 0, 0, texts_hash(texts))
                self.number += 1
            self.source = Source(str(path), "parquet", size, sha256, file.metadata.num_rows)
