"""The head of an encoder-only model in numpy: from the vectors of hidden tokens to log-probabilities.

    log softmax(norm(GELU(x W_dense + b)) Eᵀ + b_output), where E is the table of the embedding

CTranslate2's encoder ends before it. Few tokens of a text are hidden, so there is little to compute.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attendo.files.tensor_arrays import Arrays
from attendo.model.config import EncoderOnlyConfig

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class HeadInNumpy:
    config: EncoderOnlyConfig
    weights: Arrays  # those of the head, and the embedding's

    @classmethod
    def of(cls, config: EncoderOnlyConfig, weights: Arrays) -> "HeadInNumpy":
        mine = {name: array for name, array in weights.items() if name.startswith(("head.", "embedding.weight"))}
        return cls(config, mine)

    def log_probabilities(self, x: Floats) -> Floats:
        """x [tokens, d_model] -> [tokens, vocab]."""
        weights = self.weights
        hidden = self.norm(gelu(x @ weights["head.dense.weight"].T + weights["head.dense.bias"]))
        logits = hidden @ weights["embedding.weight"].T + weights["head.output.bias"]
        logits -= logits.max(-1, keepdims=True)
        return logits - np.log(np.exp(logits).sum(-1, keepdims=True))

    def norm(self, x: Floats) -> Floats:
        """LayerNorm or RMSNorm, over the d_model numbers of each token."""
        gain, eps = self.weights["head.norm.gain"], np.float32(self.config.norm_eps)
        if self.config.norm == "rms":
            return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * gain
        centred = x - x.mean(-1, keepdims=True)
        return (
            centred / np.sqrt((centred * centred).mean(-1, keepdims=True) + eps) * gain + self.weights["head.norm.bias"]
        )


def gelu(x: Floats) -> Floats:
    """x Φ(x) = x · (1 + erf(x / √2)) / 2"""
    erf = np.vectorize(math.erf, otypes=[np.float32])  # numpy has none of its own
    return x * (1 + erf(x / math.sqrt(2))) / 2
