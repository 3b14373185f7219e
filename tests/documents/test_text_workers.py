"""Processes that prepare the text beside the one that decodes: the same lines as by one process, in order, whole."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from attendo.documents.line_reader import LineReader
from attendo.documents.pipeline import StreamOutput, one_by_one, translate_chunks
from attendo.documents.text_workers import SMALLEST_FILE, TextCrew, TextWork, crew_for, text_workers
from attendo.errors import InputError
from tests.translation.fake_engine import FakeEngine, Listener, backwards, fake_translator, write_fake_model

ALL = TextCrew(workers=3, decoders=2)
ONE = TextCrew(workers=1, decoders=1)
LINES = "".join(f"我爱机器学习{number}。你好吗？\n{'' if number % 7 else ' '}\n" for number in range(200)).encode()


class Refusing(FakeEngine):
    def search(self, requests, options, *, attention=False):
        raise InputError("no more today")


class Dying(FakeEngine):
    """As if the memory were full."""

    def search(self, requests, options, *, attention=False):
        os.kill(os.getpid(), signal.SIGKILL)


def load_fake(folder, kind):
    return fake_translator(folder, kind(backwards))


def load_nothing():
    raise InputError("there is no model folder")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_fake_model(tmp_path_factory.mktemp("fake") / "model")


def by_workers(folder, load, crew=ALL):
    output, listener = StreamOutput(io.BytesIO()), Listener()
    chunks = LineReader(io.BytesIO(LINES), "in.txt").chunks(FakeEngine().tokens_per_batch)
    with text_workers(crew, TextWork(folder, load, to="en")) as workers:
        translate_chunks(workers.translate(chunks), output, listener)
    return output, listener


def by_one(folder, engine):
    translator = fake_translator(folder, engine)
    output, listener = StreamOutput(io.BytesIO()), Listener()
    chunks = LineReader(io.BytesIO(LINES), "in.txt").chunks(engine.tokens_per_batch)
    translate_chunks(one_by_one(chunks, lambda texts: translator.translate(texts, "en")), output, listener)
    return output, listener


def test_the_lines_the_ledger_and_the_warnings_are_those_of_one_process(folder):
    alone, heard_alone = by_one(folder, FakeEngine(backwards))
    several, heard = by_workers(folder, partial(load_fake, folder, FakeEngine))
    assert several.stream.getvalue() == alone.stream.getvalue()
    assert several.stream.getvalue().count(b"\n") == LINES.count(b"\n")
    assert (several.account.lines, several.account.read) == (alone.account.lines, alone.account.read)
    assert several.account.ledger == alone.account.ledger
    assert heard.warnings == heard_alone.warnings


def test_what_the_engine_refuses_is_the_error_of_the_run(folder):
    with pytest.raises(InputError, match="no more today"):
        by_workers(folder, partial(load_fake, folder, Refusing), ONE)


def test_a_model_that_cannot_be_loaded_is_the_error_of_the_run(folder):
    with pytest.raises(InputError, match="there is no model folder"):
        by_workers(folder, load_nothing, ONE)


def test_a_worker_that_dies_ends_the_run_in_one_line(folder):
    with pytest.raises(InputError, match="has ended"):
        by_workers(folder, partial(load_fake, folder, Dying), ONE)


def test_a_command_with_workers_loads_no_torch_and_no_engine(folder, tmp_path):
    """Named in the report is the engine of the workers; and the lines are those of one process."""
    source, target, report = (tmp_path / name for name in ("in.txt", "out.txt", "report.json"))
    source.write_bytes(LINES)
    words = ["translate", "-i", source, "-o", target, "--to", "en", "--model", folder, "--report", report]
    code = BY_COMMAND.format(arguments=[str(word) for word in words])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["3", "False"], done.stderr  # backwards no number is kept
    alone, _ = by_one(folder, FakeEngine(backwards))
    assert target.read_bytes() == alone.stream.getvalue()
    assert json.loads(report.read_text())["engine"] == "fake"


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc")
def test_nobody_is_left_when_the_command_is_killed(folder, tmp_path):
    """Its workers see the end of their connection, and the decoders that of theirs."""
    source, mark = tmp_path / "in.txt", str(tmp_path)
    source.write_bytes(LINES)
    words = ["translate", "-i", source, "-o", tmp_path / "out.txt", "--to", "en", "--model", folder]
    code = BY_COMMAND.replace("load_backwards", "load_sleepily").format(arguments=[str(word) for word in words])
    command = subprocess.Popen([sys.executable, "-c", code], env=os.environ | {MARK: mark}, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: len(marked(mark)) >= 1 + ALL.workers + ALL.decoders + MULTIPROCESSING_ITSELF)
    finally:
        command.kill()
        command.wait()
    wait_until(lambda: not marked(mark))


MARK = "ATTENDO_TEST_MARK"
MULTIPROCESSING_ITSELF = 1  # it keeps a process for what others might leave behind


def marked(mark):
    """The processes that have this in their environment."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if f"{MARK}={mark}".encode() in path.read_bytes():
                found.append(path)
    return found


def wait_until(there):
    until = time.monotonic() + 20
    while not there():
        assert time.monotonic() < until
        time.sleep(0.02)


# In a process of its own, as if a GPU were there; the fake engine takes the place of the real one in the workers alone.
BY_COMMAND = """
import sys
from unittest.mock import patch
from tests.documents.test_text_workers import ALL, load_backwards

if __name__ == "__main__":
    from attendo.cli.main import run
    with (
        patch("attendo.translation.load.load", load_backwards),
        patch("attendo.translation.load.uses_gpu", lambda *_: True),
        patch("attendo.documents.text_workers.crew_for", lambda _: ALL),
    ):
        code = run({arguments!r}, debug=True)
    print(code, "torch" in sys.modules or "ctranslate2" in sys.modules)
"""


def load_backwards(folder, **machine):
    return load_fake(folder, partial(FakeEngine, tokens_per_batch=60_000))


def load_sleepily(folder, **machine):
    return load_fake(folder, partial(FakeEngine, seconds=1.0))


def load_late(folder, marker):
    """The first to come is quick; nobody waits for the second."""
    try:
        marker.mkdir()
    except FileExistsError:
        time.sleep(60)
    return load_fake(folder, FakeEngine)


@pytest.mark.slow
def test_who_loads_slowly_is_not_waited_for(folder, tmp_path):
    started = time.monotonic()
    several, _ = by_workers(folder, partial(load_late, folder, tmp_path / "first"))
    alone, _ = by_one(folder, FakeEngine(backwards))
    assert several.stream.getvalue() == alone.stream.getvalue()
    assert time.monotonic() - started < 30


def test_they_are_for_large_files_alone():
    assert crew_for(SMALLEST_FILE - 1) is None
    assert crew_for(None) is None


@pytest.mark.parametrize(
    ("cores", "crew"), [(1, None), (3, None), (4, (2, 1)), (8, (5, 2)), (16, (12, 3)), (64, (12, 3))]
)
def test_how_many_pay_on_so_many_cores(cores, crew, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(cores)), raising=False)
    assert crew_for(SMALLEST_FILE) == crew


def test_a_decoder_that_dies_ends_the_run_of_all(folder):
    with pytest.raises(InputError, match="has ended"):
        by_workers(folder, partial(load_fake, folder, Dying), ALL)
