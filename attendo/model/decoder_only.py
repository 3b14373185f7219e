"""A decoder alone, like Llama: it continues a text. To translate, the source is the beginning of that text.

>>en<< 我 爱 你 </s>   <s> I love you
└──── source ────┘   └─ target_in ─┘

Of a plain text, which is nobody's translation, the source is empty: <s> 我 爱 你 is all of it.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from attendo.model import masks
from attendo.model.add_and_norm import build_last_norm
from attendo.model.cache import PastCache
from attendo.model.config import DecoderOnlyConfig
from attendo.model.embeddings import build_output, check_same_batch
from attendo.model.encoder import EncoderLayer
from attendo.model.initialization import initialize_normal
from attendo.model.parts import STANDARD, Parts
from attendo.model.record import AttentionRecord
from attendo.special_tokens import SPECIAL


@dataclass
class DecoderOnlyState:
    """The text so far, as keys and values; `real` tells which places hold a token, not padding."""

    real: Tensor  # [batch, length]
    caches: list[PastCache]

    def reorder(self, index: Tensor) -> None:
        """Row i becomes what row index[i] was; rows may repeat or be left out."""
        index = index.flatten()  # rows share nothing here: the source is the beginning of their own text
        self.real = self.real[index]
        for cache in self.caches:
            cache.reorder(index)


class DecoderOnlyLayer(EncoderLayer):
    """Without an encoder there is no cross-attention: what remains is the encoder's layer with a causal mask."""


class DecoderOnly(nn.Module):
    """source ids [batch, source] and target_in ids [batch, target] -> logits [batch, target, vocab]."""

    def __init__(self, config: DecoderOnlyConfig, parts: Parts = STANDARD) -> None:
        super().__init__()
        self.config = config
        self.embedding = parts.embedding(config)
        self.positions = parts.positions(config)
        self.dropout = nn.Dropout(config.dropout)
        self.layers = nn.ModuleList(DecoderOnlyLayer(config, parts) for _ in range(config.num_layers))
        self.norm = build_last_norm(config, parts)
        self.output = build_output(self.embedding, tied=config.tied_output)
        initialize_normal(self)

    def forward(
        self,
        source: Tensor,
        target_in: Tensor,
        record: AttentionRecord | None = None,
        segments: tuple[Tensor, Tensor] | None = None,
    ) -> Tensor:
        """Teacher forcing: source and target as one text; only the target's logits are wanted.

        With several pairs in a row, `segments` numbers them on both sides; all sources stand before all targets, and
        a target looks back at its own source.
        """
        check_same_batch(source, target_in)
        both = None if segments is None else torch.cat(segments, dim=1)
        x = self.hidden(torch.cat((source, target_in), dim=1), None, record, both)
        return self.output(x[:, source.shape[1] :])

    def language_model(self, tokens: Tensor, record: AttentionRecord | None = None) -> Tensor:
        """Plain text [batch, length] -> the logits of each next token [batch, length, vocab]."""
        return self.output(self.hidden(tokens, None, record))

    def start_decoding(self, source: Tensor, record: AttentionRecord | None = None) -> DecoderOnlyState:
        state = DecoderOnlyState(source[:, :0] != SPECIAL.pad, [PastCache() for _ in self.layers])
        if source.shape[1]:  # a plain text has no source
            self.hidden(source, state, record)
        return state

    def next_token_logits(
        self, tokens: Tensor, state: DecoderOnlyState, record: AttentionRecord | None = None
    ) -> Tensor:
        """Feed the next tokens [batch, n], usually one; the logits of what follows the last: [batch, vocab]."""
        return self.output(self.hidden(tokens, state, record)[:, -1])

    def hidden(
        self,
        tokens: Tensor,
        state: DecoderOnlyState | None,
        record: AttentionRecord | None,
        segments: Tensor | None = None,
    ) -> Tensor:
        """tokens [batch, n], after what the state holds -> [batch, n, d_model]."""
        real = tokens != SPECIAL.pad
        if state is not None:
            real = state.real = torch.cat((state.real, real), dim=1)
        queries, keys = tokens.shape[1], real.shape[1]
        may_attend = masks.causal(queries, keys, tokens.device) & real[:, None, None]
        if segments is not None:
            may_attend = may_attend & masks.same_segment(segments, segments)
        # A token's position is the number of tokens it can look back at: padding between a short source and its
        # target takes no place, nor does another pair. (A learned table is asked for `keys` rows all the same: the
        # host knows no better bound.)
        position_ids = (may_attend.sum(-1) - 1).clamp(min=0)[:, 0]  # [batch, queries]

        x = self.embedding(tokens)
        rotation = self.positions.rotation(position_ids, x.dtype)
        x = self.dropout(self.positions(x, position_ids, keys))
        for index, layer in enumerate(self.layers):
            cache = state.caches[index] if state else None
            x = layer(x, may_attend, rotation=rotation, cache=cache, record=record.decoder_self if record else None)
        return self.norm(x)
