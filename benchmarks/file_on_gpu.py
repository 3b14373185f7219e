"""A file of many lines from text to text on a GPU: `attendo translate -i … -o …` beside CTranslate2 fed by hand, with
the same model in half precision, each in a process of its own, in turn.

    python -m benchmarks.file_on_gpu [--lines 200000] [--data de-en/tatoeba.train.tsv.xz] [--to de] [--swap] [--beam 4]

By hand: the lines are encoded by the same tokenizer, all at once, by all cores; CTranslate2 sorts 20,000 at a time by
length and decodes 1,024 together; the answers are decoded and written. attendo does its own work besides: it cuts lines
into sentences, keeps numbers and links, looks for loops and losses and tries those again, and can go on after a kill.
Seconds are of the whole process, loading included, and of the work after loading. Medians of the turns.
"""

import argparse
import json
import lzma
import os
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

from attendo.model_folder.bundle import model_folder, read_bundle
from attendo.text.normalize import for_model
from benchmarks.machine import data_folder, describe_machine

WITH_TIMELINE = """
import logging
from attendo.cli.main import main
logging.getLogger("attendo.workers").setLevel(logging.DEBUG)
main()
"""
TOGETHER = 1_024  # sentences
SORTED_TOGETHER = 20_000  # lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=200_000)
    parser.add_argument("--data", default="de-en/tatoeba.train.tsv.xz")
    parser.add_argument("--swap", action="store_true", help="translate the second column")
    parser.add_argument("--to", default="de")
    parser.add_argument("--beam", type=int, default=4)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--model", default=None)
    parser.add_argument("--timeline", action="store_true", help="who loaded and finished when, in the last turn")
    parser.add_argument("--by-hand", nargs=2, metavar=("IN", "OUT"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.by_hand:
        by_hand(Path(options.by_hand[0]), Path(options.by_hand[1]), options)
        return
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "in.txt"
        count = write_lines(source, options)
        print(f"{describe_machine()}: {count:,} lines, beam {options.beam}\n")
        print("| | seconds in all | lines/s | seconds of work | lines/s |\n|---|---:|---:|---:|---:|")
        ours: list[tuple[float, float]] = []
        theirs: list[tuple[float, float]] = []
        for _ in range(options.turns):
            ours.append(run_attendo(source, Path(folder) / "ours.txt", options))
            theirs.append(run_by_hand(source, Path(folder) / "theirs.txt", options))
            (Path(folder) / "ours.txt").unlink()
        for name, found in (("attendo translate", ours), ("CTranslate2 by hand", theirs)):
            whole, work = (statistics.median(side) for side in zip(*found, strict=True))
            print(f"| {name} | {whole:.1f} | {count / whole:,.0f} | {work:.1f} | {count / work:,.0f} |")
        for name, column in (("in all", 0), ("of work", 1)):
            ratios = sorted(b[column] / a[column] for a, b in zip(ours, theirs, strict=True))
            print(f"\nratio {name}: {statistics.median(ratios):.2f} ({ratios[0]:.2f}-{ratios[-1]:.2f})", end="")
        print()
        if options.timeline:
            lines = (Path(folder) / "timeline.txt").read_text(encoding="utf-8").splitlines()
            print("\n".join(line for line in lines if " s: " in line and " worker " in line))


def write_lines(path: Path, options: argparse.Namespace) -> int:
    """The first lines of the corpus that are there; from its beginning again where it has fewer."""
    with lzma.open(data_folder() / options.data, "rt", encoding="utf-8") as corpus:
        column = 1 if options.swap else 0
        lines = [line.rstrip("\n").split("\t")[column] for line in islice(corpus, options.lines)]
    lines = (lines * -(-options.lines // len(lines)))[: options.lines]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return len(lines)


def run_attendo(source: Path, target: Path, options: argparse.Namespace) -> tuple[float, float]:
    report = target.with_suffix(".json")
    command = [
        "translate", "-i", str(source), "-o", str(target), "--as-lines",
        "--to", options.to, "--beam", str(options.beam), "--device", options.device, "--report", str(report),
    ]  # fmt: skip
    attendo = ["-c", WITH_TIMELINE] if options.timeline else ["-m", "attendo"]
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *attendo, *command, *model_option(options)], stderr=subprocess.PIPE, text=True, check=False
    )
    seconds = time.perf_counter() - started
    if done.returncode not in (0, 3):
        raise SystemExit(done.stderr[-2_000:])
    if options.timeline:
        (target.parent / "timeline.txt").write_text(done.stderr, encoding="utf-8")
    found = json.loads(report.read_text(encoding="utf-8"))
    return seconds, found["seconds"]


def run_by_hand(source: Path, target: Path, options: argparse.Namespace) -> tuple[float, float]:
    command = [
        sys.executable, "-m", "benchmarks.file_on_gpu", "--by-hand", str(source), str(target), "--to", options.to,
        "--beam", str(options.beam), "--device", options.device,
    ]  # fmt: skip
    started = time.perf_counter()
    done = subprocess.run([*command, *model_option(options)], stdout=subprocess.PIPE, text=True, check=True)
    return time.perf_counter() - started, float(done.stdout.split()[-1])


def model_option(options: argparse.Namespace) -> list[str]:
    return ["--model", options.model] if options.model else []


def by_hand(source: Path, target: Path, options: argparse.Namespace) -> None:
    import ctranslate2

    from attendo.engines.ct2.conversion import transformer_config
    from attendo.engines.ct2.spec import specification
    from attendo.model_folder.checked_weights import read_weights

    bundle = read_bundle(model_folder(options.model))
    tokenizer = bundle.tokenizer()
    with tempfile.TemporaryDirectory() as folder:
        half = "float16" if options.device == "cuda" else "int8"
        spec = specification(transformer_config(bundle), read_weights(bundle), bundle.alignment)
        spec.optimize(half)
        spec.save(folder)
        translator = ctranslate2.Translator(folder, device=options.device, compute_type=half)
    os.environ["TOKENIZERS_PARALLELISM"] = "true"
    started = time.perf_counter()
    lines = source.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    tag, end = tokenizer.tag(options.to), 2
    with target.open("w", encoding="utf-8") as out:
        for first in range(0, len(lines), SORTED_TOGETHER):
            encoded = tokenizer.encode_all([for_model(line) for line in lines[first : first + SORTED_TOGETHER]])
            results = translator.translate_batch(
                [[str(one) for one in (tag, *ids, end)] for ids in encoded],
                beam_size=options.beam,
                max_batch_size=TOGETHER,
                max_input_length=0,
            )
            for result in results:
                out.write(tokenizer.decode(map(int, result.hypotheses[0])) + "\n")
    print(f"{time.perf_counter() - started:.3f}")


if __name__ == "__main__":
    main()
