"""One small random model of each family that can be looked into, with a tokenizer that knows a little Chinese."""

from functools import cache

import torch

from attendo.decoding.options import SearchOptions
from attendo.inspection.inspect import inspect_text
from attendo.model.build import build_model
from attendo.model.config import (
    DecoderOnlyConfig,
    EncoderOnlyConfig,
    NonAutoregressiveConfig,
    RecurrentConfig,
    TransformerConfig,
)
from attendo.model_folder.weights import save_model, weights_of
from attendo.text.train_tokenizer import TokenizerConfig, train_tokenizer
from tests.text.conftest import synthetic_texts

DIRECTIONS = (("zh", "en"),)
FAMILIES = ("transformer", "decoder-only", "lstm")
TEXT = "老师爱饕 24 books."  # 饕 is in no text the tokenizer learned from: three bytes


@cache
def tokenizer():
    return train_tokenizer(lambda: synthetic_texts(100), ["zh", "en"], TokenizerConfig(vocab_size=420))


@cache
def model(name, eos=0.0):
    """`eos` is added to the logit of </s>: so translations end."""
    sizes = {"vocab_size": tokenizer().vocab_size, "d_model": 16, "d_ff": 24, "num_heads": 2}
    config = {
        "transformer": TransformerConfig(**sizes, encoder_layers=2, decoder_layers=1),
        "learned": TransformerConfig(**sizes, encoder_layers=1, decoder_layers=1, positions="learned", max_length=12),
        "decoder-only": DecoderOnlyConfig(**sizes, num_layers=2),
        "decoder-only, learned": DecoderOnlyConfig(**sizes, num_layers=1, positions="learned", max_length=12),
        "encoder-only": EncoderOnlyConfig(**sizes, num_layers=1),
        "non-autoregressive": NonAutoregressiveConfig(**sizes, encoder_layers=1, decoder_layers=1),
        "lstm": RecurrentConfig(vocab_size=sizes["vocab_size"], d_model=16, encoder_layers=1, decoder_layers=1),
        "lstm, no attention": RecurrentConfig(vocab_size=sizes["vocab_size"], d_model=16, attention="none"),
        "gru, dot, fed": RecurrentConfig(
            vocab_size=sizes["vocab_size"], d_model=16, cell="gru", attention="dot", input_feeding=True
        ),
        "rnn, general": RecurrentConfig(vocab_size=sizes["vocab_size"], d_model=16, cell="rnn", attention="general"),
    }[name]
    torch.manual_seed(1)
    built = build_model(config).eval()
    for parameter in built.parameters():
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.5)  # large enough that what was read and produced matters
    if eos:
        bias = torch.zeros(config.vocab_size)
        bias[2] = eos
        built.output.bias = torch.nn.Parameter(bias)
    return built


@cache
def inspection(name, text=TEXT, eos=7.0, beam_size=3):
    options = SearchOptions(beam_size=beam_size, min_length=7, stop="exact")
    return inspect_text(model(name, eos), tokenizer(), text, DIRECTIONS, options=options)


def save(name, folder):
    save_model(folder, model(name), weights_of(model(name)), tokenizer(), [("zh", "en"), ("en", "zh")], "# Random\n")
    return folder
