"""Bulk translation on this machine: processes beside threads, and what a cache of repeated sentences would save.

    python -m benchmarks.bulk [--lines 6000] [--rounds 3] [--only speed|repeats]

speed: the shipped model translates the same plan by one process with as many threads as there are cores, and by as many
processes with one thread each; in turns, the best of the rounds counts. Asked is at least 95 % of the single process.

repeats: the share of sentences that stand in the data again, within a shard (decoded once anyway, see retries.py) and
in other shards of the same run (what a cache would save).
"""

import argparse
import json
import lzma
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from benchmarks.machine import ROOT, data_folder, describe_machine

SHARD = 250  # lines, so that no process waits long for the last shard of another
CORPORA = ("tatoeba", "ted", "newscommentary", "undoc", "mozilla", "uilabels")


def sources(corpus: str) -> list[str]:
    with lzma.open(data_folder() / "zh-en" / f"{corpus}.train.tsv.xz", "rt", encoding="utf-8") as file:
        return [line.split("\t")[0] for line in file]


def attendo(*words: str) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-m", "attendo", "bulk", *words], cwd=ROOT, capture_output=True, check=True)
    return time.perf_counter() - started


def speed(lines: int, rounds: int) -> dict[str, float]:
    """Lines a second of the best round: of the whole command, which loads the model, too."""
    cores = len(os.sched_getaffinity(0))
    ways = {"one process": ["--workers", "1", "--threads", str(cores)], "processes": ["--workers", str(cores)]}
    best = dict.fromkeys(ways, 0.0)
    folder = Path(tempfile.mkdtemp())
    try:
        text = "".join(f"{line}\n" for line in sources("tatoeba")[:lines])
        (folder / "in.txt").write_text(text, encoding="utf-8")
        for _ in range(rounds):
            for name, words in ways.items():
                work = folder / "work"
                attendo("plan", str(folder / "in.txt"), str(work), "--to", "en", "--lines-per-shard", str(SHARD))
                best[name] = max(best[name], lines / attendo("run", str(work), *words))
                shutil.rmtree(work)
    finally:
        shutil.rmtree(folder)
    return best | {"cores": cores, "share": best["processes"] / best["one process"]}


def repeats(per_shard: int = 5_000, most: int = 500_000) -> dict[str, dict[str, float]]:
    """Of all lines, in percent: those that stand in their shard before, and those that stand in another one before."""
    found = {}
    for corpus in CORPORA:
        lines = sources(corpus)[:most]
        shards = [set(lines[at : at + per_shard]) for at in range(0, len(lines), per_shard)]
        distinct_in_shards = sum(map(len, shards))
        distinct = len(Counter(lines))
        within, across = len(lines) - distinct_in_shards, distinct_in_shards - distinct
        found[corpus] = {
            "lines": len(lines), "again in the shard": round(100 * within / len(lines), 2),
            "again in another": round(100 * across / len(lines), 2),
        }  # fmt: skip
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--lines", type=int, default=6_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=["speed", "repeats"])
    asked = parser.parse_args()
    print(describe_machine(), f"load {os.getloadavg()[0]:.1f}")
    if asked.only != "speed":
        print(json.dumps(repeats(), indent=1))
    if asked.only != "repeats":
        print(json.dumps(speed(asked.lines, asked.rounds), indent=1))


if __name__ == "__main__":
    main()
