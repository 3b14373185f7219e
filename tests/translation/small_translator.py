"""A translator whose model has learnt nothing: it says anything, mostly for ever. What must hold of it holds of all."""

from dataclasses import replace

import torch

import attendo
from attendo.model.build import build_model
from attendo.model.config import TransformerConfig
from attendo.model_folder.weights import save_model, weights_of
from attendo.special_tokens import SPECIAL
from attendo.text.train_tokenizer import TokenizerConfig, train_tokenizer

TEXTS = [
    "我爱机器学习。机器学习很有趣！你好吗？他昨天买了三本书，花了120元。",
    "I love machine learning. It is fun! How are you? He bought three books for 120 yuan yesterday.",
    "The quick brown fox jumps over the lazy dog; see https://example.org/a?b=1 or mail me@example.org.",
]
SMALL = TransformerConfig(
    vocab_size=8, d_model=16, d_ff=32, num_heads=2, encoder_layers=1, decoder_layers=1, tied_output=False
)


def small_tokenizer(kind="bpe"):
    return train_tokenizer(lambda: TEXTS * 3, ("zh", "en"), TokenizerConfig(450, kind=kind))


def random_model(config=SMALL, tokenizer=None, seed=1, ends=0.0):
    """`ends` is added to the logit of </s>: without it a model that has learnt nothing hardly ever ends."""
    torch.manual_seed(seed)
    model = build_model(replace(config, vocab_size=(tokenizer or small_tokenizer()).vocab_size))
    weights = weights_of(model)
    with torch.no_grad():
        for weight in weights.values():
            if weight.dim() > 1:
                torch.nn.init.normal_(weight, std=0.5)
        if ends:
            output = model.output.weight
            # What the last norm adds to every x, the output turns into a constant.
            direction = torch.nn.functional.normalize(output[SPECIAL.eos], dim=0)
            weights["decoder.layers.0.around_feed_forward.norm.bias"].add_(direction, alpha=ends / output[2].norm())
    return model


def save_random(folder, config=SMALL, kind="bpe", seed=1, ends=0.0):
    tokenizer = small_tokenizer(kind)
    model = random_model(config, tokenizer, seed, ends)
    save_model(folder, model, weights_of(model), tokenizer, [("zh", "en"), ("en", "zh")], "# Random\n")
    return folder


def random_translator(folder, **settings):
    return attendo.load(save_random(folder, **settings), engine="torch", device="cpu", threads=1)
