"""The default model as two packages of Argos Translate, so that LibreTranslate can serve the same weights.

    python -m benchmarks.serve.libretranslate FOLDER

    ARGOS_PACKAGES_DIR=FOLDER libretranslate --host 127.0.0.1 --port 5000 --load-only zh,en \\
        --disable-web-ui --disable-files-translation

With two packages there LibreTranslate (1.9.6) looks for none on the net; en to zh is only the second. Its threads:
--threads (4, for requests), ARGOS_INTER_THREADS (1) and ARGOS_INTRA_THREADS (0, CTranslate2's own default). Its beam:
ARGOS_BEAM_SIZE (4).

The model's numbers are untouched; pieces get their names, and SentencePiece cuts text by the same merges. The package
also holds a sentence splitter in the form of LibreTranslate's own, MiniSBD: a table of characters in place of a trained
network, which would have to be fetched and has more to compute.
"""

import argparse
import json
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sentencepiece import sentencepiece_model_pb2 as sentencepiece_format

from attendo.engines.ct2.conversion import write_files
from attendo.model_folder.bundle import model_folder, read_bundle
from attendo.special_tokens import SPECIAL
from attendo.text.subword_models import Bpe
from attendo.text.tokenizer import Tokenizer, name_ids

NAMES = {"zh": "Chinese", "en": "English"}
DIRECTIONS = (("zh", "en"), ("en", "zh"))

ENDS = "。！？!?"
NOT_BEFORE = ENDS + '”’」』）)"'  # the sentence goes on to these
FLOAT, INT64 = 1, 7  # ONNX's numbers of types
EVERY = 2**63 - 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    for from_, to in DIRECTIONS:
        write_package(folder / f"{from_}_{to}", from_, to)


def write_package(folder: Path, from_: str, to: str) -> None:
    bundle = read_bundle(model_folder(None))
    tokenizer = bundle.tokenizer()
    names = piece_names(tokenizer)
    (folder / "minisbd").mkdir(parents=True, exist_ok=True)
    model = folder / "model"
    write_files(bundle, model, "int8", replace=model.exists())
    (model / "manifest.json").unlink()  # of the files as they were before the renaming
    write_json(model / "shared_vocabulary.json", names)
    config = json.loads((model / "config.json").read_text(encoding="utf-8"))
    # Argos adds no language tag to a source, but CTranslate2 can: as the token that every source begins with.
    config |= {"add_source_bos": True, "bos_token": names[tokenizer.tag(to)], "add_source_eos": True}
    config |= {"eos_token": names[SPECIAL.eos], "unk_token": names[SPECIAL.unk]}
    write_json(model / "config.json", config | {"decoder_start_token": names[SPECIAL.bos]})
    (folder / "sentencepiece.model").write_bytes(sentencepiece_model(tokenizer, names))
    (folder / "minisbd" / "splitter.onnx").write_bytes(splitter(from_))
    about = {"package_version": "1.0", "argos_version": "1.0", "from_code": from_, "to_code": to}
    write_json(folder / "metadata.json", about | {"from_name": NAMES[from_], "to_name": NAMES[to]})


def write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")


def piece_names(tokenizer: Tokenizer) -> list[str]:
    """What SentencePiece calls each id: a space is ▁ there."""
    return [name.replace(" ", "▁") for name in name_ids(tokenizer.layout, tokenizer.subwords.pieces)]


def sentencepiece_model(tokenizer: Tokenizer, names: list[str]) -> bytes:
    """The same merges in the same order. It has no first cut, but no piece crosses one either."""
    subwords, layout = tokenizer.subwords, tokenizer.layout
    if not isinstance(subwords, Bpe):
        raise TypeError(f"the default model's tokenizer is {subwords.kind}, expected bpe")
    pieces = subwords.pieces
    ranks = {pieces[left] + pieces[right]: rank for rank, (left, right) in enumerate(subwords.merges)}
    proto: Any = getattr(sentencepiece_format, "ModelProto")()  # noqa: B009 - made at run time, so mypy knows of none
    kinds = proto.SentencePiece
    for token, name in enumerate(names):
        if token >= layout.first_piece:
            # SentencePiece merges what makes the piece of the highest score; a single character needs none.
            score, kind = -float(ranks.get(pieces[token - layout.first_piece], 0)), kinds.NORMAL
        elif token >= layout.first_byte:
            score, kind = 0.0, kinds.BYTE
        else:
            score, kind = 0.0, kinds.UNKNOWN if token == SPECIAL.unk else kinds.CONTROL
        proto.pieces.add(piece=name, score=score, type=kind)
    training = proto.trainer_spec
    training.model_type, training.byte_fallback, training.vocab_size = training.BPE, True, len(names)
    training.pad_id, training.bos_id, training.eos_id, training.unk_id = range(4)
    # Our first word has no space before it.
    proto.normalizer_spec.name, proto.normalizer_spec.add_dummy_prefix = "identity", False
    return bytes(proto.SerializeToString())


def splitter(language: str) -> bytes:
    """MiniSBD's network, in ONNX: for each character the scores of "inside a word", "end of one" and "of a sentence".

    Here a sentence ends with one of ENDS that has none of NOT_BEFORE after it.
    """
    units = ["<PAD>", "<UNK>", *NOT_BEFORE]
    ends = [[0.5, 0.0, float(unit in ENDS)] for unit in units]
    goes_on = [[0.0, 0.0, -float(unit in NOT_BEFORE)] for unit in units]
    every = [
        *(tensor(name, [number]) for name, number in (("first", 1), ("last", -1), ("every", EVERY), ("axis", 1))),
        *(tensor(name, rows) for name, rows in (("ends", ends), ("goes_on", goes_on))),
    ]
    nodes = [
        node("Slice", ["units", "first", "every", "axis"], "rest"),
        node("Slice", ["units", "last", "every", "axis"], "padding"),
        node("Concat", ["rest", "padding"], "next", axis=1),
        node("Gather", ["ends", "units"], "here"),
        node("Gather", ["goes_on", "next"], "after"),
        node("Add", ["here", "after"], "scores"),
    ]
    # MiniSBD also gives features, and with none of them chosen an empty row a character.
    inputs = value("units", INT64, ["batch", "time"]), value("features", FLOAT, ["batch", "time", "count"])
    graph = repeat(1, nodes) + field(2, b"splitter") + repeat(5, every) + repeat(11, inputs)
    graph += field(12, value("scores", FLOAT, ["batch", "time", "kind"]))
    vocabulary = {"lang": language, "lower": False, "_id2unit": units, "_unit2id": {u: i for i, u in enumerate(units)}}
    about = {"lang_code": language, "config": json.dumps({"batch_size": 1}), "vocab": json.dumps(vocabulary)}
    notes = [field(1, key.encode()) + field(2, text.encode()) for key, text in about.items()]
    return field(1, 8) + field(8, field(2, 13)) + field(7, graph) + repeat(14, notes)


# ONNX is protocol buffers, of which this little is enough: a library to write 30 numbers would be one more to install.


def varint(number: int) -> bytes:
    number %= 2**64
    low = []
    while number > 127:
        low.append(number % 128 + 128)
        number //= 128
    return bytes([*low, number])


def field(key: int, content: bytes | int) -> bytes:
    if isinstance(content, int):
        return varint(8 * key) + varint(content)
    return varint(8 * key + 2) + varint(len(content)) + content


def repeat(key: int, contents: Iterable[bytes | int]) -> bytes:
    return b"".join(field(key, content) for content in contents)


def tensor(name: str, rows: list[int] | list[list[float]]) -> bytes:
    numbers = [number for row in rows for number in (row if isinstance(row, list) else [row])]
    dims, kind = ([len(rows)], "q") if isinstance(rows[0], int) else ([len(rows), len(numbers) // len(rows)], "f")
    raw = struct.pack(f"<{len(numbers)}{kind}", *numbers)
    return repeat(1, dims) + field(2, INT64 if kind == "q" else FLOAT) + field(8, name.encode()) + field(9, raw)


def node(operator: str, inputs: list[str], output: str, axis: int | None = None) -> bytes:
    # An attribute has a name (1), an integer (3) and the number that says it is one (20).
    attribute = b"" if axis is None else field(5, field(1, b"axis") + field(3, axis) + field(20, 2))
    names = repeat(1, [name.encode() for name in inputs]) + field(2, output.encode())
    return names + field(4, operator.encode()) + attribute


def value(name: str, kind: int, dims: list[str]) -> bytes:
    shape = repeat(1, [field(2, dim.encode()) for dim in dims])
    return field(1, name.encode()) + field(2, field(1, field(1, kind) + field(2, shape)))


if __name__ == "__main__":
    main()
