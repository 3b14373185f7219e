"""Run experiments: from stored evidence, from the cache, where the code is still the same, or anew; then judge.

What takes seconds is always measured. Of trained models the full run is stored, and shown unless a size is asked for.
"""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import get_args

import torch

from attendo.errors import AttendoError, ConfigError, InputError, UsageError
from attendo.files.cache_folder import cache_folder
from attendo.lab.claim import Experiment, Runs, Verdict, number
from attendo.lab.knobs import Settings, Size, settings_of
from attendo.lab.tools.code_hash import code_hash, reached_modules
from attendo.lab.tools.data_files import data_hashes
from attendo.lab.tools.evidence import Evidence, hardware, read_evidence, stored_path, today, write_evidence
from attendo.lab.tools.small_runs import read_small_runs
from attendo.lab.tools.texts import Language, fill_in, read_text
from attendo.lab.tools.tuning import TunedRates, rates_of

FIRST_SEED = 1
TRAINS_REAL_MODELS = "attendo.lab.tools.real_training"


@dataclass(frozen=True)
class ClaimResult:
    experiment: Experiment
    evidence: Evidence
    stored: bool = False  # measured at another time, and kept with the claims
    changed: bool = False  # stored, and the code is another by now
    stale: bool = False  # and it is not known to give the same numbers in a small run
    turned: Mapping[str, str] = field(default_factory=dict)  # knobs that are not where the claim has them

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

    @property
    def steps(self) -> int | None:
        """Of training, where something is trained; in the mean, where the seeds have not the same batches."""
        steps = [run.get("steps") for run in self.runs]
        counts = [count for count in steps if isinstance(count, int | float)]
        return round(fmean(counts)) if counts else None


@dataclass(frozen=True)
class Wanted:
    """How experiments are to be run."""

    size: Size | None = None  # None: what is stored, or quick where it takes seconds
    first_seed: int = FIRST_SEED
    fresh: bool = False  # not from the cache
    turned: Mapping[str, str] = field(default_factory=dict)  # knob -> value

    @property
    def measured_size(self) -> Size:
        return self.size or "quick"


def run_experiment(experiment: Experiment, wanted: Wanted) -> ClaimResult:
    if reads_stored(experiment, wanted):
        return from_stored(experiment)
    return ClaimResult(experiment, measured(experiment, wanted), turned=wanted.turned)


def measured(experiment: Experiment, wanted: Wanted) -> Evidence:
    """One thread: small models gain nothing from more, and rounding stays the same on every machine without a GPU."""
    size = wanted.measured_size
    at = settings_of(experiment.knobs, size, wanted.turned)
    seeds = seeds_from(experiment, wanted)
    code = code_behind(experiment, at)
    kept = kept_path(experiment, wanted, code)
    if not wanted.fresh and (found := read_kept(kept, seeds)):
        return found
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        if wanted.turned and experiment.evidence == "trained" and size != "small":
            try_few_steps(experiment, at)
        started = time.perf_counter()
        runs = [{**at.numbers(), **run} for run in experiment.measure(seeds, at)]
    except ConfigError as error:
        if not wanted.turned:
            raise
        raise UsageError(f"{as_words(wanted.turned)} cannot be: {error}") from error  # 9 heads of 32 columns
    finally:
        torch.set_num_threads(threads)
    seconds = time.perf_counter() - started
    data = data_behind(experiment, size)
    evidence = Evidence(experiment.id, size, seeds, seconds, code, hardware(), today(), runs, data)
    write_evidence(kept, evidence)
    return evidence


def try_few_steps(experiment: Experiment, at: Settings) -> None:
    """A model that cannot be is found in seconds, not after others have been trained for minutes."""
    few = {"steps": settings_of(experiment.knobs, "small").values["steps"]}
    experiment.measure(range(experiment.seeds["small"]), Settings("small", {**at.values, **few}))


def seeds_from(experiment: Experiment, wanted: Wanted) -> tuple[int, ...]:
    return tuple(range(wanted.first_seed, wanted.first_seed + experiment.seeds[wanted.measured_size]))


def as_words(turned: Mapping[str, str]) -> str:
    return ", ".join(f"{name}={value}" for name, value in turned.items())


def kept_path(experiment: Experiment, wanted: Wanted, code: str) -> Path:
    return cache_folder() / "lab" / f"{experiment.id}-{wanted.measured_size}-{wanted.first_seed}-{code}.json"


def code_behind(experiment: Experiment, at: Settings) -> str:
    """With the knobs, and the learning rates of this claim where they come from the table; another's do not matter."""
    decides: dict[str, object] = {"knobs": at.numbers()}
    if experiment.tunes and at.size == "quick":
        decides["rates"] = dict(rates_of(experiment.id))
    return code_hash(experiment.module, json.dumps(decides, sort_keys=True))


def data_behind(experiment: Experiment, size: Size) -> Mapping[str, str] | None:
    if experiment.evidence != "real" or size == "small":
        return None
    return data_hashes(experiment.data)


def read_kept(path: Path, seeds: tuple[int, ...]) -> Evidence | None:
    """What an earlier run kept; anything that is not whole is measured again."""
    try:
        found = read_evidence(path)
    except AttendoError:
        return None
    return found if found.seeds == seeds else None


# --- stored evidence


def reads_stored(experiment: Experiment, wanted: Wanted) -> bool:
    """Nobody measures real models on the way; toy models are measured if a size is named or a knob turned."""
    if experiment.evidence == "real":
        return wanted.measured_size == "quick" and not wanted.turned
    asked_for = wanted.size is not None or wanted.turned or wanted.first_seed != FIRST_SEED or wanted.fresh
    return experiment.evidence == "trained" and not asked_for and stored_path(experiment.id).exists()


def wants_gpu(experiment: Experiment) -> bool:
    """Real models take a CPU days. Other claims about corpora only count and cut, and toy models are small."""
    return experiment.evidence == "real" and TRAINS_REAL_MODELS in reached_modules(experiment.module)


def how_to_store(experiment: Experiment) -> str:
    again = f"attendo lab run {experiment.id} --full --store"
    return f"{again} makes it, on a GPU in some minutes" if wants_gpu(experiment) else f"{again} makes it"


def from_stored(experiment: Experiment) -> ClaimResult:
    path = stored_path(experiment.id)
    if not path.exists():
        raise InputError(f"{experiment.id} has no stored evidence yet: {how_to_store(experiment)}")
    evidence = read_evidence(path)
    if (evidence.claim, evidence.size) != (experiment.id, "full"):
        raise InputError(
            f"{path} is evidence for {evidence.claim}, size {evidence.size}: expected {experiment.id}, size full"
        )
    if experiment.evidence == "real" and not evidence.data:
        raise InputError(f"{path} does not say from which data it was made: {how_to_store(experiment)}")
    check_fits(experiment, evidence.runs, path)
    now = code_behind(experiment, settings_of(experiment.knobs, "full"))
    changed = evidence.code != now
    stale = changed and not still_the_same(experiment.id, evidence.code, now)
    return ClaimResult(experiment, evidence, stored=True, changed=changed, stale=stale)


def still_the_same(claim: str, code: str, now: str) -> bool:
    """A small run of the code of now gave what one of that code gave."""
    row = read_small_runs().get(claim)
    return row is not None and (row.code, row.still) == (code, now)


def stale_claims(experiments: Sequence[Experiment]) -> list[Experiment]:
    """Those whose stored evidence does not speak for the code of today, or is not there."""
    stored = [experiment for experiment in experiments if experiment.evidence != "measured"]
    return [one for one in stored if not stored_path(one.id).exists() or from_stored(one).stale]


def check_fits(experiment: Experiment, runs: Runs, path: Path) -> None:
    """Numbers that rule, words and picture ask for may have got other names since."""
    try:
        verdict = experiment.judge(runs)
        experiment.draw(runs, lambda english, chinese: english)
        for language in get_args(Language):
            text = read_text(experiment, language)
            for part in (text.method, text.picture, text.why[verdict].text, *(value for _, value in text.rows)):
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
    wanted: Wanted,
    workers: int,
    on_result: Callable[[ClaimResult], None] = lambda result: None,
) -> list[ClaimResult]:
    """Several at a time, each in a process of its own; in the order asked for."""
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import get_context

    if workers <= 1 or len(experiments) <= 1:
        found = []
        for experiment in experiments:
            found.append(run_experiment(experiment, wanted))
            on_result(found[-1])
        return found
    by_id: dict[str, ClaimResult] = {}
    for experiment in experiments:
        if reads_stored(experiment, wanted):  # no work for a process
            by_id[experiment.id] = from_stored(experiment)
            on_result(by_id[experiment.id])
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        coming = {
            pool.submit(in_a_worker, experiment.id, wanted): experiment
            for experiment in experiments
            if experiment.id not in by_id
        }
        for future in as_completed(coming):
            experiment = coming[future]
            by_id[experiment.id] = ClaimResult(experiment, future.result(), turned=wanted.turned)
            on_result(by_id[experiment.id])
    return [by_id[experiment.id] for experiment in experiments]


def in_a_worker(claim_id: str, wanted: Wanted) -> Evidence:
    """By its id: functions inside a function cannot be sent to a process."""
    from attendo.lab.claims import EXPERIMENTS

    return measured(EXPERIMENTS[claim_id], wanted)


def numbers_table(runs: Runs) -> Mapping[str, list[object]]:
    """name -> what each seed gave."""
    return {name: [run[name] for run in runs] for name in runs[0]}
