"""What a search did, step by step, for those who want to see it: who went on, who ended, and who lost.

    steps: list[SearchStep] = []
    beam_search(model, source, max_length, options, on_step=steps.append)

A search that nobody looks at makes none of this.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from attendo.decoding.hypothesis import Hypothesis

Fate = Literal["live", "ended", "lost"]


@dataclass(frozen=True)
class Growing:
    """A hypothesis that has not ended."""

    ids: tuple[int, ...]  # without <s>
    total: float  # what the search ranks by, of all its tokens


@dataclass(frozen=True)
class Contender:
    """A continuation that was looked at: the step's hypothesis `parent` goes on with `token`.

    One that has ended and is worse than a whole beam of others that have is lost too.
    """

    parent: int
    token: int
    log_prob: float  # the model's, of this token
    total: float  # what the search ranks by, of all tokens
    fate: Fate


@dataclass(frozen=True)
class SearchStep:
    """One step of the search for one sentence."""

    sentence: int
    number: int  # from 1: how many tokens its continuations have
    live: tuple[Growing, ...]  # the hypotheses that were to go on
    contenders: tuple[Contender, ...]  # in the order in which they got their places, mostly best first
    finished: tuple[Hypothesis, ...]  # all that have ended by now and count, best first
    done: bool  # the search for this sentence ends here


OnStep = Callable[[SearchStep], None]
