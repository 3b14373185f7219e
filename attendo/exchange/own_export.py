"""The way back: a folder that `attendo export --to hf` wrote, perhaps trained on by others since.

It has our tokenizer beside theirs, so that ids need not be put into another order.
"""

from pathlib import Path

import numpy as np

from attendo.errors import InputError
from attendo.exchange.export_hugging_face import OUR_TOKENIZER
from attendo.exchange.hugging_face_marian import LARGEST_CONFIG, MarianSettings, read_theirs, read_vocabulary
from attendo.exchange.language_tags import Directions
from attendo.exchange.sentence_piece_writing import piece_names
from attendo.files.tables import read_json
from attendo.files.tensor_arrays import Arrays
from attendo.model.config import TransformerConfig
from attendo.text.scripts import parse_direction
from attendo.text.tokenizer import Tokenizer


def is_own_export(path: Path) -> bool:
    return path.is_dir() and (path / OUR_TOKENIZER).is_file()


def read_own_export(folder: Path, given: Directions) -> tuple[TransformerConfig, Arrays, Tokenizer, Directions]:
    tokenizer = Tokenizer.load(folder / OUR_TOKENIZER)
    table = read_json(folder / "config.json", LARGEST_CONFIG)
    if not isinstance(table, dict) or table.get("model_type") not in ("marian", "pegasus"):
        raise InputError(f"{folder / 'config.json'} is not the configuration of a model that attendo exported")
    sizes = MarianSettings(folder / "config.json", table)
    if list(read_vocabulary(folder / "vocab.json", sizes.count("vocab_size"))) != piece_names(tokenizer):
        raise InputError(f"{folder}: {OUR_TOKENIZER} and vocab.json have different tokens")
    shared = sizes.truth("share_encoder_decoder_embeddings", True)
    size = tokenizer.vocab_size
    found = read_theirs(folder, sizes, not shared, size, size)
    weights = {name: array for name, array in found.items() if "." in name} | {"embedding.weight": found["embedding"]}
    shared = found["source_embedding"] is found["embedding"]
    if not shared:
        weights["source_embedding.weight"] = found["source_embedding"]
    if "output" in found:
        weights["output.weight"] = found["output"]
    has_bias = "bias" in found and bool(np.any(found["bias"]))
    if has_bias:
        weights["output.bias"] = found["bias"]
    config = TransformerConfig(
        vocab_size=size,
        **sizes.settings(),
        positions="sinusoidal-halves",
        tied_output="output" not in found,
        shared_embedding=shared,
        output_bias=has_bias,
    )
    return config, weights, tokenizer, given or directions_in(folder, tokenizer)


def directions_in(folder: Path, tokenizer: Tokenizer) -> Directions:
    """As the exporter wrote them."""
    table = read_json(folder / "tokenizer_config.json", LARGEST_CONFIG)
    texts = table.get("attendo_directions") if isinstance(table, dict) else None
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        raise InputError(f"{folder / 'tokenizer_config.json'} names no attendo_directions: use --direction")
    return tuple(parse_direction(text, tokenizer.languages) for text in texts)
