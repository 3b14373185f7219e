"""Run experiments: seed by seed from the cache, where the code is still the same, else anew; then judge."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from attendo.cache_folder import cache_folder
from attendo.durable import write_file
from attendo.lab.claim import Experiment, Numbers, Runs, Size, Verdict
from attendo.lab.code_hash import code_hash

FIRST_SEED = 1


@dataclass(frozen=True)
class Outcome:
    experiment: Experiment
    size: Size
    seeds: tuple[int, ...]
    runs: Runs
    seconds: float  # that measuring took, when it was done
    code: str  # the hash of what measured

    @property
    def claim_id(self) -> str:
        return self.experiment.id

    @property
    def verdict(self) -> Verdict:
        return self.experiment.judge(self.runs)


def run_experiment(experiment: Experiment, size: Size, first_seed: int = FIRST_SEED, fresh: bool = False) -> Outcome:
    """One thread: small models gain nothing from more, and rounding stays the same on every machine."""
    seeds = tuple(range(first_seed, first_seed + experiment.seeds[size]))
    code = code_hash(experiment.module)
    kept = cache_folder() / "lab" / f"{experiment.id}-{size}-{first_seed}-{code}.json"
    if not fresh and (found := read_kept(kept, len(seeds))):
        return Outcome(experiment, size, seeds, found[0], found[1], code)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    started = time.perf_counter()
    try:
        runs = experiment.measure(seeds, size)
    finally:
        torch.set_num_threads(threads)
    seconds = time.perf_counter() - started
    kept.parent.mkdir(parents=True, exist_ok=True)
    write_file(kept, json.dumps({"seconds": seconds, "runs": list(map(dict, runs))}).encode())
    return Outcome(experiment, size, seeds, runs, seconds, code)


def read_kept(path: Path, seeds: int) -> tuple[list[Numbers], float] | None:
    """What an earlier run kept; anything that is not whole is measured again."""
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
        runs, seconds = table["runs"], float(table["seconds"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    whole = isinstance(runs, list) and len(runs) == seeds and all(isinstance(run, dict) for run in runs)
    return (runs, seconds) if whole else None


def run_all(
    experiments: Sequence[Experiment],
    size: Size,
    workers: int,
    told: Callable[[Outcome], None] = lambda outcome: None,
    first_seed: int = FIRST_SEED,
    fresh: bool = False,
) -> list[Outcome]:
    """Several at a time, each in a process of its own; in the order asked for."""
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import get_context

    if workers <= 1 or len(experiments) <= 1:
        found = []
        for experiment in experiments:
            found.append(run_experiment(experiment, size, first_seed, fresh))
            told(found[-1])
        return found
    by_id: dict[str, Outcome] = {}
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        coming = {pool.submit(in_a_worker, one.id, size, first_seed, fresh): one for one in experiments}
        for future in as_completed(coming):
            experiment = coming[future]
            seeds, runs, seconds, code = future.result()
            by_id[experiment.id] = Outcome(experiment, size, seeds, runs, seconds, code)
            told(by_id[experiment.id])
    return [by_id[experiment.id] for experiment in experiments]


def in_a_worker(
    claim_id: str, size: Size, first_seed: int, fresh: bool
) -> tuple[tuple[int, ...], list[Numbers], float, str]:
    """By its id: functions inside a function cannot be sent to a process."""
    from attendo.lab.claims import EXPERIMENTS

    outcome = run_experiment(EXPERIMENTS[claim_id], size, first_seed, fresh)
    return outcome.seeds, list(map(dict, outcome.runs)), outcome.seconds, outcome.code


def numbers_table(runs: Runs) -> Mapping[str, list[object]]:
    """name -> what each seed gave."""
    return {name: [run[name] for run in runs] for name in runs[0]}
