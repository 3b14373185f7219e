"""Of many who want a shard one has it; who is dead loses it, and nobody else does, whatever the clocks say."""

import os
import signal
import time
from itertools import count

import pytest

from attendo.bulk import runner as runners
from attendo.bulk.lease import DiskClock, claim, last_lease
from attendo.bulk.plan import read_plan
from attendo.bulk.runner import this_runner
from attendo.bulk.status import status_of
from tests.forked import end_of, forked

HOUR = 3_600


def wanted(plan, number=0):
    me = this_runner()
    return claim(plan, number, me, DiskClock(plan.shard_folder, me.id))


def from_elsewhere(monkeypatch):
    """Runners that cannot see whether others live: as on two machines."""
    ids = count()
    monkeypatch.setattr(runners, "this_machine", lambda: f"machine {next(ids)}")


def test_one_has_it_until_it_is_given_back_or_done(job):
    plan = job.plan()
    with wanted(plan) as lease:
        assert wanted(plan) is None
        assert wanted(plan, 1) is not None
    again = wanted(plan)
    assert (lease.number, again.number) == (1, 2)
    again.finish()
    assert wanted(plan).number == 1  # nothing is left of them


def test_nobody_gets_what_is_done(job):
    job.plan()
    job.run()
    plan = read_plan(job.folder)
    assert wanted(plan) is None
    assert job.is_clean()


def test_of_many_who_take_over_a_silent_lease_one_succeeds(job, monkeypatch):
    """Eight processes at once, five times."""
    from_elsewhere(monkeypatch)
    plan = job.plan(stale_after=50.0)
    for number in range(5):
        lease = wanted(plan, number)
        os.utime(lease.path, (time.time() - 100, time.time() - 100))
        start = time.monotonic() + 0.03

        def take(number=number, start=start):
            while time.monotonic() < start:
                pass
            return 1 if wanted(plan, number) else 0

        assert sum(end_of(one) for one in [forked(take) for _ in range(8)]) == 1
        assert last_lease(plan.shard_folder, plan.shards[number].name)[0] == 2


def test_signs_of_life_keep_a_lease(job, monkeypatch):
    from_elsewhere(monkeypatch)
    plan = job.plan(stale_after=0.3)
    with wanted(plan):
        until = time.monotonic() + 0.8
        while time.monotonic() < until:
            assert wanted(plan) is None
            time.sleep(0.02)
    silent = wanted(plan)
    time.sleep(0.4)
    assert wanted(plan).number == silent.number + 1


@pytest.mark.parametrize("ahead", [HOUR, -HOUR])
def test_clocks_an_hour_apart_harm_nothing(job, monkeypatch, ahead):
    """The other runner's clock is wrong, and so is the time that it writes into its lease."""
    from_elsewhere(monkeypatch)
    job.plan(stale_after=6.0)
    real = time.time

    def hold():
        monkeypatch.setattr(time, "time", lambda: real() + ahead)
        monkeypatch.setattr(time, "time_ns", lambda: time.time() * 1e9)
        job.run(seconds=0.02)

    process = forked(hold)
    monkeypatch.setattr(time, "time", lambda: real() - ahead)
    job.run(seconds=0.02)
    assert end_of(process) == 0
    job.run()
    assert job.join() == job.expected()
    assert job.is_clean()


def test_a_runner_that_died_on_this_machine_is_not_waited_for(job):
    plan = job.plan(stale_after=10_000.0)

    def die():
        wanted(plan)
        os.kill(os.getpid(), signal.SIGKILL)

    assert end_of(forked(die)) == -signal.SIGKILL
    assert status_of(plan).stale == 1
    assert wanted(plan).number == 2


def test_a_lease_without_words_is_judged_by_its_age(job):
    """Its runner died, or the disk was full, before anything was written into it."""
    plan = job.plan(stale_after=50.0)
    path = plan.shard_folder / "00000.lease-1"
    path.write_bytes(b'{"id": ')
    assert wanted(plan) is None
    os.utime(path, (time.time() - 100, time.time() - 100))
    assert wanted(plan).number == 2


def test_a_shard_is_done_twice_only_after_silence_and_comes_out_the_same(job, monkeypatch):
    """A runner is stopped in its sleep (SIGSTOP) for longer than the others wait; then it goes on."""
    from_elsewhere(monkeypatch)
    plan = job.plan(stale_after=0.4, lines_per_shard=100)
    process = forked(lambda: job.run(seconds=0.01))
    while not list(plan.shard_folder.glob("*.lease-*")):
        time.sleep(0.005)
    os.kill(process, signal.SIGSTOP)
    started = time.monotonic()
    taken = job.run()
    assert time.monotonic() - started > 0.3
    done = {path.name: path.read_bytes() for path in plan.shard_folder.glob("*.done")}
    assert len(done) == 2
    assert taken.id in str(done)
    os.kill(process, signal.SIGCONT)
    assert end_of(process) == 0
    assert job.join() == job.expected()
    assert job.is_clean()
