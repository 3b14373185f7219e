"""One step of beam search for all sentences, as tensor operations alone: the rules are those of `beam.py`.

No shape depends on a number and nothing is read by the host, so that a GPU can record the step and replay it. All that
it changes it writes where it was. Sentences that are done go through the motions, but nothing more is finished there.
"""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from attendo.decoding.options import SearchOptions
from attendo.engines.cuda.beams import Beams
from attendo.engines.cuda.selection import best_in_chunks
from attendo.engines.cuda.tree import Tree, next_logits
from attendo.model.transformer import Transformer
from attendo.special_tokens import SPECIAL


class Candidates(NamedTuple):
    """The best continuations of each sentence, best first: [sentences, 2 × beams] each."""

    totals: Tensor
    beams: Tensor
    tokens: Tensor
    log_probs: Tensor


def take_step(model: Transformer, tree: Tree, beams: Beams, options: SearchOptions, end: int) -> None:
    logits = next_logits(model, beams.tokens, tree, end)
    found = best_candidates(logits, beams.totals)
    tree.fork(grow(beams, found, tree.fed, options))


def best_candidates(logits: Tensor, totals: Tensor) -> Candidates:
    """Logits [sentences, beams, vocab] of the live hypotheses with these totals [sentences, beams]."""
    sentences, beams, vocab = logits.shape
    # In float32 at least: half precision cannot tell close tokens apart.
    dtype = torch.promote_types(logits.dtype, torch.float32)
    log_probs = F.log_softmax(logits.view(-1, vocab), dim=-1, dtype=dtype)
    for never in (SPECIAL.pad, SPECIAL.bos):
        log_probs[:, never].fill_(-torch.inf)
    values, ids = best_in_chunks(log_probs, 2 * beams)
    count = ids.shape[1]
    sums = (totals.view(-1, 1) + values).view(sentences, -1)  # [sentences, beams × count]
    sums, order = sums.sort(dim=1, descending=True, stable=True)
    order = order[:, : 2 * beams]
    return Candidates(
        sums[:, : 2 * beams],
        order.div(count, rounding_mode="floor"),
        ids.reshape(sentences, -1).gather(1, order),
        values.reshape(sentences, -1).gather(1, order),
    )


def grow(beams: Beams, found: Candidates, length: Tensor, options: SearchOptions) -> Tensor:
    """The hypotheses now have this length [sentences]. Gives the beam that each new live one comes from."""
    size = options.beam_size
    possible = found.totals > -torch.inf
    ends = (found.tokens == SPECIAL.eos) | (length >= beams.max_lengths)[:, None]
    goes_on = possible & ~ends
    finishes = (possible & ends)[:, :size]

    # The first that go on are the live ones; where they are too few, lines without hope fill up the beam.
    ranks = goes_on.int().sort(dim=1, descending=True, stable=True).indices[:, :size]
    is_live = goes_on.gather(1, ranks)
    totals = found.totals.gather(1, ranks).masked_fill(~is_live, -torch.inf)

    # Every continuation is forbidden and nothing has finished: cut where they stand.
    stuck = ~(is_live.any(1) | finishes.any(1) | (beams.scores[:, 0] > -torch.inf))[:, None]
    finish(
        beams,
        torch.where(stuck, beams.totals, found.totals[:, :size].masked_fill(~finishes, -torch.inf)),
        (length[:, None] - stuck.long()).expand_as(finishes),
        torch.where(stuck, beams.links, torch.arange(size, device=stuck.device)),
    )
    link(beams, found, length[:1] - 1)
    beams.is_broken.logical_or_(beams.is_open & found.totals[:, 0].isnan())  # NaN is sorted to the front
    beams.is_open.logical_and_(~is_done(beams, totals, length, options))
    beams.tokens.copy_(found.tokens.gather(1, ranks))
    beams.totals.copy_(totals)
    beams.links.copy_(ranks)
    return found.beams.gather(1, ranks)


def finish(beams: Beams, totals: Tensor, lengths: Tensor, links: Tensor) -> None:
    """More finished hypotheses [sentences, beams], -inf being none: the best stay, older ones before their equals."""
    scores = (totals / beams.powers.gather(1, lengths)).masked_fill(~beams.is_open[:, None], -torch.inf)
    scores, order = torch.cat((beams.scores, scores), dim=1).sort(dim=1, descending=True, stable=True)
    size = totals.shape[1]
    order = order[:, :size]
    beams.scores.copy_(scores[:, :size])
    beams.lengths.copy_(torch.cat((beams.lengths, lengths), dim=1).gather(1, order))
    beams.last_links.copy_(torch.cat((beams.last_links, links), dim=1).gather(1, order))


def link(beams: Beams, found: Candidates, step: Tensor) -> None:
    """All candidates become links of this step [1]."""
    beams.said.index_copy_(1, step, found.tokens[:, None])
    beams.log_probs.index_copy_(1, step, found.log_probs[:, None])
    beams.before.index_copy_(1, step, beams.links.gather(1, found.beams)[:, None])


def is_done(beams: Beams, totals: Tensor, length: Tensor, options: SearchOptions) -> Tensor:
    """totals [sentences, beams] of the live hypotheses -> [sentences]. Where none is live their best is -inf."""
    best = totals.amax(1)
    if options.stop == "early" or options.beam_size == 1:  # a beam of one is greedy search: the first to end is all
        return (beams.scores[:, -1] > -torch.inf) | (best == -torch.inf)
    powers = beams.last_powers if options.length_penalty > 0 else beams.powers.gather(1, length[:, None] + 1).squeeze(1)
    return best / powers <= beams.scores[:, options.n_best - 1]
