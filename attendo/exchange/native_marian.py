"""A folder of Marian's own, as OPUS-MT publishes them in zips: model.npz, decoder.yml, vocabularies, .spm.

    x W + b           its matrices stand as [in, out]: ours are turned
    encoder_l1_…      layers count from 1
    Wemb              one table for all; or encoder_Wemb, decoder_Wemb and decoder_ff_logit_out_W (or _Wt)
    special:model.yml settings of the training, among the arrays

A decoder begins with zeros. The computation is the one of Hugging Face and CTranslate2 for these models. Marian's own
program has sines that are a little slower (their wavelengths end with 10,000 · 2π, not short of it) and 1e-6 under the
roots of its norms, not 1e-5.
"""

from pathlib import Path
from typing import Any

import numpy as np

from attendo.errors import ConfigError, InputError
from attendo.exchange.foreign_model import ForeignModel, ForeignSide, Table
from attendo.exchange.hugging_face_marian import ACTIVATIONS, check_same_cut
from attendo.exchange.language_tags import Directions, languages_of
from attendo.exchange.marian_yaml import Settings, read_settings, read_vocabulary
from attendo.exchange.native_files import LARGEST_SETTINGS, NativeFiles, native_files
from attendo.exchange.npz_file import NpzFile
from attendo.exchange.sentence_piece_file import SentencePieceFile, read_sentence_piece_file
from attendo.files.tables import read_small_file, short_repr
from attendo.files.tensor_arrays import Arrays
from attendo.model.config import TransformerConfig
from attendo.model.field_ranges import LARGEST
from attendo.model.shapes import weight_shapes

LARGEST_VOCABULARY = 64 * 2**20
INSIDE, OUTPUT = "special:model.yml", "decoder_ff_logit_out"
END, UNKNOWN = "</s>", "<unk>"
# What else would be another computation: what a setting must be, and is where nothing is said. "d", dropout, is of the
# training alone and left out of the strings of steps.
NEEDED = {
    "type": "transformer", "transformer-preprocess": "", "transformer-postprocess": "an",
    "transformer-postprocess-emb": "", "transformer-postprocess-top": "", "transformer-ffn-depth": "2",
    "transformer-decoder-autoreg": "self-attention", "transformer-tied-layers": [],
    "transformer-train-positions": "false", "transformer-train-position-embeddings": "false",
    "transformer-no-projection": "false", "transformer-no-bias": "false", "transformer-no-affine": "false",
    "transformer-rnn-projection": "false", "transformer-pool": "false", "right-left": "false", "ulr": "false",
    "output-omit-bias": "false", "lemma-dim-emb": "0", "lemma-dependency": "",
}  # fmt: skip
STEPS = (
    "transformer-preprocess",
    "transformer-postprocess",
    "transformer-postprocess-emb",
    "transformer-postprocess-top",
)
ATTENTION = {"query": "q", "key": "k", "value": "v", "output": "o"}


def read_native_marian(folder: Path, given: Directions) -> ForeignModel:
    files = native_files(folder)
    cuts = {path: read_sentence_piece_file(path) for path in dict.fromkeys((*files.pieces, *spm_of(files)))}
    pieces = [cuts[path] for path in files.pieces]
    check_same_cut(folder, pieces)
    source, target = (tokens_of(path, cuts) for path in files.vocabularies)
    with NpzFile(files.weights) as file:
        settings = model_settings(file)
        sizes = sizes_of(file, settings)
        weights = read_weights(file, sizes, (len(source), len(target)))
    languages, directions, tags = languages_of(folder, {}, source, given)
    sides = [
        ForeignSide(tokens, weights[name], tokens.index(END), tokens.index(UNKNOWN), cut.scored)
        for tokens, name, cut in zip((source, target), ("source_embedding", "embedding"), pieces, strict=True)
    ]
    return ForeignModel(
        settings=sizes,
        layers={name: array for name, array in weights.items() if "." in name},
        source=sides[0],
        target=sides[1],
        start=None,
        languages=languages,
        directions=directions,
        normaliser=pieces[0].normaliser,
        output=weights.get("output"),
        output_bias=weights["bias"],
        tags=tags,
        bytes=pieces[0].bytes,
    )


def spm_of(files: NativeFiles) -> list[Path]:
    return [path for path in files.vocabularies if path.suffix == ".spm"]


def tokens_of(path: Path, cuts: dict[Path, SentencePieceFile]) -> tuple[str, ...]:
    """By their ids, each id once."""
    if path in cuts:
        tokens = cuts[path].names
    else:
        try:
            table = read_vocabulary(read_small_file(path, LARGEST_VOCABULARY))
        except ValueError as error:
            raise InputError(f"{path} is no vocabulary: {error}") from error
        if sorted(table.values()) != list(range(len(table))):
            raise InputError(f"{path} has {len(table):,} tokens: expected one for each id from 0 to {len(table) - 1:,}")
        tokens = tuple(sorted(table, key=table.__getitem__))
    for token in (END, UNKNOWN):
        if token not in tokens:
            raise InputError(f"{path} has no {token}")
    return tokens


def model_settings(file: NpzFile) -> Settings:
    """What the file says of itself; anything that we do not compute is refused."""
    try:
        settings = read_settings(file.letters(INSIDE, LARGEST_SETTINGS).split(b"\0", 1)[0])
    except ValueError as error:
        raise InputError(f"{file.path}: {INSIDE} is no list of settings: {error}") from error
    for key, needed in NEEDED.items():
        value = settings.get(key, needed)
        found = value.replace("d", "") if key in STEPS and isinstance(value, str) else value
        if found != needed and not (not found and not needed):
            wanted = "dan" if key == "transformer-postprocess" else needed or '""'
            raise InputError(f"{file.path}: {key} is {short_repr(value)}, expected {wanted}")
    return settings


def sizes_of(file: NpzFile, settings: Settings) -> dict[str, Any]:
    """Of a TransformerConfig."""

    def count(key: str) -> int:
        value = settings.get(key)
        if not isinstance(value, str) or not value.isascii() or not value.isdecimal() or len(value) > 9 or value == "0":
            raise InputError(f"{file.path}: {key} is {short_repr(value)}, expected a whole number")
        return int(value)

    activation = settings.get("transformer-ffn-activation", "swish")
    if activation not in ACTIVATIONS:
        raise InputError(
            f"{file.path}: transformer-ffn-activation is {short_repr(activation)}, expected swish, relu, gelu"
        )
    for key in ("transformer-decoder-dim-ffn", "transformer-decoder-ffn-depth"):
        plain = key.replace("decoder-", "")
        if settings.get(key, "0") not in ("0", settings.get(plain)):
            raise InputError(f"{file.path}: {key} is {short_repr(settings[key])}, expected that of {plain}")
    return {
        "d_model": count("dim-emb"),
        "d_ff": count("transformer-dim-ffn"),
        "num_heads": count("transformer-heads"),
        "encoder_layers": count("enc-depth"),
        "decoder_layers": count("dec-depth"),
        "activation": ACTIVATIONS[str(activation)],
    }


def read_weights(file: NpzFile, sizes: dict[str, Any], rows: tuple[int, int]) -> Arrays:
    """Layers by our names; and "embedding", "source_embedding", "bias", and "output", if it has one of its own."""
    for count in rows:
        if not 4 <= count <= LARGEST["vocab_size"]:
            raise InputError(f"{file.path}: a vocabulary has {count:,} tokens")
    try:
        config = TransformerConfig(vocab_size=rows[1], **sizes)
    except ConfigError as error:
        raise InputError(f"{file.path}: {error}") from error
    shapes, d_model = weight_shapes(config), config.d_model
    left = set(file.members) - {INSIDE}

    def take(name: str, shape: tuple[int, ...]) -> Table:
        """As we have it: a bias is one row there, a matrix is turned."""
        theirs = (1, *shape) if len(shape) == 1 else shape[::-1]
        if name not in left:
            raise InputError(f"{file.path}: the array {name!r} is missing")
        found = file.members[name].shape
        if found != theirs:
            raise InputError(f"{file.path}: the array {name!r} is {list(found)}, expected {list(theirs)}")
        left.remove(name)
        return np.ascontiguousarray(file.numbers(name).reshape(shape) if len(shape) == 1 else file.numbers(name).T)

    def table(name: str, count: int) -> Table:
        return take(name, (d_model, count)).T

    found = {ours: take(theirs, shapes[ours]) for ours, theirs in layer_names(config).items()}
    if "Wemb" in left:
        if rows[0] != rows[1]:
            raise InputError(f"{file.path} has one table for two vocabularies of {rows[0]:,} and {rows[1]:,} tokens")
        found["embedding"] = found["source_embedding"] = table("Wemb", rows[0])
    else:
        found["source_embedding"] = table("encoder_Wemb", rows[0])
        found["embedding"] = table("decoder_Wemb", rows[1])
    if f"{OUTPUT}_W" in left:
        found["output"] = take(f"{OUTPUT}_W", (rows[1], d_model))
    elif f"{OUTPUT}_Wt" in left:
        found["output"] = table(f"{OUTPUT}_Wt", rows[1])
    found["bias"] = take(f"{OUTPUT}_b", (rows[1],))
    if left:
        raise InputError(f"{file.path}: the array {min(left)[:60]!r} is none of such a model")
    return found


def layer_names(config: TransformerConfig) -> dict[str, str]:
    """Ours -> theirs."""
    found: dict[str, str] = {}

    def linear(ours: str, theirs: str, end: str) -> None:
        found[f"{ours}.weight"], found[f"{ours}.bias"] = f"{theirs}_W{end}", f"{theirs}_b{end}"

    def norm(ours: str, theirs: str) -> None:
        found[f"{ours}.norm.gain"], found[f"{ours}.norm.bias"] = f"{theirs}_ln_scale", f"{theirs}_ln_bias"

    for side, layers in (("encoder", config.encoder_layers), ("decoder", config.decoder_layers)):
        for layer in range(layers):
            ours, theirs = f"{side}.layers.{layer}", f"{side}_l{layer + 1}"
            kinds = {"self": "self", "cross": "context"} if side == "decoder" else {"self": "self"}
            for kind, their_kind in kinds.items():
                for part, letter in ATTENTION.items():
                    linear(f"{ours}.{kind}_attention.{part}", f"{theirs}_{their_kind}", letter)
                norm(f"{ours}.around_{kind}_attention", f"{theirs}_{their_kind}_Wo")
            linear(f"{ours}.feed_forward.inner", f"{theirs}_ffn", "1")
            linear(f"{ours}.feed_forward.outer", f"{theirs}_ffn", "2")
            norm(f"{ours}.around_feed_forward", f"{theirs}_ffn_ffn")
    return found
