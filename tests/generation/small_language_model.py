"""Language models that have learnt nothing, with small sizes and all kinds of parts."""

from dataclasses import replace

import torch

from attendo.generation.load import load_language_model
from attendo.model.build import build_model
from attendo.model.config import DecoderOnlyConfig
from attendo.model_folder.weights import save_model, weights_of
from attendo.text.train_tokenizer import TokenizerConfig, train_tokenizer

TEXTS = ["春眠不觉晓，处处闻啼鸟。", "夜来风雨声，花落知多少。", "spring rain"]
LLAMA = DecoderOnlyConfig(vocab_size=8, d_model=16, d_ff=32, num_heads=4, num_layers=2)


def save_language_model(folder, config=LLAMA, directions=(), seed=1):
    tokenizer = train_tokenizer(lambda: TEXTS * 3, ("zh", "en"), TokenizerConfig(400, kind="char"))
    torch.manual_seed(seed)
    model = build_model(replace(config, vocab_size=tokenizer.vocab_size))
    with torch.no_grad():
        for weight in weights_of(model).values():
            if weight.dim() > 1:
                torch.nn.init.normal_(weight, std=0.5)
    save_model(folder, model, weights_of(model), tokenizer, directions, "# Random\n")
    return folder


def random_language_model(folder, engine="torch", **settings):
    return load_language_model(save_language_model(folder, **settings), engine=engine, device="cpu", threads=1)
