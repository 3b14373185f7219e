"""The Transformer of figure 1: an encoder, a decoder, and one embedding for both and for the output.

A configuration may also give the source a table of its own.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from attendo.model import masks
from attendo.model.cache import sentences_of
from attendo.model.config import TransformerConfig
from attendo.model.decoder import Decoder, LayerCache
from attendo.model.embeddings import TokenEmbedding, build_output, check_same_batch
from attendo.model.encoder import Encoder
from attendo.model.initialization import initialize_like_the_paper
from attendo.model.parts import STANDARD, Parts
from attendo.model.positions import Positions, Rotation, positions_within
from attendo.model.record import AttentionRecord
from attendo.special_tokens import SPECIAL


@dataclass
class TransformerState:
    """What decoding carries from step to step. The encoder has run; it never runs again."""

    memory: Tensor  # [sentences, source, d_model]
    source_is_real: Tensor | None  # [sentences, 1, 1, source]; None where all of it is
    caches: list[LayerCache]
    length: int = 0  # tokens fed so far
    rows_per_sentence: int = 1  # side by side; they share its memory

    def reorder(self, index: Tensor) -> None:
        """Row i becomes what row index[i] was; the rows of one line of an index [sentences, n] share a memory."""
        staying = sentences_of(index, self.rows_per_sentence, len(self.memory))
        if staying is not None:
            self.memory = self.memory[staying]
            self.source_is_real = None if self.source_is_real is None else self.source_is_real[staying]
        for cache in self.caches:
            cache.past.reorder(index.flatten())
            if staying is not None:
                cache.memory.reorder(staying)
        self.rows_per_sentence = 1 if index.dim() == 1 else index.shape[1]


class Transformer(nn.Module):
    """source ids [batch, source] and target_in ids [batch, target] -> logits [batch, target, vocab].

    Padding stands after a sentence, never before or inside it.
    """

    def __init__(self, config: TransformerConfig, parts: Parts = STANDARD) -> None:
        super().__init__()
        self.config = config
        self.embedding = parts.embedding(config)
        self.source_embedding = None if config.shared_embedding else parts.embedding(config)
        self.source_positions, self.target_positions = parts.positions(config), parts.positions(config)
        self.dropout = nn.Dropout(config.dropout)
        self.encoder = Encoder(config, config.encoder_layers, parts)
        self.decoder = Decoder(config, config.decoder_layers, parts)
        self.output = build_output(self.embedding, tied=config.tied_output, bias=config.output_bias)
        initialize_like_the_paper(self)

    def forward(
        self,
        source: Tensor,
        target_in: Tensor,
        record: AttentionRecord | None = None,
        segments: tuple[Tensor, Tensor] | None = None,
    ) -> Tensor:
        """Teacher forcing: the logits of every position at once, each seeing only what stands before it.

        With several pairs in a row, `segments` numbers them on both sides ([batch, source], [batch, target]).
        """
        check_same_batch(source, target_in)
        # Padding stands after the sentence, where the causal mask already hides it from every real token.
        causal = masks.causal(target_in.shape[1], target_in.shape[1], target_in.device)
        if segments is None:
            source_segments = target_segments = None
            sees_source = masks.real(source, SPECIAL.pad)
        else:
            source_segments, target_segments = segments
            sees_source = masks.same_segment(target_segments, source_segments)
            causal = causal & masks.same_segment(target_segments, target_segments)
        memory = self.encode(source, record, source_segments)
        x, rotation = self.embed(target_in, self.target_positions, segments=target_segments)
        return self.output(self.decoder(x, memory, causal, sees_source, rotation=rotation, record=record))

    def encode(self, source: Tensor, record: AttentionRecord | None = None, segments: Tensor | None = None) -> Tensor:
        """source ids [batch, source] -> memory [batch, source, d_model]."""
        x, rotation = self.embed(source, self.source_positions, segments=segments, table=self.source_embedding)
        real = masks.real(source, SPECIAL.pad) if segments is None else masks.same_segment(segments, segments)
        return self.encoder(x, real, rotation=rotation, record=record.encoder_self if record else None)

    def start_decoding(self, source: Tensor, record: AttentionRecord | None = None) -> TransformerState:
        return self.state_after(source, self.encode(source, record))

    def state_after(self, source: Tensor, memory: Tensor) -> TransformerState:
        """The beginning: the encoder has made memory [batch, source, d_model] of the ids [batch, source]."""
        source_is_real = masks.real(source, SPECIAL.pad)
        # A mask that hides nothing costs several calls a layer and step.
        mask = None if bool(source_is_real.all()) else source_is_real
        return TransformerState(memory, mask, [LayerCache() for _ in self.decoder.layers])

    def next_token_logits(
        self, tokens: Tensor, state: TransformerState, record: AttentionRecord | None = None
    ) -> Tensor:
        """Feed the next tokens [batch, n], usually one; the logits of what follows the last: [batch, vocab]."""
        x, rotation = self.embed(tokens, self.target_positions, first=state.length)
        count = tokens.shape[1]
        state.length += count
        causal = masks.causal(count, state.length, tokens.device) if count > 1 else None
        x = self.decoder(
            x, state.memory, causal, state.source_is_real, rotation=rotation, caches=state.caches, record=record
        )
        return self.output(x[:, -1])

    def embed(
        self,
        tokens: Tensor,
        positions: Positions,
        first: int = 0,
        segments: Tensor | None = None,
        table: TokenEmbedding | None = None,
    ) -> tuple[Tensor, Rotation | None]:
        """Embedding + position, with dropout (5.4); and the rotation that attention must apply, if any."""
        end = first + tokens.shape[1]
        if segments is None:
            position_ids = torch.arange(first, end, device=tokens.device)[None]
        else:
            position_ids = positions_within(segments)
        x = (self.embedding if table is None else table)(tokens)
        return self.dropout(positions(x, position_ids, end)), positions.rotation(position_ids, x.dtype)
