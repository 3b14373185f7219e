"""The beam search of all sentences as tensors: what is live, what has finished, and how to read the answers."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.options import SearchOptions
from attendo.engines.cuda.buffers import Buffers, Layout, PerSentence
from attendo.engines.cuda.tree import TreeShape
from attendo.model.transformer import Transformer
from attendo.special_tokens import SPECIAL


@dataclass(frozen=True)
class Beams(PerSentence):
    """What `Beam` of the clear search holds for one sentence, for all of them at once.

    A hypothesis is the place of its last link. Every candidate of every step is a link: a token, its log-probability,
    and the rank that the link before it had among the candidates of the step before.
    """

    tokens: Tensor  # [sentences, beams]: what each live hypothesis said last
    totals: Tensor  # [sentences, beams]: its log-probability; -inf where there is no hypothesis
    links: Tensor  # [sentences, beams]: the rank of its last link

    scores: Tensor  # [sentences, beams]: of the finished ones, the best first; -inf where there is none
    lengths: Tensor  # [sentences, beams]
    last_links: Tensor  # [sentences, beams]: a rank among the candidates of the step that is their length

    said: Tensor  # [sentences, steps, candidates]
    log_probs: Tensor  # [sentences, steps, candidates]
    before: Tensor  # [sentences, steps, candidates]

    is_open: Tensor  # [sentences]
    is_broken: Tensor  # [sentences]: the model said what is not a number
    max_lengths: Tensor  # [sentences]
    powers: Tensor  # [sentences, steps + 2]: length^α for each length, the same in every line
    last_powers: Tensor  # [sentences]: max_length^α

    @staticmethod
    def layout(model: Transformer, shape: TreeShape) -> Layout:
        sentences, whole, exact = shape.sentences, torch.int64, torch.float64
        live, links = (sentences, shape.beams), (sentences, shape.length, 2 * shape.beams)
        log_prob = torch.promote_types(model.embedding.weight.dtype, torch.float32)
        return {
            "tokens": (live, whole),
            "totals": (live, exact),
            "links": (live, whole),
            "scores": (live, exact),
            "lengths": (live, whole),
            "last_links": (live, whole),
            "said": (links, whole),
            "log_probs": (links, log_prob),
            "before": (links, whole),
            "is_open": ((sentences,), torch.bool),
            "is_broken": ((sentences,), torch.bool),
            "max_lengths": ((sentences,), whole),
            "powers": ((sentences, shape.length + 2), exact),
            "last_powers": ((sentences,), exact),
        }

    def set_powers(self, alpha: float) -> None:
        """Computed by the host, so that a score is the same number as everywhere else."""
        powers = [max(length, 1) ** alpha for length in range(self.powers.shape[1])]
        self.powers.copy_(torch.tensor(powers, dtype=torch.float64))

    def answers(self, lines: Sequence[int], steps: int, n_best: int) -> list[list[Hypothesis]]:
        """Of each of these lines the n best, read from their last links back to their first."""
        if not lines:
            return []
        index = torch.tensor(lines, device=self.scores.device)
        scores, lengths, rank = (x[index, :n_best].cpu() for x in (self.scores, self.lengths, self.last_links))
        said, log_probs, before = (x[index, :steps].cpu() for x in (self.said, self.log_probs, self.before))
        ids, of_tokens = (x.new_empty(len(lines), n_best, steps) for x in (said, log_probs))
        for step in reversed(range(steps)):
            ids[:, :, step] = said[:, step].gather(1, rank)
            of_tokens[:, :, step] = log_probs[:, step].gather(1, rank)
            rank = torch.where(step < lengths, before[:, step].gather(1, rank), rank)  # not there yet: it waits

        columns = zip(ids.tolist(), of_tokens.tolist(), scores.tolist(), lengths.tolist(), strict=True)
        return [
            [
                Hypothesis(tuple(said_ids[:length]), sum(each[:length]), score, tuple(each[:length]))
                for said_ids, each, score, length in zip(*of_one, strict=True)
                if score > -torch.inf
            ]
            for of_one in columns
        ]


def begin(
    model: Transformer, max_lengths: Sequence[int], shape: TreeShape, options: SearchOptions, buffers: Buffers
) -> Beams:
    """One live hypothesis for each sentence, the empty one; lines beyond the last sentence are closed."""
    start = Beams(**buffers.zeros(Beams, Beams.layout(model, shape)))
    start.tokens.fill_(SPECIAL.bos)
    start.totals[:, 1:] = -torch.inf
    start.scores.fill_(-torch.inf)
    sentences = len(max_lengths)
    start.is_open[:sentences] = True
    start.max_lengths[:sentences] = torch.tensor(max_lengths)
    last_powers = [longest**options.length_penalty for longest in max_lengths]
    start.last_powers[:sentences] = torch.tensor(last_powers, dtype=torch.float64)
    start.set_powers(options.length_penalty)
    return start
