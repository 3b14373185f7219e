"""From ids to vectors and back (3.4): embeddings times √d_model, and an output projection that may share them."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attendo.errors import InputError


class TokenEmbedding(nn.Module):
    """ids [batch, length] -> vectors [batch, length, d_model]: a table, a row for each id."""

    def __init__(self, vocab_size: int, d_model: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(vocab_size, d_model))

    def forward(self, tokens: Tensor) -> Tensor:
        check_tokens(tokens, len(self.weight))
        return F.embedding(tokens, self.weight)

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


def build_output(embedding: TokenEmbedding, *, tied: bool, bias: bool = False) -> nn.Linear:
    """d_model -> logits over the vocabulary; tied means one tensor under two names."""
    vocab_size, d_model = embedding.weight.shape
    output = nn.Linear(d_model, vocab_size, bias=bias)
    if tied:
        output.weight = embedding.weight
    return output


def is_batched(tokens: Tensor) -> bool:
    """Whether torch.vmap runs over them."""
    return bool(torch._C._functorch.is_batchedtensor(tokens))


def check_same_batch(source: Tensor, target_in: Tensor) -> None:
    """One source for each target; a batch of 1 would otherwise be taken for all of them."""
    if len(source) != len(target_in):
        raise InputError(f"{len(source)} sources and {len(target_in)} targets: expected a source for each target")


def check_tokens(tokens: Tensor, vocab_size: int) -> None:
    """Ids are whole numbers below the vocabulary's size.

    The range is read on the CPU only: reading it from a GPU would make the host wait for every batch, and a compiled
    graph cannot read it at all, nor can models that torch.vmap runs side by side. There, a wrong id is an error of the
    device, without words.
    """
    if tokens.dim() != 2 or tokens.is_floating_point() or tokens.dtype == torch.bool:
        raise InputError(
            f"expected token ids as whole numbers [batch, length], got {tokens.dtype} {list(tokens.shape)}"
        )
    if tokens.device.type != "cpu" or tokens.numel() == 0 or torch.compiler.is_compiling() or is_batched(tokens):
        return
    lowest, highest = (int(edge) for edge in tokens.aminmax())
    if lowest < 0 or highest >= vocab_size:
        wrong = lowest if lowest < 0 else highest
        row, column = (tokens == wrong).nonzero()[0].tolist()
        raise InputError(
            f"token id {wrong} at row {row}, position {column} is outside the vocabulary: "
            f"expected 0 to {vocab_size - 1}"
        )
