"""A test set through a search: how good the translations are, and how long one takes."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from torch import Tensor, nn

from attendo.data.batch import padded
from attendo.decoding.hypothesis import Hypothesis
from attendo.lab.tools.real_training import LANGUAGES, RealData, bleu

Search = Callable[[Tensor], list[Hypothesis]]  # source ids [batch, source] -> one translation of each


@dataclass(frozen=True)
class SearchResult:
    bleu: float
    percent_repeated: float  # percent of all tokens that are the token before them once more
    ms_together: float  # a sentence, with many of like length at a time
    ms_alone: float  # with one


def search_test_set(search: Search, model: nn.Module, data: RealData, together: int, num_alone: int) -> SearchResult:
    """The whole test set, so many sentences at a time; and about `num_alone` of it, short and long ones, one by one."""
    device = next(model.parameters()).device
    pairs = sorted(data.test, key=lambda pair: len(pair.source))
    rows = [data.tokenizer.source_ids(pair.source, LANGUAGES[1]) for pair in pairs]

    def timed(rows: Sequence[Sequence[int]], count: int) -> tuple[list[Hypothesis], float]:
        batches = [padded(rows[at : at + count]).to(device) for at in range(0, len(rows), count)]
        search(batches[-1])  # the first time is slower
        started = time.perf_counter()
        found = [hypothesis for source in batches for hypothesis in search(source)]  # read: so the device is done
        return found, 1000 * (time.perf_counter() - started) / len(rows)

    found, ms_together = timed(rows, together)
    _, ms_alone = timed(rows[:: math.ceil(len(rows) / num_alone)], 1)
    translations = [data.tokenizer.decode(hypothesis.ids) for hypothesis in found]
    return SearchResult(
        bleu(translations, pairs), percent_repeated([hypothesis.ids for hypothesis in found]), ms_together, ms_alone
    )


def percent_repeated(sentences: Sequence[Sequence[int]]) -> float:
    """5 7 7 2, 5 2  ->  1 of 6 tokens"""
    again = sum(first == second for ids in sentences for first, second in pairwise(ids))
    return 100 * again / sum(map(len, sentences))
