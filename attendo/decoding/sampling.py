"""Sampling: at every step a token drawn from the model's distribution, or from the likeliest part of it."""

from collections.abc import Sequence

import torch
from torch import Tensor

from attendo.decoding.candidates import best_tokens
from attendo.decoding.constraints import Constraint
from attendo.decoding.greedy import decode_one_by_one, gather_hypotheses
from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.interface import AutoregressiveModel, State
from attendo.decoding.length import max_lengths
from attendo.decoding.options import SamplingOptions
from attendo.decoding.seeds import random_numbers
from attendo.errors import InputError


@torch.inference_mode()
def sample(
    model: AutoregressiveModel[State],
    source: Tensor,
    max_length: int | Sequence[int],
    options: SamplingOptions,
    constraints: Sequence[Constraint] = (),
    seeds: Sequence[int] | None = None,
) -> list[Hypothesis]:
    """source ids [batch, source] -> one drawn hypothesis for each sentence; its log-probability is the model's own.

    Each sentence has its own seed (that of the options, unless `seeds` names others) and draws its own numbers, so
    what stands beside it in the batch changes nothing. Equal seeds draw equal numbers.
    """
    longest = max_lengths(max_length, len(source))
    seeds = [options.seed] * len(source) if seeds is None else seeds
    if len(seeds) != len(source):
        raise InputError(f"{len(seeds)} seeds for {len(source)} sentences: expected one for each")
    uniform = torch.zeros(len(source), max(longest), dtype=torch.float64)
    for row, (seed, length) in enumerate(zip(seeds, longest, strict=True)):
        numbers = random_numbers(seed)
        uniform[row, :length] = torch.tensor([numbers.random() for _ in range(length)], dtype=torch.float64)
    uniform = uniform.to(source.device)

    def draw_one(log_probs: Tensor, sentence: Tensor, length: int) -> Tensor:
        return draw_tokens(log_probs, uniform[sentence, length], options)

    return gather_hypotheses(decode_one_by_one(model, source, longest, draw_one, constraints), len(source))


def draw_tokens(log_probs: Tensor, uniform: Tensor, options: SamplingOptions) -> Tensor:
    """Log-probabilities [rows, vocab] and numbers [rows] in [0, 1) -> ids [rows].

    The cumulative distribution is a staircase from 0 to 1; a number u falls on the step of one token, and the height
    of the step is the token's probability. Sums are float64: in float32 a staircase of 30,000 steps would be uneven.
    """
    wide = log_probs.double()
    # p_T ∝ exp(log p / T); the highest is subtracted first, so that a small T divides no large number.
    wide = (wide - wide.max(-1, keepdim=True).values) / options.temperature
    ids = None
    if options.top_k:
        wide, ids = best_tokens(wide, options.top_k)
    if options.top_p < 1:
        wide, order = wide.sort(dim=-1, descending=True, stable=True)
        ids = order if ids is None else ids.gather(1, order)
    heights = wide.softmax(-1)
    if options.top_p < 1:
        before = heights.cumsum(-1) - heights  # what the likelier ones sum to; the first is always kept
        heights = heights.masked_fill((before >= options.top_p) & (before > 0), 0.0)
    stairs = heights.cumsum(-1)
    total = stairs[:, -1:].contiguous()
    # The first stair above u; rounding must not carry it beyond the last stair that rises.
    index = torch.searchsorted(stairs, uniform[:, None] * total, right=True)
    index = torch.minimum(index, torch.searchsorted(stairs, total)).clamp(max=stairs.shape[1] - 1)
    return (index if ids is None else ids.gather(1, index)).squeeze(1)
