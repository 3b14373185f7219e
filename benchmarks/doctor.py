"""How much the doctor finds and how often it cries wolf, on real corpora damaged on purpose.

    python -m benchmarks.doctor --first-seed 200 --seeds 3 --blocks 20        the tables of docs/doctor.md

The thresholds were chosen on seeds below 200, so figures to quote start from there.
"""

import argparse
import random
import statistics
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from attendo.data.corpus import CorpusFile
from attendo.data.lines import ignore
from attendo.doctor.examine import Examination, examine
from benchmarks.machine import data_folder, describe_machine

CLEAN = ("zh-en/tatoeba.train.tsv.xz", "de-en/tatoeba.train.tsv.xz")
FOREIGN = {  # what is put in a wrong place, and where: (file, side), side of the damaged corpus
    "zh-en": [("de-en/tatoeba.train.tsv.xz", 0, 1), ("en-fr/multi30k.train.tsv.xz", 1, 1)],
    "de-en": [
        ("en-fr/multi30k.train.tsv.xz", 1, 0),
        ("en-cs/multi30k.train.tsv.xz", 1, 1),
        ("zh-en/ted.test.tsv.xz", 1, 0),
    ],
}
LONG = (
    ("zh-en/ted.test.tsv.xz", 2000), ("zh-en/newscommentary.train.tsv.xz", 2000),
    ("de-en/europarl20k.train.tsv.xz", 2000),
    ("de-en/iwslt14.valid.tsv.xz", 2000), ("en-de/multi30k.train.tsv.xz", 2000), ("en-cs/multi30k.train.tsv.xz", 2000),
    ("en-fr/multi30k.train.tsv.xz", 2000), ("zh-en/tatoeba.train.tsv.xz", 5000), ("de-en/tatoeba.train.tsv.xz", 5000),
)  # fmt: skip
SAMPLE = 5_000
SHARE = 0.02
TOLERANCE = 3  # lines
FEWEST = 400  # pairs of a corpus worth looking at

Rows = list[tuple[str, str]]


def read(name: str) -> Rows:
    return [(pair.source, pair.target) for pair in CorpusFile(data_folder() / name).pairs(ignore)]


def look_at(rows: Iterable[tuple[str, str]], folder: Path, against: Rows | None = None) -> Examination:
    tests = [CorpusFile(write(folder / "test.tsv", against))] if against else []
    return examine(CorpusFile(write(folder / "corpus.tsv", rows)), against=tests)


def write(path: Path, rows: Iterable[tuple[str, str]]) -> Path:
    path.write_text("".join(f"{source}\t{target}\n" for source, target in rows), encoding="utf-8", newline="\n")
    return path


def damage(
    rows: Rows, kind: str, chosen: list[int], generator: random.Random, foreign: list[tuple[list[str], int]]
) -> Rows:
    """The rows with one kind of damage in the chosen places."""
    rows = list(rows)
    for number, index in enumerate(chosen):
        source, target = rows[index]
        match kind:
            case "swapped":
                rows[index] = (target, source)
            case "copy":
                rows[index] = (source, source)
            case "duplicate":
                rows[index] = rows[index - 1 if index else index + 1]
            case "empty":
                rows[index] = (source, "")
            case "broken_encoding":
                rows[index] = (source, f"{target.rstrip('.')} â€™ Ã¤")
            case "wrong_language" | "wrong_language, 5 words":
                texts, side = foreign[number % len(foreign)]
                text = generator.choice(texts)
                text = " ".join(text.split()[:5]) if kind.endswith("words") else text
                rows[index] = (text, target) if side == 0 else (source, text)
    return rows


def recall_table(seeds: range, folder: Path) -> None:
    kinds = [
        "swapped",
        "wrong_language",
        "wrong_language, 5 words",
        "copy",
        "duplicate",
        "leak",
        "empty",
        "broken_encoding",
    ]
    print(f"| damage to {SHARE:.0%} of {SAMPLE:,} pairs | {' | '.join(name.split('.')[0] for name in CLEAN)} |")
    print("| --- | ---: | ---: |")
    corpora = {name: read(name) for name in CLEAN}
    texts = {name: [(read(file), side, index) for file, side, index in FOREIGN[name[:5]]] for name in CLEAN}
    for kind in kinds:
        cells = []
        for name, rows in corpora.items():
            foreign = [([row[side] for row in other], index) for other, side, index in texts[name]]
            found = [recall(rows, kind, seed, foreign, folder) for seed in seeds]
            cells.append(f"{statistics.mean(found):.1%} ({min(found):.1%}-{max(found):.1%})")
        print(f"| {kind} | {' | '.join(cells)} |", flush=True)


def recall(rows: Rows, kind: str, seed: int, foreign: list[tuple[list[str], int]], folder: Path) -> float:
    generator = random.Random(seed)
    sample = sorted(generator.sample(range(len(rows)), SAMPLE))
    chosen = generator.sample(range(1, SAMPLE), int(SHARE * SAMPLE))
    bad = damage([rows[row] for row in sample], kind, chosen, generator, foreign)
    against = [bad[index] for index in chosen] if kind == "leak" else None
    lines = set(look_at(bad, folder, against).lines(kind.split(",")[0]).tolist())
    if kind == "duplicate":  # of two equal neighbours the later one is the duplicate
        return sum(bool({index + 1, index, index + 2} & lines) for index in chosen) / len(chosen)
    return sum(index + 1 in lines for index in chosen) / len(chosen)


def false_alarm_table(seeds: range, folder: Path) -> None:
    print("| corpus | pairs | seconds | flagged pairs by kind |\n| --- | ---: | ---: | --- |")
    for name in CLEAN:
        rows = read(name)
        for seed in (None, *seeds):
            sample = (
                rows
                if seed is None
                else [rows[i] for i in sorted(random.Random(seed).sample(range(len(rows)), SAMPLE))]
            )
            start = time.perf_counter()
            seen = look_at(sample, folder)
            seconds = time.perf_counter() - start
            kinds = ", ".join(f"{f.kind} {len(f.lines) / len(sample):.2%}" for f in seen.findings) or "none"
            label = name if seed is None else f"{name}, sample {seed}"
            print(f"| {label} | {len(sample):,} | {seconds:.0f} | {kinds} |", flush=True)


def shift_table(first_seed: int, blocks: int, folder: Path) -> None:
    print("| corpus | pairs | blocks found | right shift | largest error of an end, lines | other blocks |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, size in LONG:
        rows = read(name)
        found, right, others, errors = 0, 0, 0, [0]
        for number in range(blocks):
            generator = random.Random(first_seed + number)
            start = generator.randrange(max(1, len(rows) - size + 1))
            part = rows[start : start + size]
            bad, first, last, shift = shifted(part, number, generator)
            seen = [f for f in look_at(bad, folder).findings if f.shift is not None]
            near = [f for f in seen if max(abs(f.first_line - first), abs(f.last_line - last)) <= TOLERANCE]
            found += bool(near)
            right += any(f.shift == shift for f in near)
            others += len(seen) - len(near)
            errors += [max(abs(f.first_line - first), abs(f.last_line - last)) for f in near]
        print(f"| {name} | {len(part):,} | {found}/{blocks} | {right} | {max(errors)} | {others} |", flush=True)


def every_corpus_table() -> None:
    """All blocks reported in all corpora as they are; nobody damaged these."""
    print("| corpus | pairs | blocks reported (lines, shift) |\n| --- | ---: | --- |")
    blocks, corpora = 0, 0
    for path in sorted(data_folder().glob("*/*.tsv*")):
        seen = examine(CorpusFile(path))
        if seen.num_pairs < FEWEST:
            continue
        found = [f"{f.first_line}-{f.last_line}, {f.shift}" for f in seen.findings if f.shift is not None]
        blocks, corpora = blocks + len(found), corpora + 1
        if found:
            print(f"| {path.parent.name}/{path.name} | {seen.num_pairs:,} | {'; '.join(found)} |", flush=True)
    print(f"| {corpora} corpora of at least {FEWEST} pairs in all | | {blocks} |")


def shifted(rows: Rows, number: int, generator: random.Random) -> tuple[Rows, int, int, int]:
    """A block of 50 to 100 pairs whose targets are rolled; the first two stand at the ends of the file."""
    length, shift = generator.randint(50, 100), generator.choice([-3, -2, -1, 1, 2, 3])
    start = {0: 0, 1: len(rows) - length}.get(number, generator.randrange(len(rows) - length))
    targets = [target for _, target in rows[start : start + length]]
    block = [(rows[start + i][0], targets[(i - shift) % length]) for i in range(length)]
    return [*rows[:start], *block, *rows[start + length :]], start + 1, start + length, shift


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--first-seed", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--blocks", type=int, default=20)
    options = parser.parse_args()
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    print(f"<!-- python -m benchmarks.doctor; {describe_machine()} -->\n")
    with tempfile.TemporaryDirectory() as folder:
        recall_table(seeds, Path(folder))
        print()
        false_alarm_table(seeds, Path(folder))
        print()
        shift_table(options.first_seed, options.blocks, Path(folder))
    print()
    every_corpus_table()


if __name__ == "__main__":
    main()
