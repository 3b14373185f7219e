"""Beam search (6.1) by the rules of decoding/beam_rules.py, for one sentence; a beam of 1 is greedy search.

At each step the continuations of all live hypotheses compete by their summed log-probability. </s> among the first
beam_size ends a hypothesis; the first beam_size that do not end are the live ones of the next step. At the maximum
length the first beam_size have ended, without </s>. Equals stand in the order of their hypotheses, then of their ids.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from attendo.decoding.hypothesis import score
from attendo.decoding.options import SearchOptions
from attendo.errors import InputError
from attendo.glass.cache import KeptKeys
from attendo.glass.hands import Hands
from attendo.glass.trace import Array
from attendo.glass.transformer import AS_IT_IS, GlassModel, next_log_probs
from attendo.glass.tree import SearchNode, SearchTree
from attendo.special_tokens import SPECIAL

OnStep = Callable[[int], None]  # told each step, from 1, before it is computed; it may raise, and so end the search

SHOWN_OF_GREEDY = 8  # continuations; a beam looks at twice its size
ROOT = SearchNode(0, None, 0, SPECIAL.bos, 0.0, 0.0, 0.0, 1, kept=True, ended=False)


def nothing(step: int) -> None:
    """For who needs not be told."""


def beam_search(
    model: GlassModel,
    memory: Array,
    max_length: int,
    options: SearchOptions,
    hands: Hands = AS_IT_IS,
    on_step: OnStep = nothing,
) -> SearchTree:
    """The whole tree of a search after memory [source, d_model]; a target has at most max_length pieces with </s>."""
    check_plain(options)
    size, alpha = options.beam_size, options.length_penalty
    looked_at = SHOWN_OF_GREEDY if size == 1 else 2 * size
    kept = KeptKeys() if hands.causal_mask else None  # without the mask earlier positions see the new one: none is kept
    nodes, live, finished = [ROOT], [ROOT], list[SearchNode]()
    target_in = np.array([[SPECIAL.bos]])  # [live, step]
    for step in range(1, max_length + 1):
        on_step(step)
        log_probs = next_log_probs(model, target_in, memory, hands, kept)  # [live, vocab]
        totals = np.array([one.total for one in live])[:, None] + allowed(log_probs, step, hands)
        going_on: list[tuple[int, SearchNode]] = []  # with the row of the parent
        ending: list[SearchNode] = []
        found: list[SearchNode] = []
        for rank, (row, piece) in enumerate(best(totals, looked_at), start=1):
            total, ends = float(totals[row, piece]), piece == SPECIAL.eos or step == max_length
            stays = rank <= size if ends else len(going_on) < size
            node = SearchNode(
                id=len(nodes) + len(found), parent=live[row].id, step=step, piece=piece,
                log_prob=float(log_probs[row, piece]), total=total, score=score(total, step, alpha),
                rank=rank, kept=stays, ended=ends,
            )  # fmt: skip
            found.append(node)
            if stays and ends:
                ending.append(node)
            elif stays:
                going_on.append((row, node))
        finished = sorted([*finished, *ending], key=lambda one: -one.score)[:size]  # older ones before equals
        nodes += [without_place(one) if one in ending and one not in finished else one for one in found]
        live = [node for _, node in going_on]
        if is_done(live, finished, step, max_length, options):
            break
        parents = [row for row, _ in going_on]
        target_in = np.concatenate((target_in[parents], [[one.piece] for one in live]), axis=1)
        if kept is not None:
            kept.reorder(parents)
    return SearchTree(tuple(nodes), tuple(one.id for one in finished))


def allowed(log_probs: Array, step: int, hands: Hands) -> Array:
    """What the search ranks by, [live, vocab]: -inf for what may not come."""
    if not np.isfinite(log_probs).all():
        raise InputError("the model's logits are not numbers (NaN): its weights or its input are broken")
    ranked = log_probs.astype(np.float64)
    ranked[:, [SPECIAL.pad, SPECIAL.bos]] = -np.inf
    forced = dict(hands.force).get(step)
    if forced is not None:
        others = np.arange(ranked.shape[1]) != forced
        ranked[:, others] = -np.inf
    return ranked


def best(totals: Array, count: int) -> list[tuple[int, int]]:
    """Of totals [live, vocab] the rows and columns of the highest, the best first."""
    flat = totals.ravel()
    edge = np.partition(flat, -count)[-count] if count < flat.size else -np.inf
    candidates = np.flatnonzero((flat >= edge) & (flat > -np.inf))  # in the order of rows, then of ids
    order = candidates[np.argsort(-flat[candidates], kind="stable")][:count]
    return [divmod(int(index), totals.shape[1]) for index in order]


def is_done(
    live: list[SearchNode], finished: list[SearchNode], step: int, max_length: int, options: SearchOptions
) -> bool:
    """Early: as soon as beam_size hypotheses have ended. Exact: when no live one can reach a better score."""
    if not live:
        return True
    if options.stop == "early" or options.beam_size == 1:
        return len(finished) == options.beam_size
    longest = max_length if options.length_penalty > 0 else step + 1
    reachable = score(max(one.total for one in live), longest, options.length_penalty)
    return len(finished) >= options.n_best and reachable <= finished[options.n_best - 1].score


def without_place(node: SearchNode) -> SearchNode:
    """It ended, and a whole beam of others that have is better."""
    return replace(node, kept=False)


def check_plain(options: SearchOptions) -> None:
    if options.min_length > 1 or options.no_repeat_ngram or options.repetition_penalty != 1:
        raise InputError("the glass searches without min_length, no_repeat_ngram and repetition_penalty")
