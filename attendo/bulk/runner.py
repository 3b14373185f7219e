"""Who works on a shard, and whether he is still alive.

Two machines may have the same name and two processes the same number; so a machine is known by what Linux drew when it
started and by the space in which it counts processes, and a process also by when it began. Only of a process of this
very machine can its death be seen; of another's one hears by its silence alone (lease.py).
"""

import json
import os
import platform
import secrets
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from attendo.files.tables import from_dict, parse_json


@dataclass(frozen=True)
class Runner:
    """One process that takes shards. `time` is for people: clocks of machines differ, and nothing hangs on it."""

    id: str
    group: str  # of the processes that one command started
    host: str
    pid: int
    machine: str  # "" where it cannot be known
    born: str  # when the process began, as its machine counts
    time: str = ""

    def to_bytes(self) -> bytes:
        return json.dumps(asdict(self)).encode() + b"\n"

    @property
    def is_dead(self) -> bool:
        """Seen to be so, from here."""
        return bool(self.machine) and self.machine == this_machine() and birth_of(self.pid) != self.born


def this_runner(group: str = "") -> Runner:
    import datetime

    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    own, pid = secrets.token_hex(6), os.getpid()
    return Runner(own, group or own, platform.node(), pid, this_machine(), birth_of(pid), now)


def read_runner(raw: bytes) -> Runner | None:
    """None for what was not written to its end."""
    try:
        return from_dict(Runner, parse_json(raw), "lease")
    except Exception:  # a file of another version, or torn: then its age alone counts
        return None


@cache
def this_machine() -> str:
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot}/{os.stat('/proc/self/ns/pid').st_ino}"  # noqa: PTH116 - a link to follow
    except (OSError, ValueError):
        return ""


def birth_of(pid: int) -> str:
    """When a process began, in ticks; "" where there is none of that number, or it has ended and nobody has asked."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in "ZX" else fields[19]
