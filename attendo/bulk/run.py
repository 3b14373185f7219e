"""One process that takes the shards of a plan, one after the other, until none is left to take."""

import logging
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

from attendo.bulk.lease import CLOCK, DONE, FAILED, DiskClock, is_settled, last_lease, look_at
from attendo.bulk.marker import forget_failure
from attendo.bulk.plan import SHARDS, Plan, Shard, read_plan
from attendo.bulk.runner import Runner, this_runner
from attendo.bulk.work import ShardWork
from attendo.engines.ct2.engine import Ct2Engine
from attendo.errors import InputError, UsageError
from attendo.files.durable import sweep
from attendo.model_folder.bundle import model_folder, read_bundle
from attendo.training.stop import Stop
from attendo.translation.load import EngineName, load
from attendo.translation.translator import Translator

logger = logging.getLogger("attendo")


@dataclass(frozen=True, kw_only=True)
class RunnerMachine:
    """What a runner computes with."""

    engine: str = "auto"  # checked where it is loaded
    device: str = "auto"
    threads: int | None = None


@dataclass(frozen=True, kw_only=True)
class Share:
    """Which shards a runner may take: number `index` of every `of`, or all."""

    index: int = 0
    of: int = 1

    def __post_init__(self) -> None:
        if not 0 <= self.index < self.of:
            raise UsageError(f"--index is {self.index} and --of {self.of}: expected 0 to {self.of - 1}")

    def has(self, shard: Shard) -> bool:
        return shard.number % self.of == self.index


@dataclass
class Round:
    """What a runner has seen of the shards that are left."""

    left: list[Shard]
    seen: dict[int, float] = field(default_factory=dict)  # when the lease of another was touched, as first seen


def load_translator(plan: Plan, machine: RunnerMachine) -> Translator:
    """The model of the plan, and no other that has its name."""
    check_model(plan)
    engine = cast(EngineName, machine.engine)
    translator = load(plan.settings.model, engine=engine, device=machine.device, threads=machine.threads)
    translator.preparer.languages("", plan.settings.to, plan.settings.from_)
    translator.suited(plan.settings.options)
    if isinstance(translator.engine, Ct2Engine):  # two runners of one plan give the same answers, whatever their cores
        return replace(translator, engine=translator.engine.with_same_batches())
    return translator


def check_model(plan: Plan) -> None:
    bundle = read_bundle(model_folder(plan.settings.model))
    if bundle.key != plan.settings.model_key:
        raise InputError(f"{bundle.folder} is not the model that the plan was made for: its manifest is another")


def run(
    folder: Path,
    load_for: Callable[[Plan], Translator],
    stop: Stop,
    share: Share = Share(),  # noqa: B008 - frozen
    *,
    group: str = "",
    on_shard: Callable[[], None] = lambda: None,
) -> Runner:
    """Take shards until none is left that is not done, set aside, or in the hands of a runner who is seen to live."""
    plan = read_plan(folder)
    check_here(plan)
    me = this_runner(group)
    clock = DiskClock(plan.shard_folder, me.id)
    clear_away(plan)
    left = unsettled(plan, share)
    if not left:
        return me
    with stop.at_once():
        translator = load_for(plan)
    work = ShardWork(plan, translator, me, clock, stop)
    for shard in in_turn(plan, Round(left), stop, group):
        if work.try_shard(shard):
            on_shard()
    return me


def in_turn(plan: Plan, one: Round, stop: Stop, group: str) -> Iterator[Shard]:
    """Shards to try, round after round. Between rounds that brought nothing we wait, to see who of the others lives."""
    folder = plan.shard_folder
    while one.left:
        before = len(one.left)
        for shard in list(one.left):
            yield shard
            if is_settled(folder, shard.name):
                one.left.remove(shard)
        one.left = [shard for shard in one.left if not is_in_good_hands(plan, shard, one, group)]
        if len(one.left) == before:
            with stop.at_once():
                time.sleep(min(1.0, plan.settings.stale_after / 10))


def is_in_good_hands(plan: Plan, shard: Shard, one: Round, group: str) -> bool:
    """Another has it, who was heard of since we first looked; of our own group the parent takes care."""
    _, held = last_lease(plan.shard_folder, shard.name)
    holder = look_at(held) if held else None
    if holder is None:
        return False
    if group and holder.runner and holder.runner.group == group:
        return True
    return holder.touched > one.seen.setdefault(shard.number, holder.touched)


def unsettled(plan: Plan, share: Share) -> list[Shard]:
    """One look at the folder tells of all."""
    with os.scandir(plan.shard_folder) as entries:
        settled = {entry.name.partition(".")[0] for entry in entries if entry.name.endswith((f".{DONE}", f".{FAILED}"))}
    return [shard for shard in plan.shards if share.has(shard) and shard.name not in settled]


def clear_away(plan: Plan) -> None:
    """What runners left who died at the very end of a shard: leases of what is settled, and unfinished files."""
    sweep(plan.shard_folder)
    with os.scandir(plan.shard_folder) as entries:
        names = [entry.name for entry in entries]
    for name in names:
        of_a_shard = ".lease-" in name or name.endswith(".tmp")
        if name.startswith(CLOCK) or (of_a_shard and is_settled(plan.shard_folder, name.partition(".")[0])):
            (plan.shard_folder / name).unlink(missing_ok=True)


def check_here(plan: Plan) -> None:
    if not plan.shard_folder.is_dir():
        raise InputError(f"{plan.folder} has no folder {SHARDS}: it was planned elsewhere, or not to the end")


def retry_failed(plan: Plan) -> int:
    """Shards that were set aside are tried again."""
    names = {path.stem for path in plan.shard_folder.glob(f"*.{FAILED}")}
    for shard in plan.shards:
        if shard.name in names:
            forget_failure(plan, shard)
    return len(names)
