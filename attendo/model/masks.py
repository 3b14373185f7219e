"""Who may look at whom (3.2.3). A mask is boolean, True = may attend, and broadcasts to
[batch, heads, queries, keys]. Two masks combine by `&`: a key must be allowed by both.
"""

import torch
from torch import Tensor

from attendo.errors import InputError


def real(tokens: Tensor, pad: int) -> Tensor:
    """The padding mask: every query may look at every key that is a token. [batch, 1, 1, keys]

    [[5, 7, 0]] with pad 0  ->  [[[[True, True, False]]]]
    """
    return (tokens != pad)[:, None, None, :]


def causal(queries: int, keys: int, device: torch.device | None = None) -> Tensor:
    """The look-ahead mask: no query sees what comes after it. [1, 1, queries, keys]

    The last query stands at the last key; with keys already in a cache there are more keys than queries.

        3 queries, 3 keys        1 query, 3 keys
        True  False False        True True True
        True  True  False
        True  True  True
    """
    query_at = torch.arange(keys - queries, keys, device=device)
    key_at = torch.arange(keys, device=device)
    return (key_at[None, :] <= query_at[:, None])[None, None]


def same_segment(queries: Tensor, keys: Tensor) -> Tensor:
    """Several sentences in one row, numbered: a token sees its own sentence. [batch, 1, queries, keys]

    queries [batch, queries] and keys [batch, keys] are the sentence numbers of each position.
    """
    return (queries[:, :, None] == keys[:, None, :])[:, None]


def check_mask(may_attend: Tensor, expected: tuple[int, ...]) -> None:
    """A mask of another type or shape would be broadcast into nonsense, or taken for numbers to add."""
    if may_attend.dtype != torch.bool:
        raise InputError(f"an attention mask is boolean (True = may attend), but this one is {may_attend.dtype}")
    fits = may_attend.dim() == 4 and all(
        have in (1, want) for have, want in zip(may_attend.shape, expected, strict=True)
    )
    if not fits:
        raise InputError(
            f"an attention mask of shape {list(may_attend.shape)} does not fit [batch, heads, queries, keys] = "
            f"{list(expected)}: each dimension must be equal or 1"
        )
