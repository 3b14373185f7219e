"""A large file on a GPU: several processes, each with a translator of its own, share the lines of one.

On a GPU a sentence is decoded in less time than Python needs to cut it, encode it, check the answer and put it
together: one process keeps the device busy for a quarter of the time. While one of several works on the text, the
device decodes for another.

    this process     chunks of lines out, finished lines in, in order; it loads no weights and no torch
    each worker      loads the model, says what its engine is, and then translates a chunk at a time, as one process
                     would: the same lines, byte for byte

At most two chunks a worker are under way, so memory does not grow; who has not loaded yet is given none. Workers are
forked from a process that has read torch, once for all of them, and has not touched a GPU: what is on one cannot be
forked. Where there is no such process (Windows) each is spawned.
"""

import gc
import logging
import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from signal import SIG_IGN, SIGINT, signal
from typing import Any, Self, cast

from attendo.documents.line_reader import Chunk
from attendo.documents.pipeline import ChunkAnswer, answer_chunk
from attendo.engines.engine import Engine, Limits
from attendo.errors import AttendoError, InputError
from attendo.model_folder.bundle import read_bundle
from attendo.translation.options import TranslationOptions
from attendo.translation.translator import Translator

timeline = logging.getLogger("attendo.workers")  # who loaded and finished when, for benchmarks: at level DEBUG

MOST_WORKERS = 12  # of a GPU: more would wait for it, and each takes half a gigabyte of it
CHUNKS_A_WORKER = 2  # one in work, one finished whose turn has not come
SMALLEST_FILE = 2**21  # bytes; a smaller one is done before the workers have loaded the model
SECONDS_TO_END = 5.0
READ_ONCE = [
    "torch",
    "attendo.documents.text_workers",
    "attendo.engines.torch_engine",
    *(
        f"attendo.engines.cuda.kernels.{program}"  # and with them triton, where there is one
        for program in ("add_and_norm", "attend", "best_tokens", "grow", "trace_back")
    ),
]


@dataclass(frozen=True)
class TextWork:
    """How lines are translated, for a process that is told once."""

    load: Callable[[], Translator]  # to be sent to a process: a function of a module, or a partial of one
    to: str | None = None
    from_: str | None = None
    options: TranslationOptions = field(default_factory=TranslationOptions)
    as_json: bool = False


@dataclass(frozen=True)
class EngineElsewhere:
    """What this process has to know of an engine that computes in others."""

    name: str
    threads: int | None
    limits: Limits
    tokens_per_batch: int

    @classmethod
    def of(cls, engine: Engine) -> Self:
        return cls(engine.name, engine.threads, engine.limits, engine.tokens_per_batch)


def workers_for(num_bytes: int | None) -> int:
    """How many pay on a GPU: none for a short file or a pipe, and none where this process needs all cores."""
    if num_bytes is None or num_bytes < SMALLEST_FILE:
        return 0
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(min(cores - 2, MOST_WORKERS), 0)


def work_on_chunks(connection: "Connection[Any, Any]", work: TextWork) -> None:
    """A worker's life: until the other end closes."""
    signal(SIGINT, SIG_IGN)  # the process that was started by the user decides
    logging.getLogger("attendo").setLevel(logging.ERROR)  # what is to be said is said by that one, once
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        try:
            translator = work.load()
            connection.send(EngineElsewhere.of(translator.engine))
            gc.collect()
            gc.freeze()  # what is loaded stays, and need not be searched for cycles again and again

            def ask(texts: list[str]) -> Any:
                return translator.translate(texts, work.to, work.from_, work.options)

            while True:
                connection.send(answer_chunk(connection.recv(), ask, as_json=work.as_json))
        except AttendoError as error:
            connection.send(error)
    os._exit(0)  # nothing is left to be saved, and to put away torch and a GPU in order would keep the user waiting


@dataclass
class TextWorkers:
    connections: list["Connection[Any, Any]"]
    loading: list["Connection[Any, Any]"]
    idle: deque["Connection[Any, Any]"] = field(default_factory=deque)
    at_work: dict["Connection[Any, Any]", int] = field(default_factory=dict)  # on which chunk
    finished: dict[int, ChunkAnswer] = field(default_factory=dict)
    engine: EngineElsewhere | None = None  # None: nobody has loaded yet
    started: float = field(default_factory=time.perf_counter)

    def translator(self, folder: Path) -> Translator:
        """The model of a folder, for who wants to know of it; its engine is that of the first worker who has loaded."""
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
            if isinstance(said, EngineElsewhere):
                timeline.debug("%.2f s: worker %d has loaded", now, name)
                self.loading.remove(worker)
                self.engine = self.engine or said
            else:
                number = self.at_work.pop(worker)
                timeline.debug("%.2f s: worker %d has done chunk %d in %.2f s", now, name, number + 1, said.seconds)
                self.finished[number] = said
            self.idle.append(worker)


def starting_context() -> BaseContext:
    if "forkserver" not in get_all_start_methods():
        return get_context("spawn")
    context = get_context("forkserver")
    context.set_forkserver_preload(READ_ONCE)
    return context


@contextmanager
def text_workers(count: int, work: TextWork) -> Iterator[TextWorkers]:
    """They begin to load at once, and end whatever happens."""
    context = starting_context()
    processes: list[BaseProcess] = []
    connections: list[Connection[Any, Any]] = []
    workers = TextWorkers(connections, loading=[])
    try:
        for _ in range(count):
            ours, theirs = context.Pipe()
            process = context.Process(target=work_on_chunks, args=(theirs, work), daemon=True)
            process.start()
            theirs.close()
            processes.append(process)
            connections.append(ours)
        workers.loading = [*connections]
        yield workers
    finally:
        late = [one for one, connection in zip(processes, connections, strict=False) if connection in workers.loading]
        for connection in connections:
            connection.close()
        for one in processes:
            one.join(0 if one in late else SECONDS_TO_END)
            if one.is_alive():
                one.kill()
                one.join()
