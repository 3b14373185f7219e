"""From ids to vectors and back (3.4): embeddings times √d_model, and an output projection that may share them."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attendo.errors import InputError
from attendo.model.config import LayerConfig, TransformerConfig


class TokenEmbedding(nn.Module):
    """ids [batch, length] -> vectors [batch, length, d_model]: a table, a row for each id."""

    def __init__(self, vocab_size: int, d_model: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(vocab_size, d_model))

    def forward(self, tokens: Tensor) -> Tensor:
        if tokens.dim() != 2 or tokens.is_floating_point() or tokens.dtype == torch.bool:
            raise InputError(
                f"expected token ids as whole numbers [batch, length], got {tokens.dtype} {list(tokens.shape)}"
            )
        try:
            return F.embedding(tokens, self.weight)
        except IndexError:
            raise outside_vocabulary(tokens, len(self.weight)) from None

    def extra_repr(self) -> str:
        return f"{self.weight.shape[0]}, {self.weight.shape[1]}"


class ScaledEmbedding(TokenEmbedding):
    """The paper's: the table's row times √d_model.

    The table starts with variance 1/d_model so that it can serve as output projection too; the factor brings a vector
    up to the size of the positions that are added to it.
    """

    def forward(self, tokens: Tensor) -> Tensor:
        return super().forward(tokens) * math.sqrt(self.weight.shape[1])

    def extra_repr(self) -> str:
        return f"{super().extra_repr()}, scale={math.sqrt(self.weight.shape[1]):.4g}"


def build_embedding(config: LayerConfig) -> TokenEmbedding:
    """The paper's for the paper's model; Llama and BERT take the table's rows as they are."""
    kind = ScaledEmbedding if isinstance(config, TransformerConfig) else TokenEmbedding
    return kind(config.vocab_size, config.d_model)


def build_output(embedding: TokenEmbedding, *, tied: bool, bias: bool = False) -> nn.Linear:
    """d_model -> logits over the vocabulary; tied means one tensor under two names."""
    vocab_size, d_model = embedding.weight.shape
    output = nn.Linear(d_model, vocab_size, bias=bias)
    if tied:
        output.weight = embedding.weight
    return output


def check_same_batch(source: Tensor, target_in: Tensor) -> None:
    """One source for each target; a batch of 1 would otherwise be taken for all of them."""
    if len(source) != len(target_in):
        raise InputError(f"{len(source)} sources and {len(target_in)} targets: expected a source for each target")


def outside_vocabulary(tokens: Tensor, vocab_size: int) -> InputError:
    """Which id of tokens [batch, length] is wrong, where the device tells that one is: a CPU does, a GPU does not."""
    lowest, highest = (int(edge) for edge in tokens.aminmax())
    wrong = lowest if lowest < 0 else highest
    row, column = (tokens == wrong).nonzero()[0].tolist()
    return InputError(
        f"token id {wrong} at row {row}, position {column} is outside the vocabulary: expected 0 to {vocab_size - 1}"
    )
