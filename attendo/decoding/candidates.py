"""The best continuations of each row and each sentence; equal ones in the order of their beams, then of their ids."""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F


class Candidates(NamedTuple):
    """Continuations of each sentence, best first: which of its live hypotheses goes on, with which token.

    [sentences, candidates] each.
    """

    totals: Tensor  # what the search ranks by, of all tokens; -inf where there is no candidate
    beams: Tensor
    tokens: Tensor
    log_probs: Tensor  # the model's, of this token

    def in_order(self, order: Tensor) -> "Candidates":
        """order [sentences, n]: those that stood there."""
        return Candidates(*(column.gather(1, order) for column in self))


def best_candidates(values: Tensor, ids: Tensor, log_probs: Tensor, totals: Tensor, count: int) -> Candidates:
    """Of tokens of each live hypothesis the best `count` of each sentence.

    values, ids, log_probs [sentences × beams, n]: tokens, by ascending ids, what the search ranks them by and what the
    model says of them; totals [sentences, beams]: of the hypotheses that they continue, -inf where there is none.
    """
    sentences, n = len(totals), ids.shape[1]
    sums = (totals.reshape(-1, 1) + values).view(sentences, -1)  # [sentences, beams × n]
    sums, order = sums.sort(dim=1, descending=True, stable=True)
    sums, order = sums[:, :count], order[:, :count]
    found = Candidates(
        sums,
        order.div(n, rounding_mode="floor"),
        ids.reshape(sentences, -1).gather(1, order),
        log_probs.reshape(sentences, -1).gather(1, order),
    )
    missing = count - order.shape[1]  # of a small vocabulary there are not so many
    if missing <= 0:
        return found
    return Candidates(F.pad(sums, (0, missing), value=-torch.inf), *(F.pad(each, (0, missing)) for each in found[1:]))


def best_tokens(scores: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """The `count` highest of each row [rows, vocab] -> their scores and ids, [rows, count] each, ids ascending.

    In the order of ids, so that a stable sort by score leaves the lower id first among equals. Where the last place is
    contested by equals the lower ids get it, which `topk` alone does not promise.
    """
    rows, vocab = scores.shape
    if count >= vocab:
        return scores, torch.arange(vocab, device=scores.device).expand(rows, vocab)
    values, ids = scores.topk(count + 1)  # one more: it tells whether there are equals beyond the edge
    edge, beyond = values[:, count - 1], values[:, count]
    values, ids = values[:, :count], ids[:, :count]
    if ((edge == beyond) & (edge > -torch.inf)).any():
        ids = lowest_ids_at_the_edge(scores, values, ids)
    ids, order = ids.sort(dim=1)
    return values.gather(1, order), ids


def lowest_ids_at_the_edge(scores: Tensor, values: Tensor, ids: Tensor) -> Tensor:
    """values, ids [rows, count], best first: the places that hold the lowest value get the lowest ids that have it."""
    edge = values[:, -1:]
    count = values.shape[1]
    every_id = torch.arange(scores.shape[1], device=scores.device)
    equals = every_id.masked_fill(scores != edge, scores.shape[1]).topk(count, largest=False).values  # ascending
    higher = (values > edge).sum(dim=1, keepdim=True)
    nth = (torch.arange(count, device=scores.device) - higher).clamp(min=0)
    return torch.where(values > edge, ids, equals.gather(1, nth))
