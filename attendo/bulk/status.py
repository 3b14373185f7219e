"""How far a bulk translation is, told from its files alone: from any machine, while others work on it."""

import os
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from attendo.bulk.lease import BACK, DONE, FAILED, DiskClock, look_at
from attendo.bulk.marker import Marker, read_failure, read_marker
from attendo.bulk.plan import Plan, Shard
from attendo.bulk.runner import this_runner
from attendo.errors import WriteError
from attendo.report.formatting import count_text, duration_text
from attendo.report.language import Tr, in_english
from attendo.translation.answer import Ledger, total

HOUR = 3_600


@dataclass(frozen=True)
class Status:
    """Counts of shards and lines, and a forecast from the shards that are done."""

    shards: int
    lines: int
    done: int
    lines_done: int
    running: int
    stale: int
    failed: dict[int, str]  # and why
    seconds: float = 0.0  # of work at what is done, all runners together
    core_seconds: float = 0.0
    gpu_seconds: float = 0.0
    left: int = 0  # rows without a text
    engines: tuple[str, ...] = ()
    ledger: Ledger = field(default_factory=Ledger)

    @property
    def waiting(self) -> int:
        return self.shards - self.done - self.running - self.stale - len(self.failed)

    @property
    def lines_left(self) -> int:
        return self.lines - self.lines_done

    @property
    def lines_per_second(self) -> float | None:
        """Of those who are at work now, as fast as shards went so far."""
        return self.running * self.lines_done / self.seconds if self.seconds else None

    @property
    def seconds_left(self) -> float | None:
        speed = self.lines_per_second
        return self.lines_left / speed if speed else None if self.lines_left else 0.0

    def hours_left(self, spent: float) -> float | None:
        return spent / HOUR * self.lines_left / self.lines_done if self.lines_done else None

    def to_dict(self) -> dict[str, Any]:
        return {
            "shards": self.shards, "done": self.done, "running": self.running, "stale": self.stale,
            "failed": {str(number): reason for number, reason in self.failed.items()}, "waiting": self.waiting,
            "lines": self.lines, "lines_done": self.lines_done, "rows_without_text": self.left,
            "lines_per_second": rounded(self.lines_per_second), "seconds_left": rounded(self.seconds_left),
            "core_hours": rounded(self.core_seconds / HOUR),
            "core_hours_left": rounded(self.hours_left(self.core_seconds)),
            "gpu_hours": rounded(self.gpu_seconds / HOUR),
            "gpu_hours_left": rounded(self.hours_left(self.gpu_seconds)),
            "engines": list(self.engines), "ledger": self.ledger.to_dict(),
        }  # fmt: skip

    def in_words(self, tr: Tr = in_english) -> str:
        """12 of 40 shards, 60,000 of 200,000 lines; 2 running; 812 lines/s, 2 min 52 s left, 0.1 core-hours to go"""
        parts = [
            tr(
                f"{self.done:,} of {count_text(self.shards, 'shard')}, "
                f"{self.lines_done:,} of {count_text(self.lines, 'line')}",
                f"分片 {self.done:,} / {self.shards:,}，行 {self.lines_done:,} / {self.lines:,}",
            )
        ]
        counts = [
            (self.running, tr("running", "进行中")), (self.stale, tr("stale", "失联")),
            (len(self.failed), tr("failed", "失败")), (self.waiting, tr("waiting", "等待")),
        ]  # fmt: skip
        parts.append(tr(", ", "，").join(f"{count:,} {word}" for count, word in counts if count))
        parts.append(self.forecast(tr))
        return tr("; ", "；").join(filter(None, parts))

    def forecast(self, tr: Tr) -> str:
        parts = []
        if self.lines_per_second and self.seconds_left is not None:
            left = duration_text(self.seconds_left, tr)
            speed = f"{self.lines_per_second:,.0f}"
            parts += [tr(f"{speed} lines/s", f"每秒 {speed} 行"), tr(f"{left} left", f"还需 {left}")]
        for spent, unit in ((self.core_seconds, tr("core", "核")), (self.gpu_seconds, "GPU")):
            hours = self.hours_left(spent)
            if spent and hours:
                parts.append(tr(f"{hours:,.2f} {unit}-hours to go", f"还需 {hours:,.2f} {unit}小时"))
        return tr(", ", "，").join(parts)


def rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def status_of(plan: Plan) -> Status:
    with os.scandir(plan.shard_folder) as entries:
        names = {entry.name for entry in entries}
    settled: dict[str, set[str]] = {DONE: set(), FAILED: set()}
    last: dict[str, int] = {}  # the highest number of a lease of each shard
    for one in names:
        name, _, kind = one.partition(".")
        if kind in settled:
            settled[kind].add(name)
        elif kind.startswith("lease-") and (number := kind.removeprefix("lease-").removesuffix(f".{BACK}")).isdigit():
            last[name] = max(last.get(name, 0), int(number))
    markers: list[Marker] = []
    failed: dict[int, str] = {}
    held: Counter[str] = Counter()
    now = time_of_the_disk(plan)
    for shard in plan.shards:
        if shard.name in settled[DONE] and (marker := read_marker(plan, shard)):
            markers.append(marker)
        elif shard.name in settled[FAILED]:
            failed[shard.number] = read_failure(plan, shard)
        elif shard.name in last and (state := state_of(plan, shard, last[shard.name], now)):
            held[state] += 1
    return Status(
        shards=len(plan.shards), lines=plan.lines, done=len(markers), lines_done=sum(one.lines for one in markers),
        running=held["running"], stale=held["stale"], failed=failed,
        seconds=sum(one.seconds for one in markers),
        core_seconds=sum(one.seconds * one.threads for one in markers if not one.gpu),
        gpu_seconds=sum(one.seconds for one in markers if one.gpu),
        left=sum(one.left for one in markers), engines=tuple(sorted({one.engine for one in markers})),
        ledger=total(one.ledger for one in markers),
    )  # fmt: skip


def state_of(plan: Plan, shard: Shard, number: int, now: float) -> str:
    """Of the last lease: "" where it was given back."""
    holder = look_at(plan.shard_folder / f"{shard.name}.lease-{number}")
    if holder is None:
        return ""
    dead = holder.runner is not None and holder.runner.is_dead
    return "stale" if dead or now - holder.touched > plan.settings.stale_after else "running"


def time_of_the_disk(plan: Plan) -> float:
    """Who may only read has nothing but his own clock."""
    try:
        return DiskClock(plan.shard_folder, this_runner().id).now()
    except WriteError:
        return time.time()
