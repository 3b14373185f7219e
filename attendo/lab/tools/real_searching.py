"""A test set through searches: how good the translations are, and how long one takes beside another."""

import math
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from torch import Tensor, nn

from attendo.data.batch import padded
from attendo.data.corpus import Pair
from attendo.decoding.hypothesis import Hypothesis
from attendo.lab.tools.real_training import LANGUAGES, RealData, bleu

Search = Callable[[Tensor], list[Hypothesis]]  # source ids [batch, source] -> one translation of each
TOGETHER = 250  # sentences that are translated together where only the translations matter


@dataclass(frozen=True)
class SearchQuality:
    bleu: float
    percent_repeated: float  # percent of all tokens that are the token before them once more


def search_quality(search: Search, model: nn.Module, data: RealData) -> SearchQuality:
    """Of the whole test set."""
    pairs = in_order_of_length(data)
    found = [hypothesis for source in sources_of(pairs, TOGETHER, model, data) for hypothesis in search(source)]
    translations = [data.tokenizer.decode(hypothesis.ids) for hypothesis in found]
    return SearchQuality(bleu(translations, pairs), percent_repeated([hypothesis.ids for hypothesis in found]))


def search_times(
    searches: Mapping[str, Search], model: nn.Module, data: RealData, together: int, sentences: int, turns: int
) -> dict[str, list[float]]:
    """By search, for each turn: milliseconds a sentence, so many at a time, for about so many short and long sentences.

    The searches take turns, so that what else the machine does meanwhile disturbs all alike: compare within a turn.
    """
    pairs = in_order_of_length(data)
    some = sources_of(pairs[:: math.ceil(len(pairs) / sentences)], together, model, data)
    count = sum(map(len, some))
    times: dict[str, list[float]] = {name: [] for name in searches}
    for search in searches.values():
        search(some[-1])  # the first time is slower
    for _ in range(turns):
        for name, search in searches.items():
            started = time.perf_counter()
            for source in some:
                search(source)  # gives numbers the host has read: so the device is done
            times[name].append(1000 * (time.perf_counter() - started) / count)
    return times


def times_as_fast(times: Mapping[str, Sequence[float]], than: str) -> dict[str, float]:
    """The median over turns of (the time of `than` / its own)."""
    return {
        name: statistics.median(other / own for other, own in zip(times[than], each, strict=True))
        for name, each in times.items()
    }


def in_order_of_length(data: RealData) -> list[Pair]:
    return sorted(data.test, key=lambda pair: len(pair.source))


def sources_of(pairs: Sequence[Pair], together: int, model: nn.Module, data: RealData) -> list[Tensor]:
    device = next(model.parameters()).device
    rows = [data.tokenizer.source_ids(pair.source, LANGUAGES[1]) for pair in pairs]
    return [padded(rows[at : at + together]).to(device) for at in range(0, len(rows), together)]


def percent_repeated(sentences: Sequence[Sequence[int]]) -> float:
    """5 7 7 2, 5 2  ->  1 of 6 tokens"""
    again = sum(first == second for ids in sentences for first, second in pairwise(ids))
    return 100 * again / sum(map(len, sentences))
