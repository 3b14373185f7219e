"""The best tokens of each row, equal ones by their ids, without the host ever waiting for the device.

`topk` does not promise which of equals it takes, and a stable sort of a whole vocabulary is slow. So the row is cut
into chunks. The best `count` tokens stand in the `count` best chunks, if chunks are ranked by their highest score and
equal chunks by their place: outside of these, every token has `count` better ones before it, the highest of each. Two
short stable sorts, one of chunks and one of what stands in them, are exact and quick.
"""

import math

import torch
from torch import Tensor


def best_in_chunks(scores: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """The `count` highest of each row [rows, vocab] -> their scores and ids, [rows, count] each, ids ascending.

    The same as `best_tokens`: a row with equals at the edge gives their places to the lower ids.
    """
    rows, vocab = scores.shape
    if count >= vocab:
        return scores, torch.arange(vocab, device=scores.device).expand(rows, vocab)
    width = 2 ** round(math.log2(vocab / count) / 2)  # about √(vocab / count): then both sorts are of about as many
    chunks = highest_of_chunks(scores, width).sort(dim=1, descending=True, stable=True).indices[:, :count]
    chunks = chunks.sort(dim=1).values  # so that the ids ascend

    ids = (chunks[:, :, None] * width + torch.arange(width, device=scores.device)).flatten(1)  # [rows, count × width]
    beyond = ids >= vocab  # the last chunk may be shorter
    values = scores.gather(1, ids.clamp(max=vocab - 1)).masked_fill(beyond, -torch.inf)
    order = values.sort(dim=1, descending=True, stable=True).indices[:, :count].sort(dim=1).values
    return values.gather(1, order), ids.gather(1, order)


def highest_of_chunks(scores: Tensor, width: int) -> Tensor:
    """[rows, vocab] -> [rows, vocab / width, rounded up]."""
    vocab = scores.shape[1]
    whole = vocab // width * width
    highest = scores[:, :whole].unflatten(1, (-1, width)).amax(2)
    if whole == vocab:
        return highest
    return torch.cat((highest, scores[:, whole:].amax(1, keepdim=True)), dim=1)
