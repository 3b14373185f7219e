"""The small interface between a text that goes on and computing: the ids of its beginning in, the next ones out.

There is no torch here.
"""

from collections.abc import Iterator, Sequence
from typing import Protocol

from attendo.decoding.options import SamplingOptions


class GeneratingEngine(Protocol):
    @property
    def name(self) -> str:
        """For people: which engine answered, and where it ran."""

    @property
    def longest(self) -> int:
        """The most tokens of a text, <s> and </s> included; learned positions come to an end."""

    @property
    def tokens_per_batch(self) -> int:
        """How many tokens, padding counted, are best scored together."""

    def stream(self, beginning: Sequence[int], most: int, options: SamplingOptions | None) -> Iterator[int]:
        """What follows <s> and a prompt, at most so many tokens, each as soon as it is drawn; </s> is the last, if the
        text ends. Without options the likeliest token is taken each time."""

    def score(self, rows: Sequence[Sequence[int]]) -> list[list[float]]:
        """Of each row the log-probability of every token, given those before it; the first, <s>, has none."""
