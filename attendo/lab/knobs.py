"""What can be turned in an experiment without editing it: `attendo lab run L6 --set heads=1,16 --set steps=1500`.

A knob has a value for each size of an experiment. What it means is said in the words of the claim, beside its name.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from attendo.errors import UsageError

# For tests; for `attendo lab tune`, which tries every learning rate; for a laptop; for a night or a GPU.
Size = Literal["small", "tuning", "quick", "full"]
Value = int | float | tuple[int, ...] | tuple[float, ...]

T = TypeVar("T")


def by_size(small: T, quick: T, full: T) -> Mapping[Size, T]:
    """A number of steps, of seeds, ...; what is tuned for "quick" is as large."""
    return {"small": small, "tuning": quick, "quick": quick, "full": full}


@dataclass(frozen=True)
class Knob:
    """A number, or several; whole ones if the values are."""

    name: str
    values: Mapping[Size, Value]
    least: float
    most: float

    @property
    def several(self) -> bool:
        return isinstance(self.values["full"], tuple)

    @property
    def whole(self) -> bool:
        value = self.values["full"]
        return all(isinstance(one, int) for one in value) if isinstance(value, tuple) else isinstance(value, int)

    @property
    def range(self) -> str:
        return f"{self.least:,g} … {self.most:,g}"

    def read(self, text: str) -> Value:
        """1,16 -> (1, 16). What does not fit is an error that says what would."""
        try:
            found = tuple(self.read_one(part) for part in (text.split(",") if self.several else [text]))
        except ValueError as error:
            kind = "whole number" if self.whole else "number"
            wanted = f"{kind}s with commas between them" if self.several else f"one {kind}"
            raise UsageError(
                f"{self.name}={text} cannot be: expected {wanted}, {self.least:g} to {self.most:g}"
            ) from error
        return found if self.several else found[0]

    def read_one(self, text: str) -> float:
        value = int(text) if self.whole else float(text)
        if not (math.isfinite(value) and self.least <= value <= self.most):
            raise ValueError(text)
        return value


@dataclass(frozen=True)
class Settings:
    """The size of an experiment, and the values of its knobs."""

    size: Size
    values: Mapping[str, Value]

    def whole(self, name: str) -> int:
        return int(self.real(name))

    def real(self, name: str) -> float:
        value = self.values[name]
        if isinstance(value, tuple):
            raise TypeError(f"{name} has several values")
        return value

    def wholes(self, name: str) -> tuple[int, ...]:
        return tuple(int(value) for value in self.reals(name))

    def reals(self, name: str) -> tuple[float, ...]:
        value = self.values[name]
        if not isinstance(value, tuple):
            raise TypeError(f"{name} has one value")
        return value

    def numbers(self) -> dict[str, float | Sequence[float]]:
        """As they stand among what was measured."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in self.values.items()}


def settings_of(knobs: Sequence[Knob], size: Size, turned: Mapping[str, str] | None = None) -> Settings:
    """`turned`: knob -> what a user wants it to be."""
    values = {knob.name: knob.values[size] for knob in knobs}
    by_name = {knob.name: knob for knob in knobs}
    for name, text in (turned or {}).items():
        if name not in by_name:
            known = ", ".join(f"{knob.name} ({knob.range})" for knob in knobs) or "none"
            raise UsageError(f"there is no knob '{name}' here; the knobs are: {known}")
        values[name] = by_name[name].read(text)
    return Settings(size, values)


def read_knobs(texts: Sequence[str]) -> dict[str, str]:
    """heads=1,16 -> {"heads": "1,16"}"""
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise UsageError(f"--set {text}: expected a knob and its value, such as steps=1500")
        if name.strip() in found:
            raise UsageError(f"--set names {name.strip()} twice")
        found[name.strip()] = value.strip()
    return found
