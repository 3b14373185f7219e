"""Runs on a GPU that are ended by SIGKILL and started again: do they end as those that nobody disturbed?

    python -m benchmarks.survival_on_gpu [--steps 400] [--side-by-side 4]

Each way of computing a step trains Multi30k from English to German by a plain `attendo train`: once, once more, and
once with two kills, each at a time drawn at random after the first checkpoint. One run is started by torchrun as a
single rank, with NCCL. What is compared is the sha256 of the model's weights; they are equal to the last bit or not.
"""

import argparse
import hashlib
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.machine import ROOT, describe_machine

ATTENDO = ("-m", "attendo")
ONE_RANK = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node=1", "-m", "attendo")
CHECKPOINT_EVERY = 50  # steps
KILLS = 2


@dataclass(frozen=True)
class Way:
    name: str
    recipe: str
    settings: tuple[str, ...] = ()

    def arguments(self, folder: Path, steps: int) -> list[str]:
        settings = (
            f"training.max_steps={steps}", "training.warmup_steps=100", f"training.checkpoint_every={CHECKPOINT_EVERY}",
            f"validation.every={steps}", "validation.metric=loss", "validation.max_pairs=0", *self.settings,
        )  # fmt: skip
        chosen = [part for each in settings for part in ("--set", each)]
        return ["train", str(ROOT / "recipes" / self.recipe), "--run-dir", str(folder), *chosen]


BASE = ("model.preset=base", "model.dropout=0.1", "training.tokens_per_batch=8192")
WAYS = (
    Way("few programs", "multi30k-en-de.toml", BASE),
    Way("few programs, R-Drop", "multi30k-r-drop.toml"),
    Way("torch.compile", "multi30k-en-de.toml", (*BASE, "training.compile=on")),
    Way("torch.compile, R-Drop", "multi30k-r-drop.toml", ("training.compile=on",)),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--side-by-side", type=int, default=4, help="runs at a time")
    parser.add_argument("--seed", type=int, default=1, help="of the moments of the kills")
    options = parser.parse_args()
    print(f"{describe_machine()}: {options.steps} steps, {options.side_by_side} runs at a time\n", flush=True)
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(options.side_by_side) as pool:
        folder, steps = Path(scratch), options.steps
        found = {
            way.name: {
                "undisturbed": pool.submit(undisturbed, way, folder / f"{number}-whole", steps),
                "once more": pool.submit(undisturbed, way, folder / f"{number}-again", steps),
                f"killed {KILLS} times": pool.submit(killed, way, folder / f"{number}-killed", steps, options.seed),
            }
            for number, way in enumerate(WAYS)
        }
        alone = pool.submit(undisturbed, WAYS[0], folder / "one-rank", steps, ONE_RANK)
        found[WAYS[0].name]["one rank of torchrun, NCCL"] = alone
        print("| step | run | killed at step | sha256 of the weights | equal |\n|---|---|---|---|---|")
        all_equal = True
        for name, runs in found.items():
            first = runs["undisturbed"].result()
            for run, future in runs.items():
                ended = future.result()
                at = ", ".join(map(str, ended.killed_at)) or "-"
                equal = "-" if run == "undisturbed" else "yes" if ended.weights == first.weights else "NO"
                all_equal = all_equal and equal != "NO"
                print(f"| {name} | {run} | {at} | {ended.weights[:16]}… | {equal} |", flush=True)
    raise SystemExit(0 if all_equal else "not all are equal")


@dataclass(frozen=True)
class Ended:
    weights: str  # sha256
    killed_at: tuple[int, ...] = ()  # the last steps that its log had


def undisturbed(way: Way, folder: Path, steps: int, start: Sequence[str] = ATTENDO) -> Ended:
    finish(way, folder, steps, start)
    return Ended(weights_of(folder))


def killed(way: Way, folder: Path, steps: int, seed: int) -> Ended:
    moments = sorted(random.Random(f"{seed}{way.name}").sample(range(CHECKPOINT_EVERY + 5, steps - 20), KILLS))
    at = tuple(killed_after(way, folder, steps, moment) for moment in moments)
    finish(way, folder, steps)
    return Ended(weights_of(folder), at)


def killed_after(way: Way, folder: Path, steps: int, moment: int) -> int:
    """Killed when its log has come to this step -> the step it had really come to."""
    with (folder.parent / f"{folder.name}.log").open("a") as said:
        process = subprocess.Popen([sys.executable, *ATTENDO, *way.arguments(folder, steps)], stdout=said, stderr=said)
        wait_until(lambda: last_step(folder) >= moment, process)
        process.kill()
        process.wait()
    return last_step(folder)


def wait_until(there: Callable[[], bool], process: "subprocess.Popen[bytes]") -> None:
    while not there():
        if process.poll() is not None:
            raise SystemExit(f"a run ended before it was to be killed, with exit code {process.returncode}")
        time.sleep(0.01)


def last_step(folder: Path) -> int:
    log = folder / "log.jsonl"
    return log.read_bytes().count(b'"learning_rate"') if log.exists() else 0


def finish(way: Way, folder: Path, steps: int, start: Sequence[str] = ATTENDO) -> None:
    done = subprocess.run(
        [sys.executable, *start, *way.arguments(folder, steps)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{way.name}: exit code {done.returncode}\n{done.stderr[-2_000:]}")


def weights_of(folder: Path) -> str:
    digest = hashlib.sha256()
    with (folder / "model" / "model.safetensors").open("rb") as file:
        for part in iter(partial(file.read, 2**20), b""):
            digest.update(part)
    return digest.hexdigest()


if __name__ == "__main__":
    main()
