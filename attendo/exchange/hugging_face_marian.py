"""A folder of Hugging Face's with a Marian model: OPUS-MT and all that `transformers` saves as MarianMTModel.

config.json              sizes; which id is </s>, padding, the one that a decoder begins with
model.safetensors        or pytorch_model.bin, see torch_file.py
vocab.json               token -> id; target_vocab.json, where the target has its own
source.spm, target.spm   how either side is cut
"""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attendo.errors import InputError
from attendo.exchange.foreign_model import ForeignModel, ForeignSide, Table
from attendo.exchange.language_tags import languages_of
from attendo.exchange.sentence_piece_file import SentencePieceFile, read_sentence_piece_file
from attendo.exchange.their_names import their_names
from attendo.exchange.torch_file import to_safetensors
from attendo.files.tables import read_json, short_repr
from attendo.files.tensor_arrays import Arrays, read_arrays
from attendo.model.config import TransformerConfig
from attendo.model.field_ranges import LARGEST
from attendo.model.shapes import weight_shapes

LARGEST_CONFIG, LARGEST_VOCABULARY = 2**20, 64 * 2**20
SAFE, PICKLED = "model.safetensors", "pytorch_model.bin"
NORM_ORDERS = {"marian": "post", "pegasus": "pre"}  # the second is what we export with norms before
ACTIVATIONS = {"relu": "relu", "gelu": "gelu", "swish": "swish", "silu": "swish"}
# What its class at Hugging Face computes, whatever the file says, and what a file that says otherwise asks for.
REFUSED = ("normalize_before", "normalize_embedding", "add_final_layer_norm")
POSITIONS = ("model.encoder.embed_positions.weight", "model.decoder.embed_positions.weight")
BIAS, SHARED = "final_logits_bias", "model.shared.weight"


def read_hugging_face_marian(folder: Path, given: tuple[tuple[str, str], ...]) -> ForeignModel:
    """`given`: directions that the user names, where the folder does not."""
    table = read_json(folder / "config.json", LARGEST_CONFIG)
    if not isinstance(table, dict) or table.get("model_type") not in NORM_ORDERS:
        found = short_repr(table.get("model_type")) if isinstance(table, dict) else type(table).__name__
        raise InputError(f"{folder / 'config.json'}: model_type is {found}, expected marian")
    sizes = MarianSettings(folder / "config.json", table)
    own_vocabularies = not sizes.truth("share_encoder_decoder_embeddings", True)
    vocabulary = read_vocabulary(folder / "vocab.json", sizes.count("vocab_size"))
    target_file = folder / "target_vocab.json"
    target_vocabulary = vocabulary
    if own_vocabularies:
        decoder_size = sizes.count("decoder_vocab_size", len(vocabulary))
        target_vocabulary = read_vocabulary(
            target_file if target_file.exists() else folder / "vocab.json", decoder_size
        )
    cuts = [read_sentence_piece_file(folder / name) for name in ("source.spm", "target.spm")]
    weights = read_theirs(folder, sizes, own_vocabularies, len(vocabulary), len(target_vocabulary))
    check_same_cut(folder, cuts)
    tokenizer_config = folder / "tokenizer_config.json"
    named = read_json(tokenizer_config, LARGEST_CONFIG) if tokenizer_config.exists() else {}
    languages, directions, tags = languages_of(folder, named, vocabulary, given)
    end, pad = sizes.id("eos_token_id"), sizes.id("pad_token_id")
    sides = [
        ForeignSide(tokens, weights[name], end, unknown_of(folder, tokens), cut.scored)
        for tokens, name, cut in zip(
            (vocabulary, target_vocabulary), ("source_embedding", "embedding"), cuts, strict=True
        )
    ]
    for side, place in ((sides[0], end), (sides[1], end), (sides[1], pad), (sides[1], start_of(sizes, pad))):
        if place >= len(side.tokens):
            raise InputError(f"{folder / 'config.json'} names the id {place}: there are {len(side.tokens):,}")
    layers = {name: array for name, array in weights.items() if "." in name}
    return ForeignModel(
        settings=sizes.settings(),
        layers=layers,
        source=sides[0],
        target=sides[1],
        start=start_of(sizes, pad),
        languages=languages,
        directions=directions,
        normaliser=cuts[0].normaliser,
        output=weights.get("output"),
        output_bias=weights.get("bias"),
        tags=tags,
        never=frozenset({pad}),
        bytes=cuts[0].bytes,
        scaled=sizes.truth("scale_embedding", False),
    )


def start_of(sizes: "MarianSettings", pad: int) -> int:
    return sizes.id("decoder_start_token_id", pad)


def check_same_cut(folder: Path, cuts: list[SentencePieceFile]) -> None:
    if cuts[0].normaliser != cuts[1].normaliser or cuts[0].bytes != cuts[1].bytes:
        raise InputError(f"{folder}: source.spm and target.spm normalise texts differently, which is not supported")


def unknown_of(folder: Path, tokens: tuple[str, ...]) -> int:
    if "<unk>" not in tokens:
        raise InputError(f"{folder / 'vocab.json'} has no <unk>")
    return tokens.index("<unk>")


def read_vocabulary(path: Path, size: int) -> tuple[str, ...]:
    """The tokens by their ids, each id once."""
    table: Any = read_json(path, LARGEST_VOCABULARY)
    if not isinstance(table, dict) or not all(type(number) is int for number in table.values()):
        raise InputError(f"{path} is no object of tokens and their ids")
    if len(table) != size or sorted(table.values()) != list(range(size)):
        raise InputError(f"{path} has {len(table):,} tokens: expected one for each id from 0 to {size - 1:,}")
    return tuple(sorted(table, key=table.__getitem__))


class MarianSettings:
    """config.json; each number is checked before it is used."""

    def __init__(self, path: Path, table: dict[str, Any]) -> None:
        self.path, self.table = path, table

    def count(self, name: str, default: int | None = None) -> int:
        value = self.table.get(name, default)
        if type(value) is not int or not 1 <= value <= LARGEST["vocab_size"]:
            raise InputError(f"{self.path}: {name} is {short_repr(value)}, expected a whole number")
        return value

    def id(self, name: str, default: int | None = None) -> int:
        value = self.table.get(name, default)
        if type(value) is not int or not 0 <= value <= LARGEST["vocab_size"]:
            raise InputError(f"{self.path}: {name} is {short_repr(value)}, expected the id of a token")
        return value

    def truth(self, name: str, default: bool) -> bool:
        value = self.table.get(name, default)
        if type(value) is not bool:
            raise InputError(f"{self.path}: {name} is {short_repr(value)}, expected true or false")
        return value

    def settings(self) -> dict[str, Any]:
        """What is the same in both halves, or an error: of a TransformerConfig."""
        activation = self.table.get("activation_function", "gelu")
        if activation not in ACTIVATIONS:
            raise InputError(
                f"{self.path}: activation_function is {short_repr(activation)}, expected swish, relu, gelu"
            )
        for name in REFUSED:
            if self.truth(name, False):
                raise InputError(f"{self.path}: {name} is true, which MarianMTModel does not compute")
        return {
            "d_model": self.count("d_model"),
            "d_ff": self.both("ffn_dim"),
            "num_heads": self.both("attention_heads"),
            "encoder_layers": self.count("encoder_layers"),
            "decoder_layers": self.count("decoder_layers"),
            "activation": ACTIVATIONS[activation],
            "norm_order": NORM_ORDERS[self.table["model_type"]],
        }

    def both(self, name: str) -> int:
        encoder, decoder = self.count(f"encoder_{name}"), self.count(f"decoder_{name}")
        if encoder != decoder:
            raise InputError(
                f"{self.path}: encoder_{name} is {encoder} and decoder_{name} {decoder}, expected the same"
            )
        return encoder


def read_theirs(folder: Path, sizes: MarianSettings, own: bool, source_size: int, target_size: int) -> Arrays:
    """Layers by our names; and "embedding", "source_embedding", "output", "bias", the last two if there are such."""
    arrays = read_tensors(folder)
    config = TransformerConfig(vocab_size=max(target_size, 4), **sizes.settings(), shared_embedding=not own)
    d_model = config.d_model
    shapes = weight_shapes(config)
    found: Arrays = {}
    for theirs, ours in their_names(config).items():
        if ours.startswith(("encoder.", "decoder.")):
            found[ours] = taken(folder, arrays, theirs, shapes[ours])
    for name, half, size in (("source_embedding", "encoder", source_size), ("embedding", "decoder", target_size)):
        table = arrays.pop(f"model.{half}.embed_tokens.weight", arrays.get(SHARED))
        found[name] = taken(folder, {} if table is None else {SHARED: table}, SHARED, (size, d_model))
    arrays.pop(SHARED, None)
    if np.array_equal(found["source_embedding"], found["embedding"]):
        found["source_embedding"] = found["embedding"]
    output: Table | None = arrays.pop("lm_head.weight", None)
    tied = sizes.truth("tie_word_embeddings", True)
    if not tied:
        if output is None or output.shape != (target_size, d_model):
            raise InputError(f"{folder}: tie_word_embeddings is false, and there is no lm_head.weight of that size")
        found["output"] = output
    if BIAS in arrays:
        found["bias"] = taken(folder, arrays, BIAS, (1, target_size)).reshape(-1)
    for positions in POSITIONS:
        check_positions(folder, positions, arrays.pop(positions, None), d_model)
    if arrays:
        raise InputError(f"{folder}: the tensor {min(arrays)[:60]!r} is none of a Marian model")
    return found


def taken(folder: Path, arrays: Arrays, name: str, shape: tuple[int, ...]) -> Table:
    array = arrays.pop(name, None)
    if array is None:
        raise InputError(f"{folder}: the tensor {name!r} is missing")
    if array.shape != shape:
        raise InputError(f"{folder}: the tensor {name!r} is {list(array.shape)}, expected {list(shape)}")
    return array


def check_positions(folder: Path, name: str, table: Table | None, d_model: int) -> None:
    """Some files hold the table of positions, which nobody learnt: sines in the first half, cosines in the second."""
    if table is None:
        return
    if table.ndim != 2 or table.shape[1] != d_model:
        raise InputError(f"{folder}: the tensor {name!r} is {list(table.shape)}, expected rows of {d_model}")
    if not np.allclose(table, sines_then_cosines(len(table), d_model), atol=2e-3):
        raise InputError(f"{folder}: {name!r} are no sines and cosines: other positions are not supported")


def sines_then_cosines(count: int, d_model: int) -> NDArray[np.float64]:
    angles = np.arange(count)[:, None] / 10_000 ** (np.arange(0, d_model, 2) / d_model)
    return np.concatenate((np.sin(angles), np.cos(angles)), axis=1)


def read_tensors(folder: Path) -> Arrays:
    if (folder / SAFE).exists():
        return read_arrays(folder / SAFE)
    if not (folder / PICKLED).exists():
        raise InputError(f"{folder} has neither {SAFE} nor {PICKLED}")
    with tempfile.TemporaryDirectory(prefix="attendo-import-") as temporary:
        out = Path(temporary) / SAFE
        to_safetensors(folder / PICKLED, out)
        return read_arrays(out)
