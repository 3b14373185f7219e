"""Sampling by CTranslate2, each sentence by random numbers of its own.

CTranslate2 can sample, but each of its threads has one random generator: it takes the seed that holds when the thread
draws for the first time, another seed later changes nothing, and the sentences of a batch draw from it in turn. So we
draw ourselves, from the logits that it gives. It has no call for one step of the decoder; what it has is greedy search
from a given beginning, with the logits of each step:

    beginning   drawn so far        ich
    draft       greedy search says  ich liebe maschinelles …
    draws       by the logits       ich liebe künstliches        drawn as in the draft: the next logits hold, too;
                                                                 another one: it ends the beginning of the next draft

Every token is drawn by the logits that follow from all drawn before it, so the distribution is the model's exactly; the
draft decides only how many draws a call is good for.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attendo.decoding.draw_token import draw_token
from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.options import SamplingOptions
from attendo.decoding.seeds import random_numbers
from attendo.engines.engine import Request
from attendo.errors import InputError
from attendo.special_tokens import SPECIAL

DRAFT = 4  # tokens beyond the longest beginning of a call; with 2, 6 or 8 a sample took as long
LOGITS_TOGETHER = 2**24  # numbers of one call, 64 MB

# Requests, the beginnings of their answers, how long an answer may be -> of each its tokens, and the logits of each.
GreedyDraft = Callable[[Sequence[Request], Sequence[Sequence[int]], int], Iterator[tuple[Sequence[int], Sequence[Any]]]]


@dataclass
class Drawing:
    """A sentence that is being drawn."""

    request: Request
    numbers: Random
    longest: int
    ids: list[int] = field(default_factory=list)
    log_probs: list[float] = field(default_factory=list)

    @property
    def is_open(self) -> bool:
        return len(self.ids) < self.longest and self.ids[-1:] != [SPECIAL.eos]


def sample_by_drafts(
    draft: GreedyDraft,
    requests: Sequence[Request],
    options: SamplingOptions,
    seeds: Sequence[int],
    vocab_size: int,
    longest: int,
) -> list[Hypothesis]:
    """One drawn hypothesis for each request; its log-probability is the model's own."""
    drawings = [
        Drawing(request, random_numbers(seed), min(request.max_length, longest))
        for request, seed in zip(requests, seeds, strict=True)
    ]
    while waiting := [drawing for drawing in drawings if drawing.is_open]:
        for together, limit in alike(waiting, vocab_size, longest):
            drafts = draft([one.request for one in together], [beginning(one) for one in together], limit)
            for drawing, (tokens, logits) in zip(together, drafts, strict=True):
                follow(drawing, tokens, logits, options)
    return [Hypothesis.of(drawing.ids, drawing.log_probs, alpha=1.0) for drawing in drawings]


def beginning(drawing: Drawing) -> Sequence[int]:
    """What was drawn; before that, what the request says."""
    return drawing.ids or drawing.request.prefix


def alike(waiting: Sequence[Drawing], vocab_size: int, longest: int) -> Iterator[tuple[list[Drawing], int]]:
    """Those whose sources are equally long; and how long their answers become, as all of a call have one bound.

    Padding changes the last bits of the encoder's numbers, which rounding to 8 bits makes into hundredths of a logit:
    with it one sentence of 15 was drawn otherwise alone than beside others. Without it the logits are the same to the
    last bit.
    """
    groups: dict[tuple[int, bool], list[Drawing]] = {}
    for drawing in waiting:
        groups.setdefault((len(drawing.request.ids), bool(beginning(drawing))), []).append(drawing)
    for drawings in groups.values():
        limit = min(max(len(beginning(drawing)) for drawing in drawings) + DRAFT, longest)
        most = max(1, LOGITS_TOGETHER // (vocab_size * limit))
        for first in range(0, len(drawings), most):
            yield drawings[first : first + most], limit


def follow(drawing: Drawing, tokens: Sequence[int], logits: Sequence[Any], options: SamplingOptions) -> None:
    """Draw by the logits of the draft for as long as it says what is drawn."""
    for position in range(len(drawing.ids), len(tokens)):
        if not drawing.is_open:
            return
        log_probs = log_probabilities(np.asarray(logits[position]))
        number = drawing.numbers.random()
        if position < len(drawing.request.prefix):
            token = drawing.request.prefix[position]
        else:
            allowed = log_probs.copy()
            allowed[[SPECIAL.pad, SPECIAL.bos]] = -np.inf
            token = draw_token(allowed, number, options)
        drawing.ids.append(token)
        drawing.log_probs.append(float(log_probs[token]))
        if token != tokens[position]:
            return


def log_probabilities(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    """log p = x - log Σ exp x"""
    wide = logits.astype(np.float64).reshape(-1)
    wide -= wide.max()
    if np.isnan(wide).any():
        raise InputError("the model's logits are not numbers (NaN): its weights or its input are broken")
    wide -= np.log(np.exp(wide).sum())
    return wide
