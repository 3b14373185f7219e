"""The one small interface between translating and computing: sentences as ids in, hypotheses out.

There is no torch here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.options import SamplingOptions, SearchOptions


class Request(NamedTuple):
    """One sentence to decode."""

    ids: tuple[int, ...]  # >>language<<, pieces, </s>
    max_length: int  # of the answer, </s> included
    phrases: tuple[tuple[int, ...], ...] = ()  # the answer must contain each
    prefix: tuple[int, ...] = ()  # the answer must begin with it
    text: str = ""  # what the ids spell, for who judges the answer; no engine reads it


@dataclass(frozen=True)
class Limits:
    """The most tokens a model can read and say; learned positions come to an end."""

    source: int
    target: int


class Engine(Protocol):
    @property
    def name(self) -> str:
        """For people: which engine answered, and where it ran."""

    @property
    def threads(self) -> int | None:
        """Of the CPU; None where it computes on another device."""

    @property
    def limits(self) -> Limits: ...

    @property
    def tokens_per_batch(self) -> int:
        """How many source tokens, padding and beams counted, are best decoded together."""

    def search(
        self, requests: Sequence[Request], options: SearchOptions, *, attention: bool = False
    ) -> Iterator[list[Hypothesis]]:
        """For each request, in order, its n best hypotheses, the best first; fewer, if there are fewer.

        What is wrong with a request is said at once; an answer comes as soon as it is there. With `attention` each
        comes with what the model looked at, if the model has cross-attention; the answers are the same.
        """

    def sample(
        self, requests: Sequence[Request], options: SamplingOptions, seeds: Sequence[int] | None = None
    ) -> list[Hypothesis]:
        """One hypothesis for each request, drawn by the numbers of its own seed; without `seeds`, of the options'.

        What else is in the batch does not change it.
        """

    def tokens(self, request: Request) -> Iterator[int]:
        """The likeliest token at each step, as soon as it is known; </s> is the last, if the answer ends."""

    def score(self, pairs: Sequence[tuple[Request, Sequence[int]]]) -> list[Hypothesis]:
        """What the model says of given answers, </s> included."""
