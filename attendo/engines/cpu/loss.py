"""From vectors to the loss and back, with the logits of a chunk of tokens at a time.

    L = -Σ_v q(v) log p(v)      q(v) = (1 - ε) [v is the right token] + ε / vocabulary

With logits z and p = softmax(z) this is L = log Σ exp(z) - (1 - ε) z_right - ε mean(z), and ∂L/∂z = p - q. So p is
all that is needed, and takes the place of z, where autograd keeps log p and makes the gradient beside it. Gradients are
those of the sum; the backward pass multiplies them by what it is given.
"""

from typing import Any

import torch
from torch import Tensor

AT_ONCE = 2**22  # logits: 16 MiB, few enough for the allocator to keep them for the next chunk
FEWEST_TOKENS = 512  # of a chunk: for each the whole gradient of the matrix is read and written


class LeanLoss(torch.autograd.Function):
    """x [tokens, d_model], the output's weight [vocab, d_model], targets [tokens] -> the sum of cross entropies.

    The products are of type `dtype`, all else of that of x.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, targets: Tensor, smoothing: float, dtype: torch.dtype) -> Tensor:
        chunk = max(AT_ONCE // len(weight), FEWEST_TOKENS)
        given, lower = x.to(dtype), weight.to(dtype)
        loss, d_x, d_weight = x.new_zeros(()), torch.empty_like(x), torch.zeros_like(weight)
        for start in range(0, len(x), chunk):
            some = slice(start, start + chunk)
            logits = (given[some] @ lower.t()).to(x.dtype)
            loss += cross_entropy_(logits, targets[some], smoothing)
            if dtype == weight.dtype:  # with a large vocabulary a new matrix for each chunk took as long as the product
                torch.mm(logits, lower, out=d_x[some])
                d_weight.addmm_(logits.t(), given[some])
            else:
                d_logits = logits.to(dtype)
                d_x[some] = d_logits @ lower
                d_weight += d_logits.t() @ given[some]
        ctx.save_for_backward(d_x, d_weight)
        return loss

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        d_x, d_weight = ctx.saved_tensors
        return d_x * gradient, d_weight * gradient, None, None, None


def cross_entropy_(logits: Tensor, targets: Tensor, smoothing: float) -> Tensor:
    """The sum over tokens; logits [tokens, vocab] become its gradient."""
    right = targets[:, None]
    of_right, mean = logits.gather(1, right), logits.mean(1, keepdim=True)
    highest = logits.amax(1, keepdim=True)
    torch.softmax(logits, 1, out=logits)
    # Of the likeliest token p is at least 1 / vocabulary: its logarithm loses nothing.
    log_total = highest - logits.amax(1, keepdim=True).log()
    if smoothing:
        logits.sub_(smoothing / logits.shape[1])
    logits.scatter_add_(1, right, logits.new_full(right.shape, smoothing - 1))
    return (log_total - (1 - smoothing) * of_right - smoothing * mean).sum()
