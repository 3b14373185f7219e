"""Weights in 8 bits that are damaged or made to harm: both engines refuse them in the same sentence (F4)."""

from dataclasses import replace

import numpy as np
import pytest

import attendo
from attendo.errors import InputError
from attendo.model.shapes import weight_shapes
from attendo.model_folder.bundle import read_bundle
from attendo.model_folder.weights import load_model
from tests.cli.test_cli import attendo as command
from tests.model_folder.drawn_folders import in_eight_bits
from tests.model_folder.test_hostile_folders import ENGINES, GAIN, LEARNED, QUERY, SMALL, converted, write_folder


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "cache"))


def stored_weights(config=SMALL):
    rng = np.random.default_rng(1)
    return in_eight_bits({name: rng.normal(size=shape, scale=0.3) for name, shape in weight_shapes(config).items()})


def with_stored(**changes):
    """`scale`, `whole`, `vector`: what becomes of these tensors; None takes one away."""
    tensors = stored_weights()
    for word, change in changes.items():
        name = {"scale": f"{QUERY}.scale", "whole": QUERY, "vector": GAIN}[word]
        old = tensors.pop(name)
        if (new := change(old)) is not None:
            tensors[name] = np.ascontiguousarray(new)
    return tensors


def with_number(value):
    def change(tensor):
        tensor = tensor.copy()
        tensor.reshape(-1)[3] = value
        return tensor

    return change


def added(name, tensor):
    return stored_weights() | {name: tensor}


def of_one_kind(kind):
    return {name: tensor.astype(kind) for name, tensor in stored_weights().items() if not name.endswith(".scale")}


TENSORS = "does not hold the tensors it should: "
HARM = {
    "a scale that is missing": (lambda: with_stored(scale=lambda s: None), rf"{TENSORS}'{QUERY}.scale' is missing"),
    "no scale at all": (lambda: of_one_kind("i1"), rf"{TENSORS}'embedding.weight.scale' is missing.* more differences"),
    "scales for half the rows": (lambda: with_stored(scale=lambda s: s[:4]), r"scale' is F32 \[4\] where F32 \[8\]"),
    "one scale for all": (lambda: with_stored(scale=lambda s: s[:1]), r"scale' is F32 \[1\] where F32 \[8\]"),
    "scales in a column": (lambda: with_stored(scale=lambda s: s[:, None]), r"F32 \[8, 1\] where F32 \[8\]"),
    "scales in float16": (lambda: with_stored(scale=lambda s: s.astype("f2")), r"F16 \[8\] where F32 \[8\]"),
    "scales in int8": (lambda: with_stored(scale=lambda s: s.astype("i1")), r"I8 \[8\] where F32 \[8\]"),
    "a scale for a vector": (lambda: added(f"{GAIN}.scale", np.ones(8, "f4")), f"'{GAIN}.scale' is not expected"),
    "a scale of a scale": (lambda: added(f"{QUERY}.scale.scale", np.ones(8, "f4")), "scale.scale' is not expected"),
    "a vector in 8 bits": (lambda: with_stored(vector=lambda v: v.astype("i1")), r"I8 \[8\] where F32 \[8\]"),
    "a vector in float16": (lambda: with_stored(vector=lambda v: v.astype("f2")), r"F16 \[8\] where F32 \[8\]"),
    "a matrix in float32": (lambda: with_stored(whole=lambda w: w.astype("f4")), r"F32 \[8, 8\] where I8 \[8, 8\]"),
    "bytes without a sign": (lambda: with_stored(whole=lambda w: w.view("u1")), r"U8 \[8, 8\] where I8 \[8, 8\]"),
    "a matrix of 2 x 8": (lambda: with_stored(whole=lambda w: w[:2]), r"I8 \[2, 8\] where I8 \[8, 8\]"),
    "NaN": (lambda: with_stored(scale=with_number(np.nan)), f"'{QUERY}.scale' has a scale of nan for row 3: expected"),
    "infinity": (lambda: with_stored(scale=with_number(np.inf)), "a scale of inf for row 3"),
    "a negative scale": (lambda: with_stored(scale=with_number(-0.01)), "a scale of -0.01 for row 3"),
    "a scale of 0": (lambda: with_stored(scale=with_number(0)), "a scale of 0 for row 3"),
    "a scale of 10^-40": (lambda: with_stored(scale=with_number(1e-40)), "a scale of 1e-40 for row 3"),
    "a scale of 10^38": (lambda: with_stored(scale=with_number(1e38)), r"a scale of 1e\+38 for row 3"),
    "weights beyond float16": (lambda: with_stored(scale=with_number(516)), "expected at most 65,504"),
    "-128": (lambda: with_stored(whole=with_number(-128)), f"'{QUERY}' reaches 128 in row 0: expected 127, or zeros"),
    "a row up to 63": (lambda: with_stored(whole=lambda w: w // 2), r"reaches 6[34] in row 0: expected 127"),
}  # fmt: skip


@pytest.mark.parametrize("name", HARM)
def test_scales_and_whole_numbers_made_to_harm(tmp_path, name, evidence):
    make, complaint = HARM[name]
    folder = write_folder(tmp_path / "model", SMALL, make())
    said = set()
    for engine in ENGINES:
        with pytest.raises(InputError, match=complaint) as caught:
            attendo.load(folder, engine=engine)
        said.add(str(caught.value))
    assert len(said) == 1
    assert said.pop().isprintable()
    assert converted() == []
    evidence("F4", f"weights in 8 bits with {name}: refused by both engines", "yes")


def test_the_command_says_it_in_a_line(tmp_path, capsys):
    folder = write_folder(tmp_path / "model", SMALL, with_stored(scale=with_number(np.nan)))
    code, out, err = command("translate", "the sea", "--to", "pt-BR", "--model", str(folder), capsys=capsys)
    assert (code, out) == (1, "")
    assert err.count("\n") == 1
    assert "has a scale of nan for row 3" in err


def test_numbers_that_would_grow_beyond_float32(tmp_path):
    """Each of them float16 could hold."""
    config = replace(SMALL, encoder_layers=3)
    tensors = {
        name: np.full_like(tensor, 127 if tensor.dtype == np.int8 else 500)
        for name, tensor in stored_weights(config).items()
    }
    with pytest.raises(InputError, match="these weights are too large"):
        load_model(read_bundle(write_folder(tmp_path / "model", config, tensors)))


def test_a_good_folder_is_run_by_both(tmp_path):
    """The guard of the guard."""
    folder = write_folder(tmp_path / "model", LEARNED, stored_weights(LEARNED))
    for engine in ENGINES:
        assert attendo.load(folder, engine=engine).translate("the sea", to="pt-BR").ledger.adds_up
