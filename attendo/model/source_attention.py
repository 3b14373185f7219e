"""How a recurrent decoder looks back at the source: three compatibility functions, and what is made of the look.

The decoder's state h is the query, the encoder's states m are keys and values:

    additive   score(h, m) = w · tanh(W_q h + W_k m + b)     Bahdanau, Cho and Bengio 2015 (additive_attention.py)
    dot        score(h, m) = h · m                           Luong, Pham and Manning 2015
    general    score(h, m) = h · W m                         Luong, Pham and Manning 2015

All of them are what Luong et al. call global attention: every source position may be looked at. Unlike the
Transformer's they have one head, the dot products are not divided by √d, and the values are not projected.

Each says what of it can be computed once for a sentence (`keys`), since a decoder looks at it at every step.
"""

import torch
from torch import Tensor, nn

from attendo.model.additive_attention import AdditiveAttention
from attendo.model.attention import masked_softmax
from attendo.model.config import SourceAttention


class DotAttention(nn.Module):
    """h [batch, target, d_model] looks at memory [batch, source, d_model] -> what it saw [batch, target, d_model].

    Has no weights: states of encoder and decoder must learn to be alike where they belong together.
    """

    def keys(self, memory: Tensor) -> Tensor:
        return memory

    def forward(
        self, h: Tensor, memory: Tensor, may_attend: Tensor, *, record: list[Tensor] | None, keys: Tensor
    ) -> Tensor:
        scores = (h @ keys.transpose(1, 2))[:, None]  # [batch, 1, target, source]
        weights = masked_softmax(scores, may_attend)
        if record is not None:
            record.append(weights.detach())
        return weights.squeeze(1) @ memory


class GeneralAttention(DotAttention):
    """The dot product after a learned matrix, W_a in the paper."""

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.key = nn.Linear(d_model, d_model, bias=False)

    def keys(self, memory: Tensor) -> Tensor:
        return self.key(memory)


class AttentionContext(nn.Module):
    """The attentional vector of Luong et al., W [h ; context], the context being what was seen in the source.

    They squash it with tanh; a tied output, whose rows are of length one, would then hold the logits down.
    """

    def __init__(self, attention: SourceAttention, d_model: int) -> None:
        super().__init__()
        self.attention = build_attention(attention, d_model)
        self.combine = nn.Linear(2 * d_model, d_model)

    def keys(self, memory: Tensor) -> Tensor:
        return self.attention.keys(memory)

    def forward(
        self, h: Tensor, memory: Tensor, may_attend: Tensor, keys: Tensor, record: list[Tensor] | None
    ) -> Tensor:
        context = self.attention(h, memory, may_attend, record=record, keys=keys)
        return self.combine(torch.cat((h, context), dim=-1))


class NoContext(nn.Module):
    """Says what the recurrent state says: all the decoder learns of the source is in the state it started from."""

    def keys(self, memory: Tensor) -> Tensor:
        return memory

    def forward(
        self, h: Tensor, memory: Tensor, may_attend: Tensor, keys: Tensor, record: list[Tensor] | None
    ) -> Tensor:
        return h


def build_attention(attention: SourceAttention, d_model: int) -> AdditiveAttention | DotAttention:
    match attention:
        case "additive":
            return AdditiveAttention(d_model, d_model, d_model)
        case "dot":
            return DotAttention()
        case "general":
            return GeneralAttention(d_model)
        case "none":
            raise ValueError("attention = 'none' looks at nothing")


def build_context(attention: SourceAttention, d_model: int) -> AttentionContext | NoContext:
    return NoContext() if attention == "none" else AttentionContext(attention, d_model)
