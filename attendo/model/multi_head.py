"""Multi-head attention (3.2.2): MultiHead(Q, K, V) = Concat(head_1, …, head_h) W_O,
where head_i = Attention(Q W_Q,i, K W_K,i, V W_V,i).

One class serves the three uses of 3.2.3: encoder self-attention is `attention(x, x, real)`, the decoder's masked
self-attention `attention(x, x, causal)`, and cross-attention `attention(x, memory, source_is_real)`.

Keys and values may have fewer heads than queries (Ainslie et al. 2023): then each serves a group of heads that stand
side by side. In a cache lie only those that there are, which is what it is for: Llama 2 70B keeps 8 instead of 64.
"""

from functools import partial
from typing import Self

from torch import Tensor, nn

from attendo.model.attention import dot_product_attention, fused_attention
from attendo.model.cache import Cache
from attendo.model.config import LayerConfig
from attendo.model.masks import check_mask
from attendo.model.positions import Rotation


class MultiHeadAttention(nn.Module):
    """x [batch, queries, d_model] looks at memory [batch, keys, d_model] -> [batch, queries, d_model].

    The memory may have fewer rows, [batch / n, keys, d_model]: then n rows of x, side by side, share one of them.
    A variant that weighs the keys otherwise is a subclass with its own `attend`.
    """

    def __init__(
        self, d_model: int, num_heads: int, *, kv_heads: int | None = None, bias: bool = True, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.num_heads, self.kv_heads, self.head_dim = num_heads, kv_heads or num_heads, d_model // num_heads
        self.dropout = dropout
        # W_Q of all heads side by side is one matrix; so are W_K and W_V.
        kept = self.kv_heads * self.head_dim
        self.query, self.key, self.value, self.output = (
            nn.Linear(d_model, width, bias=bias) for width in (d_model, kept, kept, d_model)
        )

    @classmethod
    def from_config(cls, config: LayerConfig) -> Self:
        return cls(
            config.d_model,
            config.num_heads,
            kv_heads=config.kv_heads,
            bias=config.bias,
            dropout=config.attention_dropout,
        )

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        may_attend: Tensor | None = None,
        *,
        rotation: Rotation | None = None,
        cache: Cache | None = None,
        record: list[Tensor] | None = None,
    ) -> Tensor:
        shape, looks_at_itself = x.shape, memory is x
        if not looks_at_itself:  # rows that share a memory are so many queries side by side
            x = x.reshape(len(memory), -1, shape[-1])
        q = self.split_heads(self.query(x))  # [batch, heads, queries, head_dim]
        if rotation is not None:
            q = rotation(q)
        project = partial(self.keys_and_values, memory, rotation)
        k, v = project() if cache is None else cache.fetch(project)  # [batch, kv_heads, keys, head_dim]
        if self.kv_heads != self.num_heads:
            k, v = (each.repeat_interleave(self.num_heads // self.kv_heads, dim=1) for each in (k, v))

        if may_attend is not None:
            check_mask(may_attend, (*q.shape[:3], k.shape[2]))
        heads = self.attend(q, k, v, may_attend, record)
        output = self.output(heads.transpose(1, 2).flatten(2))  # Concat(heads) W_O
        return output if looks_at_itself else output.view(shape)

    def attend(self, q: Tensor, k: Tensor, v: Tensor, may_attend: Tensor | None, record: list[Tensor] | None) -> Tensor:
        """All heads at once, shapes as in attention.py; a record gets the weights [batch, heads, queries, keys].

        In self-attention the last query stands at the last key, also when keys come from a cache.
        """
        dropout = self.dropout if self.training else 0.0
        if record is None:
            return fused_attention(q, k, v, may_attend, dropout)
        heads, weights = dot_product_attention(q, k, v, may_attend, dropout)
        record.append(weights.detach())
        return heads

    def keys_and_values(self, memory: Tensor, rotation: Rotation | None) -> tuple[Tensor, Tensor]:
        """[batch, kv_heads, keys, head_dim] each."""
        k, v = self.split_heads(self.key(memory)), self.split_heads(self.value(memory))
        return (k if rotation is None else rotation(k)), v

    def split_heads(self, x: Tensor) -> Tensor:
        """[batch, length, heads · head_dim] -> [batch, heads, length, head_dim]"""
        return x.unflatten(-1, (-1, self.head_dim)).transpose(1, 2)

    def extra_repr(self) -> str:
        return f"heads={self.num_heads}" + (f", kv_heads={self.kv_heads}" if self.kv_heads != self.num_heads else "")
