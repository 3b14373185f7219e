"""Model folders with something wrong in them, drawn at random.

A case is drawn from its seed alone. It starts from a small good model of a drawn configuration and changes it up to
three times: a number of the configuration, the shape, kind, name or numbers of a tensor, the manifest, or bytes of a
file. The manifest vouches for what was changed before it.
"""

import json
import os
import random
from dataclasses import dataclass, field

import numpy as np
import safetensors.numpy

from attendo.files.manifest import write_manifest
from attendo.model.config import TransformerConfig, config_to_dict
from attendo.model.shapes import weight_shapes
from attendo.model_folder.bundle_writing import describe
from tests.golden.make_model import tiny_tokenizer

TOKENIZER = tiny_tokenizer()
VOCAB = TOKENIZER.vocab_size
NASTY = [
    0, -1, 1, 2, 3, 4, 7, 8, 9, 15, 17, 64, 289, 291, 1024, 4096, 16_384, 65_536, 10**6, 10**7, 2**31, 2**63, 10**30,
    True, False, None, "8", "", [], {}, 8.0, 0.5, 1.0, 1e-13, 1e-12, 1e-30, 0.1, 0.2, 1e9, 1e10, 1e30, 1e308, -1.0,
    "rotary",
]  # fmt: skip
FACTORS = [0.0, -1.0, 2.0, 10.0, 1e3, 1e-3, 1e-20, 1e-42]
NUMBERS = [float("nan"), float("inf"), float("-inf"), 3e38, -3e38, 1e30, 65_504.0, 65_505.0, 1e4, 100.0, 1e-45, 0.0]
KINDS = ["float16", "float64", "float32", "int32", "int8", "uint8", "bool", "int64"]


@dataclass
class Folder:
    """A model folder before it is written."""

    table: dict
    tensors: dict
    steps: list = field(default_factory=list)  # what was changed
    later: list = field(default_factory=list)  # changes of the files themselves


def good_folder(rng):
    heads = rng.choice([1, 2, 3, 4])
    config = TransformerConfig(
        vocab_size=VOCAB, d_model=heads * 2 * rng.choice([1, 2, 4]), num_heads=heads, d_ff=rng.randint(1, 33),
        encoder_layers=rng.randint(1, 2), decoder_layers=rng.randint(1, 2), tied_output=rng.random() < 0.5,
        positions=rng.choice(["sinusoidal", "learned", "rotary", "none"]), max_length=rng.choice([8, 16, 40]),
        norm=rng.choice(["layer", "rms"]), norm_order=rng.choice(["pre", "post"]), bias=rng.random() < 0.5,
        activation=rng.choice(["relu", "gelu", "swiglu"]), norm_eps=rng.choice([1e-12, 1e-6, 1e-5, 1e-2]),
        rotary_base=rng.choice([1.0, 100.0, 1e4, 1e9]),
    )  # fmt: skip
    numbers = np.random.default_rng(rng.randrange(2**32))
    kind = rng.choice(["float32", "float32", "float16", "int8"])
    tensors = {
        name: (1 + numbers.normal(scale=0.1, size=shape) if name.endswith("gain") else numbers.normal(size=shape) * 0.3)
        for name, shape in weight_shapes(config).items()
    }
    if kind == "int8":
        return Folder(config_to_dict(config), in_eight_bits(tensors))
    return Folder(config_to_dict(config), {name: tensor.astype(kind) for name, tensor in tensors.items()})


def in_eight_bits(tensors):
    """Number by number: matrices that are multiplied as whole numbers with a scale a row, the rest in float32."""
    found = {}
    for name, tensor in tensors.items():
        if tensor.ndim == 1 or "positions" in name:
            found[name] = tensor.astype(np.float32)
            continue
        scales = [max(map(abs, row)) / 127 for row in tensor]
        whole = [[round(number / scale) for number in row] for row, scale in zip(tensor, scales, strict=True)]
        found |= {name: np.array(whole, np.int8), f"{name}.scale": np.array(scales, np.float32)}
    return found


def change_configuration(rng, folder):
    key = rng.choice(sorted(folder.table))
    if rng.random() < 0.3:  # a choice that is possible, but perhaps not with these weights
        options = {
            "num_heads": [1, 2, 4], "norm_eps": [1e-4, 0.05], "rotary_base": [50, 5e5], "max_length": [8, 9, 100],
            "activation": ["relu", "gelu", "swiglu"], "positions": ["sinusoidal", "learned", "rotary", "none"],
            "norm": ["layer", "rms"], "norm_order": ["pre", "post"], "bias": [True, False],
            "tied_output": [True, False], "dropout": [0.0, 0.9],
            "family": ["transformer", "decoder-only", "encoder-only", "recurrent", "lstm", "non-autoregressive"],
        }  # fmt: skip
        key = rng.choice(sorted(options))
        folder.table[key] = rng.choice(options[key])
    elif rng.random() < 0.1:
        del folder.table[key]
    else:
        folder.table[key] = rng.choice(NASTY)
    folder.steps.append(f"{key} = {folder.table.get(key, 'gone')!r}")


def change_shape(rng, folder):
    name = rng.choice(sorted(folder.tensors))
    tensor = folder.tensors[name]
    rows, columns = (*tensor.shape, 1)[:2]
    how = {
        "turned": lambda: tensor.T, "flat": lambda: tensor.reshape(-1), "fewer rows": lambda: tensor[: rows // 2],
        "one row": lambda: tensor[:1], "no rows": lambda: tensor[:0], "one column": lambda: tensor[..., :1],
        "fewer columns": lambda: tensor[..., : max(columns // 2, 1)], "a number": lambda: tensor.reshape(-1)[0],
        "twice": lambda: np.concatenate([tensor, tensor]), "deeper": lambda: tensor[None],
        "wider": lambda: tensor[..., None], "a row more": lambda: np.concatenate([tensor, tensor[:1]]),
        "another's": lambda: folder.tensors[rng.choice(sorted(folder.tensors))],
        "2 x 8": lambda: np.zeros((2, 8), tensor.dtype), "turned shape": lambda: tensor.reshape(tensor.shape[::-1]),
    }  # fmt: skip
    word = rng.choice(sorted(how))
    folder.tensors[name] = np.ascontiguousarray(how[word]())
    folder.steps.append(f"{name} is {word}")


def change_whole_side(rng, folder):
    """A size that stands in the configuration, changed in every tensor that has it, or in nearly all."""
    key = rng.choice(["d_model", "d_ff", "vocab_size", "max_length"])
    old = folder.table.get(key)
    if type(old) is not int or not 1 < old < 1000:
        return change_shape(rng, folder)
    new, left_out = rng.randint(1, old), rng.random() < 0.5
    for name, tensor in folder.tensors.items():
        for axis, side in enumerate(tensor.shape):
            if side == old and not (left_out and rng.random() < 0.2):
                tensor = tensor.take(range(new), axis=axis)
        folder.tensors[name] = np.ascontiguousarray(tensor)
    if rng.random() < 0.7:
        folder.table[key] = new
    return folder.steps.append(f"{key} {old} -> {new}{', not everywhere' if left_out else ''}")


def change_kind(rng, folder):
    kind = rng.choice(KINDS)
    names = sorted(folder.tensors) if rng.random() < 0.3 else [rng.choice(sorted(folder.tensors))]
    for name in names:
        with np.errstate(all="ignore"):
            folder.tensors[name] = folder.tensors[name].astype(kind)
    folder.steps.append(f"{names[0]} and {len(names) - 1} more are {kind}")


def change_numbers(rng, folder):
    names = sorted(folder.tensors) if rng.random() < 0.2 else [rng.choice(sorted(folder.tensors))]
    value, factor = rng.choice(NUMBERS), rng.choice(FACTORS)
    how = rng.choice(["one number is", "one number is", "all are times", "all are plus or minus"])
    for name in names:
        tensor = folder.tensors[name].copy()
        with np.errstate(all="ignore"):
            if how == "all are times":
                tensor = np.asarray(tensor * np.asarray(factor).astype(tensor.dtype))
            elif how == "all are plus or minus":
                tensor = np.asarray(np.where(tensor < 0, -1, 1) * value).astype(tensor.dtype)
            elif tensor.size:
                tensor.reshape(-1)[rng.randrange(tensor.size)] = np.asarray(value).astype(tensor.dtype)
        folder.tensors[name] = tensor
    number = factor if how == "all are times" else value
    folder.steps.append(f"{names[0]} and {len(names) - 1} more: {how} {number}")


def change_names(rng, folder):
    name, other = rng.choice(sorted(folder.tensors)), rng.choice(sorted(folder.tensors))
    match how := rng.choice(["gone", "renamed", "swapped", "one more", "hostile name"]):
        case "gone":
            del folder.tensors[name]
        case "renamed":
            folder.tensors[f"{name}2"] = folder.tensors.pop(name)
        case "swapped":
            folder.tensors[name], folder.tensors[other] = folder.tensors[other], folder.tensors[name]
        case "one more":
            folder.tensors["encoder.layers.9.norm.gain"] = folder.tensors[name]
        case "hostile name":
            folder.tensors["\x1b[2J\r\n../../x\u202e"] = folder.tensors[name]
    folder.steps.append(f"{name} {how}")


def change_manifest(rng, folder):
    def change(path):
        table = json.loads((path / "manifest.json").read_text())
        name = rng.choice(sorted(table["files"]))
        if table["files"][name] is None:  # an earlier change has made it so
            return None
        match rng.choice(["bytes", "sha256", "gone", "more", "twice", "null", "format"]):
            case "bytes":
                table["files"][name]["bytes"] = rng.choice([0, -1, 2**40, 10**40, True, "1", 1.5])
            case "sha256":
                table["files"][name]["sha256"] = rng.choice(["", "0" * 64, None, 7])
            case "gone":
                del table["files"][name]
            case "more":
                table["files"][rng.choice(["x", "..", "../x", "\x1b[2J"])] = table["files"][name]
            case "twice":
                raw = json.dumps(table)
                return (path / "manifest.json").write_text(raw[:-1] + ', "format": 1}')
            case "null":
                table["files"][name] = None
            case "format":
                table["format"] = rng.choice([0, 2, None, True, 1.0])
        return (path / "manifest.json").write_text(json.dumps(table))

    folder.steps.append("manifest")
    folder.later.append(change)


def change_bytes(rng, folder):
    """Before the manifest is made: it vouches for them."""

    def change(path):
        file = path / rng.choice(["config.json", "tokenizer.json", "model.safetensors"])
        if any(other.stat().st_size > 2**30 for other in path.iterdir()):  # an earlier change has made it so
            return None
        raw = bytearray(file.read_bytes())
        match rng.choice(["flip", "cut", "longer", "key twice", "nan", "sparse"]):
            case "flip":
                raw[rng.randrange(min(len(raw), 400))] ^= 1 << rng.randrange(8)
            case "cut":
                del raw[rng.randrange(len(raw)) :]
            case "longer":
                raw += bytes(rng.randrange(1, 100))
            case "key twice" if file.name == "config.json":
                raw = raw.replace(b'"d_model":', b'"d_model": 2, "d_model":')
            case "nan":
                raw = raw.replace(b"1e-05", b"NaN").replace(b"0.1", b"Infinity")
            case "sparse":
                os.truncate(file, 2**40)
                return vouch(path, file)
        file.write_bytes(raw)
        return write_manifest(path)

    folder.steps.append("bytes")
    folder.later.append(change)


def vouch(path, file):
    """A manifest that agrees with a file of 1 TB, which nobody has time to hash."""
    table = json.loads((path / "manifest.json").read_text())
    entry = table["files"].setdefault(file.name, {"sha256": "0" * 64})  # an earlier change may have taken it away
    entry["bytes"] = file.stat().st_size
    (path / "manifest.json").write_text(json.dumps(table))


CHANGES = [
    change_configuration, change_configuration, change_shape, change_shape, change_whole_side, change_kind,
    change_numbers, change_numbers, change_names, change_manifest, change_bytes,
]  # fmt: skip


def draw(seed):
    rng = random.Random(seed)
    folder = good_folder(rng)
    for _ in range(rng.choice([0, 1, 1, 1, 2, 2, 3])):
        rng.choice(CHANGES)(rng, folder)
    return folder


def write(folder, path):
    path.mkdir()
    raw = describe(folder.table, TOKENIZER, [("en", "pt-BR")], path / "config.json")
    (path / "config.json").write_bytes(raw)
    TOKENIZER.save(path / "tokenizer.json")
    (path / "README.md").write_text("# drawn\n")
    safetensors.numpy.save_file(folder.tensors, path / "model.safetensors")
    write_manifest(path)
    for change in folder.later:
        change(path)
