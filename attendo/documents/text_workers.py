"""Several processes that do everything for a line but decode it, beside the one that has the GPU.

    this process      chunks of lines out, finished lines in, in order; decodes for all (attendo/engines/lent.py)
    each worker       a translator of its own around the lent engine: cuts, encodes, asks, checks, tries again, composes

A chunk comes back as the lines to be written, byte for byte what the translator of this process would make of it. At
most two chunks a worker are under way, so memory does not grow. Workers are spawned, never forked: a process that has
a GPU cannot be forked.
"""

import os
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from signal import SIG_IGN, SIGINT, signal
from typing import Any

from attendo.documents.line_reader import Chunk
from attendo.documents.pipeline import ChunkAnswer, answer_chunk
from attendo.engines.engine import Engine
from attendo.engines.lent import EngineCall, EngineFacts, LentEngine, answer_call
from attendo.errors import AttendoError, InputError
from attendo.model_folder.bundle import read_bundle
from attendo.translation.options import TranslationOptions
from attendo.translation.translator import Translator

MOST_WORKERS = 6  # of a GPU: more would wait for it
CHUNKS_A_WORKER = 2  # one in work, one finished whose turn has not come
SMALLEST_FILE = 2**20  # bytes; a smaller one is done before the workers have started
SECONDS_TO_END = 5.0


@dataclass(frozen=True)
class TextWork:
    """How lines are translated, for a process that is told once."""

    folder: Path
    facts: EngineFacts
    to: str | None
    from_: str | None
    options: TranslationOptions
    as_json: bool


def workers_for(engine: Engine, num_bytes: int | None) -> int:
    """How many pay: none beside a CPU engine, which takes all cores itself, and none for a short file or a pipe."""
    if engine.threads is not None or num_bytes is None or num_bytes < SMALLEST_FILE:
        return 0
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(min(cores - 2, MOST_WORKERS), 0)


def work_on_chunks(connection: "Connection[Any, Any]", work: TextWork) -> None:
    """A worker's life: until the other end closes."""
    signal(SIGINT, SIG_IGN)  # the process that was started by the user decides
    bundle = read_bundle(work.folder)
    translator = Translator(bundle, bundle.tokenizer(), LentEngine(work.facts, connection))
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            chunk: Chunk = connection.recv()
            try:
                connection.send(
                    answer_chunk(
                        chunk,
                        lambda texts: translator.translate(texts, work.to, work.from_, work.options),
                        as_json=work.as_json,
                    )
                )
            except AttendoError as error:
                connection.send(error)


@dataclass
class TextWorkers:
    engine: Engine
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
                worker = self.idle.popleft()
                worker.send(chunk)
                self.at_work[worker] = number
                given.append((number, chunk))
                number += 1
            while given and given[0][0] in self.finished:
                first, chunk = given.popleft()
                answer, now = self.finished.pop(first), time.perf_counter()
                yield chunk, ChunkAnswer(answer.data, answer.ledger, answer.warnings, now - since)
                since = now
            if given and given[0][0] not in self.finished:
                self.listen()

    def listen(self) -> None:
        """To whoever has something to say: a call of the engine is answered, a finished chunk is put down."""
        ready = wait(list(self.at_work))
        for worker in [one for one in self.at_work if one in ready]:
            try:
                said = worker.recv()
                if isinstance(said, EngineCall):
                    worker.send(self.answer(said))
                    continue
            except (EOFError, BrokenPipeError, ConnectionResetError):
                raise InputError("a process that prepares the text has ended: is the memory full?") from None
            if isinstance(said, Exception):
                raise said
            else:
                self.finished[self.at_work.pop(worker)] = said
                self.idle.append(worker)

    def answer(self, call: EngineCall) -> Any:
        try:
            return answer_call(self.engine, call)
        except AttendoError as error:
            return error  # raised where it was asked


@contextmanager
def text_workers(count: int, engine: Engine, work: TextWork) -> Iterator[TextWorkers]:
    """Started at once, ended whatever happens."""
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
        yield TextWorkers(engine, connections)
    finally:
        for connection in connections:
            connection.close()
        for one in processes:
            one.join(SECONDS_TO_END)
            if one.is_alive():
                one.kill()
                one.join()
