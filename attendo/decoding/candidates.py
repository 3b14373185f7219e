"""The best continuations of each row; equal ones in the order of their ids."""

import torch
from torch import Tensor


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
    place = torch.arange(scores.shape[1], device=scores.device)
    equals = place.masked_fill(scores != edge, scores.shape[1]).topk(count, largest=False).values  # ascending
    higher = (values > edge).sum(dim=1, keepdim=True)
    nth = (torch.arange(count, device=scores.device) - higher).clamp(min=0)
    return torch.where(values > edge, ids, equals.gather(1, nth))
