"""Many trainings side by side on one machine, and what came of each, as a table.

python -m benchmarks.experiments benchmarks/multi30k/settings.toml --out runs/settings --side-by-side 8

The plan names recipes and what is changed in each; every run is a plain `attendo train`, and its model is judged by a
plain `attendo evaluate`. A row is printed, and kept in OUT/results.jsonl, as soon as its run has ended; what is there
already is not done again. A plan without `test` is judged on the validation set alone, which is where choices are made.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from math import prod
from pathlib import Path
from typing import Any

from attendo.files.tensor_file import read_header
from attendo.training.log import read_log
from benchmarks.machine import ROOT, data_folder, describe_machine

ATTENDO = (sys.executable, "-m", "attendo")


@dataclass(frozen=True)
class Experiment:
    name: str
    recipe: str
    settings: tuple[str, ...]  # as after --set
    seeds: tuple[int, ...]
    judged_on: tuple[tuple[str, str], ...]  # target language and file


@dataclass(frozen=True)
class Plan:
    experiments: tuple[Experiment, ...]
    search: tuple[str, ...]  # options of `attendo evaluate`


@dataclass(frozen=True)
class Result:
    experiment: str
    seed: int
    to: str
    file: str
    published: float  # tokenised lower-cased BLEU
    published_interval: tuple[float, float] | None
    published_signature: str
    bleu: float
    interval: tuple[float, float] | None
    signature: str
    chrf: float
    validation: float  # the best score of the run's own validations
    step: int  # when it had it
    parameters: int
    seconds: float  # from the command to the model folder, beside whatever else ran


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("plan", type=Path)
    parser.add_argument("--out", type=Path, required=True, help="folder of the runs and of results.jsonl")
    parser.add_argument("--side-by-side", type=int, default=1, help="runs at a time")
    parser.add_argument("--only", nargs="+", help="names of experiments")
    parser.add_argument("--show", action="store_true", help="the table of what is there, and nothing else")
    parser.add_argument("--each", action="store_true", help="also a table with a row for each seed")
    options = parser.parse_args()
    plan = read_plan(options.plan)
    options.out.mkdir(parents=True, exist_ok=True)
    kept = options.out / "results.jsonl"
    found = [read_result(line) for line in kept.read_text().split("\n")[:-1]] if kept.exists() else []
    done = {(result.experiment, result.seed, result.to) for result in found}
    wanted = [one for one in plan.experiments if not options.only or one.name in options.only]
    missing = [
        (one, seed)
        for one in wanted
        for seed in one.seeds
        if not options.show and any((one.name, seed, to) not in done for to, _ in one.judged_on)
    ]
    print(f"<!-- python -m benchmarks.experiments {options.plan}; {describe_machine()}, {device()} -->\n", flush=True)
    with ThreadPoolExecutor(options.side_by_side) as pool, kept.open("a") as log:
        for future in as_completed(
            [pool.submit(train_and_evaluate, one, seed, options.out, plan.search) for one, seed in missing]
        ):
            for result in future.result():
                found.append(result)
                print(f"{result.experiment}, seed {result.seed}, {result.to}: {result.published:.2f}", file=sys.stderr)
                print(json.dumps(asdict(result)), file=log, flush=True)
    table(wanted, found)
    if options.each:
        table_of_seeds(wanted, found)


def read_plan(path: Path) -> Plan:
    plan = tomllib.loads(path.read_text(encoding="utf-8"))
    everywhere, seeds = plan.get("set", []), plan.get("seeds", [1])
    judged_on = {to: str(file) for to, file in plan["judged_on"].items()}
    experiments = []
    for one in plan["experiment"]:
        languages = one.get("to", list(judged_on))
        experiments.append(
            Experiment(
                one["name"],
                one.get("recipe", plan["recipe"]),
                (*everywhere, *one.get("set", [])),
                tuple(one.get("seeds", seeds)),
                tuple((to, judged_on[to]) for to in languages),
            )
        )
    return Plan(tuple(experiments), tuple(plan.get("search", [])))


def read_result(line: str) -> Result:
    return Result(**json.loads(line))


def train_and_evaluate(experiment: Experiment, seed: int, out: Path, search: Sequence[str]) -> list[Result]:
    """The run, and its scores; a run that fails is reported, and the others go on."""
    folder = out / f"{experiment.name}-{seed}"
    settings = [part for each in (*experiment.settings, f"training.seed={seed}") for part in ("--set", each)]
    spent = out / f"{experiment.name}-{seed}.seconds"  # a run that is finished is not timed again
    started = time.perf_counter()
    command = [*ATTENDO, "train", str(ROOT / experiment.recipe), "--run-dir", str(folder), *settings]
    with (out / f"{experiment.name}-{seed}.log").open("w") as log:
        code = subprocess.run(command, stdout=log, stderr=log, check=False).returncode
    if code == 0 and not spent.exists():
        spent.write_text(f"{time.perf_counter() - started:.0f}")
    if code:
        print(f"{experiment.name}, seed {seed}: exit code {code}, see its log in {out}", file=sys.stderr, flush=True)
        return []
    step, validation = best_validation(folder)
    parameters = sum(prod(info.shape) for info in read_header(folder / "model" / "model.safetensors").values())
    results = []
    for to, file in experiment.judged_on:
        translations = out / f"{experiment.name}-{seed}.{to}.txt"
        scores = evaluate_model(folder / "model", to, file, search, translations)
        if scores is None:
            continue
        published, bleu = scores["tokenised_lowercased_bleu"], scores["bleu"]
        results.append(
            Result(
                experiment.name, seed, to, file, published["score"], published.get("interval"), published["signature"],
                bleu["score"], bleu.get("interval"), bleu["signature"], scores["chrf"]["score"], validation, step,
                parameters, float(spent.read_text()),
            )
        )  # fmt: skip
    return results


def best_validation(folder: Path) -> tuple[int, float]:
    log = read_log(folder / "log.jsonl")
    scores = [(line["validation"]["bleu"], line["step"]) for line in log if "validation" in line]
    bleu, step = max(scores)
    return step, bleu


def evaluate_model(model: Path, to: str, file: str, search: Sequence[str], translations: Path) -> dict[str, Any] | None:
    command = [
        *ATTENDO, "evaluate", "--model", str(model), "--to", to, str(data_folder() / file), "--published", "--json",
        "--write-translations", str(translations), *search,
    ]  # fmt: skip
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    if process.returncode:
        print(f"{model}: {process.stderr.strip()}", file=sys.stderr, flush=True)
        return None
    scores: dict[str, Any] = json.loads(process.stdout)[0]
    return scores


def device() -> str:
    import torch

    return torch.cuda.get_device_name() if torch.cuda.is_available() else "CPU"


def table(experiments: Sequence[Experiment], found: Sequence[Result]) -> None:
    """A row for each experiment and language; over several seeds the mean, ± the standard deviation."""
    print("| experiment | changed | parameters | to | tokenised lower-cased BLEU | BLEU | chrF2 | step | seconds |")
    print("|---|---|---:|---|---:|---:|---:|---:|---:|")
    rows = []
    for one in experiments:
        changed = ", ".join(f"`{setting}`" for setting in one.settings) or "–"
        for to, _ in one.judged_on:
            mine = [result for result in found if result.experiment == one.name and result.to == to]
            if not mine:
                rows.append((0.0, f"| {one.name} | {changed} | | {to} | failed | | | | |"))
                continue
            rows.append(
                (
                    -statistics.mean(result.published for result in mine),
                    f"| {one.name} | {changed} | {mine[0].parameters / 1e6:.1f} M | {to} "
                    f"| {spread([result.published for result in mine], 2)} "
                    f"| {spread([result.bleu for result in mine], 2)} | {spread([result.chrf for result in mine], 1)} "
                    f"| {spread([result.step for result in mine], 0)} "
                    f"| {spread([result.seconds for result in mine], 0)} |",
                )
            )
    for _, row in sorted(rows, key=lambda row: row[0]):
        print(row)


def table_of_seeds(experiments: Sequence[Experiment], found: Sequence[Result]) -> None:
    """The score of every run, with the interval that sacreBLEU's bootstrap gives it."""
    print("\n| experiment | to | seed | tokenised lower-cased BLEU | BLEU | chrF2 |\n|---|---|---:|---:|---:|---:|")
    for one in experiments:
        for result in sorted((each for each in found if each.experiment == one.name), key=lambda each: each.seed):
            print(
                f"| {one.name} | {result.to} | {result.seed} | {within(result.published, result.published_interval)} "
                f"| {within(result.bleu, result.interval)} | {result.chrf:.1f} |"
            )
    for signature in sorted({each.published_signature for each in found} | {each.signature for each in found}):
        print(f"\n`{signature}`")


def within(score: float, interval: tuple[float, float] | None) -> str:
    return f"{score:.2f}" + (f" ({interval[0]:.1f} to {interval[1]:.1f})" if interval else "")


def spread(values: Sequence[float], digits: int) -> str:
    middle = f"{statistics.mean(values):,.{digits}f}"
    return middle if len(values) == 1 else f"{middle} ± {statistics.stdev(values):,.{digits}f}"


if __name__ == "__main__":
    main()
