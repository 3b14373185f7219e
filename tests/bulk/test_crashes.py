"""A runner that dies at every call that writes, in a run of three shards: none is lost, doubled or half written."""

import os
import signal
import stat
import sys
from itertools import count

import pytest

from attendo.bulk.plan import read_plan
from tests.forked import end_of, forked

# What Python tells of before it asks the system for it; `open` also tells of reading, and is then let through.
NAMES = {"os.rename", "os.remove", "os.mkdir", "os.chmod", "os.utime", "os.truncate"}


def die_at(place, when, work):
    """SIGKILL before call number `place`; where bytes are written, with all or half of them on the disk."""
    calls = count()

    def tick():
        if next(calls) == place:
            os.kill(os.getpid(), signal.SIGKILL)

    def told(event, arguments):
        writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
        if writes or event in NAMES:
            tick()

    fsync, write = os.fsync, os.write

    def watched_fsync(descriptor):
        if when == "half" and next(calls) == place:
            if stat.S_ISREG(os.fstat(descriptor).st_mode):  # a folder is forced to the disk, too
                os.ftruncate(descriptor, os.fstat(descriptor).st_size // 2)
            os.kill(os.getpid(), signal.SIGKILL)
        elif when != "half":
            tick()
        fsync(descriptor)

    def watched_write(descriptor, data):
        if when == "half" and next(calls) == place:
            write(descriptor, data[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        elif when != "half":
            tick()
        return write(descriptor, data)

    os.fsync, os.write = watched_fsync, watched_write
    if when != "half":
        sys.addaudithook(told)
    work()


@pytest.mark.parametrize("every", [9, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("when", ["before", "half"])
def test_killed_at_every_call_that_writes(job, when, every, tmp_path, evidence):
    job.source.write_bytes(job.source.read_bytes()[: job.source.read_bytes().index(b"\n", 500)])
    expected = job.expected()
    deaths = 0
    for place in count(0, every if when == "before" else max(every // 3, 1)):
        one = type(job)(job.model, job.source, tmp_path / f"{when}-{place}")
        shards = one.plan(lines_per_shard=9, stale_after=0.3).shards
        assert len(shards) == 3
        code = end_of(forked(lambda place=place, one=one: die_at(place, when, one.run)))
        done = [shard for shard in shards if (one.folder / "shards" / f"{shard.name}.done").exists()]
        one.run()
        assert one.join() == expected
        assert one.is_clean(), (place, one.names())
        assert code in (0, -signal.SIGKILL)
        assert len(done) == 3 or code
        if code == 0:
            break
        deaths += 1
    assert deaths > {"before": 40, "half": 12}[when] / every
    assert read_plan(one.folder).lines == expected.count(b"\n") + 1
    evidence(
        "X1", f"bulk: calls that write at which a runner was killed ({when}) / shards lost or doubled", f"{deaths} / 0"
    )
