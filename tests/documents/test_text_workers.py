"""Processes that prepare the text beside the one that decodes: the same lines as by one process, in order, whole."""

import io
import os
import signal
from functools import partial

import pytest

from attendo.documents.line_reader import LineReader
from attendo.documents.pipeline import StreamOutput, one_by_one, translate_chunks
from attendo.documents.text_workers import SMALLEST_FILE, TextWork, text_workers, workers_for
from attendo.errors import InputError
from tests.translation.fake_engine import FakeEngine, Listener, backwards, fake_translator, write_fake_model

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


def by_workers(load, count=2):
    output, listener = StreamOutput(io.BytesIO()), Listener()
    chunks = LineReader(io.BytesIO(LINES), "in.txt").chunks(FakeEngine().tokens_per_batch)
    with text_workers(count, TextWork(load, to="en")) as workers:
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
    several, heard = by_workers(partial(load_fake, folder, FakeEngine))
    assert several.stream.getvalue() == alone.stream.getvalue()
    assert several.stream.getvalue().count(b"\n") == LINES.count(b"\n")
    assert (several.account.lines, several.account.read) == (alone.account.lines, alone.account.read)
    assert several.account.ledger == alone.account.ledger
    assert heard.warnings == heard_alone.warnings


def test_what_the_engine_refuses_is_the_error_of_the_run(folder):
    with pytest.raises(InputError, match="no more today"):
        by_workers(partial(load_fake, folder, Refusing), count=1)


def test_a_model_that_cannot_be_loaded_is_the_error_of_the_run():
    with pytest.raises(InputError, match="there is no model folder"):
        by_workers(load_nothing, count=1)


def test_a_worker_that_dies_ends_the_run_in_one_line(folder):
    with pytest.raises(InputError, match="has ended"):
        by_workers(partial(load_fake, folder, Dying), count=1)


def test_they_are_for_large_files_alone():
    assert workers_for(SMALLEST_FILE - 1) == workers_for(None) == 0
