"""A file's translation that is killed, at any time and at any call: resumed, no line is lost and none comes twice."""

import os
import random
import signal
import time
from pathlib import Path

import pytest

from attendo.documents import durable_output as resumed
from attendo.errors import InputError
from tests.documents.resumed_run import TEXT, beside, go, stopped
from tests.forked import end_of, forked
from tests.translation.fake_engine import FakeEngine, backwards


@pytest.mark.parametrize("at_least", [15, pytest.param(200, marks=pytest.mark.slow)])
def test_killed_at_random_times(model, files, whole, at_least, evidence):
    source, target = files
    draw = random.Random(at_least)
    kills = finished = identical = 0
    while kills < at_least or finished < 2:
        target.unlink(missing_ok=True)
        resume = False
        while True:
            engine = FakeEngine(backwards, seconds=0.002)
            process = forked(
                lambda engine=engine, resume=resume: go(model, source, target, engine=engine, resume=resume)
            )
            time.sleep(draw.uniform(0.02, 0.5))
            os.kill(process, signal.SIGKILL)
            resume = True
            if end_of(process) == 0:
                break
            kills += 1
        account, watch = go(model, source, target, resume=True)
        finished += 1
        assert any("nothing to do" in sentence for sentence in watch.messages)
        assert account.ledger == whole[1]
        identical += target.read_bytes() == whole[0]
        assert beside(target) == []
    assert identical == finished
    evidence(
        "X1",
        "translations of a file: SIGKILL at a random time / ended / of them identical, ledger too",
        f"{kills} / {finished} / {identical}",
    )


@pytest.mark.parametrize("leftovers", [False, True])
def test_ended_at_every_call_that_writes(model, files, leftovers, monkeypatch, evidence):
    """Before and after each, and with half of what was to be written; over the leftovers of another run too."""
    source, target = files
    source.write_bytes(TEXT[: TEXT.index(b"\n", 900) + 1])
    ledger = go(model, source, target)[0].ledger
    wanted = target.read_bytes()
    deaths = refused = 0
    for when in ("before", "half", "after"):
        for number in range(200):
            target.unlink(missing_ok=True)
            if leftovers:
                stopped(model, source, target, after=2)
            code = end_of(forked(lambda when=when, n=number: die_at(monkeypatch, when, n, model, source, target)))
            assert code in (0, 77)
            try:
                account, _ = go(model, source, target, resume=True)
            except InputError:  # the old lines were gone and their journal not yet
                refused += 1
                account, _ = go(model, source, target)
            assert (target.read_bytes(), account.ledger) == (wanted, ledger)
            assert beside(target) == []
            if code == 0:
                break
            deaths += 1
    assert deaths > 30
    assert refused <= 2 * leftovers
    what = "over the leftovers of another run" if leftovers else "into a new file"
    evidence(
        "X1", f"calls of writing a translation {what} at which the process was ended / outputs wrong", f"{deaths} / 0"
    )


def die_at(monkeypatch, when, number, model, source, target):
    count = 0

    def dying(work):
        def call(*arguments, **settings):
            nonlocal count
            count += 1
            mine = count == number + 1
            if mine and when == "before":
                os._exit(77)
            if mine and when == "half" and work is real_force:
                file = arguments[0]
                file.flush()
                os.ftruncate(file.fileno(), max(0, os.fstat(file.fileno()).st_size - 17))
                os._exit(77)
            answer = work(*arguments, **settings)
            if mine:
                os._exit(77)
            return answer

        return call

    real_force = resumed.force
    for name in ("force", "sync_folder", "write_record"):
        monkeypatch.setattr(resumed, name, dying(getattr(resumed, name)))
    for name in ("replace", "unlink"):
        monkeypatch.setattr(Path, name, dying(getattr(Path, name)))
    go(model, source, target)


@pytest.mark.parametrize("cut", range(10))
def test_a_journal_that_ends_anywhere(model, files, whole, cut):
    source, target = files
    stopped(model, source, target)
    journal = target.with_name("out.txt.partial.jsonl")
    raw = journal.read_bytes()
    draw = random.Random(cut)
    end = draw.randrange(len(raw))
    tail = draw.choice([b"", b"\0" * 40, b"{}\n", b'{"lines": 3}\n'])
    journal.write_bytes(raw[:end] + tail)
    if tail.endswith(b"\n") and end > raw.index(b"\n"):  # a line with its end was not left by a process that died
        with pytest.raises(InputError, match=r"jsonl, line \d is not what was written there"):
            go(model, source, target, resume=True)
        go(model, source, target)
        assert target.read_bytes() == whole[0]
    elif end > raw.index(b"\n"):
        go(model, source, target, resume=True)
        assert target.read_bytes() == whole[0]
    else:  # not even its beginning is left: nobody can know whose it is
        with pytest.raises(InputError, match="in the way"):
            go(model, source, target, resume=True)
        assert not target.exists()
