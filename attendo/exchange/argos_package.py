"""A package of Argos Translate (.argosmodel): a zip, or the folder that was in it.

    metadata.json            from_code, to_code
    sentencepiece.model      how both sides are cut
    model/                   model.bin, config.json and the vocabulary of CTranslate2
    stanza/                  another project's splitter of sentences, which is not read

Members are read by name, in memory, each within its limit; nothing is unpacked to the disk, so that a name that leads
out of the folder leads nowhere. The weights become those of an ordinary model folder (ct2_file.py), which is why all
engines, the glass and training know it.
"""

import json
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from attendo.errors import InputError
from attendo.exchange.ct2_file import Variables, as_numbers, read_ct2_variables
from attendo.exchange.foreign_model import ForeignModel, ForeignSide, Table
from attendo.exchange.language_tags import Directions
from attendo.exchange.sentence_piece_file import SentencePieceFile
from attendo.exchange.sentence_piece_file import from_bytes as pieces_from_bytes
from attendo.files.tables import parse_json, read_small_file, short_repr
from attendo.files.tensor_arrays import Arrays
from attendo.text.subword_models import LANGUAGE

METADATA, PIECES, WEIGHTS, CONFIG = "metadata.json", "sentencepiece.model", "model/model.bin", "model/config.json"
VOCABULARIES = ("model/shared_vocabulary", "model/source_vocabulary", "model/target_vocabulary")
LARGEST = {WEIGHTS: 2**31, PIECES: 64 * 2**20, METADATA: 2**20, CONFIG: 2**20, "README.md": 2**20}
LARGEST_VOCABULARY = 64 * 2**20
MOST_MEMBERS = 10_000
ACTIVATIONS = {0: "relu", 2: "swish", 3: "gelu"}
EPSILON = 1e-5  # where its config.json names none


class Package:
    """The files of a package by their names, from a zip or a folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.archive: zipfile.ZipFile | None = None
        self.root = ""
        if path.is_file():
            try:
                self.archive = zipfile.ZipFile(path)
                names = self.archive.namelist()
            except (zipfile.BadZipFile, OSError, NotImplementedError, ValueError) as error:
                raise InputError(f"{path} is no Argos package: {error}") from error
            if len(names) > MOST_MEMBERS:
                raise InputError(f"{path} has {len(names):,} members: expected at most {MOST_MEMBERS:,}")
            found = [name for name in names if name == METADATA or name.endswith(f"/{METADATA}")]
            if len(found) != 1:
                raise InputError(f"{path} is no Argos package: it has {len(found)} files {METADATA}, expected one")
            self.root = found[0].removesuffix(METADATA)

    def read(self, name: str, largest: int, *, needed: bool = True) -> bytes:
        """All of it; empty where it need not be there and is not."""
        if self.archive is None:
            if not needed and not (self.path / name).is_file():
                return b""
            return read_small_file(self.path / name, largest)
        try:
            member = self.archive.getinfo(self.root + name)
        except KeyError:
            if needed:
                raise InputError(f"{self.path} has no {name}") from None
            return b""
        try:
            with self.archive.open(member) as file:
                raw = file.read(min(member.file_size, largest) + 1)  # no more, whatever the zip says
        except (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, NotImplementedError) as error:
            raise InputError(f"{self.path}: {name} cannot be unpacked: {error}") from error
        if len(raw) > largest or len(raw) != member.file_size:
            raise InputError(f"{self.path}: {name} is larger than {largest:,} bytes, or than the package says")
        return raw

    def table(self, name: str) -> dict[str, Any]:
        try:
            found = parse_json(self.read(name, LARGEST[name]))
        except (ValueError, RecursionError) as error:
            raise InputError(f"{self.path}: {name} is no JSON: {str(error)[:100]}") from error
        if not isinstance(found, dict):
            raise InputError(f"{self.path}: {name} holds {type(found).__name__}, expected an object")
        return found


def readme_in(path: Path) -> str:
    return Package(path).read("README.md", LARGEST["README.md"], needed=False).decode("utf-8", "replace")


def read_argos_package(path: Path, given: Directions) -> ForeignModel:
    package = Package(path)
    direction = given[0] if given else direction_of(package)
    config = package.table(CONFIG)
    try:
        pieces = pieces_from_bytes(package.read(PIECES, LARGEST[PIECES]))
    except (ValueError, IndexError) as error:
        raise InputError(f"{path}: {PIECES} cannot be read: {error}") from error
    vocabularies = read_vocabularies(package)
    try:
        variables = read_ct2_variables(package.read(WEIGHTS, LARGEST[WEIGHTS]))
        return to_foreign(variables, config, vocabularies, pieces, direction)
    except KeyError as error:
        raise InputError(f"{path}: {WEIGHTS} has no {error}") from error
    except (ValueError, IndexError) as error:
        raise InputError(f"{path}: {WEIGHTS} cannot be read: {error}") from error


def direction_of(package: Package) -> tuple[str, str]:
    table = package.table(METADATA)
    source, target = table.get("from_code"), table.get("to_code")
    for code in (source, target):
        if not isinstance(code, str) or not LANGUAGE.fullmatch(code):
            raise InputError(f"{package.path}: {METADATA} names the language {short_repr(code)}: use --direction")
    if table.get("target_prefix"):
        raise InputError(f"{package.path} wants a target_prefix, which is not supported")
    return str(source), str(target)


def read_vocabularies(package: Package) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Of source and target: JSON, or in older packages a token a line."""
    found = []
    for name in VOCABULARIES:
        if raw := package.read(f"{name}.json", LARGEST_VOCABULARY, needed=False):
            tokens = json.loads(raw)
        elif raw := package.read(f"{name}.txt", LARGEST_VOCABULARY, needed=False):
            tokens = raw.decode("utf-8").removesuffix("\n").split("\n")
        else:
            continue
        if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
            raise InputError(f"{package.path}: {name} is no list of tokens")
        if len(set(tokens)) != len(tokens):
            raise InputError(f"{package.path}: {name} lists a token twice")
        found.append(tuple(tokens))
    if not 1 <= len(found) <= 2:
        raise InputError(f"{package.path} has no vocabulary of CTranslate2")
    return found[0], found[-1]


def to_foreign(
    variables: Variables,
    config: dict[str, Any],
    vocabularies: tuple[tuple[str, ...], tuple[str, ...]],
    pieces: SentencePieceFile,
    direction: tuple[str, str],
) -> ForeignModel:
    def flag(name: str) -> int:
        return int(variables[name]) if name in variables else 0

    embedding = as_numbers(variables, "decoder/embeddings/weight")
    source_name = next(
        name for name in ("encoder/embeddings_0/weight", "encoder/embeddings/weight") if name in variables
    )
    shared = variables[source_name] is variables["decoder/embeddings/weight"]
    source_table = embedding if shared else as_numbers(variables, source_name)
    d_model = embedding.shape[1]
    if flag("encoder/activation") not in ACTIVATIONS or flag("encoder/pre_norm") != flag("decoder/pre_norm"):
        raise ValueError("its layers are of a kind that is not supported")
    if flag("encoder/scale_embeddings") != 1 or flag("decoder/scale_embeddings") != 1:
        raise ValueError("its embeddings are not multiplied by √d_model")
    layers = {side: sum(f"{side}/layer_{n}/ffn/linear_0/weight" in variables for n in range(200)) for side in SIDES}
    settings = {
        "d_model": d_model,
        "d_ff": variables["encoder/layer_0/ffn/linear_0/weight"].shape[0],
        "num_heads": flag("encoder/num_heads"),
        "encoder_layers": layers["encoder"],
        "decoder_layers": layers["decoder"],
        "activation": ACTIVATIONS[flag("encoder/activation")],
        "norm_order": "pre" if flag("encoder/pre_norm") else "post",
        "norm_eps": config.get("layer_norm_epsilon") or EPSILON,
    }
    tied = variables["decoder/projection/weight"] is variables["decoder/embeddings/weight"]
    bias = variables.get("decoder/projection/bias")
    names = {key: config.get(f"{key}_token") for key in ("unk", "eos", "bos")}
    names["start"] = config.get("decoder_start_token", names["bos"])
    sides = [
        side_of(tokens, table, names, pieces)
        for tokens, table in zip(vocabularies, (source_table, embedding), strict=True)
    ]
    start = None
    if not flag("decoder/start_from_zero_embedding"):
        if names["start"] not in sides[1].tokens:
            raise ValueError(f"a decoder begins with {short_repr(names['start'])}, which its vocabulary has not")
        start = sides[1].tokens.index(names["start"])
    return ForeignModel(
        settings=settings,
        layers={name: array for side in SIDES for name, array in read_stack(variables, side, layers[side])},
        source=sides[0],
        target=sides[1],
        start=start,
        languages=direction,
        directions=(direction,),
        normaliser=pieces.normaliser,
        output=None if tied else as_numbers(variables, "decoder/projection/weight"),
        output_bias=None if bias is None else bias.astype(np.float32),
        bytes=pieces.bytes,
        tags={direction[1]: str(names["bos"])} if config.get("add_source_bos") else {},
        never=frozenset(row for row, token in enumerate(sides[1].tokens) if token in ("<blank>", "<pad>", "<s>")),
        by_halves=has_halves(as_numbers(variables, "decoder/position_encodings/encodings"), d_model),
    )


SIDES = ("encoder", "decoder")


def side_of(tokens: tuple[str, ...], table: Table, names: dict[str, Any], pieces: SentencePieceFile) -> ForeignSide:
    if len(tokens) != len(table):
        raise ValueError(f"its table has {len(table):,} rows, and the vocabulary {len(tokens):,} tokens")
    for key in ("unk", "eos"):
        if names[key] not in tokens:
            raise ValueError(f"the vocabulary has no {short_repr(names[key])}")
    return ForeignSide(tokens, table, tokens.index(names["eos"]), tokens.index(names["unk"]), pieces.scored)


def has_halves(table: Table, d_model: int) -> bool:
    """Sines first, then cosines; or by turns. Others are an error."""
    angles = np.arange(len(table))[:, None] / 10_000 ** (np.arange(0, d_model, 2) / d_model)
    sines, cosines = np.sin(angles), np.cos(angles)
    if np.allclose(table, np.concatenate((sines, cosines), axis=1), atol=5e-3):
        return True
    if np.allclose(table, np.stack((sines, cosines), axis=2).reshape(len(table), d_model), atol=5e-3):
        return False
    raise ValueError("its positions are neither sines and cosines by halves nor by turns")


def read_stack(variables: Variables, side: str, layers: int) -> list[tuple[str, Table]]:
    """By our names; the joined matrices of attention are cut apart."""
    found: Arrays = {}

    def linear(theirs: str, *ours: str) -> None:
        for kind in ("weight", "bias"):
            whole = as_numbers(variables, f"{theirs}/{kind}")
            for name, part in zip(ours, np.split(whole, len(ours)), strict=True):
                found[f"{name}.{kind}"] = part

    def norm(theirs: str, ours: str) -> None:
        found[f"{ours}.gain"] = as_numbers(variables, f"{theirs}/gamma")
        found[f"{ours}.bias"] = as_numbers(variables, f"{theirs}/beta")

    for n in range(layers):
        theirs, ours = f"{side}/layer_{n}", f"{side}.layers.{n}"
        parts = [f"{ours}.self_attention.{part}" for part in ("query", "key", "value")]
        linear(f"{theirs}/self_attention/linear_0", *parts)
        linear(f"{theirs}/self_attention/linear_1", f"{ours}.self_attention.output")
        norm(f"{theirs}/self_attention/layer_norm", f"{ours}.around_self_attention.norm")
        if side == "decoder":
            linear(f"{theirs}/attention/linear_0", f"{ours}.cross_attention.query")
            linear(f"{theirs}/attention/linear_1", f"{ours}.cross_attention.key", f"{ours}.cross_attention.value")
            linear(f"{theirs}/attention/linear_2", f"{ours}.cross_attention.output")
            norm(f"{theirs}/attention/layer_norm", f"{ours}.around_cross_attention.norm")
        linear(f"{theirs}/ffn/linear_0", f"{ours}.feed_forward.inner")
        linear(f"{theirs}/ffn/linear_1", f"{ours}.feed_forward.outer")
        norm(f"{theirs}/ffn/layer_norm", f"{ours}.around_feed_forward.norm")
    if f"{side}/layer_norm/gamma" in variables:
        norm(f"{side}/layer_norm", f"{side}.norm")
    return list(found.items())
