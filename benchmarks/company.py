"""How well training on a CPU bears company: seconds for 150 steps of a small recipe, alone and beside one busy process.

python -m benchmarks.company                       ours, and OpenMP's own way of waiting beside it
python -m benchmarks.company --spin 300 1000 3000  other numbers of turns (GOMP_SPINCOUNT) beside ours

Threads that wait for each other may spin, which is quick where every thread has a core, or sleep. While one spins for
a thread that another process has pushed from its core, the work of both stands still. attendo lets them spin for a
short while, then sleep (attendo/__init__.py). The runs take turns; the machine should have nothing else to do.
"""

import argparse
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from attendo.training.log import read_log
from benchmarks.machine import ROOT, describe_machine

RECIPE = ROOT / "recipes" / "reverse.toml"
LONGEST = 45.0  # seconds of one run; beside a busy process threads that spin may not end in minutes
OPENMP = 300_000  # turns, where nothing else is said
BUSY = [sys.executable, "-c", "while True: pass"]


@dataclass
class Waiting:
    """A way of waiting, and the seconds that the steps took."""

    name: str
    spin: int | None  # None: as attendo sets it
    alone: list[float] = field(default_factory=list)
    beside: list[float] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str]:
        left = {key: value for key, value in os.environ.items() if key not in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")}
        return left if self.spin is None else left | {"GOMP_SPINCOUNT": str(self.spin)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--spin", type=int, nargs="*", default=[OPENMP], help="turns of threads that wait")
    options = parser.parse_args()
    print(f"<!-- python -m benchmarks.company; {describe_machine()} -->\n", flush=True)
    ways = [Waiting("attendo's", None), *(Waiting(f"{spin:,} turns", spin) for spin in options.spin)]
    for turn in range(options.turns):
        for way in ways:
            way.alone.append(seconds_of_steps(options.steps, way.environment))
            if turn == 0 or way.spin is None:  # where threads spin too long, once is enough to see it
                with busy_process():
                    way.beside.append(seconds_of_steps(options.steps, way.environment))
    show(ways, options.steps)


def show(ways: list[Waiting], steps: int) -> None:
    first = statistics.median(ways[0].alone)
    print(f"| waiting | {steps} steps alone | beside one busy process | slower beside it | alone, to attendo's |")
    print("|---|---:|---:|---:|---:|")
    for way in ways:
        alone, beside = statistics.median(way.alone), statistics.median(way.beside)
        both = f"{alone:.1f} ± {half_spread(way.alone):.1f} s | {beside:.1f} ± {half_spread(way.beside):.1f} s"
        print(f"| {way.name} | {both} | {beside / alone:.2f} times | {alone / first:.2f} |")


def half_spread(seconds: list[float]) -> float:
    return (max(seconds) - min(seconds)) / 2 if len(seconds) > 1 else 0.0


@contextmanager
def busy_process() -> Iterator[None]:
    process = subprocess.Popen(BUSY)
    try:
        yield
    finally:
        process.kill()
        process.wait()


def seconds_of_steps(steps: int, environment: dict[str, str]) -> float:
    """Of the steps alone, by the run's own log. Of a run that takes too long, as if it went on as it did."""
    with tempfile.TemporaryDirectory() as folder:
        settings = [f"training.max_steps={steps}", f"validation.every={steps}", "training.device=cpu"]
        options = [word for setting in settings for word in ("--set", setting)]
        command = [sys.executable, "-m", "attendo", "train", str(RECIPE), "--run-dir", f"{folder}/run", *options]
        own = environment | {"ATTENDO_CACHE": f"{folder}/cache", "PYTHONPATH": str(ROOT)}
        with suppress(subprocess.TimeoutExpired):
            subprocess.run(command, env=own, check=True, capture_output=True, timeout=LONGEST)
        taken = [record["target_tokens"] / record["target_tokens_per_second"] for record in steps_in(folder)]
        return sum(taken) * steps / len(taken) if taken else math.inf


def steps_in(folder: str) -> list[dict[str, float]]:
    return [record for record in read_log(Path(folder) / "run" / "log.jsonl") if "loss" in record]


if __name__ == "__main__":
    main()
