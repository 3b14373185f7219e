"""A file's translation that is stopped, killed, starved of room: resumed, no line is lost and none comes twice."""

import errno
import json
import os
import random
import resource
import signal
import sys
import time
from pathlib import Path

import pytest

from attendo.documents import durable_output as resumed
from attendo.documents.file_translation import FileTranslation
from attendo.errors import InputError, UsageError, WriteError
from attendo.translation.glossary import Glossary, Term
from attendo.translation.options import TranslationOptions
from tests.forked import end_of, forked
from tests.translation.fake_engine import FakeEngine, Listener, backwards, fake_translator, logged, write_fake_model

LINES = 150
TEXT = "".join(
    f"{'我爱机器学习' * (n % 5)}{n}。 see {n * 7}{'' if n % 11 else chr(0)}\n" for n in range(LINES)
).encode().replace(b"see 49", b"s\xffe 49").removesuffix(b"\n")  # fmt: skip


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return write_fake_model(tmp_path_factory.mktemp("resumed") / "model")


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "cache"))
    (tmp_path / "in.txt").write_bytes(TEXT)
    return tmp_path / "in.txt", tmp_path / "out.txt"


@pytest.fixture(scope="module")
def whole(model, tmp_path_factory):
    """The bytes, the ledger and the remarks of a run that nobody disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "in.txt").write_bytes(TEXT)
    account, watch = go(model, folder / "in.txt", folder / "out.txt")
    out = (folder / "out.txt").read_bytes()
    assert out.count(b"\n") == LINES - 1
    assert account.ledger.adds_up
    assert account.ledger.repaired > 10
    return out, account.ledger, watch.remarks


def go(model, source, target, *, engine=None, **settings):
    watch = Listener()
    work = FileTranslation(source=source, target=target, **({"to": "en", "from_": "zh"} | settings))
    with work.opened() as stream, logged() as watch.messages:
        account = work.run(fake_translator(model, engine or FakeEngine(backwards)), stream, sys.stdout.buffer, watch)
    return account, watch


def beside(target):
    """What lies in the folder besides input and output."""
    return sorted(path.name for path in target.parent.iterdir() if path.name not in ("in.txt", "cache", target.name))


def stopped(model, source, target, after=5):
    """A run that ends in the middle, having done so many chunks."""

    class EnoughError(Exception):
        pass

    class Watch(Listener):
        def done(self, chunk, answers):
            self.chunks = getattr(self, "chunks", 0) + 1
            if self.chunks == after:
                raise EnoughError

    work = FileTranslation(source=source, target=target, to="en", from_="zh")
    with work.opened() as stream, pytest.raises(EnoughError):
        work.run(fake_translator(model, FakeEngine(backwards)), stream, sys.stdout.buffer, Watch())
    return json.loads((target.parent / "out.txt.partial.jsonl").read_bytes().split(b"\n")[-2])


# --- killed


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


# --- going on


def test_resumes_after_the_last_chunk(model, files, whole):
    source, target = files
    last = stopped(model, source, target)
    assert not target.exists()
    engine = FakeEngine(backwards)
    account, watch = go(model, source, target, engine=engine, resume=True)
    assert (target.read_bytes(), account.ledger) == whole[:2]
    assert watch.started_at == last["lines"] > 5
    assert watch.messages == [f"resuming {target}.partial after line {last['lines']}"]
    assert watch.remarks == [remark for remark in whole[2] if remark[0] > last["lines"]]
    assert account.seconds > last["seconds"] > 0
    everything = FakeEngine(backwards)
    go(model, source, target, engine=everything)
    assert len(engine.asked) < len(everything.asked)


def test_a_file_is_replaced_when_the_new_one_is_whole_and_not_before(model, files, whole):
    source, target = files
    target.write_bytes(b"precious")
    stopped(model, source, target)
    assert target.read_bytes() == b"precious"
    go(model, source, target, resume=True)
    assert target.read_bytes() == whole[0]


def test_without_resume_all_begins_anew_and_that_is_said(model, files, whole):
    source, target = files
    last = stopped(model, source, target)
    partial = target.with_name("out.txt.partial").read_bytes()

    class Waiting(FakeEngine):
        def search(self, requests, options):
            assert target.with_name("out.txt.partial").read_bytes() == partial  # there is time to press Ctrl-C
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        go(model, source, target, engine=Waiting())
    _, watch = go(model, source, target)
    assert watch.messages == [
        f"{target}.partial holds {last['lines']} lines of a run that was stopped: --resume would continue after them, "
        "now all begins anew"
    ]
    assert target.read_bytes() == whole[0]


def test_the_first_run_may_say_resume_too(model, files, whole):
    account, watch = go(model, *files, resume=True)
    assert (files[1].read_bytes(), account.ledger, watch.messages) == (whole[0], whole[1], [])


def test_ctrl_c_says_how_to_go_on(model, files, whole):
    class Interrupted(FakeEngine):
        def search(self, requests, options):
            if len(self.asked) > 30:
                raise KeyboardInterrupt
            return super().search(requests, options)

    source, target = files
    watch = Listener()
    work = FileTranslation(source=source, target=target, to="en", from_="zh")
    with work.opened() as stream, logged() as watch.messages, pytest.raises(KeyboardInterrupt):
        work.run(fake_translator(model, Interrupted(backwards)), stream, sys.stdout.buffer, watch)
    assert len(watch.messages) == 1
    assert watch.messages[0].endswith("lines are done: the same command with --resume continues after them")
    go(model, source, target, resume=True)
    assert target.read_bytes() == whole[0]


def test_a_finished_file_is_left_alone(model, files, evidence):
    source, target = files
    first, _ = go(model, source, target)
    before = target.stat()
    engine = FakeEngine(backwards)
    again, watch = go(model, source, target, engine=engine, resume=True)
    assert (target.stat().st_ino, target.stat().st_ctime_ns) == (before.st_ino, before.st_ctime_ns)
    assert engine.asked == []
    assert watch.messages == [f"{target} is there already, made by the same command: nothing to do"]
    assert (again.ledger, again.lines) == (first.ledger, first.lines)
    assert beside(target) == []


# --- another command


OTHERS = {
    "another model": {"model": "other"},
    "another --to": {"to": "zh", "from_": "en"},
    "another --from": {"from_": None},
    "another --beam, --passes or --n-best": {"options": TranslationOptions(beam=2)},
    "or without --keep": {"options": TranslationOptions(keep=True)},
    "or without --no-wider-retry": {"options": TranslationOptions(wider_retry=False)},
    "another --glossary": {"options": TranslationOptions(glossary=Glossary([Term("我", "I")]))},
    "or without --json": {"as_json": True},
    "an input of another size": {"input": TEXT + b"\n"},
    "was made from another": {"input": TEXT.replace(b"see 21", b"see 12")},
}


@pytest.mark.parametrize("end", ["stopped", "finished"])
def test_another_command_is_refused(model, files, end, tmp_path, evidence):
    source, target = files
    other = write_fake_model(tmp_path / "model", "# Other\n")
    if end == "stopped":
        stopped(model, source, target)
    else:
        go(model, source, target)
    there = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file() and path != source}
    for words, changes in OTHERS.items():
        settings = dict(changes)
        source.write_bytes(settings.pop("input", TEXT))
        with pytest.raises(InputError, match=words) as error:
            go(other if settings.pop("model", None) else model, source, target, resume=True, **settings)
        assert "without --resume the translation begins anew" in str(error.value)
        assert str(error.value).count(" and ") == (words == "another --to")  # the changed keys and no other
        assert {path: path.read_bytes() for path in there} == there
    evidence(
        "X1",
        f"--resume of a {end} translation by another command: refused, nothing touched",
        f"{len(OTHERS)} of {len(OTHERS)}",
    )


def test_a_finished_file_that_is_not_known_is_not_touched(model, files):
    source, target = files
    target.write_bytes(b"mine\n")
    with pytest.raises(InputError, match="nothing tells that this command made it"):
        go(model, source, target, resume=True)
    go(model, source, target)
    target.write_bytes(target.read_bytes() + b"edited\n")
    with pytest.raises(InputError, match="was changed after this command made it"):
        go(model, source, target, resume=True)
    assert beside(target) == []


def test_another_engine_is_remarked_on(model, files, whole):
    source, target = files
    stopped(model, source, target)
    _, watch = go(model, source, target, engine=FakeEngine(backwards, name="faster"), resume=True)
    assert watch.messages[1] == "it was begun by another engine: fake; now it is faster"
    assert target.read_bytes() == whole[0]


def test_pipes_cannot_be_gone_on_with(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for source, target in ((None, "o"), ("i", None), ("pipe", "o"), ("i", "pipe"), ("i", "/dev/null")):
        ends = {"source": source and tmp_path / source, "target": target and tmp_path / target}
        with pytest.raises(UsageError, match="--resume needs"):
            FileTranslation(to="en", resume=True, **ends)


# --- the disk


@pytest.mark.parametrize("reason", [errno.ENOSPC, errno.EDQUOT, errno.EIO])
def test_a_full_disk_is_one_sentence_and_can_be_gone_on_with(model, files, whole, monkeypatch, reason, evidence):
    source, target = files
    real, calls = resumed.force, 0

    def full(file):
        nonlocal calls
        calls += 1
        if calls == 12:
            raise OSError(reason, os.strerror(reason))
        real(file)

    monkeypatch.setattr(resumed, "force", full)
    with pytest.raises(WriteError) as error:
        go(model, source, target)
    assert str(error.value).startswith(f"cannot write {target}: {os.strerror(reason)}; ")
    assert str(error.value).endswith("lines are done: the same command with --resume continues after them")
    assert not target.exists()
    account, _ = go(model, source, target, resume=True)
    assert (target.read_bytes(), account.ledger) == whole[:2]
    evidence("X1", f"{errno.errorcode[reason]} in the middle of a translation", "one sentence; --resume ends identical")


def test_no_room_for_real(model, files, whole):
    """The operating system itself says no, in a process of its own."""
    source, target = files

    def little_room():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, 5_000))
        with pytest.raises(WriteError, match="cannot write"):
            go(model, source, target)

    assert end_of(forked(little_room)) == 0
    assert not target.exists()
    go(model, source, target, resume=True)
    assert target.read_bytes() == whole[0]


def test_a_partial_file_that_was_shortened_is_refused(model, files):
    source, target = files
    stopped(model, source, target)
    os.truncate(target.with_name("out.txt.partial"), 10)
    with pytest.raises(InputError, match="shorter than its journal says"):
        go(model, source, target, resume=True)


@pytest.mark.parametrize("name", ["out.txt.partial", "out.txt.partial.jsonl"])
def test_files_of_others_are_not_overwritten(model, files, name):
    source, target = files
    target.with_name(name).write_bytes(b"mine\n")
    for resume in (False, True):
        with pytest.raises(InputError, match=f"{name} is in the way"):
            go(model, source, target, resume=resume)
    assert target.with_name(name).read_bytes() == b"mine\n"
    assert beside(target) == [name]


def test_a_journal_of_another_version_is_refused(model, files):
    source, target = files
    stopped(model, source, target)
    journal = target.with_name("out.txt.partial.jsonl")
    journal.write_bytes(journal.read_bytes().replace(b'"format": 3', b'"format": 1'))
    with pytest.raises(InputError, match="has format 1 and this version of attendo writes 3"):
        go(model, source, target, resume=True)


def test_two_runs_do_not_write_one_file(model, files, whole):
    source, target = files
    process = forked(lambda: go(model, source, target, engine=FakeEngine(backwards, seconds=0.005)))
    try:
        partial = target.with_name("out.txt.partial")
        while not partial.exists():
            time.sleep(0.005)
        with pytest.raises(InputError, match=r"another run is writing .*out\.txt"):
            go(model, source, target)
    finally:
        assert end_of(process) == 0
    assert target.read_bytes() == whole[0]
    assert beside(target) == []


def test_links_pipes_and_missing_folders(model, files, whole, tmp_path):
    source, target = files
    (tmp_path / "real").mkdir()
    target.symlink_to(tmp_path / "real" / "file.txt")
    go(model, source, target)
    assert target.is_symlink()
    assert (tmp_path / "real" / "file.txt").read_bytes() == whole[0]
    with pytest.raises(WriteError, match="cannot write"):
        go(model, source, tmp_path / "none" / "out.txt")
    os.mkfifo(tmp_path / "pipe")
    process = forked(lambda: go(model, source, tmp_path / "pipe"))
    assert (tmp_path / "pipe").read_bytes() == whole[0]
    assert end_of(process) == 0
    assert (tmp_path / "pipe").is_fifo()


def test_without_a_cache_only_the_memory_of_finished_files_is_lost(model, files, whole, monkeypatch):
    monkeypatch.setenv("ATTENDO_CACHE", "/dev/null/none")
    source, target = files
    go(model, source, target)
    assert target.read_bytes() == whole[0]
