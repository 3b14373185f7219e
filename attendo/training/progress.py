"""How far a run is: the part of its state that is numbers, not tensors."""

import re
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from attendo.data.batches import Position
from attendo.errors import InputError
from attendo.training.config import TrainingConfig, ValidationConfig

LARGEST = 10**15  # no run counts so far, and every such number is exact as a float


@dataclass(kw_only=True)
class TrainingProgress:
    """All that the loop remembers from one step to the next, besides weights, optimiser and random generators."""

    step: int = 0  # updates done or skipped
    position: Position = field(default_factory=Position)  # of the next batch
    target_tokens: int = 0  # seen so far
    seconds: float = 0.0  # spent on steps so far

    skipped: int = 0  # updates, because loss or gradient was no number
    skipped_in_a_row: int = 0
    halved: bool = False  # batches, because the memory did not suffice

    history: dict[int, float] = field(default_factory=dict)  # step -> what the metric said when it was validated

    @property
    def validated(self) -> int:
        """The step of the last validation."""
        return max(self.history, default=0)

    def best_step(self, config: ValidationConfig) -> int:
        """The validated step with the best score, of equals the earliest; 0 if there is none."""
        return next(iter(config.best(self.history, 1)), 0)

    def is_over(self, training: TrainingConfig, validation: ValidationConfig) -> bool:
        """All steps are done, or no validation has been better for as many as the patience allows."""
        without_gain = sum(step > self.best_step(validation) for step in self.history)
        return self.step >= training.max_steps or 0 < validation.patience <= without_gain

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, table: Any) -> "TrainingProgress":
        """A checkpoint is a file like any other: what it says is looked at before it is believed."""
        if not isinstance(table, dict) or set(table) != {one.name for one in fields(cls)}:
            raise InputError("the progress of a run has other keys than expected")
        match table["position"]:
            case {"epoch": epoch, "batch": batch, **rest} if is_count(epoch) and is_count(batch) and epoch and not rest:
                position = Position(epoch, batch)
            case _:
                raise InputError("the position in the data is not an epoch and a batch")
        for name in ("step", "target_tokens", "skipped", "skipped_in_a_row"):
            if not is_count(table[name]):
                raise InputError(f"{name} of the progress of a run is not a whole number below {LARGEST:,}")
        if not is_number(table["seconds"]) or not 0 <= table["seconds"] < LARGEST or type(table["halved"]) is not bool:
            raise InputError("the progress of a run has values of other types than expected")
        return cls(**{**table, "position": position, "history": read_history(table["history"])})


def read_history(table: Any) -> dict[int, float]:
    """JSON keys are texts; here they are steps. A score may be any number, infinite and NaN among them."""
    if not isinstance(table, dict):
        raise InputError("the history of validations is not a table")
    for step, score in table.items():
        if not re.fullmatch(r"[0-9]{1,12}", step) or not is_number(score):
            raise InputError(f"the history of validations holds {step[:20]!r}, which is no step with a score")
    return {int(step): float(score) for step, score in table.items()}


def is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < LARGEST  # True is no count


def is_number(value: Any) -> bool:
    return type(value) is float or is_count(value)
