"""A model folder with small random weights: it says nothing that anybody would, and the glass can open it."""

import numpy as np
from safetensors.numpy import save_file

from attendo.model.config import TransformerConfig
from attendo.model.shapes import weight_shapes
from attendo.model_folder.bundle_writing import write_bundle
from tests.translation.fake_engine import fake_tokenizer

SIZES = {"d_model": 16, "d_ff": 24, "num_heads": 2, "encoder_layers": 2, "decoder_layers": 2}


def write_small_model(folder, card="# Small\n", **choices):
    tokenizer, generator = fake_tokenizer(), np.random.default_rng(1)
    sizes = {"vocab_size": tokenizer.vocab_size, **SIZES, **choices}
    shapes = weight_shapes(TransformerConfig(**sizes))
    weights = {name: generator.normal(0, 0.3, shape).astype(np.float32) for name, shape in shapes.items()}
    write_bundle(
        folder, {"family": "transformer", **sizes}, tokenizer, [("zh", "en"), ("en", "zh")], card,
        lambda path: save_file(weights, path), needs=1_000_000,
    )  # fmt: skip
    return folder
