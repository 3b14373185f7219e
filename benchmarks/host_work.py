"""What the host does for each line of a file, by itself: an engine that has its answers ready takes the place of the
GPU.

    python -m benchmarks.host_work [--lines 20000] [--data de-en/tatoeba.train.tsv.xz] [--to de] [--swap] [--turns 3]

The answers are the translations of the corpus, so that numbers are kept and lost, and sentences end, as they do. CPU
seconds of one process for 10,000 lines, from reading to writing, as `attendo translate -i … -o …` does; then again with
a clock around each part, which takes some time of its own; and those of the process that stands between workers. The
quickest turn counts: others use the machine, too.
"""

import argparse
import io
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast
from unittest.mock import patch

from attendo.data.corpus import CorpusFile
from attendo.data.lines import ignore
from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.options import SearchOptions
from attendo.documents import pipeline
from attendo.documents.file_translation import FileTranslation
from attendo.documents.line_reader import LineReader
from attendo.documents.pipeline import Account, StreamOutput, one_by_one, translate_chunks
from attendo.documents.text_workers import TextCrew, TextWork, text_workers
from attendo.engines.engine import Engine, Limits, Request
from attendo.model_folder.bundle import model_folder, read_bundle
from attendo.special_tokens import SPECIAL
from attendo.text.normalize import for_model
from attendo.translation import prepare, retries, translator
from attendo.translation.language_check import LanguageCheck
from attendo.translation.prepare import Preparer
from attendo.translation.retries import Searcher
from attendo.translation.translator import Translator
from benchmarks.machine import data_folder, describe_machine

GPU_TOKENS = 60_000  # of a batch, as the engine on a GPU has it
LIMITS = Limits(1_024, 6_272)
PER_LINES = 10_000
CREW = TextCrew(workers=2, decoders=1)
# Where a clock is put: what it is called, and the function by its owner and name. None of them calls another.
PARTS: list[tuple[str, object, str]] = [
    ("cut into sentences", prepare, "split"),
    ("what must stay as it is", Preparer, "read"),
    ("encode", prepare, "request_for"),
    ("which language", LanguageCheck, "notes"),
    ("decode", Searcher, "text_of"),
    ("loops and losses", retries, "judge"),
    ("doubt", translator, "with_doubt"),
    ("put together, ledger", translator, "compose"),
    ("add up the ledgers", pipeline, "total"),
]


@dataclass
class ReadyEngine:
    """Its answers are there before anybody asks."""

    answers: dict[str, Hypothesis]
    name: str = "none"
    threads: int | None = None
    limits: Limits = LIMITS
    tokens_per_batch: int = GPU_TOKENS

    def search(
        self, requests: Sequence[Request], options: SearchOptions, *, attention: bool = False
    ) -> Iterator[list[Hypothesis]]:
        return iter([[self.answers.get(request.text) or hypothesis(request.ids[1:])] for request in requests])


def hypothesis(ids: Sequence[int]) -> Hypothesis:
    """As likely as a good one is."""
    log_probs = (-0.1,) * len(ids)
    return Hypothesis(tuple(ids), sum(log_probs), sum(log_probs) / len(ids), log_probs)


class Silent:
    def passed(self, *_: object) -> None: ...
    def done(self, *_: object) -> None: ...


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=20_000)
    parser.add_argument("--data", default="de-en/tatoeba.train.tsv.xz")
    parser.add_argument("--swap", action="store_true", help="translate the second column")
    parser.add_argument("--to", default="de")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--model", default=None)
    parser.add_argument("--beside-torch", action="store_true", help="with torch loaded, as a process with a GPU has it")
    options = parser.parse_args()
    if options.beside_torch:
        import torch  # noqa: F401 - its objects are many, and Python's search for cycles visits them all
    ours, data = ready(options)
    seconds, clocks = [], []
    for _ in range(options.turns):
        started = time.process_time()
        run(ours, data, options.to)
        seconds.append(time.process_time() - started)
        with Clocks() as clock:
            started = time.process_time()
            run(ours, data, options.to)
            clocks.append((time.process_time() - started, clock))
    lines = data.count(b"\n")
    scale = PER_LINES / lines
    whole, clock = min(clocks, key=lambda turn: turn[0])
    print(f"{describe_machine()}: {lines:,} lines\n")
    print(f"CPU seconds for {PER_LINES:,} lines: {min(seconds) * scale:.3f}\n\n| part | with clocks |\n|---|---:|")
    for name, _, _ in PARTS:
        print(f"| {name} | {clock[name] * scale:.3f} |")
    print(f"| the rest | {(whole - clock.total()) * scale:.3f} |\n| all | {whole * scale:.3f} |")
    between = min(beside_workers(data, options) for _ in range(options.turns)) * scale
    print(f"\nThe process between {CREW.workers} workers: {between:.3f} CPU seconds for {PER_LINES:,} lines")


def ready(options: argparse.Namespace) -> tuple[Translator, bytes]:
    """A translator that knows the answers, and the file."""
    pairs = islice(CorpusFile(data_folder() / options.data).pairs(ignore), options.lines)
    sides = [(pair.target, pair.source) if options.swap else (pair.source, pair.target) for pair in pairs]
    bundle = read_bundle(model_folder(options.model))
    tokenizer = bundle.tokenizer()
    encoded = tokenizer.encode_all([target for _, target in sides])
    answers = {
        for_model(source): hypothesis((*ids, SPECIAL.eos)) for (source, _), ids in zip(sides, encoded, strict=True)
    }
    return Translator(bundle, tokenizer, cast(Engine, ReadyEngine(answers))), "".join(
        f"{source}\n" for source, _ in sides
    ).encode()


def load_echo(model: str | None) -> Translator:
    """A translator that says what it is told."""
    bundle = read_bundle(model_folder(model))
    return Translator(bundle, bundle.tokenizer(), cast(Engine, ReadyEngine({})))


def beside_workers(data: bytes, options: argparse.Namespace) -> float:
    """CPU seconds of the process that reads the file, hands out its lines and writes theirs, with its journal."""
    with TemporaryDirectory() as folder:
        source, target = Path(folder) / "in.txt", Path(folder) / "out.txt"
        source.write_bytes(data)
        work = FileTranslation(source=source, target=target, to=options.to, as_lines=True)
        model = model_folder(options.model)
        from benchmarks import host_work  # a program's own functions cannot be sent to a process

        with text_workers(CREW, TextWork(model, partial(host_work.load_echo, options.model), options.to)) as workers:
            between = workers.translator(model)
            started = time.process_time()
            with work.opened() as stream:
                work.run(between, stream, sys.stdout.buffer, Silent(), workers)
            return time.process_time() - started


class Clocks(Counter[str]):
    """Seconds by part, while it is entered."""

    def __enter__(self) -> "Clocks":
        self.places = ExitStack()
        for name, owner, function in PARTS:
            self.places.enter_context(patch.object(owner, function, self.timed(name, getattr(owner, function))))
        return self

    def __exit__(self, *_: object) -> None:
        self.places.close()

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            started = time.thread_time()
            try:
                return function(*arguments, **named)
            finally:
                self[name] += time.thread_time() - started  # type: ignore[assignment]

        return call


def run(ours: Translator, data: bytes, to: str) -> Account:
    output = StreamOutput(io.BytesIO())
    chunks = LineReader(io.BytesIO(data), "in.txt").chunks(GPU_TOKENS)
    translate_chunks(one_by_one(chunks, lambda texts: ours.translate(texts, to)), output, Silent())
    return output.account


if __name__ == "__main__":
    main()
