"""The rules of beam search (6.1), for all sentences at once, as tensor operations.

One step, for each sentence. All continuations of all live hypotheses compete by their summed log-probability; the best
2 × beam_size are looked at, best first. </s> among the first beam_size of them ends a hypothesis; the first beam_size
that go on are the live ones of the next step. At the sentence's maximum length whatever is among the first beam_size
is done, cut without </s>. Equal candidates stand in the order of their beams, then of their token ids.

The stop. A finished hypothesis is ranked by its score, log-probability / length^α. With stop = "exact" a sentence is
searched until no live hypothesis can still reach a better score (`is_done`, right for every α) than the last of the n
best finished ones: what came later could not change the answer. With stop = "early" it ends with its beam_size-th
finished hypothesis, sooner and sometimes worse.

Two searches share them: `beam_search`, for every model and constraint, and that of engines/cuda. So no shape depends on
a number, nothing is read by the host, and all that a step changes it writes where it was: a GPU can record the step
and replay it. In sentences that are done nothing more is finished.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Self

import torch
from torch import Tensor

from attendo.decoding.candidates import Candidates
from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.options import SearchOptions
from attendo.special_tokens import SPECIAL

TensorLayout = dict[str, tuple[tuple[int, ...], torch.dtype]]  # a name -> its shape and type


@dataclass(frozen=True)
class PerSentence:
    """Tensors [sentences, …]: what is kept of a sentence stands in one line of each."""

    def tensors(self) -> dict[str, Tensor]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def first(self, sentences: int) -> Self:
        return replace(self, **{name: tensor[:sentences] for name, tensor in self.tensors().items()})

    def keep(self, lines: Tensor) -> Self:
        """These lines move to the front, and the others are left out."""
        for tensor in self.tensors().values():
            tensor[: len(lines)] = tensor[lines]
        return self.first(len(lines))


@dataclass(frozen=True)
class Beams(PerSentence):
    """What is live and what has finished.

    A hypothesis is its last link. Every candidate of every step is a link: a token, its log-probability, and the rank
    that the link before it had among the candidates of the step before.
    """

    tokens: Tensor  # [sentences, beams]: the last token of each live hypothesis
    totals: Tensor  # [sentences, beams]: what it is ranked by; -inf where there is no hypothesis
    links: Tensor  # [sentences, beams]: the rank of its last link

    scores: Tensor  # [sentences, beams]: of the finished ones, the best first; -inf where there is none
    lengths: Tensor  # [sentences, beams]
    last_links: Tensor  # [sentences, beams]: a rank among the candidates of the step that is their length

    link_tokens: Tensor  # [sentences, steps, candidates]
    link_log_probs: Tensor  # [sentences, steps, candidates]
    links_before: Tensor  # [sentences, steps, candidates]

    is_open: Tensor  # [sentences]
    is_broken: Tensor  # [sentences]: the model's logits were not numbers
    max_lengths: Tensor  # [sentences]
    powers: Tensor  # [sentences, steps + 2]: length^α for each length, the same in every line
    last_powers: Tensor  # [sentences]: max_length^α

    @staticmethod
    def layout(sentences: int, beams: int, steps: int, log_prob: torch.dtype) -> TensorLayout:
        live, links = (sentences, beams), (sentences, steps, 2 * beams)
        whole, exact = torch.int64, torch.float64
        return {
            "tokens": (live, whole),
            "totals": (live, exact),
            "links": (live, whole),
            "scores": (live, exact),
            "lengths": (live, whole),
            "last_links": (live, whole),
            "link_tokens": (links, whole),
            "link_log_probs": (links, log_prob),
            "links_before": (links, whole),
            "is_open": ((sentences,), torch.bool),
            "is_broken": ((sentences,), torch.bool),
            "max_lengths": ((sentences,), whole),
            "powers": ((sentences, steps + 2), exact),
            "last_powers": ((sentences,), exact),
        }

    @classmethod
    def start(cls, zeros: dict[str, Tensor], max_lengths: Sequence[int], alpha: float) -> Self:
        """Tensors of the layout, all zeros -> one live hypothesis for each sentence, the empty one.

        Lines beyond the last sentence are closed.
        """
        beams = cls(**zeros)
        beams.tokens.fill_(SPECIAL.bos)
        beams.totals[:, 1:] = -torch.inf
        beams.scores.fill_(-torch.inf)
        sentences = len(max_lengths)
        beams.is_open[:sentences] = True
        beams.max_lengths[:sentences] = torch.tensor(max_lengths)
        last_powers = [longest**alpha for longest in max_lengths]
        beams.last_powers[:sentences] = torch.tensor(last_powers, dtype=torch.float64)
        beams.set_powers(alpha)
        return beams

    def set_powers(self, alpha: float) -> None:
        """Computed by the host, so that a score is the same number as everywhere else."""
        powers = [max(length, 1) ** alpha for length in range(self.powers.shape[1])]
        self.powers.copy_(torch.tensor(powers, dtype=torch.float64))

    def grow(self, found: Candidates, length: Tensor, options: SearchOptions) -> Tensor:
        """One step: the hypotheses now have this length [sentences].

        Gives the beam that each live one comes from [sentences, beams]. The live ones come first; where they are too
        few, lines without hope, their total being -inf, fill up the beam.
        """
        size = options.beam_size
        possible = found.totals > -torch.inf
        ends = (found.tokens == SPECIAL.eos) | (length >= self.max_lengths)[:, None]
        goes_on = possible & ~ends
        finishes = (possible & ends)[:, :size]

        ranks = goes_on.int().sort(dim=1, descending=True, stable=True).indices[:, :size]
        is_live = goes_on.gather(1, ranks)
        totals = found.totals.gather(1, ranks).masked_fill(~is_live, -torch.inf)

        # Every continuation is forbidden and nothing has finished: cut where they stand.
        stuck = ~(is_live.any(1) | finishes.any(1) | (self.scores[:, 0] > -torch.inf))[:, None]
        self.finish(
            torch.where(stuck, self.totals, found.totals[:, :size].masked_fill(~finishes, -torch.inf)),
            (length[:, None] - stuck.long()).expand_as(finishes),
            torch.where(stuck, self.links, torch.arange(size, device=stuck.device)),
        )
        self.link(found, length[:1] - 1)
        self.is_broken.logical_or_(self.is_open & found.totals[:, 0].isnan())  # NaN is sorted to the front
        self.is_open.logical_and_(~self.is_done(totals, length, options))
        self.tokens.copy_(found.tokens.gather(1, ranks))
        self.totals.copy_(totals)
        self.links.copy_(ranks)
        return found.beams.gather(1, ranks)

    def finish(self, totals: Tensor, lengths: Tensor, links: Tensor) -> None:
        """More finished hypotheses [sentences, beams], -inf being none: the best stay, older ones before equals."""
        scores = (totals / self.powers.gather(1, lengths)).masked_fill(~self.is_open[:, None], -torch.inf)
        scores, order = torch.cat((self.scores, scores), dim=1).sort(dim=1, descending=True, stable=True)
        size = totals.shape[1]
        order = order[:, :size]
        self.scores.copy_(scores[:, :size])
        self.lengths.copy_(torch.cat((self.lengths, lengths), dim=1).gather(1, order))
        self.last_links.copy_(torch.cat((self.last_links, links), dim=1).gather(1, order))

    def link(self, found: Candidates, step: Tensor) -> None:
        """All candidates become links of this step [1], counted from 0."""
        self.link_tokens.index_copy_(1, step, found.tokens[:, None])
        self.link_log_probs.index_copy_(1, step, found.log_probs[:, None].to(self.link_log_probs.dtype))
        self.links_before.index_copy_(1, step, self.links.gather(1, found.beams)[:, None])

    def is_done(self, totals: Tensor, length: Tensor, options: SearchOptions) -> Tensor:
        """totals [sentences, beams] of the live hypotheses -> [sentences]. Where none is live their best is -inf.

        A total is at most 0 and only falls. So the best score that it can still reach is total / length^α with the
        longest length there can be where α > 0, and with the very next one where it is not.
        """
        best = totals.amax(1)
        if options.stop == "early" or options.beam_size == 1:  # a beam of one is greedy search: the first to end is all
            return (self.scores[:, -1] > -torch.inf) | (best == -torch.inf)
        powers = (
            self.last_powers if options.length_penalty > 0 else self.powers.gather(1, length[:, None] + 1).squeeze(1)
        )
        return best / powers <= self.scores[:, options.n_best - 1]

    def answers(
        self, lines: Sequence[int], steps: int, n_best: int, trace: "Trace | None" = None
    ) -> list[list[Hypothesis]]:
        """Of each of these lines the n best. `trace` reads their links where it is quicker than here."""
        if not lines:
            return []
        index = torch.tensor(lines, device=self.scores.device)
        ids, of_tokens = (trace or traced_back)(self, index, steps, n_best)
        scores, lengths = (x[index, :n_best].tolist() for x in (self.scores, self.lengths))
        longest = max(map(max, lengths))  # what stands beyond would take the host longer than all the rest
        columns = zip(*(x[:, :, :longest].tolist() for x in (ids, of_tokens)), scores, lengths, strict=True)
        return [
            [
                Hypothesis(tuple(its_ids[:length]), sum(each[:length]), score, tuple(each[:length]))
                for its_ids, each, score, length in zip(*of_one, strict=True)
                if score > -torch.inf
            ]
            for of_one in columns
        ]


# Beams, lines [count], steps, n_best -> ids and log-probabilities [count, n_best, steps], as far as each one's length
Trace = Callable[[Beams, Tensor, int, int], tuple[Tensor, Tensor]]


def traced_back(beams: Beams, lines: Tensor, steps: int, n_best: int) -> tuple[Tensor, Tensor]:
    """From the last links back to the first."""
    lengths, rank = (x[lines, :n_best].cpu() for x in (beams.lengths, beams.last_links))
    tokens, log_probs, before = (
        x[lines, :steps].cpu() for x in (beams.link_tokens, beams.link_log_probs, beams.links_before)
    )
    ids, of_tokens = (x.new_empty(len(lines), n_best, steps) for x in (tokens, log_probs))
    for step in reversed(range(steps)):
        ids[:, :, step] = tokens[:, step].gather(1, rank)
        of_tokens[:, :, step] = log_probs[:, step].gather(1, rank)
        rank = torch.where(step < lengths, before[:, step].gather(1, rank), rank)  # not there yet: it waits
    return ids, of_tokens
