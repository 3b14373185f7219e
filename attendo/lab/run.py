"""Run experiments: seed by seed from the cache, where the code is still the same, else anew; then judge.

Claims about real models are measured by size "full" alone; their stored evidence serves size "quick".
"""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import torch

from attendo.errors import AttendoError, InputError
from attendo.files.cache_folder import cache_folder
from attendo.lab.claim import Experiment, Runs, Size, Verdict, number
from attendo.lab.tools.evidence import Evidence, code_hash, hardware, read_evidence, stored_path, today, write_evidence
from attendo.lab.tools.texts import Language, fill_in, read_text
from attendo.lab.tools.tuning import TunedRates, rates_of

FIRST_SEED = 1
TUNING_SEED = 5000  # the first by which learning rates are chosen: no verdict stands on these


@dataclass(frozen=True)
class ClaimResult:
    experiment: Experiment
    evidence: Evidence
    stored: bool = False  # measured at another time, and kept with the claims
    stale: bool = False  # stored, and the code is another by now

    @property
    def claim_id(self) -> str:
        return self.experiment.id

    @property
    def seeds(self) -> tuple[int, ...]:
        return self.evidence.seeds

    @property
    def runs(self) -> Runs:
        return self.evidence.runs

    @property
    def seconds(self) -> float:
        return self.evidence.seconds

    @property
    def verdict(self) -> Verdict:
        return self.experiment.judge(self.runs)


def run_experiment(
    experiment: Experiment, size: Size, first_seed: int = FIRST_SEED, fresh: bool = False
) -> ClaimResult:
    if reads_stored(experiment, size):
        return from_stored(experiment)
    return ClaimResult(experiment, measured(experiment, size, first_seed, fresh))


def measured(experiment: Experiment, size: Size, first_seed: int, fresh: bool) -> Evidence:
    """One thread: small models gain nothing from more, and rounding stays the same on every machine without a GPU."""
    seeds = tuple(range(first_seed, first_seed + experiment.seeds[size]))
    code = code_behind(experiment, size)
    kept = cache_folder() / "lab" / f"{experiment.id}-{size}-{first_seed}-{code}.json"
    if not fresh and (found := read_kept(kept, seeds)):
        return found
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    started = time.perf_counter()
    try:
        runs = experiment.measure(seeds, size)
    finally:
        torch.set_num_threads(threads)
    seconds = time.perf_counter() - started
    data = data_behind(experiment, size)
    evidence = Evidence(experiment.id, size, seeds, seconds, code, hardware(), today(), runs, data)
    write_evidence(kept, evidence)
    return evidence


def code_behind(experiment: Experiment, size: Size) -> str:
    """With the learning rates of this claim where they come from the table; another's are no reason to measure anew."""
    tuned = experiment.tunes and size == "quick"
    return code_hash(experiment.module, json.dumps(rates_of(experiment.id), sort_keys=True) if tuned else "")


def data_behind(experiment: Experiment, size: Size) -> Mapping[str, str] | None:
    if experiment.evidence == "measured" or size == "small":
        return None
    from attendo.lab.tools.real_training import data_hashes

    return data_hashes()


def read_kept(path: Path, seeds: tuple[int, ...]) -> Evidence | None:
    """What an earlier run kept; anything that is not whole is measured again."""
    try:
        found = read_evidence(path)
    except AttendoError:
        return None
    return found if found.seeds == seeds else None


# --- stored evidence


def reads_stored(experiment: Experiment, size: Size) -> bool:
    return experiment.evidence == "stored" and size == "quick"


def how_to_store(experiment: Experiment) -> str:
    return f"attendo lab run {experiment.id} --full --store makes it, on a GPU in some minutes"


def from_stored(experiment: Experiment) -> ClaimResult:
    path = stored_path(experiment.id)
    if not path.exists():
        raise InputError(f"{experiment.id} has no stored evidence yet: {how_to_store(experiment)}")
    evidence = read_evidence(path)
    if (evidence.claim, evidence.size) != (experiment.id, "full"):
        raise InputError(
            f"{path} is evidence for {evidence.claim}, size {evidence.size}: expected {experiment.id}, size full"
        )
    if not evidence.data:
        raise InputError(f"{path} does not say from which data it was made: {how_to_store(experiment)}")
    check_fits(experiment, evidence.runs, path)
    return ClaimResult(experiment, evidence, stored=True, stale=evidence.code != code_hash(experiment.module))


def check_fits(experiment: Experiment, runs: Runs, path: Path) -> None:
    """Numbers that rule, words and picture ask for may have got other names since."""
    try:
        verdict = experiment.judge(runs)
        experiment.draw(runs, lambda english, chinese: english)
        for language in get_args(Language):
            text = read_text(experiment, language)
            for part in (text.method, text.picture, text.why[verdict]):
                fill_in(part, runs)
    except (AttendoError, LookupError, TypeError, ValueError) as error:
        raise InputError(
            f"{path} does not fit the experiment of today ({type(error).__name__}: {error}): {how_to_store(experiment)}"
        ) from error


# --- learning rates


def tuned_to(result: ClaimResult) -> TunedRates:
    """The rate that was best for each side; it is the same in all seeds, which were tuned together."""
    evidence, (first, *_) = result.evidence, result.runs
    rates = {name.removeprefix("rate_"): number(first, name) for name in first if name.startswith("rate_")}
    return TunedRates(evidence.date, evidence.machine, evidence.seeds, evidence.code, rates)


# --- many


def run_all(
    experiments: Sequence[Experiment],
    size: Size,
    workers: int,
    on_result: Callable[[ClaimResult], None] = lambda result: None,
    first_seed: int = FIRST_SEED,
    fresh: bool = False,
) -> list[ClaimResult]:
    """Several at a time, each in a process of its own; in the order asked for."""
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import get_context

    if workers <= 1 or len(experiments) <= 1:
        found = []
        for experiment in experiments:
            found.append(run_experiment(experiment, size, first_seed, fresh))
            on_result(found[-1])
        return found
    by_id: dict[str, ClaimResult] = {}
    for experiment in experiments:
        if reads_stored(experiment, size):  # no work for a process
            by_id[experiment.id] = from_stored(experiment)
            on_result(by_id[experiment.id])
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        coming = {
            pool.submit(in_a_worker, experiment.id, size, first_seed, fresh): experiment
            for experiment in experiments
            if experiment.id not in by_id
        }
        for future in as_completed(coming):
            experiment = coming[future]
            by_id[experiment.id] = ClaimResult(experiment, future.result())
            on_result(by_id[experiment.id])
    return [by_id[experiment.id] for experiment in experiments]


def in_a_worker(claim_id: str, size: Size, first_seed: int, fresh: bool) -> Evidence:
    """By its id: functions inside a function cannot be sent to a process."""
    from attendo.lab.claims import EXPERIMENTS

    return measured(EXPERIMENTS[claim_id], size, first_seed, fresh)


def numbers_table(runs: Runs) -> Mapping[str, list[object]]:
    """name -> what each seed gave."""
    return {name: [run[name] for run in runs] for name in runs[0]}
