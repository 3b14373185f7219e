"""Which scores of a model are poor: the optional key `doubt` of config.json.

    "doubt": {"extra_tokens": 3, "below": {"zh-en": -0.35, "en-zh": -0.40}}

How sure a model sounds depends on how it was trained and on the direction, so the thresholds belong to the model. They
are found on answers that people have labelled (`python -m benchmarks.doubt --calibrate`). A model without them has no
doubts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attendo.errors import ConfigError, InputError
from attendo.files.tables import short_repr
from attendo.text.scripts import parse_direction

EXTRA_TOKENS = 3.0  # of a model that does not say
MOST_EXTRA_TOKENS = 100
LOWEST = -100.0  # nats a token: nothing that a model says is so unlikely


@dataclass(frozen=True, kw_only=True)
class DoubtThresholds:
    below: dict[tuple[str, str], float]  # by source and target: a lower score is poor
    # A score is the log-probability / (tokens + extra_tokens): a mean of few tokens says little, and is drawn to 0.
    extra_tokens: float = EXTRA_TOKENS

    def to_dict(self) -> dict[str, Any]:
        below = {f"{source}-{target}": value for (source, target), value in self.below.items()}
        return {"extra_tokens": self.extra_tokens, "below": below}


def read_doubt(
    path: Path, table: object, languages: Sequence[str], directions: Sequence[tuple[str, str]]
) -> DoubtThresholds:
    """What stands in config.json at `path`, which may be hostile."""
    match table:
        case {"extra_tokens": extra, "below": dict(below), **rest} if not rest and 1 <= len(below) <= len(directions):
            pass
        case _:
            expected = "extra_tokens and below, a number for each direction"
            raise InputError(f"{path}: doubt is {short_repr(table)}, expected {expected}")
    thresholds: dict[tuple[str, str], float] = {}
    known = set(directions)
    for name, value in below.items():
        try:
            direction = parse_direction(name, languages)
        except ConfigError as error:
            raise InputError(f"{path}: doubt: {error}") from error
        if direction not in known:
            raise InputError(f"{path}: doubt: {short_repr(name)} is no direction of this model")
        thresholds[direction] = number(path, f"below {name}", value, LOWEST, 0.0)
    extra_tokens = number(path, "extra_tokens", extra, 0.0, MOST_EXTRA_TOKENS)
    return DoubtThresholds(below=thresholds, extra_tokens=extra_tokens)


def number(path: Path, name: str, value: object, low: float, high: float) -> float:
    if type(value) not in (int, float) or not low <= value <= high:  # type: ignore[operator]  # NaN is neither
        raise InputError(f"{path}: doubt: {name} is {short_repr(value)}, expected a number from {low:g} to {high:g}")
    return float(value)  # type: ignore[arg-type]
