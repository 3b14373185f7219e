"""A large file on a GPU: several processes share its lines, and a few of them decode for all.

On a GPU a sentence is decoded in less time than Python needs to cut it, encode it, check the answer and put it
together: one process keeps the device busy for an eighth of the time.

    this process     chunks of lines out, finished lines in, in order
    each worker      translates a chunk at a time, as one process would: the same lines, byte for byte
    each decoder     has the model on the GPU, and searches for its workers (engines/elsewhere.py)

Only decoders load torch, and they are few: a GPU goes from process to process in turns, and each that shares it takes
half a gigabyte of it and a second to begin. At most two chunks a worker are under way, so memory does not grow. All are
spawned, never forked: what a process has loaded on a GPU cannot be forked.
"""

import gc
import logging
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, cast

from attendo.documents.line_reader import Chunk
from attendo.documents.pipeline import ChunkAnswer, answer_chunk
from attendo.engines.cuda import ahead
from attendo.engines.elsewhere import EngineElsewhere, EngineFacts, serve_engine
from attendo.engines.engine import Engine
from attendo.errors import AttendoError, InputError
from attendo.model_folder.bundle import read_bundle
from attendo.translation.options import TranslationOptions
from attendo.translation.translator import Translator

timeline = logging.getLogger("attendo.workers")  # who loaded and finished when, for benchmarks: at level DEBUG

MOST_WORKERS, MOST_DECODERS = 12, 3  # more would wait for the GPU
CORES_A_DECODER = 4  # with its workers
CHUNKS_A_WORKER = 2  # one in work, one finished whose turn has not come
SMALLEST_FILE = 2**21  # bytes; a smaller one is done before the workers have loaded the model


@dataclass(frozen=True)
class TextWork:
    """How lines are translated, for a process that is told once."""

    folder: Path  # of the model
    # For decoders; to be sent to a process: a function of a module that is imported, or a partial of one.
    load: Callable[[], Translator]
    to: str | None = None
    from_: str | None = None
    options: TranslationOptions = field(default_factory=TranslationOptions)
    as_json: bool = False
    begin_ahead: bool = False  # decoders will want torch's programs on the first GPU


class TextCrew(NamedTuple):
    """How many processes there are of each kind."""

    workers: int
    decoders: int


def crew_for(num_bytes: int | None) -> TextCrew | None:
    """Who pays on a GPU: nobody for a short file or a pipe, nor where this process needs all cores."""
    if num_bytes is None or num_bytes < SMALLEST_FILE:
        return None
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    decoders = min(cores // CORES_A_DECODER, MOST_DECODERS)
    return TextCrew(min(cores - decoders - 1, MOST_WORKERS), decoders) if decoders else None


def work_on_chunks(connection: "Connection[Any, Any]", decoder: "Connection[Any, Any]", work: TextWork) -> None:
    """A worker's life: until the other end closes."""
    as_a_helper()
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        try:
            bundle = read_bundle(work.folder)
            tokenizer = bundle.tokenizer()
            engine = EngineElsewhere.at(decoder)
            connection.send(engine.facts)
            translator = Translator(bundle, tokenizer, engine)
            gc.collect()
            gc.freeze()  # what is loaded stays, and need not be searched for cycles again and again

            def ask(texts: list[str]) -> Any:
                return translator.translate(texts, work.to, work.from_, work.options)

            while True:
                connection.send(answer_chunk(connection.recv(), ask, as_json=work.as_json))
        except AttendoError as error:
            connection.send(error)


def decode_for(workers: "list[Connection[Any, Any]]", work: TextWork) -> None:
    """A decoder's life: until its workers are gone."""
    as_a_helper()
    if work.begin_ahead:
        ahead.begin()

    def load_engine() -> Engine:
        engine = work.load().engine
        gc.collect()
        gc.freeze()
        return engine

    with suppress(BrokenPipeError, ConnectionResetError):
        serve_engine(load_engine, workers, likely=None if work.options.sampling else work.options.search)


def as_a_helper() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that was started by the user decides
    logging.getLogger("attendo").setLevel(logging.ERROR)  # what is to be said is said by that one, once


@dataclass
class TextWorkers:
    connections: list["Connection[Any, Any]"]
    loading: list["Connection[Any, Any]"]  # who wait for their decoder
    idle: deque["Connection[Any, Any]"] = field(default_factory=deque)
    at_work: dict["Connection[Any, Any]", int] = field(default_factory=dict)  # on which chunk
    finished: dict[int, ChunkAnswer] = field(default_factory=dict)
    engine: EngineFacts | None = None  # None: nobody has loaded yet
    started: float = field(default_factory=time.perf_counter)

    def translator(self, folder: Path) -> Translator:
        """The model of a folder, for who wants to know of it; its engine is the first that has loaded."""
        bundle = read_bundle(folder)
        tokenizer = bundle.tokenizer()
        while self.engine is None:
            self.listen()
        return Translator(bundle, tokenizer, cast(Engine, self.engine))

    def translate(self, chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, ChunkAnswer]]:
        """Each chunk with its answer, in order; `seconds` are those since the one before."""
        coming, given = iter(chunks), deque[tuple[int, Chunk]]()
        number, more, since = 0, True, time.perf_counter()
        while given or more:
            if more and self.idle and len(given) < CHUNKS_A_WORKER * len(self.connections):
                if chunk := next(coming, None):
                    self.give(chunk, number)
                    given.append((number, chunk))
                    number += 1
                more = chunk is not None
            elif given and given[0][0] in self.finished:
                first, chunk = given.popleft()
                answer, now = self.finished.pop(first), time.perf_counter()
                yield chunk, ChunkAnswer(answer.data, answer.ledger, answer.warnings, now - since)
                since = now
            else:
                self.listen()

    def give(self, chunk: Chunk, number: int) -> None:
        worker = self.idle.popleft()
        self.at_work[worker] = number
        with suppress(BrokenPipeError, ConnectionResetError):  # it has ended, and maybe said why
            worker.send(chunk)

    def listen(self) -> None:
        """To whoever has loaded, finished a chunk, or failed."""
        asked = [*self.at_work, *self.loading]
        ready = wait(asked)
        for worker in [one for one in asked if one in ready]:
            try:
                said = worker.recv()
            except (EOFError, ConnectionResetError):
                raise InputError("a process that was translating has ended: is the memory full?") from None
            if isinstance(said, Exception):
                raise said
            now, name = time.perf_counter() - self.started, self.connections.index(worker) + 1
            if isinstance(said, EngineFacts):
                timeline.debug("%.2f s: the decoder of worker %d has loaded", now, name)
                self.loading.remove(worker)
                self.engine = self.engine or said
            else:
                number = self.at_work.pop(worker)
                timeline.debug("%.2f s: worker %d has done chunk %d in %.2f s", now, name, number + 1, said.seconds)
                self.finished[number] = said
            self.idle.append(worker)


@contextmanager
def main_module_hidden() -> Iterator[None]:
    """A spawned process imports again what was started as a program, here all commands: a third of a second for each,
    and nothing of it is needed there."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """A process that is started meanwhile never gets one, not even before it could say what it does with it; this one
    gets afterwards what came."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def text_workers(crew: TextCrew, work: TextWork) -> Iterator[TextWorkers]:
    """They begin to load at once, and end whatever happens."""
    context = get_context("spawn")
    processes: list[BaseProcess] = []
    workers = TextWorkers(connections=[], loading=[])

    def start(target: Callable[..., None], *given: object) -> None:
        process = context.Process(target=target, args=given, daemon=True)
        with main_module_hidden(), interrupts_blocked():
            process.start()
        processes.append(process)

    try:
        to_decoders = [context.Pipe() for _ in range(crew.workers)]
        for number in range(crew.decoders):  # first: they take longest to load
            start(decode_for, [theirs for _, theirs in to_decoders[number :: crew.decoders]], work)
        for to_decoder, decoders_end in to_decoders:
            ours, theirs = context.Pipe()
            start(work_on_chunks, theirs, to_decoder, work)
            for end in (theirs, to_decoder, decoders_end):  # or nobody would learn that the other one has ended
                end.close()
            workers.connections.append(ours)
        workers.loading = [*workers.connections]
        yield workers
    finally:
        for connection in workers.connections:
            connection.close()
        for one in processes:
            one.kill()  # nothing is left to be saved, and to put away torch and a GPU in order would take a second
        for one in processes:
            one.join()
