"""The witness of beam search: the same rules for one sentence at a time, with lists instead of tensors.

Beam search: at every step the best few hypotheses of each sentence stay (6.1).

One step, for each sentence. All continuations of all live hypotheses compete by their summed log-probability; the best
2 × beam_size are looked at, best first. </s> among the first beam_size of them ends a hypothesis; the first beam_size
that go on are the live ones of the next step. At the sentence's maximum length whatever is among the first beam_size
is done, cut without </s>. Equal candidates stand in the order of their beams, then of their token ids.

The stop. A finished hypothesis is ranked by its score, log-probability / length^α. With stop = "exact" a sentence is
searched until no live hypothesis can still reach (`best_reachable`, right for every α) a better score than the last of
the n best finished ones: what came later could not change the answer. With stop = "early" it ends with its beam_size-th
finished hypothesis, sooner and sometimes worse. A sentence that is done leaves the batch.
"""

from bisect import insort
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from attendo.decoding.candidates import best_tokens
from attendo.decoding.constraints import Constraint, Rows, constrained, constraints_of
from attendo.decoding.greedy import greedy_search
from attendo.decoding.hypothesis import Hypothesis, score
from attendo.decoding.interface import AutoregressiveModel, State
from attendo.decoding.length import max_lengths
from attendo.decoding.options import SearchOptions
from attendo.decoding.phrases import Phrases, in_turn
from attendo.decoding.trace import Contender, Fate, Growing, OnStep, SearchStep
from attendo.errors import InputError
from attendo.special_tokens import SPECIAL
from tests.reference.phrases_by_search import progress


class Path(NamedTuple):
    """A hypothesis as its last token and what came before; so a step adds one link and copies nothing."""

    before: "Path | None"
    token: int
    log_prob: float  # the model's, of this token
    total: float  # what the search ranks by, of all tokens

    def links(self) -> "list[Path]":
        """From the first token to the last."""
        links = []
        path = self
        while path.before is not None:
            links.append(path)
            path = path.before
        return links[::-1]


START = Path(None, SPECIAL.bos, 0.0, 0.0)


class Candidate(NamedTuple):
    """A continuation: which live hypothesis of the sentence goes on, with which token."""

    total: float
    beam: int
    token: int
    log_prob: float


class Beam:
    """The search for one sentence: its live hypotheses and its finished ones, the best first."""

    def __init__(self, sentence: int, max_length: int, options: SearchOptions) -> None:
        self.sentence, self.max_length, self.options = sentence, max_length, options
        self.live = [START]
        self.finished: list[Hypothesis] = []

    def grow(self, candidates: Sequence[Candidate], length: int) -> list[int]:
        """One step; the hypotheses now have this length. Gives the place among the old ones that each new one had."""
        size, old = self.options.beam_size, self.live
        self.live, parents = [], []
        for rank, (total, beam, token, log_prob) in enumerate(candidates):
            if total == -torch.inf or len(self.live) == size:
                break
            path = Path(old[beam], token, log_prob, total)
            if token != SPECIAL.eos and length < self.max_length:
                self.live.append(path)
                parents.append(beam)
            elif rank < size:
                self.finish(path)
        if not self.live and not self.finished:  # every continuation is forbidden: cut where they stand
            for path in old:
                self.finish(path)
        return parents

    def finish(self, path: Path) -> None:
        links = path.links()
        ids, log_probs = [link.token for link in links], [link.log_prob for link in links]
        answer = Hypothesis.of(ids, log_probs, self.options.length_penalty, path.total)
        insort(self.finished, answer, key=lambda hypothesis: -hypothesis.score)
        del self.finished[self.options.beam_size :]

    def is_done(self, length: int) -> bool:
        if not self.live:
            return True
        if self.options.stop == "early":
            return len(self.finished) == self.options.beam_size
        if len(self.finished) < self.options.n_best:
            return False
        best = max(path.total for path in self.live)
        reachable = best_reachable(best, length, self.max_length, self.options.length_penalty)
        return reachable <= self.finished[self.options.n_best - 1].score


def best_reachable(log_prob: float, length: int, max_length: int, alpha: float) -> float:
    """The best score that an unfinished hypothesis of this length can still get, at most.

    Tokens to come cost at least nothing, so its log-probability ℓ ≤ 0 can at best stay; it will have L tokens, with
    length < L ≤ max_length. ℓ / L^α grows with L for α > 0 and falls with it for α < 0:

        α > 0:   ℓ / max_length^α
        α ≤ 0:   ℓ / (length + 1)^α
    """
    return score(log_prob, max_length if alpha > 0 else length + 1, alpha)


@torch.inference_mode()
def beam_search(
    model: AutoregressiveModel[State],
    source: Tensor,
    max_length: int | Sequence[int],
    options: SearchOptions,
    constraints: Sequence[Constraint] = (),
    on_step: OnStep | None = None,
) -> list[list[Hypothesis]]:
    """source ids [batch, source] -> for each sentence its n best hypotheses, the best first; fewer, if there are fewer.

    The maximum length, </s> included, is one for all sentences or one for each. `on_step` is told of every step.
    """
    constraints = [*constraints_of(options), *constraints]
    if options.beam_size == 1:  # one hypothesis, and when it ends there is none left
        return [[h] for h in greedy_search(model, source, max_length, constraints, options.length_penalty, on_step)]
    phrases = next((each for each in constraints if isinstance(each, Phrases)), None)
    constraints = [each.loosely if isinstance(each, Phrases) else each for each in constraints]

    device = source.device
    beams = [Beam(n, longest, options) for n, longest in enumerate(max_lengths(max_length, len(source)))]
    still_open = beams
    state = model.start_decoding(source)
    tokens = source.new_full((len(source), 1), SPECIAL.bos)
    output = tokens[:, :0]
    width = 1  # rows of each sentence: at first there is only one hypothesis, the empty one
    length = 0
    while still_open:
        rows = None
        if constraints:
            sentences = torch.tensor([beam.sentence for beam in still_open], device=device)
            room = torch.tensor([beam.max_length - length for beam in still_open], device=device)
            rows = Rows(output, sentences.repeat_interleave(width), room.repeat_interleave(width))
        log_probs, ranked = constrained(model.next_token_logits(tokens, state), constraints, rows)
        totals = [[path.total for path in beam.live] + [-torch.inf] * (width - len(beam.live)) for beam in still_open]
        candidates = best_continuations(log_probs, ranked, totals, options.beam_size, phrases, rows)
        length += 1

        index, spoken, staying = [], [], []
        for line, (beam, of_one) in enumerate(zip(still_open, candidates, strict=True)):
            if phrases is not None:
                of_one = by_turns(of_one, beam, phrases)
            before = beam.live
            parents = beam.grow(of_one, length)
            done = beam.is_done(length)
            if on_step is not None:
                on_step(step_of(beam, length, before, of_one, done))
            if done:
                continue
            staying.append(beam)
            spare = options.beam_size - len(parents)  # too few hypotheses, as with a forced prefix: rows without hope
            index.append([line * width + parent for parent in [*parents, *parents[:1] * spare]])
            spoken += [[path.token] for path in [*beam.live, *beam.live[:1] * spare]]

        if staying:
            order = torch.tensor(index, device=device)  # [sentences, beams]
            if index != unchanged(len(still_open), width):
                state.reorder(order)
            tokens = torch.tensor(spoken, device=device)
            if constraints:
                output = torch.cat((output[order.flatten()], tokens), dim=1)
        still_open, width = staying, options.beam_size
    return [beam.finished[: options.n_best] for beam in beams]


def best_continuations(
    log_probs: Tensor,
    ranked: Tensor,
    totals: list[list[float]],
    beam_size: int,
    phrases: Phrases | None,
    rows: Rows | None,
) -> list[list[Candidate]]:
    """Log-probabilities [sentences × width, vocab], of the live hypotheses with these totals -> candidates, best first.

    2 × beam_size of each row are enough for 2 × beam_size of a sentence, and of those at most beam_size are </s>.
    """
    values, ids = best_tokens(ranked, 2 * beam_size)
    if phrases is not None and rows is not None:
        ids = phrases.with_next_tokens(ids, rows)
        values = ranked.gather(1, ids)
    count = ids.shape[1]
    so_far = torch.tensor(totals, dtype=torch.float64, device=ids.device)  # [sentences, width]
    sums = (so_far.view(-1, 1) + values).view(len(totals), -1)  # [sentences, width × count]
    sums, order = sums.sort(dim=1, descending=True, stable=True)
    if phrases is None:
        sums, order = sums[:, : 2 * beam_size], order[:, : 2 * beam_size]
    own = values if log_probs is ranked else log_probs.gather(1, ids)
    columns = (
        sums.tolist(),
        order.div(count, rounding_mode="floor").tolist(),
        ids.reshape(len(totals), -1).gather(1, order).tolist(),
        own.reshape(len(totals), -1).gather(1, order).tolist(),
    )
    if any(first != first for first, *_ in columns[0]):  # sorted to the front
        raise InputError("the model's logits are not numbers (NaN): its weights or its input are broken")
    return [list(map(Candidate._make, zip(*of_one, strict=True))) for of_one in zip(*columns, strict=True)]


def by_turns(candidates: Sequence[Candidate], beam: Beam, phrases: Phrases) -> list[Candidate]:
    """The same candidates in the order in which the phrases give them places."""
    possible = [candidate for candidate in candidates if candidate.total > -torch.inf]
    output = [[link.token for link in path.links()] for path in beam.live]
    wanted = phrases.phrases[beam.sentence]
    missing = [progress([*output[each.beam], each.token], wanted).missing for each in possible]
    return [possible[line] for line in in_turn(missing)]


def step_of(beam: Beam, length: int, before: Sequence[Path], candidates: Sequence[Candidate], done: bool) -> SearchStep:
    """What the step has just done, read off the beam: the rules themselves stand in `grow` alone."""
    output = [tuple(link.token for link in path.links()) for path in before]
    live = {(id(path.before), path.token) for path in beam.live}
    ended = {hypothesis.ids for hypothesis in beam.finished}

    def fate(one: Candidate) -> Fate:
        if (id(before[one.beam]), one.token) in live:
            return "live"
        return "ended" if (*output[one.beam], one.token) in ended else "lost"

    return SearchStep(
        beam.sentence,
        length,
        tuple(Growing(ids, path.total) for ids, path in zip(output, before, strict=True)),
        tuple(
            Contender(one.beam, one.token, one.log_prob, one.total, fate(one))
            for one in candidates
            if one.total > -torch.inf
        ),
        tuple(beam.finished),
        done,
    )


def unchanged(sentences: int, width: int) -> list[list[int]]:
    return [list(range(first, first + width)) for first in range(0, sentences * width, width)]
