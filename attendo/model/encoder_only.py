"""An encoder alone, like BERT: it sees the whole text at once and guesses the tokens that were masked."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attendo.model import masks
from attendo.model.config import EncoderOnlyConfig
from attendo.model.embeddings import TokenEmbedding, build_output
from attendo.model.encoder import Encoder
from attendo.model.initialization import initialize_normal
from attendo.model.parts import STANDARD, Parts
from attendo.model.record import AttentionRecord
from attendo.special_tokens import SPECIAL


class MaskedTokenHead(nn.Module):
    """[batch, length, d_model] -> logits [batch, length, vocab], through one more layer and the embedding's table."""

    def __init__(self, config: EncoderOnlyConfig, embedding: TokenEmbedding, parts: Parts) -> None:
        super().__init__()
        self.dense = nn.Linear(config.d_model, config.d_model)
        self.norm = parts.norm(config)
        self.output = build_output(embedding, tied=True, bias=True)

    def forward(self, x: Tensor) -> Tensor:
        return self.output(self.norm(F.gelu(self.dense(x))))


class EncoderOnly(nn.Module):
    """tokens [batch, length] -> logits [batch, length, vocab]; token_types tell a first text from a second."""

    def __init__(self, config: EncoderOnlyConfig, parts: Parts = STANDARD) -> None:
        super().__init__()
        self.config = config
        self.embedding = parts.embedding(config)
        self.positions = parts.positions(config)
        self.token_types = TokenEmbedding(config.num_token_types, config.d_model)
        self.embedding_norm = parts.norm(config)
        self.dropout = nn.Dropout(config.dropout)
        self.encoder = Encoder(config, config.num_layers, parts)
        self.head = MaskedTokenHead(config, self.embedding, parts)
        initialize_normal(self)

    def forward(
        self, tokens: Tensor, token_types: Tensor | None = None, record: AttentionRecord | None = None
    ) -> Tensor:
        return self.head(self.encode(tokens, token_types, record))

    def encode(
        self, tokens: Tensor, token_types: Tensor | None = None, record: AttentionRecord | None = None
    ) -> Tensor:
        """tokens [batch, length] -> [batch, length, d_model]."""
        if token_types is None:
            token_types = torch.zeros_like(tokens)
        position_ids = torch.arange(tokens.shape[1], device=tokens.device)[None]
        x = self.positions(self.embedding(tokens) + self.token_types(token_types), position_ids, tokens.shape[1])
        return self.encoder(
            self.dropout(self.embedding_norm(x)),
            masks.real(tokens, SPECIAL.pad),
            rotation=self.positions.rotation(position_ids, x.dtype),
            record=record.encoder_self if record else None,
        )
