"""The same shards over a Ray cluster: an actor is a runner, and what it is sent are the numbers of shards.

Ray finds the machines, adds some where it is told to, and notices who died. It carries no text: actors read inputs and
write shards on a disk that all share, by the same leases and markers as any other runner, so order and counts do not
hang on it, and runners outside the cluster may work on the same plan.
"""

import logging
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attendo.bulk.lease import DiskClock, is_settled
from attendo.bulk.marker import note_attempt
from attendo.bulk.plan import Plan, read_plan
from attendo.bulk.run import RunnerMachine, Share, check_here, load_translator, unsettled
from attendo.bulk.runner import this_runner
from attendo.bulk.work import ShardWork
from attendo.errors import ConfigError, InputError
from attendo.training.stop import Stop

logger = logging.getLogger("attendo")

NEEDS = "--ray needs ray: pip install 'attendo[ray]'; without it, start attendo bulk run on each machine"
LOOK_EVERY = 1.0  # seconds
PAUSE = 0.1


class ShardActor:
    """A runner inside the cluster."""

    def __init__(self, folder: str, machine: RunnerMachine, group: str) -> None:
        plan = read_plan(Path(folder))
        check_here(plan)
        me = this_runner(group)
        self.work = ShardWork(plan, load_translator(plan, machine), me, DiskClock(plan.shard_folder, me.id), Stop())

    def do(self, number: int) -> bool:
        """Whether the shard was ours to do."""
        return self.work.try_shard(self.work.plan.shards[number])


def ray_library() -> Any:
    try:
        import ray
    except ModuleNotFoundError as error:
        raise ConfigError(NEEDS) from error
    return ray


def run_on_ray(
    folder: Path, address: str, machine: RunnerMachine, workers: int, on_look: Callable[[], None] = lambda: None
) -> None:
    """Until all is done or set aside. `address` is that of a cluster, or auto; local makes one on this machine."""
    ray = ray_library()
    plan = read_plan(folder)
    if not (left := deque(shard.number for shard in unsettled(plan, Share()))):
        return
    try:
        ray.init(None if address == "local" else address, logging_level=logging.ERROR, log_to_driver=False)
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise InputError(f"there is no Ray cluster at {address}: {' '.join(str(error).split())[:200]}") from error
    try:
        RayCrew(ray, plan, machine, min(workers, len(left))).work(left, on_look)
    finally:
        ray.shutdown()


class RayCrew:
    """Actors and what they are at; one that dies is replaced, and its shard goes back to the others."""

    def __init__(self, ray: Any, plan: Plan, machine: RunnerMachine, workers: int) -> None:
        self.ray, self.plan, self.machine, self.group = ray, plan, machine, this_runner().id
        gpu = machine.device.startswith("cuda")
        needs = {"num_gpus": 1} if gpu else {"num_cpus": machine.threads or 1}
        self.make = ray.remote(**needs)(ShardActor)
        self.idle = deque(self.new_actor() for _ in range(workers))
        self.at_work: dict[Any, tuple[Any, int]] = {}

    def new_actor(self) -> Any:
        return self.make.remote(str(self.plan.folder.resolve()), self.machine, self.group)

    def work(self, left: deque[int], on_look: Callable[[], None]) -> None:
        while left or self.at_work:
            while left and self.idle:
                actor, number = self.idle.popleft(), left.popleft()
                self.at_work[actor.do.remote(number)] = actor, number
            ready, _ = self.ray.wait(list(self.at_work), timeout=LOOK_EVERY)
            for answer in ready:
                self.take(answer, left)
            on_look()

    def take(self, answer: Any, left: deque[int]) -> None:
        actor, number = self.at_work.pop(answer)
        shard = self.plan.shards[number]
        try:
            self.ray.get(answer)
        except self.ray.exceptions.RayTaskError as error:  # such as a full disk
            raise InputError(f"a worker of the cluster failed: {last_line(error)}") from error
        except self.ray.exceptions.RayActorError as error:
            if getattr(error, "actor_init_failed", False):  # the next would fail as well
                raise InputError(f"a worker of the cluster could not start: {last_line(error)}") from error
            logger.warning(f"a worker of the cluster died at shard {number}: another takes it")
            note_attempt(self.plan, shard, this_runner(self.group), "its worker in the cluster died")
            actor = self.new_actor()
        self.idle.append(actor)
        if not is_settled(self.plan.shard_folder, shard.name):
            left.append(number)
            time.sleep(PAUSE)  # it may be another's, alive or dead: then it takes a while


def last_line(error: Exception) -> str:
    """Of a traceback that came from another machine."""
    return str(error).strip().split("\n")[-1][:300]
