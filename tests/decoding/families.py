"""One small random model of each family, and sentences for them."""

import random

import torch

from attendo.model.build import build_model
from attendo.model.config import DecoderOnlyConfig, RecurrentConfig, TransformerConfig

VOCAB = 17
FAMILIES = ("transformer", "decoder-only", "lstm")


def model_of(family, vocab=VOCAB, dtype=torch.float64, seed=0, eos=0.0):
    """Weights large enough that what was said and read matters; `eos` is added to the logit of </s>."""
    sizes = {"vocab_size": vocab, "d_model": 16, "d_ff": 24, "num_heads": 2, "dropout": 0.0}
    config = {
        "transformer": TransformerConfig(**sizes, encoder_layers=1, decoder_layers=2, tied_output=False),
        "decoder-only": DecoderOnlyConfig(**sizes, num_layers=2),
        "lstm": RecurrentConfig(
            vocab_size=vocab, d_model=16, encoder_layers=1, decoder_layers=2, dropout=0.0, tied_output=False
        ),
    }[family]
    torch.manual_seed(seed)
    model = build_model(config).double().eval()
    for parameter in model.parameters():
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.5)
    model.output.bias = torch.nn.Parameter(torch.zeros(vocab, dtype=torch.float64))
    with torch.no_grad():
        model.output.bias[2] = eos
    return model.to(dtype)


def sentences(count, seed=0, longest=9, vocab=VOCAB):
    rng = random.Random(seed)
    return [[rng.randrange(3, vocab) for _ in range(rng.randint(1, longest))] + [2] for _ in range(count)]


def padded(rows, width=0):
    width = max(width, *map(len, rows))
    return torch.tensor([[*row, *[0] * (width - len(row))] for row in rows])
