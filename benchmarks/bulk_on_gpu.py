"""A million lines through `attendo bulk` on a machine with GPUs: lines a second, and how busy the GPUs were.

    python -m benchmarks.bulk_on_gpu [--lines 1000000] [--workers N] [--device cuda] [--folder DIR]

The lines are made up from Tatoeba's Chinese sentences, one or two to a line, so that few are the same; the shipped
model translates them by torch. Needs torch, tokenizers, safetensors, typer and rich, and no CTranslate2.
"""

import argparse
import json
import lzma
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from benchmarks.machine import ROOT, data_folder, describe_machine

SHARD = 10_000  # lines; a GPU takes seconds for them
LOOK_EVERY = 0.5  # seconds


def write_lines(path: Path, count: int) -> int:
    """So many lines; how many of them are different."""
    with lzma.open(data_folder() / "zh-en" / "tatoeba.train.tsv.xz", "rt", encoding="utf-8") as file:
        sentences = sorted({line.split("\t")[0] for line in file})
    draw = random.Random(1)
    different = set()
    with path.open("w", encoding="utf-8") as out:
        for _ in range(count):
            line = "".join(draw.choices(sentences, k=draw.randint(1, 2)))
            different.add(line)
            out.write(f"{line}\n")
    return len(different)


class GpuWatch:
    """Asks nvidia-smi in a thread how busy the GPUs are."""

    def __init__(self) -> None:
        self.shares: list[list[float]] = []
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.look, daemon=True)

    def look(self) -> None:
        question = ["nvidia-smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits"]
        while not self.ended.wait(LOOK_EVERY):
            try:
                said = subprocess.run(question, capture_output=True, text=True, check=True).stdout
            except (OSError, subprocess.CalledProcessError):
                return
            self.shares.append([float(line) for line in said.split()])

    def __enter__(self) -> "GpuWatch":
        self.thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.ended.set()
        self.thread.join()

    def busy(self, since: int = 0) -> float | None:
        """The mean over GPUs and looks, in percent; None where there is no GPU to ask."""
        seen = [share for look in self.shares[since:] for share in look]
        return round(sum(seen) / len(seen), 1) if seen else None


def attendo(*words: str) -> float:
    """Seconds that the command took; 3 is what join says of a ledger with remarks."""
    started = time.perf_counter()
    done = subprocess.run([sys.executable, "-m", "attendo", "bulk", *words], cwd=ROOT, check=False)
    if done.returncode not in (0, 3):
        sys.exit(f"attendo bulk {words[0]} ended with {done.returncode}")
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--lines-per-shard", type=int, default=SHARD)
    parser.add_argument("--workers", type=int, help="processes; by default one for each GPU")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--beam", type=int, default=4)
    parser.add_argument("--folder", type=Path, help="a place with room; by default a temporary one")
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp(dir=asked.folder))
    try:
        source, work, out = folder / "lines.txt", folder / "work", folder / "out.txt"
        different = write_lines(source, asked.lines)
        plan = [
            "--to",
            "en",
            "--from",
            "zh",
            "--lines-per-shard",
            str(asked.lines_per_shard),
            "--beam",
            str(asked.beam),
        ]
        planned = attendo("plan", str(source), str(work), *plan)
        run = [
            "--device",
            asked.device,
            "--engine",
            "torch",
            *(["--workers", str(asked.workers)] if asked.workers else []),
        ]
        with GpuWatch() as watch:
            ran = attendo("run", str(work), *run)
        joined = attendo("join", str(work), "--out", str(out))
        with out.open("rb") as file:
            lines = sum(1 for _ in file)
        assert lines == asked.lines, f"{asked.lines} lines came in and {lines} went out"
        status = [sys.executable, "-m", "attendo", "bulk", "status", str(work), "--json"]
        state = json.loads(subprocess.run(status, cwd=ROOT, capture_output=True, check=True).stdout)
        print(describe_machine())
        numbers = {
            "lines": lines, "different_lines": different, "shards": state["shards"], "workers": asked.workers,
            "device": asked.device, "engines": state["engines"], "plan_seconds": round(planned, 1),
            "run_seconds": round(ran, 1), "join_seconds": round(joined, 1), "lines_per_second": round(lines / ran, 1),
            "gpu_busy_percent": watch.busy(), "gpu_hours": state["gpu_hours"], "core_hours": state["core_hours"],
        }  # fmt: skip
        print(json.dumps(numbers, indent=1))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
