"""What the host does for each line of a file, by itself: an engine that has its answers ready takes the place of the
GPU.

    python -m benchmarks.host_work [--lines 20000] [--data de-en/tatoeba.train.tsv.xz] [--to de] [--swap] [--turns 3]

The answers are the translations of the corpus, so that numbers are kept and lost, and sentences end, as they do. CPU
seconds of one process for 10,000 lines: reading, cutting, encoding, asking, judging, putting together, as `attendo
translate -i … -o …` does; then the same with a clock around each part, which takes some time of its own.
"""

import argparse
import io
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from attendo.data.corpus import CorpusFile
from attendo.data.lines import ignore
from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.options import SearchOptions
from attendo.documents import pipeline
from attendo.documents.line_reader import LineReader
from attendo.documents.pipeline import Account, StreamOutput, one_by_one, translate_chunks
from attendo.engines.engine import Limits, Request
from attendo.model_folder.bundle import model_folder, read_bundle
from attendo.special_tokens import SPECIAL
from attendo.text.normalize import for_model
from attendo.text.tokenizer import Tokenizer
from attendo.translation import compose, prepare, retries, translator
from attendo.translation.translator import Translator
from benchmarks.machine import data_folder, describe_machine

GPU_TOKENS = 60_000  # of a batch, as the engine on a GPU has it
PER_LINES = 10_000


@dataclass
class ReadyEngine:
    """Its answers are there before anybody asks."""

    tokenizer: Tokenizer
    answers: dict[str, Hypothesis] = field(default_factory=dict)
    name: str = "none"
    threads: int | None = None
    limits: Limits = Limits(1_024, 6_272)
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
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--model", default=None)
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    pairs = list(islice(CorpusFile(data_folder() / options.data).pairs(ignore), options.lines))
    sides = [(pair.target, pair.source) if options.swap else (pair.source, pair.target) for pair in pairs]
    bundle = read_bundle(model_folder(options.model))
    tokenizer = bundle.tokenizer()
    engine = ReadyEngine(tokenizer)
    for source, target in sides:
        engine.answers[for_model(source)] = hypothesis((*tokenizer.encode(target), SPECIAL.eos))
    tokenizer._remembered.clear()
    data = "".join(f"{source}\n" for source, _ in sides).encode()
    ours = Translator(bundle, tokenizer, engine)
    if options.profile:
        import cProfile, pstats
        run(ours, data, options.to)
        profile = cProfile.Profile()
        profile.enable()
        run(ours, data, options.to)
        profile.disable()
        pstats.Stats(profile).sort_stats("tottime").print_stats(45)
        return
    seconds = []
    for _ in range(options.turns):
        tokenizer._remembered.clear()
        started = time.process_time()
        account = run(ours, data, options.to)
        seconds.append(time.process_time() - started)
    print(f"{describe_machine()}: {len(sides):,} lines")
    print([round(one * PER_LINES / len(sides), 3) for one in seconds])
    print(account.ledger)


def run(ours: Translator, data: bytes, to: str) -> Account:
    output = StreamOutput(io.BytesIO())
    chunks = LineReader(io.BytesIO(data), "in.txt").chunks(GPU_TOKENS)
    translate_chunks(one_by_one(chunks, lambda texts: ours.translate(texts, to)), output, Silent())
    return output.account


if __name__ == "__main__":
    main()
