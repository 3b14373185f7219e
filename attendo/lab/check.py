"""Holds the code of today against the code that measured stored evidence, by small runs (tools/small_runs.py)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from attendo.lab.claim import Experiment
from attendo.lab.knobs import settings_of
from attendo.lab.run import Wanted, code_behind, measured
from attendo.lab.tools.evidence import read_evidence, stored_path
from attendo.lab.tools.small_runs import SmallRun, different, read_small_runs, what_repeats, write_small_runs

Found = Literal["as measured", "same numbers", "other numbers", "nothing to compare with", "no evidence"]


@dataclass(frozen=True)
class CheckedClaim:
    claim: str
    found: Found
    names: Sequence[str] = ()  # of numbers that are others now

    @property
    def is_stale(self) -> bool:
        return self.found not in ("as measured", "same numbers")


def check_claims(experiments: Sequence[Experiment]) -> list[CheckedClaim]:
    """And keep what was found: a small run of code that is the evidence's own, and which later code gives the same."""
    rows, found = read_small_runs(), []
    for experiment in experiments:
        one, row = check_claim(experiment, rows.get(experiment.id))
        found.append(one)
        rows.pop(experiment.id, None)
        if row is not None:
            rows[experiment.id] = row
    write_small_runs(rows)
    return found


def check_claim(experiment: Experiment, row: SmallRun | None) -> tuple[CheckedClaim, SmallRun | None]:
    """`row`: what is kept of it; the second that is returned is to be kept. A row of other evidence is not."""
    if not stored_path(experiment.id).exists():
        return CheckedClaim(experiment.id, "no evidence"), None
    evidence = read_evidence(stored_path(experiment.id))
    now = code_behind(experiment, settings_of(experiment.knobs, "full"))
    if row is not None and row.code != evidence.code:
        row = None
    if now == evidence.code:
        if row is None:
            one, again = (small_run(experiment) for _ in range(2))
            row = SmallRun(evidence.code, "", what_repeats(one, again))
        return CheckedClaim(experiment.id, "as measured"), row
    if row is None:
        return CheckedClaim(experiment.id, "nothing to compare with"), None
    if names := different(row.runs, small_run(experiment)):
        return CheckedClaim(experiment.id, "other numbers", names), replace(row, still="")
    return CheckedClaim(experiment.id, "same numbers"), replace(row, still=now)


def small_run(experiment: Experiment) -> Sequence[dict[str, float | Sequence[float]]]:
    return [dict(run) for run in measured(experiment, Wanted("small", fresh=True)).runs]
