"""The Transformer of figure 1: an encoder, a decoder, and one embedding for both and for the output."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from attendo.model import masks
from attendo.model.cache import sentences_of
from attendo.model.config import TransformerConfig
from attendo.model.decoder import Decoder, LayerCache
from attendo.model.embeddings import ScaledEmbedding, build_output, check_same_batch
from attendo.model.encoder import Encoder
from attendo.model.initialization import initialize_like_the_paper
from attendo.model.like_lengths import encode_in_parts
from attendo.model.positions import Positions, Rotation, build_positions, positions_within
from attendo.model.record import AttentionRecord
from attendo.special_tokens import SPECIAL


@dataclass
class TransformerState:
    """What decoding carries from step to step. The encoder has run; it never runs again."""

    memory: Tensor  # [sentences, source, d_model]
    source_is_real: Tensor | None  # [sentences, 1, 1, source]; None where all of it is
    caches: list[LayerCache]
    length: int = 0  # tokens fed so far
    beams: int = 1  # rows of each sentence; they share its memory

    def reorder(self, index: Tensor) -> None:
        """Row i becomes what row index[i] was; with index [sentences, beams] beams go on sharing their memory."""
        staying = sentences_of(index, self.beams, len(self.memory))
        if staying is not None:
            self.memory = self.memory[staying]
            self.source_is_real = None if self.source_is_real is None else self.source_is_real[staying]
        for cache in self.caches:
            cache.past.reorder(index.flatten())
            if staying is not None:
                cache.memory.reorder(staying)
        self.beams = 1 if index.dim() == 1 else index.shape[1]


class Transformer(nn.Module):
    """source ids [batch, source] and target_in ids [batch, target] -> logits [batch, target, vocab].

    Padding stands behind a sentence, never before or inside it.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = ScaledEmbedding(config.vocab_size, config.d_model)
        self.source_positions = build_positions(config)
        self.target_positions = build_positions(config)
        self.dropout = nn.Dropout(config.dropout)
        self.encoder = Encoder(config, config.encoder_layers)
        self.decoder = Decoder(config, config.decoder_layers)
        self.output = build_output(self.embedding, tied=config.tied_output)
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
        # Padding stands behind the sentence, where the causal mask already hides it from every real token.
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
        x, rotation = self.embed(source, self.source_positions, segments=segments)
        real = masks.real(source, SPECIAL.pad) if segments is None else masks.same_segment(segments, segments)
        return self.encoder(x, real, rotation=rotation, record=record.encoder_self if record else None)

    def start_decoding(self, source: Tensor, record: AttentionRecord | None = None) -> TransformerState:
        caches = [LayerCache() for _ in self.decoder.layers]
        source_is_real = masks.real(source, SPECIAL.pad)
        if record is not None or source.device.type != "cpu":
            return TransformerState(self.encode(source, record), source_is_real, caches)
        # A mask costs several calls a layer. (A GPU would have to be waited for before one knows.)
        hidden = None if bool(source_is_real.all()) else source_is_real
        return TransformerState(encode_in_parts(self.encode, source, SPECIAL.pad), hidden, caches)

    def next_token_logits(
        self, tokens: Tensor, state: TransformerState, record: AttentionRecord | None = None
    ) -> Tensor:
        """Feed the next tokens [batch, n], usually one; the logits of what follows the last: [batch, vocab]."""
        x, rotation = self.embed(tokens, self.target_positions, first=state.length)
        fed = tokens.shape[1]
        state.length += fed
        causal = masks.causal(fed, state.length, tokens.device) if fed > 1 else None
        x = self.decoder(
            x, state.memory, causal, state.source_is_real, rotation=rotation, caches=state.caches, record=record
        )
        return self.output(x[:, -1])

    def embed(
        self, tokens: Tensor, positions: Positions, first: int = 0, segments: Tensor | None = None
    ) -> tuple[Tensor, Rotation | None]:
        """Embedding + position, with dropout (5.4); and the rotation that attention must apply, if any."""
        end = first + tokens.shape[1]
        if segments is None:
            position_ids = torch.arange(first, end, device=tokens.device)[None]
        else:
            position_ids = positions_within(segments)
        x = self.embedding(tokens)
        return self.dropout(positions(x, position_ids, end)), positions.rotation(position_ids, x.dtype)
