"""Time to quality: seconds from raw text to a translator that has 41.0 tokenised lower-cased BLEU on Multi30k test2016.

python -m benchmarks.speedrun                      recipes/multi30k-speedrun.toml, three times, on a GPU if there is one
python -m benchmarks.speedrun --times 1 --set training.max_steps=20      to try it

Everything is counted, from the start of the interpreter to the score: imports, reading, the tokenizer, training,
validation, translating the test set, scoring. The rules are in docs/speedrun.md.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
RECIPE = ROOT / "recipes" / "multi30k-speedrun.toml"
TEST = "en-de/multi30k.test2016.tsv"
TO_REACH = 41.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--recipe", type=Path, default=RECIPE)
    parser.add_argument("--set", action="append", default=[], metavar="TABLE.KEY=VALUE", dest="settings")
    parser.add_argument("--times", type=int, default=3, help="runs, each with a seed of its own")
    parser.add_argument("--began", type=float, help=argparse.SUPPRESS)  # in the process that is being timed
    options = parser.parse_args()
    if options.began is not None:
        timed(options.recipe, options.settings, options.began)
        return
    runs = [
        in_a_new_process(options.recipe, [*options.settings, f"training.seed={n + 1}"]) for n in range(options.times)
    ]
    show(options.recipe, runs)


@dataclass(frozen=True)
class Timed:
    splits: dict[str, float]  # what was done -> the seconds it took, in order
    validation: float
    score: float  # tokenised lower-cased BLEU of the test set
    signature: str
    device: str

    @property
    def seconds(self) -> float:
        return sum(self.splits.values())


def in_a_new_process(recipe: Path, settings: list[str]) -> Timed:
    """The clock of all processes of a machine is one, so the start of the interpreter counts, too."""
    command = [sys.executable, "-m", "benchmarks.speedrun", "--recipe", str(recipe)]
    command += [part for setting in settings for part in ("--set", setting)]
    with tempfile.TemporaryDirectory() as cache:  # nothing is ready from an earlier run
        done = subprocess.run(
            [*command, "--began", repr(time.monotonic())],
            stdout=subprocess.PIPE, text=True, check=True, env=os.environ | {"ATTENDO_CACHE": cache}, cwd=ROOT,
        )  # fmt: skip
    return Timed(**json.loads(done.stdout.strip().split("\n")[-1]))


def timed(recipe_file: Path, settings: list[str], began: float) -> None:
    import attendo
    from attendo.data.corpus import CorpusFile
    from attendo.data.lines import ignore
    from attendo.evaluation.metrics import published_bleu
    from attendo.recipe.read import read_recipe
    from attendo.runs.train import train
    from attendo.training.callback import Callback, StepRecord, ValidationRecord
    from attendo.training.device import choose_machine
    from attendo.translation.options import TranslationOptions
    from benchmarks.machine import data_folder

    class Clock(Callback):
        """A callback of the training that also keeps the times of all the rest."""

        def __init__(self) -> None:
            self.last = began
            self.splits: dict[str, float] = {}
            self.best = 0.0

        def split(self, name: str) -> None:
            now = time.monotonic()
            self.splits[name] = self.splits.get(name, 0.0) + now - self.last
            self.last = now

        def on_start(self, step: int, max_steps: int) -> None:
            self.split("reading, tokenizer, encoding, building the model")

        def on_step(self, record: StepRecord) -> None:
            self.split("first step" if record.step == 1 else "training")

        def on_validation_start(self, step: int) -> None:
            self.split("training")

        def on_validation(self, record: ValidationRecord) -> None:
            self.split("validation")
            self.best = max(self.best, record.scores["bleu"])

    clock = Clock()
    clock.split("interpreter and imports")
    recipe = read_recipe(recipe_file, settings)
    with tempfile.TemporaryDirectory() as folder:
        result = train(recipe, Path(folder) / "run", callbacks=[clock])
        clock.split("model folder and report")
        pairs = list(CorpusFile(data_folder() / TEST).pairs(ignore))
        machine = choose_machine(recipe.training)
        translator = attendo.load(result.model, engine="torch", device=machine.device.type)
        answers = translator.translate([pair.source for pair in pairs], to="de", options=TranslationOptions(beam=5))
        clock.split("translating the test set")
    score = published_bleu([answer.text for answer in answers], [[pair.target for pair in pairs]], "de")
    clock.split("scoring")
    device = machine.to_dict()["device"]
    print(json.dumps(Timed(clock.splits, clock.best, score.score, score.signature, device).__dict__))


def show(recipe: Path, runs: list[Timed]) -> None:
    from benchmarks.machine import describe_machine

    where = f"{describe_machine()}, {runs[0].device}"
    print(f"<!-- python -m benchmarks.speedrun --recipe {recipe.name}; {where} -->\n")
    print(f"| seconds | {' | '.join(f'run {n + 1}' for n in range(len(runs)))} | median |")
    print(f"|---|{'---:|' * (len(runs) + 1)}")
    for name in runs[0].splits:
        print(row(name, [run.splits.get(name, 0.0) for run in runs], 1))
    print(row("**from raw text to the score**", [run.seconds for run in runs], 1))
    print(row("validation BLEU, greedy", [run.validation for run in runs], 2))
    print(row("tokenised lower-cased BLEU, test2016, beam 5", [run.score for run in runs], 2))
    reached = sum(run.score >= TO_REACH for run in runs)
    print(f"\n{reached} of {len(runs)} runs reached {TO_REACH} ({runs[0].signature}).")


def row(name: str, values: list[float], digits: int) -> str:
    cells = [f"{value:,.{digits}f}" for value in [*values, statistics.median(values)]]
    return f"| {name} | {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
