"""Weights in 8 bits beside two witnesses: a slow dequantisation, and what CTranslate2 itself rounds."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
import safetensors.torch
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from attendo.engines.ct2.conversion import write_files
from attendo.errors import InputError
from attendo.exchange.ct2_file import read_ct2_variables
from attendo.exchange.export_hugging_face import export_hugging_face
from attendo.files.manifest import write_manifest
from attendo.glass.transformer import read_glass_model
from attendo.model.shapes import weight_shapes
from attendo.model_folder import checked_weights, storage
from attendo.model_folder.bundle import read_bundle
from attendo.model_folder.checked_weights import read_weights
from attendo.model_folder.eight_bits import SMALLEST_SCALE, from_eight_bits, rounded
from attendo.model_folder.installed import describe_installed
from attendo.model_folder.weights import load_model, save_model, weights_of
from tests.cli.test_cli import attendo as command
from tests.model_folder.test_hostile_eight_bits import stored_weights
from tests.model_folder.test_hostile_folders import GAIN, LEARNED, QUERY, SMALL, write_folder
from tests.model_folder.test_weights import CONFIGS, DIRECTIONS, TOKENIZER, random_model

ANYWHERE = Path("model.safetensors")
FAMILIES = [
    "transformer, untied, learned positions", "non-autoregressive", "decoder only", "encoder only", "lstm", "gru, dot",
    "rnn, general, fed",
]  # fmt: skip


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "cache"))


def matrices(smallest):
    """Of any size of numbers, and often of equal ones, of none, and of such as lie in the middle of two."""
    some = st.floats(-65_504, 65_504, width=32).filter(lambda x: x == 0 or abs(x) >= smallest)
    middle = st.integers(-127, 126).map(lambda n: n + 0.5)
    numbers = st.one_of(some, middle, st.sampled_from([0.0, 127.0, -127.0, 65_504.0, -65_504.0]))
    return arrays(np.float32, array_shapes(min_dims=2, max_dims=2, max_side=6), elements=numbers, fill=st.nothing())


def slow_weights(folder):
    """Row by row and in float64, from what the library reads."""
    stored = safetensors.numpy.load_file(folder / "model.safetensors")
    found = {name: tensor.astype(np.float64) for name, tensor in stored.items() if not name.endswith(".scale")}
    for name in found:
        for row, scale in enumerate(stored[f"{name}.scale"].tolist() if stored[name].dtype == np.int8 else ()):
            found[name][row] *= scale
    return {name: tensor.astype(np.float32) for name, tensor in found.items()}


def by_ctranslate2(matrix):
    from ctranslate2.specs.common_spec import LinearSpec
    from ctranslate2.specs.model_spec import NumpyVariable

    spec = LinearSpec()
    spec.weight = NumpyVariable(matrix.copy())
    spec._quantize("int8")
    return spec.weight.numpy()


# --- the arithmetic


@given(matrices(smallest=0))
def test_nothing_is_off_by_more_than_half_a_step(matrix):
    whole, scales = rounded(matrix)
    assert (whole.dtype, scales.dtype) == (np.int8, np.float32)
    for row, numbers in enumerate(matrix):
        scale = Fraction(float(scales[row]))
        largest = max(abs(Fraction(float(number))) for number in numbers)
        if largest < 127 * Fraction(float(SMALLEST_SCALE)):
            assert scales[row] == 1
            assert not whole[row].any()
            continue
        assert abs(scale - largest / 127) <= scale / 2**23
        for number, chosen in zip(numbers, whole[row], strict=True):
            assert abs(Fraction(float(number)) - int(chosen) * scale) <= scale / 2 + largest / 2**21


@given(matrices(smallest=1e-29))
def test_ctranslate2_rounds_to_the_same_whole_numbers(matrix):
    """The weights as they were learnt, and again what a folder gives of them."""
    whole, scales = rounded(matrix)
    np.testing.assert_array_equal(by_ctranslate2(matrix), whole)
    np.testing.assert_array_equal(by_ctranslate2(from_eight_bits(ANYWHERE, "w", whole, scales)), whole)


def test_the_middle_goes_to_the_even_number():
    whole, scales = rounded(np.array([[127, 0.5, 1.5, 2.5, -0.5, -1.5, -127]], dtype=np.float32))
    assert (whole.tolist(), scales.tolist()) == ([[127, 0, 2, 2, 0, -2, -127]], [1.0])


@given(matrices(smallest=0))
def test_what_is_written_is_read(matrix):
    whole, scales = rounded(matrix)
    again = from_eight_bits(ANYWHERE, "w", whole, scales)
    assert np.abs(again).max() <= 65_504
    np.testing.assert_array_equal(rounded(again)[0], whole)


# --- whole models


def save(folder, model, dtype=torch.int8):
    save_model(folder, model, weights_of(model), TOKENIZER, DIRECTIONS, "# card\n", dtype)
    return read_bundle(folder)


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_is_read_as_a_slow_reader_would(tmp_path, name):
    model = random_model(CONFIGS[name])
    loaded = weights_of(load_model(save(tmp_path / "model", model)))
    slow = slow_weights(tmp_path / "model")
    assert loaded.keys() == slow.keys() == weights_of(model).keys()
    for key, weight in loaded.items():
        assert weight.dtype == torch.float32
        np.testing.assert_array_equal(weight.numpy(), slow[key])
        torch.testing.assert_close(weight, weights_of(model)[key], rtol=0, atol=float(weight.abs().max()) / 253)


def test_what_is_stored_how(tmp_path):
    """Matrices in 8 bits, and all else as it was: vectors, and positions, which are only added."""
    model = random_model(LEARNED)
    save(tmp_path / "model", model)
    stored = safetensors.numpy.load_file(tmp_path / "model" / "model.safetensors")
    kinds = {name: str(tensor.dtype) for name, tensor in stored.items()}
    assert kinds["embedding.weight"] == kinds[QUERY] == "int8"
    assert stored[f"{QUERY}.scale"].shape == (8,)
    for name in (GAIN, QUERY.replace("weight", "bias"), "target_positions.weight"):
        np.testing.assert_array_equal(stored[name], weights_of(model)[name].numpy())
    assert {name for name in kinds if name.endswith(".scale")} == {
        f"{name}.scale" for name, kind in kinds.items() if kind == "int8"
    }


def test_a_quarter_of_the_size(tmp_path):
    model = random_model(replace(SMALL, d_model=128, d_ff=256))
    for folder, dtype in (("exact", torch.float32), ("small", torch.int8)):
        save(tmp_path / folder, model, dtype)
    exact, small = ((tmp_path / folder / "model.safetensors").stat().st_size for folder in ("exact", "small"))
    assert small < 0.28 * exact


@pytest.mark.parametrize("config", [SMALL, LEARNED, CONFIGS["transformer, pre-norm, rotary"]])
def test_the_fast_engine_has_the_same_whole_numbers(tmp_path, config):
    """From the folder of int8, and from the one of float32 with the weights as they were learnt."""
    model = random_model(config)
    found = []
    for folder, dtype in (("exact", torch.float32), ("small", torch.int8)):
        write_files(save(tmp_path / folder, model, dtype), tmp_path / f"{folder}-ct2")
        found.append(read_ct2_variables((tmp_path / f"{folder}-ct2" / "model.bin").read_bytes()))
    exact, small = found
    assert exact.keys() == small.keys()
    whole = [name for name, variable in exact.items() if variable.dtype == np.int8 and variable.ndim == 2]
    assert len(whole) > 8
    for name in exact:
        if name.endswith("_scale"):
            np.testing.assert_allclose(small[name], exact[name], rtol=2**-21)
        else:
            np.testing.assert_array_equal(small[name], exact[name])
    stored = safetensors.numpy.load_file(tmp_path / "small" / "model.safetensors")
    np.testing.assert_array_equal(small["decoder/embeddings/weight"], stored["embedding.weight"])


def test_every_reader_sees_the_same_weights(tmp_path):
    """A folder of int8, and one of float32 with what it is read as, become the same files and the same numbers."""
    small = save(tmp_path / "small", random_model(CONFIGS["transformer"]))
    plain = save(tmp_path / "plain", load_model(small), torch.float32)
    made = []
    for bundle in (small, plain):
        write_files(bundle, tmp_path / "ct2", replace=True)
        export_hugging_face(bundle, tmp_path / f"hf-{bundle.folder.name}")
        glass = read_glass_model(bundle).weights
        numbers = [glass[name] for name in sorted(read_weights(plain))]
        theirs = (tmp_path / f"hf-{bundle.folder.name}" / "model.safetensors").read_bytes()
        made.append(((tmp_path / "ct2" / "model.bin").read_bytes(), theirs, [array.tobytes() for array in numbers]))
    assert made[0] == made[1]


def test_a_learner_goes_on_from_it(tmp_path):
    model = load_model(save(tmp_path / "model", random_model(SMALL))).train()
    before = model.embedding.weight.detach().clone()
    model(torch.tensor([[5, 9, 2]]), torch.tensor([[1, 30]])).square().sum().backward()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter -= 0.1 * parameter.grad
    assert not torch.equal(model.embedding.weight, before)


def test_the_order_of_the_tensors_is_free(tmp_path):
    """The library writes scales first; here a scale comes before or after its matrix."""
    folder, read = write_folder(tmp_path / "model", SMALL, stored_weights()), []
    for turned in (False, True):
        start, table, raw = 0, {}, b""
        for name, tensor in sorted(stored_weights().items(), reverse=turned):
            kind = "I8" if tensor.dtype == np.int8 else "F32"
            table[name] = {"dtype": kind, "shape": tensor.shape, "data_offsets": [start, start + tensor.nbytes]}
            start, raw = start + tensor.nbytes, raw + tensor.tobytes()
        header = json.dumps(table).encode()
        (folder / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + raw)
        write_manifest(folder)
        read.append(read_weights(read_bundle(folder)))
    slow = slow_weights(folder)
    assert read[0].keys() == read[1].keys() == slow.keys()
    for name, numbers in slow.items():
        np.testing.assert_array_equal(read[0][name], numbers)
        np.testing.assert_array_equal(read[1][name], numbers)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int8])
def test_the_commands_say_how_weights_are_stored(tmp_path, dtype, capsys):
    word = str(dtype).removeprefix("torch.")
    folder = save(tmp_path / "model", random_model(SMALL), dtype).folder
    assert describe_installed(folder).storage == word
    code, out, _ = command("describe", str(folder), capsys=capsys)
    assert code == 0
    assert out.endswith(f"\nweights stored in {word}\n")
    assert json.loads(command("describe", str(folder), "--json", capsys=capsys)[1])["storage"] == word


def zeros_of(kind, query=None):
    kinds = {QUERY: query or kind}
    return {name: torch.zeros(shape, dtype=kinds.get(name, kind)) for name, shape in weight_shapes(SMALL).items()}


STRANGERS = {
    "bfloat16": lambda: zeros_of(torch.bfloat16),
    "float64": lambda: zeros_of(torch.float64),
    "two kinds": lambda: zeros_of(torch.float32, query=torch.float16),
    "none of its tensors": lambda: {"x": torch.zeros(3)},
}


@pytest.mark.parametrize("name", STRANGERS)
def test_of_what_no_engine_reads_no_command_says_how_it_is_stored(tmp_path, name, capsys):
    folder = write_folder(tmp_path / "model", SMALL, stored_weights())
    safetensors.torch.save_file(STRANGERS[name](), folder / "model.safetensors")
    write_manifest(folder)
    with pytest.raises(InputError, match="does not hold the tensors it should"):
        describe_installed(folder)
    code, out, err = command("describe", str(folder), capsys=capsys)
    assert (code, out, "does not hold the tensors it should" in err) == (1, "", True)


def test_a_weight_may_be_called_as_scales_are(tmp_path, monkeypatch):
    """What is no weight by its name alone would be thrown away in silence."""
    bundle = read_bundle(write_folder(tmp_path / "model", SMALL, {"a.scale": np.ones(3, "f4"), "b": np.ones(3, "f4")}))
    for module in (storage, checked_weights):
        monkeypatch.setattr(module, "weight_shapes", lambda config: {"a.scale": (3,), "b": (3,)})
    monkeypatch.setattr(checked_weights, "check_no_overflow", lambda *_: None)
    assert set(read_weights(bundle)) == {"a.scale", "b"}
