"""A large file on a GPU: several processes, each with a translator of its own, share the lines of one.

On a GPU a sentence is decoded in less time than Python needs to cut it, encode it, check the answer and put it
together: one process keeps the device busy for a quarter of the time. While one of several works on the text, the
device decodes for another.

    this process     chunks of lines out, finished lines in, in order
    each worker      a chunk at a time, as the translator of this process would: the same lines, byte for byte

At most two chunks a worker are under way, so memory does not grow. Workers are spawned, never forked: what a process
has loaded on a GPU cannot be forked. They begin to load before this process does.
"""

import logging
import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from signal import SIG_IGN, SIGINT, signal
from typing import Any

from attendo.documents.line_reader import Chunk
from attendo.documents.pipeline import ChunkAnswer, answer_chunk
from attendo.errors import AttendoError, InputError
from attendo.translation.options import TranslationOptions
from attendo.translation.translator import Translator

MOST_WORKERS = 6  # of a GPU: more would wait for it, and each takes half a gigabyte of it
CHUNKS_A_WORKER = 2  # one in work, one finished whose turn has not come
SMALLEST_FILE = 2**21  # bytes; a smaller one is done before the workers have loaded the model
SECONDS_TO_END = 5.0


@dataclass(frozen=True)
class TextWork:
    """How lines are translated, for a process that is told once."""

    load: Callable[[], Translator]  # to be sent to a process: a function of a module, or a partial of one
    to: str | None = None
    from_: str | None = None
    options: TranslationOptions = field(default_factory=TranslationOptions)
    as_json: bool = False


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

            def ask(texts: list[str]) -> Any:
                return translator.translate(texts, work.to, work.from_, work.options)

            while True:
                connection.send(answer_chunk(connection.recv(), ask, as_json=work.as_json))
        except AttendoError as error:
            connection.send(error)


@dataclass
class TextWorkers:
    connections: list["Connection[Any, Any]"]
    idle: deque["Connection[Any, Any]"] = field(default_factory=deque)
    at_work: dict["Connection[Any, Any]", int] = field(default_factory=dict)  # on which chunk
    finished: dict[int, ChunkAnswer] = field(default_factory=dict)

    def translate(self, chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, ChunkAnswer]]:
        """Each chunk with its answer, in order; `seconds` are those since the one before."""
        self.idle = deque(self.connections)
        coming, given = iter(chunks), deque[tuple[int, Chunk]]()
        number, more, since = 0, True, time.perf_counter()
        while given or more:
            while more and self.idle and len(given) < CHUNKS_A_WORKER * len(self.connections):
                chunk = next(coming, None)
                if chunk is None:
                    more = False
                    break
                self.give(chunk, number)
                given.append((number, chunk))
                number += 1
            while given and given[0][0] in self.finished:
                first, chunk = given.popleft()
                answer, now = self.finished.pop(first), time.perf_counter()
                yield chunk, ChunkAnswer(answer.data, answer.ledger, answer.warnings, now - since)
                since = now
            if given and given[0][0] not in self.finished:
                self.listen()

    def give(self, chunk: Chunk, number: int) -> None:
        worker = self.idle.popleft()
        self.at_work[worker] = number
        with suppress(BrokenPipeError, ConnectionResetError):  # it has ended, and maybe said why
            worker.send(chunk)

    def listen(self) -> None:
        """To whoever has finished a chunk, or failed."""
        ready = wait(list(self.at_work))
        for worker in [one for one in self.at_work if one in ready]:
            try:
                said = worker.recv()
            except (EOFError, ConnectionResetError):
                raise InputError("a process that was translating has ended: is the memory full?") from None
            if isinstance(said, Exception):
                raise said
            self.finished[self.at_work.pop(worker)] = said
            self.idle.append(worker)


@contextmanager
def text_workers(count: int, work: TextWork) -> Iterator[TextWorkers]:
    """They begin to load at once, and end whatever happens."""
    context = get_context("spawn")
    processes: list[BaseProcess] = []
    connections: list[Connection[Any, Any]] = []
    try:
        for _ in range(count):
            ours, theirs = context.Pipe()
            process = context.Process(target=work_on_chunks, args=(theirs, work), daemon=True)
            process.start()
            theirs.close()
            processes.append(process)
            connections.append(ours)
        yield TextWorkers(connections)
    finally:
        for connection in connections:
            connection.close()
        for one in processes:
            one.join(SECONDS_TO_END)
            if one.is_alive():
                one.kill()
                one.join()
