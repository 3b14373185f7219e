"""Sequence to sequence by recurrence, before the Transformer: with one fixed vector, or with additive attention.

The encoder reads the source in both directions. Its last states become one vector, from which the decoder's state
starts (Sutskever et al. 2014). With context = "fixed" that is all the decoder ever learns of the source; with
context = "attention" it looks back at every source position at every step (Bahdanau et al. 2015; the look follows
the recurrence, as in Luong et al. 2015, so that training runs whole sequences through the fused kernel).
"""

from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn

from attendo.errors import InputError
from attendo.model import masks
from attendo.model.additive_attention import AdditiveAttention
from attendo.model.cache import sentences_of
from attendo.model.config import LSTMConfig
from attendo.model.embeddings import ScaledEmbedding, build_output, check_same_batch
from attendo.model.initialization import initialize_lstm
from attendo.model.record import AttentionRecord
from attendo.model.recurrence import BidirectionalLSTMLayer, LSTMLayer, LSTMState
from attendo.special_tokens import SPECIAL


@dataclass
class LSTMDecodingState:
    memory: Tensor  # [sentences, source, d_model]
    source_is_real: Tensor  # [sentences, 1, 1, source]
    layers: list[LSTMState]
    rows_per_sentence: int = 1  # side by side; they share its memory

    def reorder(self, index: Tensor) -> None:
        """Row i becomes what row index[i] was; the rows of one line of an index [sentences, n] share a memory."""
        staying = sentences_of(index, self.rows_per_sentence, len(self.memory))
        if staying is not None:
            self.memory, self.source_is_real = self.memory[staying], self.source_is_real[staying]
        rows = index.flatten()
        self.layers = [(h[rows], c[rows]) for h, c in self.layers]
        self.rows_per_sentence = 1 if index.dim() == 1 else index.shape[1]


class FixedContext(nn.Module):
    """Says what the recurrent state says."""

    def forward(self, h: Tensor, memory: Tensor, may_attend: Tensor, record: list[Tensor] | None) -> Tensor:
        return h


class AttentionContext(nn.Module):
    """W [h ; context], the context being what additive attention saw in the source.

    Luong et al. squash it with tanh; a tied output, whose rows are of length one, would then hold the logits down.
    """

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.attention = AdditiveAttention(d_model, d_model, d_model)
        self.combine = nn.Linear(2 * d_model, d_model)

    def forward(self, h: Tensor, memory: Tensor, may_attend: Tensor, record: list[Tensor] | None) -> Tensor:
        context = self.attention(h, memory, may_attend, record=record)
        return self.combine(torch.cat((h, context), dim=-1))


class LSTMSeq2Seq(nn.Module):
    """source ids [batch, source] and target_in ids [batch, target] -> logits [batch, target, vocab]."""

    def __init__(self, config: LSTMConfig) -> None:
        super().__init__()
        self.config = config
        d_model = config.d_model
        self.embedding = ScaledEmbedding(config.vocab_size, d_model)
        self.dropout = nn.Dropout(config.dropout)
        self.encoder = nn.ModuleList(BidirectionalLSTMLayer(d_model, d_model) for _ in range(config.encoder_layers))
        self.bridge = nn.Linear(d_model, config.decoder_layers * 2 * d_model)
        self.decoder = nn.ModuleList(LSTMLayer(d_model, d_model) for _ in range(config.decoder_layers))
        self.context = AttentionContext(d_model) if config.context == "attention" else FixedContext()
        self.output = build_output(self.embedding, tied=config.tied_output)
        initialize_lstm(self)

    def forward(
        self,
        source: Tensor,
        target_in: Tensor,
        record: AttentionRecord | None = None,
        segments: tuple[Tensor, Tensor] | None = None,
    ) -> Tensor:
        """Teacher forcing; the recurrence still goes step by step, inside the kernel."""
        if segments is not None:
            raise InputError("an LSTM carries its state from one token to the next: expected one pair a row")
        check_same_batch(source, target_in)
        state = self.start_decoding(source)
        h = self.embedding(target_in)
        for layer, start in zip(self.decoder_layers, state.layers, strict=True):
            h = layer.run(self.dropout(h), start)
        return self.logits(h, state, record)

    def start_decoding(self, source: Tensor) -> LSTMDecodingState:
        lengths = (source != SPECIAL.pad).sum(1).clamp(min=1)
        memory = self.embedding(source)
        for layer in self.encoder:
            memory = layer(self.dropout(memory), lengths)
        rightward, leftward = memory.chunk(2, dim=-1)
        last = rightward[torch.arange(len(source), device=source.device), lengths - 1]
        summary = torch.cat((last, leftward[:, 0]), dim=-1)  # [batch, d_model]: the whole source in one vector
        states = torch.tanh(self.bridge(summary)).chunk(2 * len(self.decoder), dim=-1)
        return LSTMDecodingState(
            memory, masks.real(source, SPECIAL.pad), list(zip(states[::2], states[1::2], strict=True))
        )

    def next_token_logits(
        self, tokens: Tensor, state: LSTMDecodingState, record: AttentionRecord | None = None
    ) -> Tensor:
        """Feed the next tokens [batch, n], usually one; the logits of what follows the last: [batch, vocab]."""
        for h in self.embedding(tokens).unbind(1):
            for index, layer in enumerate(self.decoder_layers):
                state.layers[index] = layer.step(self.dropout(h), state.layers[index])
                h = state.layers[index][0]
        return self.logits(h[:, None], state, record)[:, -1]

    @property
    def decoder_layers(self) -> list[LSTMLayer]:
        """The members of `self.decoder` under their own type, which nn.ModuleList forgets."""
        return cast(list[LSTMLayer], list(self.decoder))

    def logits(self, h: Tensor, state: LSTMDecodingState, record: AttentionRecord | None) -> Tensor:
        """h [batch, target, d_model] of the top layer -> [batch, target, vocab]."""
        queries = h.reshape(len(state.memory), -1, h.shape[-1])  # rows that share a memory, side by side
        context = self.context(queries, state.memory, state.source_is_real, record.cross if record else None)
        return self.output(self.dropout(context.view_as(h)))
