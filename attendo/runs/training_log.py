"""The lines of a run's log.jsonl, sorted into what a report shows."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

SERIES = ("loss", "learning_rate", "gradient_norm", "target_tokens_per_second")
FARTHEST_STEP = 2**53  # beyond, a float cannot tell one step from the next


@dataclass(frozen=True)
class LoggedValidation:
    step: int
    scores: dict[str, float]  # NaN where the log has no number
    best: bool
    samples: list[tuple[str, str, str]]  # source, reference, translation


@dataclass(frozen=True)
class TrainingLog:
    """Steps rise and each stands once: what a resumed run did again replaces what was there before."""

    steps: np.ndarray  # [steps]
    series: dict[str, np.ndarray]  # by name [steps]; NaN where the log has no number
    skipped: list[int]
    validations: list[LoggedValidation]
    resumed: list[int]

    @property
    def best(self) -> LoggedValidation | None:
        return next((validation for validation in reversed(self.validations) if validation.best), None)

    @property
    def last_samples(self) -> LoggedValidation | None:
        return next((validation for validation in reversed(self.validations) if validation.samples), None)

    @property
    def last_step(self) -> int:
        return max([*self.steps[-1:].tolist(), *(validation.step for validation in self.validations[-1:])], default=0)

    def score_names(self) -> list[str]:
        """In the order in which they first appear."""
        return list(dict.fromkeys(name for validation in self.validations for name in validation.scores))

    def scores(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Steps and values, those that are numbers."""
        pairs = [(validation.step, validation.scores.get(name, math.nan)) for validation in self.validations]
        table = np.array([pair for pair in pairs if not math.isnan(pair[1])], dtype=np.float64).reshape(-1, 2)
        return table[:, 0], table[:, 1]


def sort_log(records: Sequence[Mapping[str, Any]]) -> TrainingLog:
    """Records that are none of ours are passed over: a report must not fail for a line that somebody added."""
    steps: dict[int, Mapping[str, Any]] = {}
    validations: dict[int, LoggedValidation] = {}
    resumed = set()
    for record in records:
        step = record.get("step") if isinstance(record, Mapping) else None
        if type(step) is not int or not 0 <= step < FARTHEST_STEP:
            continue
        if isinstance(record.get("validation"), Mapping):
            validations[step] = read_validation(step, record)
        elif "event" in record:
            if record["event"] == "resumed":
                resumed.add(step)
        elif "loss" in record:
            steps[step] = record
    ordered = [steps[step] for step in sorted(steps)]
    return TrainingLog(
        steps=np.array(sorted(steps), dtype=np.int64),
        series={
            name: np.array([finite_or_nan(record.get(name)) for record in ordered], dtype=np.float64) for name in SERIES
        },
        skipped=[record["step"] for record in ordered if record.get("skipped")],
        validations=[validations[step] for step in sorted(validations)],
        resumed=sorted(resumed),
    )


def read_validation(step: int, record: Mapping[str, Any]) -> LoggedValidation:
    samples = record.get("samples")
    rows = samples if isinstance(samples, list | tuple) else []
    return LoggedValidation(
        step=step,
        scores={str(name): finite_or_nan(value) for name, value in record["validation"].items()},
        best=bool(record.get("best")),
        samples=[(one[0], one[1], one[2]) for one in rows if is_sample(one)],
    )


def is_sample(value: object) -> bool:
    return isinstance(value, list | tuple) and len(value) == 3 and all(isinstance(text, str) for text in value)


def finite_or_nan(value: object) -> float:
    """NaN for all that is no finite number: null, NaN, infinity, words."""
    if type(value) is float and math.isfinite(value):
        return value
    return float(value) if type(value) is int and abs(value) < FARTHEST_STEP else math.nan
