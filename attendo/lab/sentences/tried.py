"""What a check of a sentence gives: whether the sentence holds in a computation of a few lines, and its numbers."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Tried:
    holds: bool
    numbers: Mapping[str, float] = field(default_factory=dict)
