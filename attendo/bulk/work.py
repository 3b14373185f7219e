"""One shard, from its lease to its marker; every step leaves the disk such that another runner can go on.

claim                      lease.py
read, translate
shards/00042.ID.tmp        written, forced to the disk, its lines counted there
shards/00042.ID.txt        renamed
shards/00042.done          the marker, see marker.py
leases and leftovers       removed
"""

import hashlib
import logging
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from attendo.bulk.lease import DiskClock, Lease, claim
from attendo.bulk.lines import Answers, JsonLines, PlainLines
from attendo.bulk.marker import Marker, note_attempt, read_marker, write_marker
from attendo.bulk.parquet import ParquetRows
from attendo.bulk.plan import Plan, Shard
from attendo.bulk.runner import Runner
from attendo.errors import DataError, InputError, WriteError
from attendo.files.durable import cannot_write, sync_folder
from attendo.training.stop import Stop
from attendo.translation.answer import Translation, total
from attendo.translation.translator import Translator

logger = logging.getLogger("attendo")

BLOCK = 2**20


class ShardRows(Protocol):
    """The rows of a shard, read and checked; None for one that has no text."""

    ending: str
    texts: list[str | None]

    def write(self, path: Path, answers: Answers) -> None:
        """All of them, in order, into a new file that is on the disk when this returns."""

    def count(self, path: Path) -> int:
        """How many rows that file has, counted anew."""


def read_rows(plan: Plan, shard: Shard) -> ShardRows:
    match plan.source_of(shard).form:
        case "jsonl":
            return JsonLines(plan, shard)
        case "parquet":
            return ParquetRows(plan, shard)
        case _:
            return PlainLines(plan, shard)


@dataclass(frozen=True)
class ShardWork:
    """A runner at a plan."""

    plan: Plan
    translator: Translator
    me: Runner
    clock: DiskClock
    stop: Stop

    def try_shard(self, shard: Shard) -> bool:
        """Whether it was ours to do; done or failed, that stands on the disk then."""
        lease = claim(self.plan, shard.number, self.me, self.clock)
        if lease is None:
            return False
        with lease:
            try:
                self.do(shard, lease)
            except WriteError:  # a full disk is not the shard's fault: what is done stays, the rest waits
                raise
            except Exception as error:  # whatever it is, it is noted with the shard, and the others go on
                self.fail(shard, lease, error)
            finally:
                self.remove_own(shard)
        return True

    def do(self, shard: Shard, lease: Lease) -> None:
        started = time.perf_counter()
        with self.stop.at_once():  # a signal ends it here, and the lease is given back
            rows = read_rows(self.plan, shard)
            answers = self.translate(rows.texts)
        ledger = total(answer.ledger for answer in answers if answer)
        name = f"{shard.name}.{self.me.id}"
        temporary, final = (self.plan.shard_folder / f"{name}{ending}" for ending in (".tmp", rows.ending))
        try:
            rows.write(temporary, answers)
            counted = rows.count(temporary)
            if not len(rows.texts) == len(answers) == counted == shard.lines:
                raise DataError(f"shard {shard.number}: {shard.lines} lines came in and {counted} went out")
            size, sha256 = size_and_hash(temporary)
            temporary.replace(final)
            sync_folder(self.plan.shard_folder)
        except OSError as error:
            if done := self.done_by_another(shard):
                return self.settle(shard, done, lease)
            raise cannot_write(final, error) from error
        engine = self.translator.engine
        marker = Marker(
            file=final.name, lines=counted, bytes=size, sha256=sha256, left=answers.count(None),
            seconds=round(time.perf_counter() - started, 3), threads=engine.threads or 1, gpu=engine.threads is None,
            engine=engine.name, runner=self.me.id, host=self.me.host, ledger=ledger,
        )  # fmt: skip
        if done := self.done_by_another(shard):
            if done.sha256 != sha256:
                logger.warning(f"shard {shard.number} was done twice, and the two differ: {done.file} stays")
            final.unlink(missing_ok=True)
            return self.settle(shard, done, lease)
        write_marker(self.plan, shard, marker)
        return self.settle(shard, marker, lease)

    def translate(self, texts: Sequence[str | None]) -> list[Translation | None]:
        """All at once: the longest first, those of like lengths together, what stands there twice decoded once."""
        settings = self.plan.settings
        there = [text for text in texts if text is not None]
        answers = iter(self.translator.translate(there, settings.to, settings.from_, settings.options))
        return [None if text is None else next(answers) for text in texts]

    def done_by_another(self, shard: Shard) -> Marker | None:
        """While we were taken for dead."""
        with suppress(InputError):
            return read_marker(self.plan, shard)
        return None

    def settle(self, shard: Shard, marker: Marker, lease: Lease) -> None:
        """What others left of it goes, and the leases."""
        if lease.number > 1:  # else nobody was there before us
            remove_leftovers(self.plan, shard, marker.file)
        lease.finish()

    def fail(self, shard: Shard, lease: Lease, error: Exception) -> None:
        reason = f"{type(error).__name__}: {error}" if not str(error) or not is_ours(error) else str(error)
        reason = " ".join(reason.split())
        number = note_attempt(self.plan, shard, self.me, reason)
        if number < self.plan.settings.attempts:
            logger.warning(f"shard {shard.number} failed (attempt {number}): {reason}")
            return
        logger.warning(f"shard {shard.number} failed (attempt {number}) and is set aside: {reason}")
        lease.finish()

    def remove_own(self, shard: Shard) -> None:
        with suppress(OSError):
            (self.plan.shard_folder / f"{shard.name}.{self.me.id}.tmp").unlink()


def is_ours(error: Exception) -> bool:
    return type(error).__module__.startswith("attendo.")


def remove_leftovers(plan: Plan, shard: Shard, kept: str) -> None:
    """Of runners that died, or were taken for dead: NUMBER.ID.tmp, and what no marker names."""
    for path in plan.shard_folder.glob(f"{shard.name}.*.*"):
        if path.name != kept and path.suffix in (".tmp", ".txt", ".jsonl", ".parquet"):
            with suppress(OSError):
                path.unlink()


def size_and_hash(path: Path) -> tuple[int, str]:
    """Of what stands on the disk."""
    found = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            found.update(block)
        return os.fstat(file.fileno()).st_size, found.hexdigest()
