"""The best few tokens of each row of logits, with their log-probabilities, in one pass over the row.

The vocabulary is dealt out to so many lanes, as cards are: lane l has the ids l, l + lanes, l + 2 × lanes, … Each lane
keeps the best it has seen. The best `count` tokens are in the `count` best lanes: of every other lane even the best
token has `count` better ones before it, one of each. So only these lanes are looked through a second time. Equal tokens
stand by their ids, as everywhere; to compare both at once a token is one whole number, the bits of its logit before
those of its id, reversed.
"""

import torch
import triton
import triton.language as tl
from torch import Tensor

from attendo.special_tokens import SPECIAL

LANES = 1024
LOWEST = tl.constexpr(-(2**63))


@triton.jit
def by_rank(logits, ids):
    """Whole numbers in the order of logits; of equal ones the lower id is the higher number."""
    bits = logits.to(tl.float32).to(tl.int32, bitcast=True)
    ordered = tl.where(bits < 0, bits ^ 0x7FFFFFFF, bits).to(tl.int64)
    return (ordered << 32) | (0x7FFFFFFF - ids).to(tl.int64)


@triton.jit
def best_tokens_kernel(
    logits, log_probs, tokens, vocab,
    PAD: tl.constexpr, BOS: tl.constexpr, COUNT: tl.constexpr, PLACES: tl.constexpr, LANES: tl.constexpr,
    DEEP: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    start = logits + row * vocab
    lanes = tl.arange(0, LANES)
    best_logit = tl.full((LANES,), float("-inf"), tl.float32)
    best_id = lanes
    highest = tl.full((LANES,), -1e30, tl.float32)
    total = tl.zeros((LANES,), tl.float32)
    for first in range(0, vocab, LANES):
        ids = first + lanes
        there = ids < vocab
        some = tl.load(start + ids, mask=there, other=float("-inf")).to(tl.float32)
        higher = tl.maximum(highest, some)
        total = total * tl.exp(highest - higher) + tl.exp(some - higher)
        highest = higher
        better = (some > best_logit) & (ids != PAD) & (ids != BOS)  # of equal ones the first stays
        best_logit = tl.where(better, some, best_logit)
        best_id = tl.where(better, ids, best_id)
    best = tl.where(best_logit > float("-inf"), by_rank(best_logit, best_id), LOWEST)
    top = tl.max(highest, axis=0)
    log_sum = top + tl.log(tl.sum(total * tl.exp(highest - top), axis=0))

    places, depth = tl.arange(0, PLACES), tl.arange(0, DEEP)
    chosen = tl.zeros((PLACES,), tl.int32)
    for place in range(COUNT):
        of_all = tl.max(best, axis=0)
        best = tl.where(best == of_all, LOWEST, best)
        lane = (0x7FFFFFFF - (of_all & 0xFFFFFFFF)).to(tl.int32) % LANES
        chosen = tl.where(places == place, lane, chosen)
    ids = chosen[:, None] + LANES * depth[None, :]
    allowed = (ids < vocab) & (ids != PAD) & (ids != BOS) & (places < COUNT)[:, None]
    some = tl.load(start + ids, mask=allowed, other=float("-inf")).to(tl.float32)
    ranked = tl.where(allowed, by_rank(some, ids), LOWEST)
    for place in range(COUNT):
        of_all = tl.max(tl.max(ranked, axis=1), axis=0)
        ranked = tl.where(ranked == of_all, LOWEST, ranked)
        # Of a row that is all NaN nothing was found; the id must be one all the same: the next step looks it up.
        token = tl.where(of_all == LOWEST, PAD, 0x7FFFFFFF - (of_all & 0xFFFFFFFF)).to(tl.int64)
        ordered = (of_all >> 32).to(tl.int32)
        logit = tl.where(ordered < 0, ordered ^ 0x7FFFFFFF, ordered).to(tl.float32, bitcast=True)
        tl.store(tokens + row * COUNT + place, token)
        tl.store(log_probs + row * COUNT + place, logit - log_sum)


def best_tokens_of(logits: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """logits [rows, vocab] -> log-probabilities in float32 and ids, [rows, count] each, the best first.

    Padding and <s> are never said. A row with NaN has NaN for every log-probability.
    """
    rows, vocab = logits.shape
    log_probs = torch.empty(rows, count, dtype=torch.float32, device=logits.device)
    tokens = torch.empty(rows, count, dtype=torch.int64, device=logits.device)
    best_tokens_kernel[(rows,)](
        logits, log_probs, tokens, vocab, PAD=SPECIAL.pad, BOS=SPECIAL.bos, COUNT=count,
        PLACES=triton.next_power_of_2(count), LANES=LANES, DEEP=triton.next_power_of_2(triton.cdiv(vocab, LANES)),
        num_warps=8,
    )  # fmt: skip
    return log_probs, tokens
