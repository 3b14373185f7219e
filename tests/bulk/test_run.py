"""Shards by one runner or by several, left in peace, stopped, killed or starved: the same lines, in the same order."""

import errno
import os
import random
import resource
import signal
import time
from dataclasses import replace

import pytest

from attendo.bulk import work
from attendo.bulk.plan import read_plan
from attendo.bulk.run import Share, retry_failed
from attendo.bulk.status import status_of
from attendo.errors import InputError, UsageError, WriteError
from attendo.training.stop import Stop, Stopped
from tests.bulk.job import lines_of_text
from tests.forked import end_of, forked


@pytest.mark.parametrize("ended", [True, False])
def test_lines_in_are_lines_out(job, ended):
    if not ended:
        job.source.write_bytes(job.source.read_bytes().removesuffix(b"\n") + b" ")
    job.plan()
    job.run()
    assert job.join() == job.expected()
    assert job.is_clean()
    status = status_of(read_plan(job.folder))
    assert (status.done, status.lines_done, status.waiting) == (10, 200, 0)
    assert status.ledger.adds_up
    assert status.ledger.repaired == 1  # the byte that is no UTF-8: told of, not dropped
    before = job.names()
    job.run()  # nothing to do
    assert job.names() == before


@pytest.mark.parametrize(
    ("lines", "per_shard", "kills"), [(400, 20, 5), pytest.param(200_000, 5_000, 10, marks=pytest.mark.slow)]
)
def test_two_runners_killed_at_random_times(job, lines, per_shard, kills, evidence):
    job = replace(job, tokens=5 * per_shard)
    job.source.write_bytes(lines_of_text(lines))
    expected = job.expected()
    job.plan(lines_per_shard=per_shard)
    draw, shards = random.Random(kills), len(read_plan(job.folder).shards)
    runners = [forked(lambda: job.run(seconds=0.002)) for _ in range(2)]
    killed = 0
    while killed < kills:
        while sum(shard_is_done(job)) < killed * shards / (kills + 2):
            time.sleep(0.005)
        time.sleep(draw.uniform(0.0, 0.0005) * per_shard)
        victim = killed % 2
        os.kill(runners[victim], signal.SIGKILL)
        assert end_of(runners[victim]) == -signal.SIGKILL
        killed += 1
        runners[victim] = forked(lambda: job.run(seconds=0.002))
    for process in runners:
        assert end_of(process) == 0
    job.run()
    assert job.join() == expected
    assert job.is_clean()
    evidence("X1", f"bulk: {lines:,} lines in {shards} shards, SIGKILLs / bytes that differ", f"{killed} / 0")


def shard_is_done(job):
    plan = read_plan(job.folder)
    return [(plan.shard_folder / f"{shard.name}.done").exists() for shard in plan.shards]


def test_shares_of_an_array_of_jobs_are_all_and_apart(job):
    plan = job.plan()
    for index in (2, 0, 1):
        before = sum(shard_is_done(job))
        job.run(share=Share(index=index, of=3))
        mine = sum(shard.number % 3 == index for shard in plan.shards)
        assert sum(shard_is_done(job)) - before == mine
    assert job.join() == job.expected()
    for wrong in ((3, 3), (-1, 3), (0, 0)):
        with pytest.raises(UsageError):
            Share(index=wrong[0], of=wrong[1])


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_gives_back_what_is_held(job, number, code):
    job.plan(lines_per_shard=100, stale_after=1_000.0)

    def run():
        with Stop() as stop:
            try:
                job.run(seconds=0.05, stop=stop)
            except Stopped as stopped:
                return stopped.exit_code
        return 1

    process = forked(run)
    while not any(name.endswith("lease-1") for name in job.names()):
        time.sleep(0.005)
    time.sleep(0.1)
    os.kill(process, number)
    assert end_of(process) == code
    assert [name for name in job.names() if not name.endswith(".back")] == []
    job.run()  # at once, though nothing has become stale
    assert job.join() == job.expected()
    assert job.is_clean()


def test_a_bad_shard_is_tried_as_often_as_planned_and_set_aside(job, monkeypatch):
    plan = job.plan(attempts=3)
    real = work.read_rows

    def read(plan, shard):
        if shard.number == 4:
            raise ValueError("no luck")
        return real(plan, shard)

    monkeypatch.setattr(work, "read_rows", read)
    job.run()
    assert [name for name in job.names() if name.startswith("00004")] == [
        "00004.attempt-1", "00004.attempt-2", "00004.attempt-3", "00004.failed",
    ]  # fmt: skip
    status = status_of(plan)
    assert (status.done, status.failed) == (9, {4: "ValueError: no luck"})
    with pytest.raises(InputError, match=r"1 of 10 shards are not done: 4; 1 of them failed, number 4: .*no luck"):
        job.join()
    assert not (job.folder / "joined").exists()
    monkeypatch.undo()
    job.run()
    assert status_of(plan).failed  # set aside is set aside
    assert retry_failed(plan) == 1
    job.run()
    assert job.join() == job.expected()
    assert job.is_clean()


def test_an_input_that_changed_is_noticed_by_its_shard_alone(job):
    plan = job.plan(attempts=1)
    data = bytearray(job.source.read_bytes())
    data[plan.shards[3].start] ^= 1
    job.source.write_bytes(data)
    job.run()
    failed = status_of(plan).failed
    assert list(failed) == [3]
    assert "lines 61 to 80: not what they were when the plan was made" in failed[3]


def test_another_model_is_refused(job, monkeypatch):
    from attendo.bulk.run import RunnerMachine, load_translator

    plan = job.plan(model_key="0" * 64)
    with pytest.raises(InputError, match="is not the model that the plan was made for"):
        load_translator(plan, RunnerMachine())


@pytest.mark.parametrize(("reason", "place"), [(errno.ENOSPC, 0), (errno.EDQUOT, 1), (errno.EIO, 2), (errno.ENOSPC, 3)])
def test_a_full_disk_is_one_sentence_and_loses_nothing(job, monkeypatch, reason, place, evidence):
    """At each of the four times that a shard is forced to the disk: its lines, their name, the marker, its name."""
    job.plan(stale_after=1_000.0)
    real, calls = os.fsync, 0

    def full(descriptor):
        nonlocal calls
        calls += 1
        if calls > 8 + place:  # in the third shard
            raise OSError(reason, os.strerror(reason))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WriteError, match=f"^cannot write .*: {os.strerror(reason)}$"):
        job.run()
    monkeypatch.undo()
    assert sum(shard_is_done(job)) in (2, 3)
    assert not [name for name in job.names() if name.endswith(("lease-1", ".tmp", ".failed"))]
    assert not [name for name in job.names() if "attempt" in name]
    job.run()
    assert job.join() == job.expected()
    assert job.is_clean()
    evidence(
        "X1", f"bulk: {errno.errorcode[reason]} in the third of ten shards", "one sentence; the next run ends identical"
    )


def test_no_room_for_real(job):
    """The operating system itself says no, in a process of its own."""
    job.source.write_bytes(lines_of_text(100) + b"the sea " * 1_000 + b"\n" + lines_of_text(100))
    job.plan()

    def little_room():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, 4_000))
        with pytest.raises(WriteError, match="cannot write"):
            job.run()

    assert end_of(forked(little_room)) == 0
    assert not [name for name in job.names() if name.endswith((".tmp", "lease-1"))]
    job.run()
    assert job.join() == job.expected()
    assert job.is_clean()
