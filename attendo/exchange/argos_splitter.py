"""A splitter of sentences in the form of MiniSBD, for Argos packages: a table of characters, not a trained network.

Argos Translate cuts a text before it translates. A package without a splitter makes it fetch one; this one has the
rules of a few lines as a network in ONNX, which is protocol buffers: a library to write 30 numbers would be one more to
install.
"""

import json
import struct

from attendo.exchange.protocol_buffer import field, repeat

ENDS = "。！？!?"
NOT_BEFORE = ENDS + '”’」』）)"'  # the sentence goes on to these
FLOAT, INT64 = 1, 7  # ONNX's numbers of types
EVERY = 2**63 - 1


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
