"""Processes that prepare the text beside the one that decodes: the same lines as by one process, in order, whole."""

import io
import os
import signal

import pytest

from attendo.documents.line_reader import LineReader
from attendo.documents.pipeline import StreamOutput, one_by_one, translate_chunks
from attendo.documents.text_workers import SMALLEST_FILE, TextWork, text_workers, workers_for
from attendo.engines.lent import EngineCall, EngineFacts
from attendo.errors import InputError
from attendo.translation.options import TranslationOptions
from tests.translation.fake_engine import FakeEngine, Listener, backwards, fake_translator, write_fake_model

LINES = "".join(f"我爱机器学习{number}。你好吗？\n{'' if number % 7 else ' '}\n" for number in range(200)).encode()


class Refusing(FakeEngine):
    def search(self, requests, options, *, attention=False):
        raise InputError("no more today")


class Killing(FakeEngine):
    """While it decodes, somebody kills a worker."""

    def search(self, requests, options, *, attention=False):
        import multiprocessing

        for process in multiprocessing.active_children():
            os.kill(process.pid, signal.SIGKILL)
        return super().search(requests, options)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_fake_model(tmp_path_factory.mktemp("fake") / "model")


def by_workers(folder, engine, count=2, as_json=False):
    translator = fake_translator(folder, engine)
    output, listener = StreamOutput(io.BytesIO()), Listener()
    chunks = LineReader(io.BytesIO(LINES), "in.txt").chunks(engine.tokens_per_batch)
    work = TextWork(translator.bundle.folder, EngineFacts.of(engine), "en", None, TranslationOptions(), as_json)
    with text_workers(count, engine, work) as workers:
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
    several, heard = by_workers(folder, FakeEngine(backwards))
    assert several.stream.getvalue() == alone.stream.getvalue()
    assert several.stream.getvalue().count(b"\n") == LINES.count(b"\n")
    assert (several.account.lines, several.account.read) == (alone.account.lines, alone.account.read)
    assert several.account.ledger == alone.account.ledger
    assert heard.warnings == heard_alone.warnings


def test_what_the_engine_refuses_is_the_error_of_the_run(folder):
    with pytest.raises(InputError, match="no more today"):
        by_workers(folder, Refusing(), count=1)


def test_a_worker_that_dies_ends_the_run_in_one_line(folder):
    with pytest.raises(InputError, match="has ended"):
        by_workers(folder, Killing(), count=1)


def test_a_call_travels_without_its_texts():
    """They are most of its bytes, and no engine reads them."""
    assert EngineCall("search", ([((5, 2), 128, (), ())],)).arguments[0][0] == ((5, 2), 128, (), ())


def test_they_are_for_large_files_and_other_devices_alone():
    assert workers_for(FakeEngine(threads=2), 100 * SMALLEST_FILE) == 0
    assert workers_for(FakeEngine(), SMALLEST_FILE - 1) == 0
    assert workers_for(FakeEngine(), None) == 0
