"""What it costs to go from text to text: attendo with CTranslate2 beside raw CTranslate2 on tokens made beforehand, the
same files and threads, in turn; and one sentence from a fresh process.

Raw CTranslate2 is called twice: plainly, a batch being a batch, which one thread decodes; and with the smaller batches
in which attendo shares the work among its threads, so that nothing but attendo's own work stands between the two.

python -m benchmarks.text MODEL [--to en] [--data zh-en/tatoeba.dev.tsv] [--swap]

Sentences on which the model runs wild or loses a number are left out: attendo decodes them again, raw CTranslate2 gives
what it has.
CPU time counts all threads of the process: other work on the machine disturbs it less than wall time.

While a decoder works the processor forgets what Python was doing, and on a shared machine others see to that, too. So
attendo's own work is also measured by itself, warm: with a decoder that has its answers ready.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import attendo
from attendo.data.corpus import CorpusFile
from attendo.data.lines import ignore
from attendo.engines.ct2.engine import batch_size, token_names
from attendo.text.normalize import for_model
from attendo.translation.options import TranslationOptions
from benchmarks.machine import data_folder, describe_machine

SENTENCES = 256  # fewer are no fair sample of lines with more than one sentence, which attendo cuts apart
BATCHES = (1, 32)
REPEATS = 7
IN_A_ROW = 32  # sentences, or one batch of more

# One sentence in a process of its own, with all that was ever imported and its largest memory (not getrusage's, which
# begins with the size of the process that started this one).
ONE = """
import json, re, sys, time
from pathlib import Path
started = time.perf_counter()
from attendo.cli.main import run
code = run(["translate", sys.argv[1], "--model", sys.argv[2], "--to", sys.argv[3], "--device", "cpu"], debug=False)
peak = int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) / 1024
print(json.dumps({"code": code, "MB": round(peak), "torch": "torch" in sys.modules}), file=sys.stderr)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--to", default="en")
    parser.add_argument("--data", default="zh-en/tatoeba.dev.tsv")
    parser.add_argument("--swap", action="store_true", help="translate the second column")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    pairs = islice(CorpusFile(data_folder() / options.data).pairs(ignore), SENTENCES)
    texts = [pair.target if options.swap else pair.source for pair in pairs]
    translator = attendo.load(options.model, engine="ct2", threads=options.threads, full_vocabulary=True)
    print(
        f"<!-- python -m benchmarks.text; {describe_machine()}, {translator.engine.name}, {options.threads} threads -->"
    )
    print("\n| batch | beam | ours, sentences/s | raw | ours / raw | raw, our batches | ours / that | by CPU time |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|", flush=True)
    for batch in BATCHES:
        for beam in (1, 4):
            print(f"| {batch} | {beam} | {duel(translator, texts, options.to, batch, beam)} |", flush=True)
    own_work(translator, texts, options.to)
    fresh(options.model, texts[0], options.to)


def duel(translator: attendo.Translator, texts: list[str], to: str, batch: int, beam: int) -> str:
    options = TranslationOptions(beam=beam)
    engine: Any = translator.engine
    answers = translator.translate(list(texts), to=to, options=options)
    texts = [text for text, answer in zip(texts, answers, strict=True) if not decoded_again(answer)]
    tokens = [token_names(translator.tokenizer.source_ids(for_model(text), to)) for text in texts]

    def ours(start: int) -> None:
        translator.translate(texts[start : start + batch], to=to, options=options)

    def raw(start: int, **settings: int) -> None:
        answers = engine.translator.translate_batch(
            tokens[start : start + batch],
            beam_size=beam,
            max_decoding_length=256,
            max_input_length=0,
            return_scores=True,  # as attendo asks for, too
            **settings,
        )
        _ = [(answer.hypotheses, answer.scores) for answer in answers]  # read, as anybody would

    def shared(start: int) -> None:
        raw(start, max_batch_size=batch_size(min(batch, len(texts) - start), engine.threads))

    sides = (ours, raw, shared)
    rounds = [in_turn(sides, range(0, len(texts), batch)) for _ in range(REPEATS + 1)][1:]  # the first is a warm-up
    mine, plain, theirs = (
        f"{len(texts) / statistics.median(one.wall for one in side):,.0f}" for side in zip(*rounds, strict=True)
    )
    to_plain, to_shared = (spread([one[side].wall / one[0].wall for one in rounds]) for side in (1, 2))
    by_cpu = spread([one[2].cpu / one[0].cpu for one in rounds])
    return f"{mine} | {plain} | {to_plain} | {theirs} | {to_shared} | {by_cpu}"


def decoded_again(answer: attendo.Translation) -> bool:
    return answer.ledger.repeated > 0 or answer.recovered


@dataclass(frozen=True)
class Ready:
    """An answer that nobody has to wait for."""

    answer: Any

    def result(self) -> Any:
        return self.answer


class AtOnce:
    """Instead of CTranslate2: asks it the first time, and remembers the answers."""

    num_active_batches = 0

    def __init__(self, translator: Any) -> None:
        self.translator = translator
        self.remembered: dict[Any, list[Ready]] = {}

    def translate_batch(self, tokens: list[list[str]], **settings: Any) -> list[Ready]:
        # By these two settings a loop is decoded again.
        key = (*map(tuple, tokens), settings["beam_size"], settings["no_repeat_ngram_size"])
        if key not in self.remembered:
            answers = self.translator.translate_batch(tokens, **settings)
            self.remembered[key] = [Ready(answer.result()) for answer in answers]
        return self.remembered[key]


def own_work(translator: attendo.Translator, texts: list[str], to: str) -> None:
    engine: Any = translator.engine
    real, engine.loaded.value = engine.translator, AtOnce(engine.translator)
    times = []
    try:
        for _ in range(REPEATS + 1):
            started = time.perf_counter()
            for text in texts:
                translator.translate([text], to=to)
            times.append((time.perf_counter() - started) / len(texts))
    finally:
        engine.loaded.value = real
    spent = [1e6 * seconds for seconds in times[1:]]  # in the first round CTranslate2 was asked
    lowest, highest = min(spent), max(spent)
    print(f"\nAttendo's own work, warm: {statistics.median(spent):.0f} µs a sentence ({lowest:.0f}-{highest:.0f})")


@dataclass
class Took:
    wall: float = 0.0
    cpu: float = 0.0

    def add(self, run: Callable[[int], None], start: int) -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        run(start)
        self.wall += time.perf_counter() - wall
        self.cpu += time.process_time() - cpu


def in_turn(sides: Sequence[Callable[[int], None]], starts: range) -> list[Took]:
    """They change places after every 32 sentences, and who begins changes, too: a machine's moods pass over all. Not
    after every sentence: each would find the weights of another model in the processor's caches, as nobody does who
    uses one."""
    took = [Took() for _ in sides]
    in_a_row = max(IN_A_ROW // starts.step, 1)
    for number, first in enumerate(range(0, len(starts), in_a_row)):
        for turn in range(len(sides)):
            side = (number + turn) % len(sides)
            for start in starts[first : first + in_a_row]:
                took[side].add(sides[side], start)
    return took


def spread(ratios: list[float]) -> str:
    """The median, the lowest and the highest."""
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f})"


def fresh(model: Path, text: str, to: str) -> None:
    """The command from its start to its end, the conversion done before."""
    times, last = [], {}
    for _ in range(REPEATS):
        started = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", ONE, text, str(model), to], capture_output=True, text=True, check=True
        )
        times.append(time.perf_counter() - started)
        last = json.loads(done.stderr.strip().split("\n")[-1])
    spread = f"{min(times):.2f}-{max(times):.2f}"
    print(f"\nOne sentence from a fresh process: {statistics.median(times):.2f} s ({spread}), {last['MB']} MB", end="")
    print(", no torch imported" if not last["torch"] else ", TORCH WAS IMPORTED")


if __name__ == "__main__":
    main()
