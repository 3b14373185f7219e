"""Folders made to harm: refused in a sentence, by both engines, before anything is built or converted (F3, F4, F7)."""

import json
import os
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy

import attendo
from attendo.engines.ct2.conversion import obstacle
from attendo.engines.ct2.engine import load_ct2_engine
from attendo.engines.torch_engine import load_torch_engine
from attendo.errors import AttendoError, InputError
from attendo.files.manifest import write_manifest
from attendo.model.config import TransformerConfig, config_to_dict
from attendo.model.shapes import weight_shapes
from attendo.model_folder.bundle import read_bundle
from attendo.model_folder.bundle_writing import describe
from tests.golden.make_model import tiny_tokenizer

TOKENIZER = tiny_tokenizer()
SMALL = TransformerConfig(
    vocab_size=TOKENIZER.vocab_size, d_model=8, d_ff=16, num_heads=2, encoder_layers=1, decoder_layers=1
)
LEARNED = replace(SMALL, positions="learned", max_length=40)
WIDE = replace(SMALL, d_model=16_384, d_ff=1)
QUERY = "encoder.layers.0.self_attention.query.weight"
GAIN = "decoder.layers.0.around_feed_forward.norm.gain"
ENGINES = ("torch", "ct2")


def random_weights(config, kind=np.float32):
    rng = np.random.default_rng(1)
    return {name: rng.normal(size=shape, scale=0.3).astype(kind) for name, shape in weight_shapes(config).items()}


def write_folder(folder, config=SMALL, weights=None):
    folder.mkdir()
    table = config if isinstance(config, dict) else config_to_dict(config)
    (folder / "config.json").write_bytes(describe(table, TOKENIZER, [("en", "pt-BR")], folder / "config.json"))
    TOKENIZER.save(folder / "tokenizer.json")
    (folder / "README.md").write_text("# hostile\n")
    safetensors.numpy.save_file(random_weights(SMALL) if weights is None else weights, folder / "model.safetensors")
    write_manifest(folder)
    return folder


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "cache"))


def converted():
    cache = Path(os.environ["ATTENDO_CACHE"]) / "ct2"
    return list(cache.iterdir()) if cache.exists() else []


def with_tensor(name, change, config=SMALL):
    weights = random_weights(config)
    return config, weights | {name: np.ascontiguousarray(change(weights[name]))}


def one_column():
    """As the configuration has it, but that each matrix of d_model x d_model has one column."""
    shapes = {name: (shape[0], 1) if shape[1:] == (16_384,) and shape[0] != 290 else shape
              for name, shape in weight_shapes(WIDE).items()}  # fmt: skip
    return WIDE, {name: np.zeros(shape, np.float16) for name, shape in shapes.items()}


SHAPES = {
    "an embedding with too few rows": lambda: with_tensor("embedding.weight", lambda w: w[:100]),
    "an embedding with too few columns": lambda: with_tensor("embedding.weight", lambda w: w[:, :4]),
    "an embedding with one row too many": lambda: with_tensor("embedding.weight", lambda w: np.concatenate([w, w[:1]])),
    "norm gains of another length": lambda: with_tensor(GAIN, lambda w: w[:4]),
    "a norm gain of one number": lambda: with_tensor(GAIN, lambda w: w[:1]),
    "matrices of one column": one_column,
    "learned positions fewer than said": lambda: with_tensor("target_positions.weight", lambda w: w[:3], LEARNED),
    "a query of 2 x 8": lambda: with_tensor(QUERY, lambda w: w[:2]),
    "a matrix turned round": lambda: with_tensor("decoder.layers.0.feed_forward.inner.weight", lambda w: w.T),
    "mixed kinds of numbers": lambda: with_tensor(QUERY, lambda w: w.astype(np.float16)),
    "float64": lambda: (SMALL, random_weights(SMALL, np.float64)),
    "whole numbers": lambda: with_tensor(QUERY, lambda w: w.astype(np.int32)),
    "one tensor too many": lambda: (SMALL, random_weights(SMALL) | {"\x1b[2Jx\n": np.zeros(3, np.float32)}),
}  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", SHAPES)
def test_tensors_that_are_not_those_of_the_configuration(tmp_path, name, engine, evidence):
    folder = write_folder(tmp_path / "model", *SHAPES[name]())
    with pytest.raises(InputError, match="does not hold the tensors it should") as caught:
        attendo.load(folder, engine=engine)
    assert str(caught.value).isprintable()
    assert converted() == []
    evidence("F4", f"weights with {name}: refused by both engines", "yes")


NUMBERS = {
    "NaN": (lambda w: w * np.float32("nan"), "not finite"),
    "3e38": (lambda w: np.full_like(w, 3e38), "expected at most 65,504"),
    "-65,600": (lambda w: np.full_like(w, -65_600), "expected at most 65,504"),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_that_nobody_learns(tmp_path, name, engine):
    change, complaint = NUMBERS[name]
    folder = write_folder(tmp_path / "model", *with_tensor(QUERY, change))
    with pytest.raises(InputError, match=complaint):
        attendo.load(folder, engine=engine)
    assert converted() == []


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("activation", ["relu", "swiglu"])
@pytest.mark.parametrize("norm_order", ["pre", "post"])
def test_numbers_that_would_grow_beyond_float32(tmp_path, engine, activation, norm_order):
    """Each of them float16 could hold."""
    config = replace(SMALL, activation=activation, norm_order=norm_order, encoder_layers=3)
    weights = {name: np.sign(weight) * 60_000 for name, weight in random_weights(config).items()}
    folder = write_folder(tmp_path / "model", config, weights)
    with pytest.raises(InputError, match=r"too large: the numbers of 'encoder\..*' can reach .*e\+\d+"):
        attendo.load(folder, engine=engine)
    assert converted() == []


CONFIGURATIONS = {
    "heads that do not divide": ({"num_heads": 3}, "cannot be split"),
    "more heads than columns": ({"num_heads": 16}, "cannot be split"),
    "an epsilon of 10^-30": ({"norm_eps": 1e-30}, "from 1e-12 to 0.1"),
    "an epsilon of 1,000": ({"norm_eps": 1e3}, "from 1e-12 to 0.1"),
    "a rotary base of 10^30": ({"rotary_base": 1e30}, r"from 1 to 1e\+09"),
    "a rotary base of 10^-9": ({"rotary_base": 1e-9}, r"from 1 to 1e\+09"),
    "another d_ff": ({"d_ff": 17}, "does not hold the tensors"),
    "a layer more": ({"encoder_layers": 2}, "does not hold the tensors"),
    "more parameters than anybody has": ({"d_model": 65_536, "d_ff": 10**6}, "expected at most 10,000,000,000"),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_numbers_of_the_configuration_have_limits(tmp_path, name, engine):
    change, complaint = CONFIGURATIONS[name]
    folder = write_folder(tmp_path / "model", config_to_dict(SMALL) | change)
    with pytest.raises(AttendoError, match=complaint) as caught:
        attendo.load(folder, engine=engine)
    assert "\n" not in str(caught.value)
    assert converted() == []


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("file", "key"), [("config.json", "d_model"), ("tokenizer.json", "pieces"), ("manifest.json", "files")]
)
def test_a_key_that_stands_twice(tmp_path, engine, file, key):
    folder = write_folder(tmp_path / "model")
    raw = (folder / file).read_text()
    (folder / file).write_text(raw.replace(f'"{key}":', f'"{key}": [], "{key}":', 1))
    if file != "manifest.json":
        write_manifest(folder)
    with pytest.raises(InputError, match=f"{file} is not JSON: the key '{key}' stands in it twice"):
        attendo.load(folder, engine=engine)


def test_a_good_folder_is_run_by_both(tmp_path):
    """The guard of the guard: nothing above is refused because of how the folder was made."""
    for index, config in enumerate((SMALL, LEARNED)):
        folder = write_folder(tmp_path / f"model{index}", config, random_weights(config))
        for engine in ENGINES:
            assert attendo.load(folder, engine=engine).translate("the sea", to="pt-BR").ledger.adds_up


# --- sizes before reading


@pytest.mark.parametrize("file", ["model.safetensors", "README.md", "tokenizer.json", "config.json"])
def test_a_sparse_file_of_a_terabyte_is_not_read(tmp_path, file, evidence):
    """The manifest agrees with its size; its hash nobody has time to compute."""
    folder = write_folder(tmp_path / "model")
    os.truncate(folder / file, 2**40)
    table = json.loads((folder / "manifest.json").read_text())
    table["files"][file]["bytes"] = 2**40
    (folder / "manifest.json").write_text(json.dumps(table))
    started = time.monotonic()
    with pytest.raises(InputError, match=rf"{file} is too large: it has 1,099,511,627,776 bytes, expected at most"):
        read_bundle(folder)
    assert time.monotonic() - started < 5
    evidence("F7", f"a sparse {file} of 1 TB that its manifest vouches for", "refused before it is read")


# --- what is checked is what is used


@pytest.mark.parametrize("engine", ENGINES)
def test_weights_that_change_after_the_manifest_was_checked(tmp_path, engine):
    bundle = read_bundle(write_folder(tmp_path / "model"))
    others = {name: weight + 1 for name, weight in random_weights(SMALL).items()}
    safetensors.numpy.save_file(others, bundle.weights)
    load = partial(load_torch_engine, device="cpu") if engine == "torch" else load_ct2_engine
    with pytest.raises(InputError, match="is not what its manifest says"):
        load(bundle)
    assert converted() == []


def test_a_tokenizer_that_changes_after_the_manifest_was_checked(tmp_path):
    bundle = read_bundle(write_folder(tmp_path / "model"))
    path = tmp_path / "model" / "tokenizer.json"
    path.write_text(path.read_text() + " ")
    with pytest.raises(InputError, match="is not what its manifest says"):
        bundle.tokenizer()


# --- what only CTranslate2 cannot do


@pytest.mark.parametrize("engine", ENGINES)
def test_a_sequence_longer_than_the_positions_is_one_sentence(tmp_path, engine):
    config = replace(LEARNED, max_length=2)
    translator = attendo.load(write_folder(tmp_path / "model", config, random_weights(config)), engine=engine)
    with pytest.raises(InputError, match=r"positions of this model|the model reads 2"):
        translator.translate("the sea", to="pt-BR")


def test_models_too_deep_or_too_large_to_convert_are_left_to_torch():
    assert obstacle(SMALL) == ""
    assert "layers" in obstacle(replace(SMALL, encoder_layers=200))
    assert "more than its files can hold" in obstacle(replace(SMALL, vocab_size=10_000_000, d_model=128))


@pytest.mark.parametrize("positions", ["learned", "none"])
def test_weights_that_are_all_zero_are_run_in_whole_numbers(tmp_path, positions):
    """The library writes equal tensors once; positions beside a matrix of their shape became whole numbers with it."""
    config = replace(SMALL, positions=positions, d_ff=2048, max_length=2048)
    weights = {name: np.zeros_like(weight) for name, weight in random_weights(config).items()}
    folder = write_folder(tmp_path / "model", config, weights)
    assert attendo.load(folder, engine="ct2", threads=1).translate("the sea", to="pt-BR").ledger.adds_up
