"""From the last links of finished hypotheses back to their first, on the device: the host reads answers, not links."""

import torch
import triton
import triton.language as tl
from torch import Tensor

from attendo.decoding.beam_rules import Beams

TOGETHER = 64  # hypotheses of a program


@triton.jit
def trace_back_kernel(
    lines, lengths, last_links, link_tokens, link_log_probs, links_before, ids, log_probs,
    count, n_best, size, steps, steps_room, candidates,
    TOGETHER: tl.constexpr,
):  # fmt: skip
    which = tl.program_id(0) * TOGETHER + tl.arange(0, TOGETHER)
    there = which < count * n_best
    line = tl.load(lines + which // n_best, mask=there, other=0)
    length = tl.load(lengths + line * size + which % n_best, mask=there, other=0)
    rank = tl.load(last_links + line * size + which % n_best, mask=there, other=0)
    for back in range(0, steps):
        step = steps - 1 - back
        inside = there & (step < length)
        link = (line * steps_room + step) * candidates + rank
        to = which * steps + step
        tl.store(ids + to, tl.load(link_tokens + link, mask=inside, other=0), mask=inside)
        tl.store(log_probs + to, tl.load(link_log_probs + link, mask=inside, other=0.0), mask=inside)
        rank = tl.where(inside, tl.load(links_before + link, mask=inside, other=0), rank)


def trace_back(beams: Beams, lines: Tensor, steps: int, n_best: int) -> tuple[Tensor, Tensor]:
    """lines [count] of the beams -> ids and log-probabilities [count, n_best, steps]; beyond a hypothesis' length is
    whatever was there."""
    count = len(lines)
    ids = torch.empty(count, n_best, steps, dtype=torch.int64, device=lines.device)
    log_probs = torch.empty(count, n_best, steps, dtype=beams.link_log_probs.dtype, device=lines.device)
    trace_back_kernel[(triton.cdiv(count * n_best, TOGETHER),)](
        lines, beams.lengths, beams.last_links, beams.link_tokens, beams.link_log_probs, beams.links_before,
        ids, log_probs, count, n_best, beams.tokens.shape[1], steps, beams.link_tokens.shape[1],
        beams.link_tokens.shape[2], TOGETHER=TOGETHER, num_warps=2,
    )  # fmt: skip
    return ids, log_probs
