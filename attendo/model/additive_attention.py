"""Additive attention, the other compatibility function (3.2.1; Bahdanau, Cho and Bengio 2015).

    score(q, k) = w · tanh(W_q q + W_k k + b)

A small network instead of a product, so queries and keys may differ in width.
"""

import torch
from torch import Tensor, nn

from attendo.model.attention import masked_softmax
from attendo.model.masks import check_mask


class AdditiveAttention(nn.Module):
    """x [batch, queries, d_query] looks at memory [batch, keys, d_memory] -> [batch, queries, d_memory]."""

    def __init__(self, d_query: int, d_memory: int, d_hidden: int) -> None:
        super().__init__()
        self.query = nn.Linear(d_query, d_hidden, bias=False)
        self.key = nn.Linear(d_memory, d_hidden)
        self.score = nn.Linear(d_hidden, 1, bias=False)

    def keys(self, memory: Tensor) -> Tensor:
        """What of it does not depend on the query: [batch, keys, d_hidden]; a decoder computes it once."""
        return self.key(memory)

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        may_attend: Tensor | None = None,
        *,
        record: list[Tensor] | None = None,
        keys: Tensor | None = None,
    ) -> Tensor:
        keys = self.keys(memory) if keys is None else keys
        q, k = self.query(x)[:, :, None], keys[:, None]  # [batch, queries, 1, hidden], [batch, 1, keys, hidden]
        scores = self.score(torch.tanh(q + k)).squeeze(-1)[:, None]  # [batch, 1, queries, keys]
        if may_attend is not None:
            check_mask(may_attend, scores.shape)
        weights = masked_softmax(scores, may_attend)
        if record is not None:
            record.append(weights.detach())
        return weights.squeeze(1) @ memory
