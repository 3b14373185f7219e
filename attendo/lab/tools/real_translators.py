"""The translators that L7, L29, L31 and L33 compare: a Transformer, and LSTMs with about as many weights.

How fast each learns best was searched before, by the loss on the validation set after a quarter of the epochs
(Multi30k, an H200, 2026-11-16): of 0.001, 0.002, 0.004 (L29) and 0.002, 0.004, 0.008 (L31). What was the best there is
taken for good, so that seeds can be many.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import fmean
from typing import Any, Literal

import torch

from attendo.data.corpus import Pair
from attendo.lab.claim import Numbers
from attendo.lab.knobs import Size
from attendo.lab.tools.measuring import count_weights
from attendo.lab.tools.real_sides import RealSide, TrainedModel
from attendo.lab.tools.real_training import RealBudget, RealData, bleu, translations, validation_loss
from attendo.model.build import Model, build_model
from attendo.model.config import RecurrentConfig, SourceAttention, TransformerConfig

Context = Literal["attention", "fixed"]
ATTENTION: Mapping[Context, SourceAttention] = {"attention": "additive", "fixed": "none"}

BEST_RATES = {"transformer": 2e-3, "attention": 8e-3, "fixed": 4e-3}
# The widths that give an LSTM as many weights as the Transformer has.
WIDTHS: Mapping[Context, Mapping[Size, int]] = {
    "attention": {"small": 16, "full": 312},
    "fixed": {"small": 18, "full": 326},
}
DROPOUT = 0.3  # suits 29,000 pairs (docs/experiments.md)


def budget(size: Size, epochs: float, **changes: Any) -> RealBudget:
    """One pair a row for all: so all get the same batches in the same order, and a target can be guessed as a whole."""
    return RealBudget(epochs, **{"tokens": 300 if size == "small" else 8_192, "packed": False, **changes})


def transformer(data: RealData, size: Size, **changes: Any) -> TransformerConfig:
    """3 + 3 layers, the norm before each sublayer; sizes that suit 29,000 pairs (docs/experiments.md)."""
    sizes = {"d_model": 16, "d_ff": 32} if size == "small" else {"d_model": 256, "d_ff": 512}
    layers = {"encoder_layers": 1 if size == "small" else 3, "decoder_layers": 1 if size == "small" else 3}
    usual = {"vocab_size": data.vocab_size, "num_heads": 4, "dropout": DROPOUT, "norm_order": "pre", **sizes, **layers}
    return TransformerConfig(**{**usual, **changes})


def lstm(data: RealData, size: Size, context: Context, **changes: Any) -> RecurrentConfig:
    """Two layers on each side, as in recipes/multi30k-lstm.toml."""
    layers = 1 if size == "small" else 2
    usual = {"d_model": WIDTHS[context][size], "encoder_layers": layers, "decoder_layers": layers, "dropout": DROPOUT}
    return RecurrentConfig(vocab_size=data.vocab_size, attention=ATTENTION[context], **{**usual, **changes})


def transformer_side(data: RealData, size: Size, **changes: Any) -> RealSide[Model]:
    return RealSide(build_model, transformer(data, size, **changes), (BEST_RATES["transformer"],))


def lstm_side(data: RealData, size: Size, context: Context, **changes: Any) -> RealSide[Model]:
    return RealSide(build_model, lstm(data, size, context, **changes), (BEST_RATES[context],))


# --- what is measured of them

POINTS = 30  # of a curve of losses
GROUPS = 4  # of the test set, from its shortest quarter to its longest


def measure_translator(trained: TrainedModel[Model], data: RealData) -> Numbers:
    """BLEU of the test set, and of each of its quarters by length; the loss on the validation set."""
    model, losses = trained.model, trained.losses
    output = translations(model, data, data.test)
    groups = by_length(data.test)
    return {
        "bleu": bleu(output, data.test),
        "bleu_by_length": [bleu([output[n] for n in group], [data.test[n] for n in group]) for group in groups],
        "words": [fmean(len(data.test[n].source.split()) for n in group) for group in groups],
        "validation_loss": validation_loss(model, data),
        "parameters": count_weights(model),
        "rate": trained.rate,
        "steps": float(len(losses)),
        "losses": [float(part.mean()) for part in torch.tensor(losses).tensor_split(min(POINTS, len(losses)))],
    }


def by_length(pairs: Sequence[Pair]) -> list[list[int]]:
    """Numbers of pairs in groups of equal size, the sentences with the fewest words first."""
    order = sorted(range(len(pairs)), key=lambda index: len(pairs[index].source.split()))
    cuts = [len(order) * index // GROUPS for index in range(GROUPS + 1)]
    return [order[start:end] for start, end in pairwise(cuts)]
