"""Files that are larger than the memory: what is in memory does not grow with them."""

import resource
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from attendo.bulk.join import join
from attendo.bulk.plan import read_plan
from attendo.bulk.run import run
from attendo.training.stop import Stop
from tests.bulk.job import Job
from tests.forked import end_of, forked

MEGABYTE = 2**20
ROOM = 320 * MEGABYTE  # of addresses, above what the process has already


def write_parquet(path, megabytes):
    """Texts and a column of random bytes beside them, in row groups of 16 MB."""
    schema = pa.schema([("text", pa.string()), ("raw", pa.binary())])
    with open("/dev/urandom", "rb") as noise, pq.ParquetWriter(path, schema, compression="none") as writer:  # noqa: PTH123
        for _ in range(megabytes // 16):
            raw = [noise.read(16_384) for _ in range(1_024)]
            writer.write_table(pa.table({"text": ["the sea"] * 1_024, "raw": raw}, schema=schema))


def write_lines(path, megabytes):
    line = b"the sea and three books " * 40 + b"\n"
    with path.open("wb") as file:
        for _ in range(megabytes):
            file.write(line * (MEGABYTE // len(line)))


def in_little_room(work):
    """In a process that may take so many addresses more, and not one besides."""

    def limited():
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123
            has = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (has + ROOM, has + ROOM))
        work()

    return end_of(forked(limited))


@pytest.mark.slow
@pytest.mark.parametrize(("write", "name"), [(write_parquet, "in.parquet"), (write_lines, "in.txt")])
@pytest.mark.parametrize("megabytes", [32, 640])
def test_memory_does_not_grow_with_the_file(model, tmp_path, write, name, megabytes, evidence):
    """The same room for 32 MB and for 640 MB: planned, some shards of it done, and all joined."""
    source = tmp_path / name
    write(source, megabytes)
    job = Job(model, source, tmp_path / "work")
    pa.set_cpu_count(1)
    assert in_little_room(lambda: job.plan(lines_per_shard=1_000)) == 0
    plan = read_plan(job.folder)
    assert plan.lines > megabytes * 60
    some = plan.shards[:: max(len(plan.shards) // 2, 1)]
    part = tmp_path / "part"
    assert in_little_room(lambda: run_some(job, part, some)) == 0
    evidence("X1", f"bulk: {name} of {megabytes} MB planned, translated and joined", f"in {ROOM // MEGABYTE} MB more")


def run_some(job, part, some):
    """Every so many shards of the large file, as a plan of their own, to its end."""
    whole = read_plan(job.folder)
    kept = tuple(replace(shard, number=number) for number, shard in enumerate(some))
    source = replace(whole.sources[0], lines=sum(shard.lines for shard in kept))
    (part / "shards").mkdir(parents=True)
    plan = replace(whole, folder=part, sources=(source,), shards=kept)
    (part / "plan.json").write_bytes(plan.to_bytes())
    run(part, lambda plan: job.translator(), Stop())
    join(read_plan(part))


def test_the_limit_would_be_noticed():
    """The guard of the guard: who takes more than the room is stopped."""
    assert in_little_room(lambda: bytearray(2 * ROOM)) != 0
    assert in_little_room(lambda: bytearray(ROOM // 4)) == 0
