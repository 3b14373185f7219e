"""Sequence to sequence by recurrence, before the Transformer.

The encoder reads the source in both directions (Bahdanau et al. 2015). Its last states become one vector, from which
the decoder's states start (Sutskever et al. 2014; there the encoder's last states *are* the decoder's first, here a
linear layer and tanh stand between, because the encoder is half as wide in each direction). Then:

- attention = "none": that vector is all the decoder ever learns of the source, as in Sutskever et al. They let an LSTM
  read the source backwards; ours reads it both ways.
- attention = "additive": at every step the decoder looks back at every source position by the compatibility function
  of Bahdanau et al. They look before the recurrence, with the state of the step before, read what they saw as one more
  input of the cell, and end in a maxout layer. Ours looks after the recurrence, with the state of this step, as Luong
  et al. do: so training runs whole sequences through the fused kernel.
- attention = "dot" or "general": the same by two compatibility functions of Luong et al. 2015. Their attentional
  vector is squashed with tanh, ours is not (source_attention.py), and their encoder reads in one direction.
- input_feeding: the attentional vector of a step is read together with the next token (Luong et al., 3.3), so that the
  decoder knows what it has looked at. Then a step cannot begin before the look of the step before has ended, and
  training goes step by step through the target instead of running through it in one kernel.
"""

from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn

from attendo.errors import InputError
from attendo.model import masks
from attendo.model.cache import sentences_of
from attendo.model.config import RecurrentConfig
from attendo.model.embeddings import ScaledEmbedding, build_output, check_same_batch
from attendo.model.initialization import initialize_recurrent
from attendo.model.record import AttentionRecord
from attendo.model.recurrence import CELLS, BidirectionalLayer, RecurrentLayer, RecurrentState
from attendo.model.source_attention import build_context
from attendo.special_tokens import SPECIAL


@dataclass
class RecurrentDecodingState:
    memory: Tensor  # [sentences, source, d_model]
    keys: Tensor  # [sentences, source, d_model]: what attention makes of the memory
    source_is_real: Tensor  # [sentences, 1, 1, source]
    layers: list[RecurrentState]
    fed: Tensor | None  # [rows, d_model]: the attentional vector of the step before, where the next step reads it
    rows_per_sentence: int = 1  # side by side; they share its memory

    def reorder(self, index: Tensor) -> None:
        """Row i becomes what row index[i] was; the rows of one line of an index [sentences, n] share a memory."""
        staying = sentences_of(index, self.rows_per_sentence, len(self.memory))
        if staying is not None:
            self.memory, self.keys = self.memory[staying], self.keys[staying]
            self.source_is_real = self.source_is_real[staying]
        rows = index.flatten()
        self.layers = [tuple(part[rows] for part in layer) for layer in self.layers]
        self.fed = None if self.fed is None else self.fed[rows]
        self.rows_per_sentence = 1 if index.dim() == 1 else index.shape[1]


class RecurrentSeq2Seq(nn.Module):
    """source ids [batch, source] and target_in ids [batch, target] -> logits [batch, target, vocab]."""

    def __init__(self, config: RecurrentConfig) -> None:
        super().__init__()
        self.config = config
        d_model, cell = config.d_model, CELLS[config.cell]
        self.embedding = ScaledEmbedding(config.vocab_size, d_model)
        self.dropout = nn.Dropout(config.dropout)
        self.encoder = nn.ModuleList(
            BidirectionalLayer(config.cell, d_model, d_model) for _ in range(config.encoder_layers)
        )
        self.bridge = nn.Linear(d_model, config.decoder_layers * cell.state_size * d_model)
        widths = [2 * d_model if config.input_feeding else d_model] + [d_model] * (config.decoder_layers - 1)
        self.decoder = nn.ModuleList(cell(width, d_model) for width in widths)
        self.context = build_context(config.attention, d_model)
        self.output = build_output(self.embedding, tied=config.tied_output)
        initialize_recurrent(self)

    def forward(
        self,
        source: Tensor,
        target_in: Tensor,
        record: AttentionRecord | None = None,
        segments: tuple[Tensor, Tensor] | None = None,
    ) -> Tensor:
        """Teacher forcing; the recurrence still goes step by step, inside the kernel or, with input feeding, here."""
        if segments is not None:
            raise InputError("a recurrent model carries its state from one token to the next: expected one pair a row")
        check_same_batch(source, target_in)
        state = self.start_decoding(source)
        seen: list[Tensor] | None = None if record is None else []
        h = self.embedding(target_in)
        if self.config.input_feeding:
            attentional = torch.stack([self.step(x, state, seen) for x in h.unbind(1)], dim=1)
        else:
            for layer, start in zip(self.decoder_layers, state.layers, strict=True):
                h = layer.run(self.dropout(h), start)
            attentional = self.attend(h, state, seen)
        if record is not None and seen:
            record.cross.append(torch.cat(seen, dim=2))
        return self.output(self.dropout(attentional))

    def start_decoding(self, source: Tensor) -> RecurrentDecodingState:
        lengths = (source != SPECIAL.pad).sum(1).clamp(min=1)
        memory = self.embedding(source)
        for layer in self.encoder:
            memory = layer(self.dropout(memory), lengths)
        rightward, leftward = memory.chunk(2, dim=-1)
        last = rightward[torch.arange(len(source), device=source.device), lengths - 1]
        summary = torch.cat((last, leftward[:, 0]), dim=-1)  # [batch, d_model]: the whole source in one vector
        size = self.decoder_layers[0].state_size
        states = torch.tanh(self.bridge(summary)).chunk(size * len(self.decoder), dim=-1)
        return RecurrentDecodingState(
            memory=memory,
            keys=self.context.keys(memory),
            source_is_real=masks.real(source, SPECIAL.pad),
            layers=[states[first : first + size] for first in range(0, len(states), size)],
            fed=torch.zeros_like(summary) if self.config.input_feeding else None,
        )

    def next_token_logits(
        self, tokens: Tensor, state: RecurrentDecodingState, record: AttentionRecord | None = None
    ) -> Tensor:
        """Feed the next tokens [batch, n], usually one; the logits of what follows the last: [batch, vocab]."""
        seen: list[Tensor] = []
        for x in self.embedding(tokens).unbind(1):
            attentional = self.step(x, state, seen)
        if record is not None:
            record.cross.extend(seen[-1:])
        return self.output(self.dropout(attentional))

    def step(self, x: Tensor, state: RecurrentDecodingState, seen: list[Tensor] | None) -> Tensor:
        """One token's vectors [rows, d_model] -> what is said after it, before the output layer [rows, d_model]."""
        h = x if state.fed is None else torch.cat((x, state.fed), dim=-1)
        for index, layer in enumerate(self.decoder_layers):
            state.layers[index] = layer.step(self.dropout(h), state.layers[index])
            h = state.layers[index][0]
        attentional = self.attend(h[:, None], state, seen)[:, 0]
        if state.fed is not None:
            state.fed = attentional
        return attentional

    def attend(self, h: Tensor, state: RecurrentDecodingState, seen: list[Tensor] | None) -> Tensor:
        """h of the top layer, and what it sees of the source: [rows, target, d_model] -> the same shape."""
        queries = h.reshape(len(state.memory), -1, h.shape[-1])  # rows that share a memory, side by side
        return self.context(queries, state.memory, state.source_is_real, state.keys, seen).view_as(h)

    @property
    def decoder_layers(self) -> list[RecurrentLayer]:
        """The members of `self.decoder` under their own type, which nn.ModuleList forgets."""
        return cast(list[RecurrentLayer], list(self.decoder))
