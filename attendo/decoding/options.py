"""How to search and how to sample: settings, checked when they are made."""

from dataclasses import dataclass
from typing import Literal

from attendo.errors import ConfigError
from attendo.files.tables import short_repr

Stop = Literal["exact", "early"]

LARGEST_BEAM = 256
LONGEST = 100_000  # tokens of one target
# What one target can be made to say: more than any sentence has words, and each token of it is a step of the search.
MOST_PHRASES, MOST_PHRASE_TOKENS = 200, 1_000
LARGEST_SEED = 2**63 - 1
MOST_PASSES, USUAL_PASSES = 1_000, 10
MOST_LENGTHS = 101


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """Beam search; a beam of 1 is greedy search. For a non-autoregressive model: mask-predict.

    >>> attendo.SearchOptions(beam_size=6, length_penalty=0.6).stop
    'early'
    """

    beam_size: int = 4
    length_penalty: float = 1.0  # α of score = log-probability / length^α: 0 is none, more favours long translations
    n_best: int = 1  # hypotheses to return for each sentence
    # "early": as soon as beam_size hypotheses have ended, as CTranslate2 does; "exact": when no better one can come.
    stop: Stop = "early"
    min_length: int = 0  # in tokens, </s> included; the maximum, which belongs to each sentence, wins over it
    no_repeat_ngram: int = 0  # no n tokens in a row twice; 0 is off
    repetition_penalty: float = 1.0  # on the logits of tokens said before; 1 is off
    # Of a non-autoregressive model alone, which has no beam: passes of mask-predict (None: 10), and how many lengths of
    # the target are tried side by side (as many as n_best at least).
    passes: int | None = None
    lengths: int = 5

    def __post_init__(self) -> None:
        if self.passes is not None:
            check_whole("passes", self.passes, 1, MOST_PASSES)
        check_whole("lengths", self.lengths, 1, MOST_LENGTHS)
        check_whole("beam_size", self.beam_size, 1, LARGEST_BEAM)
        check_whole("n_best", self.n_best, 1, self.beam_size, "the beam's size")
        check_whole("min_length", self.min_length, 0, LONGEST)
        check_whole("no_repeat_ngram", self.no_repeat_ngram, 0, LONGEST)
        check_number("length_penalty", self.length_penalty, -10.0, 10.0)
        check_number("repetition_penalty", self.repetition_penalty, 1.0, 100.0)
        if not isinstance(self.stop, str) or self.stop not in ("exact", "early"):
            raise ConfigError(f"stop = {short_repr(self.stop)}: expected 'exact' or 'early'")


@dataclass(frozen=True, kw_only=True)
class SamplingOptions:
    """Sampling: from the whole distribution, or from the k likeliest tokens, or from the likeliest that sum to p.

    >>> attendo.SamplingOptions(temperature=0.7, top_k=50, seed=3).top_p
    1.0
    """

    temperature: float = 1.0  # below 1 the likely become likelier; towards 0 sampling becomes greedy search
    top_k: int = 0  # 0: all
    top_p: float = 1.0
    seed: int = 1

    def __post_init__(self) -> None:
        if type(self.temperature) in (int, float) and self.temperature == 0:
            raise ConfigError("temperature = 0: expected a number above 0 (greedy search is what it would become)")
        check_number("temperature", self.temperature, 1e-6, 100.0)
        check_whole("top_k", self.top_k, 0, 10_000_000)
        check_number("top_p", self.top_p, 1e-6, 1.0)
        check_whole("seed", self.seed, 0, LARGEST_SEED)


def check_whole(name: str, value: object, low: int, high: int, meaning: str = "") -> None:
    if type(value) is not int or not low <= value <= high:
        upper = f"{high:,}" + (f", {meaning}" if meaning else "")
        raise ConfigError(f"{name} = {short_repr(value)}: expected a whole number from {low} to {upper}")


def check_number(name: str, value: object, low: float, high: float) -> None:
    if type(value) not in (int, float) or not low <= value <= high:  # type: ignore[operator]
        raise ConfigError(f"{name} = {short_repr(value)}: expected a number from {low:g} to {high:g}")
