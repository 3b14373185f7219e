"""Who may work on a shard: a lease, which is a file, made so that of many who try one alone succeeds.

    shards/00042.lease-1          held: the file is touched every now and then
    shards/00042.lease-1.back     given back, because its runner was stopped, failed or died
    shards/00042.lease-2          the next runner's

Number n + 1 may be taken once number n was given back, or has been silent for so long that its runner must be dead.
A file that must not exist yet (O_EXCL) is made by one process only, on network disks too. Nothing is renamed away
under anybody, so there is no moment at which two believe they hold the same number; numbers go when the shard is done.

How long a lease has been silent is told by one clock, that of the disk: a file of one's own is touched and the two
times are compared. What the machines themselves take for the time does not matter.
"""

import os
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from attendo.bulk.plan import Plan, shard_name
from attendo.bulk.runner import Runner, read_runner
from attendo.files.durable import cannot_write

DONE, FAILED, BACK, CLOCK = "done", "failed", "back", "clock."
SIGNS_OF_LIFE = 6  # in the time after which a lease counts as silent
LONGEST_HOLD = 6 * 3_600  # seconds; then a runner that hangs gives no more signs of life
LARGEST_LEASE = 4_096  # bytes


@dataclass(frozen=True)
class DiskClock:
    """What time it is where the files are."""

    folder: Path
    name: str

    def now(self) -> float:
        path = self.folder / f"{CLOCK}{self.name}"
        try:
            descriptor = os.open(path, os.O_CREAT | os.O_WRONLY, 0o666)
            try:
                os.utime(descriptor)
                return os.fstat(descriptor).st_mtime
            finally:
                os.close(descriptor)
                path.unlink(missing_ok=True)
        except OSError as error:
            raise cannot_write(path, error) from error


@dataclass
class Lease:
    """A shard that is ours; a context manager that gives signs of life. What is not `finish`ed is given back."""

    path: Path
    number: int
    descriptor: int
    beat: float  # seconds between two signs of life
    finished: bool = False
    ended: threading.Event = field(default_factory=threading.Event)
    thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        self.thread = threading.Thread(target=self.live, name="lease", daemon=True)
        self.thread.start()
        return self

    def live(self) -> None:
        until = time.monotonic() + LONGEST_HOLD
        while not self.ended.wait(self.beat) and time.monotonic() < until:
            with suppress(OSError):  # by descriptor: it is this lease that lives, whatever has its name by now
                os.utime(self.descriptor)

    def __exit__(self, *exception: object) -> None:
        self.end()
        if not self.finished:
            give_back(self.path)

    def end(self) -> None:
        self.ended.set()
        if self.thread:
            self.thread.join()
            self.thread = None
            os.close(self.descriptor)

    def finish(self) -> None:
        """The shard is done or set aside, which stands on the disk: its leases are of no use any more."""
        self.end()
        self.finished = True
        remove_leases(self.path)


def give_back(path: Path) -> None:
    """Nothing, where it is not there any more: then the shard is done."""
    with suppress(OSError):
        path.rename(path.with_name(f"{path.name}.{BACK}"))


def remove_leases(path: Path) -> None:
    name = path.name.partition(".")[0]
    number = 1
    while True:
        lease = path.with_name(f"{name}.lease-{number}")
        gone = 0
        for one in (lease, lease.with_name(f"{lease.name}.{BACK}")):
            try:
                one.unlink()
            except OSError:
                gone += 1
        if gone == 2:
            return
        number += 1


def is_settled(folder: Path, name: str) -> bool:
    return (folder / f"{name}.{DONE}").exists() or (folder / f"{name}.{FAILED}").exists()


def last_lease(folder: Path, name: str) -> tuple[int, Path | None]:
    """The highest number there is, 0 for none; and its file, unless it was given back."""
    number, held = 0, None
    while True:
        lease = folder / f"{name}.lease-{number + 1}"
        if lease.exists():  # asked first: it becomes the other one and never the other way round
            held = lease
        elif lease.with_name(f"{lease.name}.{BACK}").exists():
            held = None
        else:
            return number, held
        number += 1


@dataclass(frozen=True)
class Holder:
    """What a lease tells."""

    runner: Runner | None  # None: it was not written to its end
    touched: float  # by the clock of the disk


def look_at(path: Path) -> Holder | None:
    """None where it is gone. It is opened, not only asked for: a network disk then says how it is now."""
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST_LEASE)
            return Holder(read_runner(raw), os.fstat(file.fileno()).st_mtime)
    except OSError:
        return None


def claim(plan: Plan, number: int, me: Runner, clock: DiskClock) -> Lease | None:
    """The shard as ours alone; None where it is settled, or another's."""
    folder, name = plan.shard_folder, shard_name(number)
    if is_settled(folder, name):
        return None
    last, held = last_lease(folder, name)
    if held:
        holder = look_at(held)
        if holder is None or not is_free(holder, clock, plan.settings.stale_after):
            return None
    path = folder / f"{name}.lease-{last + 1}"
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
    except FileExistsError:
        return None
    except OSError as error:
        raise cannot_write(path, error) from error
    with suppress(OSError):  # a full disk: the lease holds without its words
        os.write(descriptor, me.to_bytes())
    if is_settled(folder, name):  # by another, between our two looks, who has cleared its leases away
        os.close(descriptor)
        path.unlink(missing_ok=True)
        return None
    return Lease(path, last + 1, descriptor, plan.settings.stale_after / SIGNS_OF_LIFE)


def is_free(holder: Holder, clock: DiskClock, stale_after: float) -> bool:
    """Its runner is dead: seen to be, or silent for too long."""
    if holder.runner and holder.runner.is_dead:
        return True
    return clock.now() - holder.touched > stale_after
