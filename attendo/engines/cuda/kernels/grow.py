"""One step of beam search by its rules, a program for each sentence; `Beams.grow` and `Tree.reorder` are the same,
written out in some forty programs.

A sentence's numbers are few, so they are held as short vectors. "Where does the nth go" and "who is at the nth place"
are comparisons of each with each.
"""

import torch
import triton
import triton.language as tl
from torch import Tensor

from attendo.decoding.beam_rules import Beams
from attendo.decoding.options import SearchOptions
from attendo.special_tokens import SPECIAL

BLOCK = 256  # slots at a time


@triton.jit
def taken(values, index, zero):
    """values [n], index [m] -> values[index], and zero where the index is none of theirs."""
    n: tl.constexpr = values.shape[0]
    hit = index[:, None] == tl.arange(0, n)[None, :]
    return tl.sum(tl.where(hit, values[None, :], zero), axis=1)


@triton.jit
def taken_score(values, index):
    """The same for scores, of which some are -inf: 0 × -inf would be none."""
    n: tl.constexpr = values.shape[0]
    hit = index[:, None] == tl.arange(0, n)[None, :]
    return tl.max(tl.where(hit, values[None, :], float("-inf")), axis=1)


@triton.jit
def grow_kernel(
    log_probs, ids, own_past, length,
    tokens, totals, links, scores, lengths, last_links, link_tokens, link_log_probs, links_before,
    is_open, is_broken, max_lengths, powers, last_powers,
    steps_room, powers_room, mask_sentence, mask_beam,
    EOS: tl.constexpr, SIZE: tl.constexpr, ROWS: tl.constexpr, COUNT: tl.constexpr, PLACES: tl.constexpr,
    IS_EARLY: tl.constexpr, IS_LONGER_BETTER: tl.constexpr, N_BEST: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    sentence = tl.program_id(0).to(tl.int64)
    now = tl.load(length + sentence)  # of all hypotheses, with this step
    opened = tl.load(is_open + sentence) != 0
    rows, places = tl.arange(0, ROWS), tl.arange(0, PLACES)
    real = rows < SIZE
    of_rows = sentence * SIZE + rows

    # The best candidates of all beams, equal ones by their beams, then by their places.
    before = tl.load(totals + of_rows, mask=real, other=float("-inf"))
    at = of_rows[:, None] * COUNT + places[None, :]
    there = real[:, None] & (places < COUNT)[None, :]
    added = tl.load(log_probs + at, mask=there, other=0.0)
    candidates = tl.load(ids + at, mask=there, other=0)
    sums = tl.where(there, before[:, None] + added.to(tl.float64), float("-inf"))
    broken = tl.sum(tl.sum((sums != sums).to(tl.int32), axis=1), axis=0) > 0
    sums = tl.where(sums != sums, float("-inf"), sums)
    flat = rows[:, None] * PLACES + places[None, :]
    total = tl.full((PLACES,), float("-inf"), tl.float64)
    beam = tl.zeros((PLACES,), tl.int32)
    token = tl.zeros((PLACES,), tl.int64)
    log_prob = tl.zeros((PLACES,), tl.float32)
    left = there
    for place in range(COUNT):  # written out, the 32 of a beam of 16 would take the compiler 14 seconds
        highest = tl.max(tl.max(tl.where(left, sums, float("-inf")), axis=1), axis=0)
        first = tl.min(tl.min(tl.where(left & (sums == highest), flat, ROWS * PLACES), axis=1), axis=0)
        it, here = flat == first, places == place
        total = tl.where(here, highest, total)
        beam = tl.where(here, first // PLACES, beam)
        token = tl.where(here, tl.sum(tl.sum(tl.where(it, candidates, 0), axis=1), axis=0), token)
        log_prob = tl.where(here, tl.sum(tl.sum(tl.where(it, added, 0.0), axis=1), axis=0), log_prob)
        left = left & ~it

    possible = total > float("-inf")
    ends = (token == EOS) | (now >= tl.load(max_lengths + sentence))
    goes_on = possible & ~ends
    finishes = possible & ends & (places < SIZE)

    # Every candidate is a link of this step.
    old_links = tl.load(links + of_rows, mask=real, other=0)
    link = (sentence * steps_room + now - 1) * COUNT + places
    is_candidate = places < COUNT
    tl.store(link_tokens + link, token, mask=is_candidate)
    tl.store(link_log_probs + link, log_prob, mask=is_candidate)
    tl.store(links_before + link, taken(old_links, beam, 0), mask=is_candidate)

    # Finished hypotheses: the best stay, older ones before equals.
    of_both = tl.arange(0, 2 * ROWS)
    old_scores = tl.load(scores + of_rows, mask=real, other=float("-inf"))
    ended = finishes & opened
    new_scores = tl.where(ended, total / tl.load(powers + sentence * powers_room + now), float("-inf"))
    both = tl.maximum(taken_score(old_scores, of_both), taken_score(new_scores, of_both - ROWS))
    higher, equal = both[None, :] > both[:, None], both[None, :] == both[:, None]
    ahead = higher | (equal & (of_both[None, :] < of_both[:, None]))
    standing = tl.sum(ahead.to(tl.int32), axis=1)
    whose = tl.sum(tl.where(standing[None, :] == rows[:, None], of_both[None, :], 0), axis=1)
    is_old = whose < ROWS
    kept_scores = taken_score(both, whose)
    old_lengths = tl.load(lengths + of_rows, mask=real, other=0)
    old_last = tl.load(last_links + of_rows, mask=real, other=0)
    tl.debug_barrier()  # all is read before any of it is written
    tl.store(scores + of_rows, kept_scores, mask=real)
    tl.store(lengths + of_rows, tl.where(is_old, taken(old_lengths, whose, 0), now), mask=real)
    tl.store(last_links + of_rows, tl.where(is_old, taken(old_last, whose, 0), (whose - ROWS).to(tl.int64)), mask=real)

    # Who lives on: first those that go on, in their order, then whoever fills up the beam, without hope.
    alive = goes_on.to(tl.int32)
    behind_them = tl.sum(alive, axis=0) + tl.cumsum(1 - alive, axis=0) - 1
    place_of = tl.where(goes_on, tl.cumsum(alive, axis=0) - 1, behind_them)
    ranks = tl.sum(tl.where(place_of[None, :] == rows[:, None], places[None, :], 0), axis=1)  # [ROWS]
    is_live = taken(alive, ranks, 0) != 0
    live_totals = tl.where(is_live & real, taken_score(total, ranks), float("-inf"))
    parents = taken(beam, ranks, 0)
    tl.store(tokens + of_rows, taken(token, ranks, 0), mask=real)
    tl.store(totals + of_rows, live_totals, mask=real)
    tl.store(links + of_rows, ranks.to(tl.int64), mask=real)

    best = tl.max(live_totals, axis=0)
    if IS_EARLY:
        last = tl.max(tl.where(rows == SIZE - 1, kept_scores, float("-inf")), axis=0)
        done = (last > float("-inf")) | (best == float("-inf"))
    else:
        edge = tl.max(tl.where(rows == N_BEST - 1, kept_scores, float("-inf")), axis=0)
        if IS_LONGER_BETTER:
            power = tl.load(last_powers + sentence)
        else:
            power = tl.load(powers + sentence * powers_room + now + 1)
        done = best / power <= edge
    tl.store(is_broken + sentence, ((tl.load(is_broken + sentence) != 0) | (opened & broken)).to(tl.uint8))
    tl.store(is_open + sentence, (opened & ~done).to(tl.uint8))

    # The lines of the mask follow their hypotheses; the slots of this step each hold the beam they were computed for.
    lines = own_past + sentence * mask_sentence
    for first in range(0, now.to(tl.int32) * SIZE, BLOCK):
        slots = (first + tl.arange(0, BLOCK))[None, :]
        inside = real[:, None] & (slots < now * SIZE)
        old = tl.load(lines + parents[:, None] * mask_beam + slots, mask=inside, other=0)
        new = slots - (now - 1) * SIZE
        own = tl.where(new >= 0, (new == parents[:, None]).to(old.dtype), old)
        tl.debug_barrier()
        tl.store(lines + rows[:, None] * mask_beam + slots, own, mask=inside)
        tl.debug_barrier()


def grow(
    beams: Beams, log_probs: Tensor, ids: Tensor, own_past: Tensor, length: Tensor, options: SearchOptions
) -> None:
    """log_probs, ids [sentences × beams, candidates]: of each hypothesis its best, as `best_tokens_of` gives them.

    own_past [sentences, 1, beams, slots] and length [sentences] are the tree's, with this step counted. Nothing is
    forbidden to this search, so there is always a way on.
    """
    sentences, size = beams.tokens.shape
    count = ids.shape[1]
    grow_kernel[(sentences,)](
        log_probs, ids, own_past.view(torch.uint8), length,
        beams.tokens, beams.totals, beams.links, beams.scores, beams.lengths, beams.last_links,
        beams.link_tokens, beams.link_log_probs, beams.links_before,
        beams.is_open.view(torch.uint8), beams.is_broken.view(torch.uint8), beams.max_lengths, beams.powers,
        beams.last_powers, beams.link_tokens.shape[1], beams.powers.shape[1], own_past.stride(0), own_past.stride(2),
        EOS=SPECIAL.eos, SIZE=size, ROWS=triton.next_power_of_2(size), COUNT=count,
        PLACES=triton.next_power_of_2(count), IS_EARLY=options.stop == "early" or size == 1,
        IS_LONGER_BETTER=options.length_penalty > 0, N_BEST=options.n_best, BLOCK=BLOCK, num_warps=1,
    )  # fmt: skip
