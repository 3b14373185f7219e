"""Tensors and files: what is written is read, and what was not written is not believed (F2, F3)."""

import json
import resource
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import safetensors.torch
import torch
from safetensors import SafetensorError
from torch import nn

from attendo.errors import InputError, WriteError
from attendo.files.manifest import write_manifest
from attendo.files.tensor_file import read_header
from attendo.model.build import build_model
from attendo.model.config import (
    DecoderOnlyConfig,
    EncoderOnlyConfig,
    NonAutoregressiveConfig,
    RecurrentConfig,
    TransformerConfig,
    config_from_dict,
    config_to_dict,
)
from attendo.model_folder.bundle import read_bundle
from attendo.model_folder.weights import (
    load_model,
    load_weights_,
    read_tensors,
    save_model,
    weights_of,
    write_tensors,
)
from tests.golden.make_model import tiny_tokenizer

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden" / "model-format-1"
WEIGHTS = GOLDEN / "model.safetensors"
TOKENIZER = tiny_tokenizer()
VOCAB = TOKENIZER.vocab_size
SMALL = {"vocab_size": VOCAB, "d_model": 8, "d_ff": 16, "num_heads": 2}
CONFIGS = {
    "transformer": TransformerConfig(**SMALL, encoder_layers=2, decoder_layers=1),
    "transformer, untied, learned positions": TransformerConfig(
        **SMALL, encoder_layers=1, decoder_layers=3, tied_output=False, positions="learned", max_length=20
    ),
    "transformer, pre-norm, rotary": TransformerConfig(**SMALL, norm_order="pre", positions="rotary", bias=False),
    "non-autoregressive": NonAutoregressiveConfig(**SMALL, encoder_layers=1, decoder_layers=2),
    "decoder only": DecoderOnlyConfig(**SMALL, num_layers=2),
    "decoder only, tied": DecoderOnlyConfig(**SMALL, num_layers=1, tied_output=True),
    "encoder only": EncoderOnlyConfig(**SMALL, num_layers=2),
    "lstm": RecurrentConfig(vocab_size=VOCAB, d_model=8, encoder_layers=1, decoder_layers=2),
    "lstm, no attention": RecurrentConfig(vocab_size=VOCAB, d_model=8, attention="none", tied_output=False),
    "gru, dot": RecurrentConfig(vocab_size=VOCAB, d_model=8, cell="gru", attention="dot"),
    "rnn, general, fed": RecurrentConfig(
        vocab_size=VOCAB, d_model=8, cell="rnn", attention="general", input_feeding=True
    ),
}
DIRECTIONS = [("en", "pt-BR")]


def random_model(config):
    model = build_model(config)
    for weight in weights_of(model).values():
        weight.add_(torch.randn_like(weight), alpha=0.1)
    return model


def run(model):
    source = torch.tensor([[5, 9, 100, 2], [7, 2, 0, 0]])
    with torch.no_grad():
        inputs = (
            (source,) if isinstance(model.config, EncoderOnlyConfig) else (source, torch.tensor([[1, 30], [1, 31]]))
        )
        found = model(*inputs)  # of one that guesses lengths, these come second
        return torch.cat([one.flatten() for one in found]) if isinstance(found, tuple) else found


def names(folder):
    return sorted(path.name for path in folder.iterdir())


# --- tensors ---


def test_a_tied_tensor_stands_once():
    tied, untied = (build_model(replace(CONFIGS["transformer"], tied_output=tied)) for tied in (True, False))
    assert set(weights_of(untied)) - set(weights_of(tied)) == {"output.weight"}
    assert weights_of(tied)["embedding.weight"].data_ptr() == tied.output.weight.data_ptr()


def test_a_model_with_a_buffer_is_an_error_of_ours():
    with pytest.raises(InputError, match="keeps num_batches_tracked as a buffer"):
        weights_of(nn.BatchNorm1d(3))


TENSORS = {
    "half": torch.randn(3, 4).half(),
    "brain": torch.randn(5).bfloat16(),
    "single": torch.randn(2, 3, 4),
    "double": torch.randn(1, dtype=torch.float64),
    "step": torch.tensor(7),
    "bytes": torch.arange(200, dtype=torch.uint8),
    "small": torch.arange(4, dtype=torch.int32),
    "flags": torch.tensor([True, False]),
    "turned": torch.randn(3, 5).T,
    "part": torch.randn(10, 10)[2:4, ::3],
    "none": torch.empty(0, 3),
}


def expected(tensors):
    return {name: (tuple(tensor.shape), tensor.dtype) for name, tensor in tensors.items()}


def test_what_is_written_is_read_by_us_and_by_the_library(tmp_path):
    path = tmp_path / "tensors.safetensors"
    write_tensors(path, TENSORS)
    ours, theirs = read_tensors(path, expected(TENSORS)), safetensors.torch.load_file(path)
    assert list(ours) == list(TENSORS)
    assert ours.keys() == theirs.keys()
    for name, tensor in TENSORS.items():
        for other in (ours[name], theirs[name]):
            assert other.dtype == tensor.dtype
            assert torch.equal(other, tensor)


def test_parameters_are_written_without_their_gradients(tmp_path):
    weight = nn.Parameter(torch.ones(3))
    write_tensors(tmp_path / "x", {"a": weight})
    assert not read_tensors(tmp_path / "x", expected({"a": weight}))["a"].requires_grad


def test_what_was_read_does_not_change_with_the_file(tmp_path):
    path = tmp_path / "x"
    write_tensors(path, {"a": torch.ones(5000)})
    tensors = read_tensors(path, {"a": ((5000,), torch.float32)})
    with path.open("r+b") as file:
        file.truncate(0)
    assert tensors["a"].sum() == 5000


def test_every_difference_is_named(tmp_path):
    path = tmp_path / "x"
    write_tensors(path, {"a": torch.ones(3), "b": torch.ones(2, 3), "c": torch.ones(1)})
    good = {"a": ((3,), torch.float32), "b": ((2, 3), torch.float32), "c": ((1,), torch.float32)}
    read_tensors(path, good)
    for change, complaint in [
        ({"d": ((1,), torch.float32)}, "'d' is missing"),
        ({"b": ((3, 2), torch.float32)}, r"'b' is F32 \[2, 3\] where F32 \[3, 2\] is expected"),
        ({"b": ((2, 3), torch.float16)}, r"'b' is F32 \[2, 3\] where F16 \[2, 3\] is expected"),
        ({"a": ((4,), torch.float32), "d": ((), torch.int64)}, r"'d' is missing, 'a' is F32 \[3\] where F32 \[4\]"),
        (dict.fromkeys("abcdefgh", ((), torch.int64)), "and 5 more differences"),
    ]:
        with pytest.raises(InputError, match=complaint):
            read_tensors(path, {**good, **change})
    with pytest.raises(InputError, match="'c' is not expected"):
        read_tensors(path, {name: good[name] for name in "ab"})


def test_a_header_is_checked_before_anything_is_loaded(tmp_path, monkeypatch):
    path = tmp_path / "x"
    write_tensors(path, {"a": torch.ones(3)})
    monkeypatch.setattr("attendo.model_folder.weights.load_file", lambda path: pytest.fail("it was loaded"))
    for wanted in ({}, {"b": ((3,), torch.float32)}, {"a": ((2,), torch.float32)}, {"a": ((3,), torch.int32)}):
        with pytest.raises(InputError):
            read_tensors(path, wanted)


def test_numbers_that_are_not_finite_are_refused(tmp_path, evidence):
    kinds = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
    cases = [(kind, float(value)) for kind in kinds for value in ("nan", "inf", "-inf")]
    for kind, value in cases:
        tensors = {"good": torch.ones(3), "bad": torch.ones(2, 50, dtype=kind)}
        tensors["bad"][1, 17] = value
        write_tensors(tmp_path / "x", tensors)
        with pytest.raises(InputError, match="the tensor 'bad' has numbers that are not finite"):
            read_tensors(tmp_path / "x", expected(tensors))
    evidence("F3", "files with one weight of NaN or infinity: refused", f"{len(cases)} of {len(cases)}")


# --- F2: no second loader ---


LOADERS = {
    "a model's weights": ("attendo.files.tensor_arrays.header_of", lambda: load_model(read_bundle(GOLDEN))),
    "a checkpoint's": ("attendo.model_folder.weights.load_file", lambda: read_tensors(WEIGHTS, in_file(WEIGHTS))),
}


def in_file(path):
    return {name: (info.shape, torch.float32) for name, info in read_header(path).items()}


@pytest.mark.parametrize("error", [SafetensorError("x"), OSError("x"), MemoryError("x"), RuntimeError("x")])
@pytest.mark.parametrize("whose", LOADERS)
def test_where_the_safe_loader_fails_no_other_is_tried(monkeypatch, whose, error, evidence):
    calls = []

    def fail(*arguments, **options):
        calls.append("safe")
        raise error

    safe, load = LOADERS[whose]
    monkeypatch.setattr(safe, fail)
    for name in (
        "torch.load", "torch.jit.load", "torch.export.load", "torch.UntypedStorage.from_file", "torch.from_file",
        "pickle.load", "pickle.loads", "pickle.Unpickler", "numpy.load", "numpy.fromfile", "numpy.memmap",
        "safetensors.torch.load", "safetensors.torch.load_file", "safetensors.safe_open",
    ):  # fmt: skip
        monkeypatch.setattr(name, lambda *arguments, name=name, **options: calls.append(name))
    with pytest.raises((InputError, type(error))):
        load()
    assert calls == ["safe"]
    evidence("F2", f"other loaders tried after {type(error).__name__} of {whose} loader", 0)


# --- weights into a model ---


def test_weights_are_copied_into_the_same_parameters():
    one, other = random_model(CONFIGS["transformer"]).eval(), random_model(CONFIGS["transformer"]).eval()
    before = list(other.parameters())
    load_weights_(other, weights_of(one))
    assert all(now is then for now, then in zip(other.parameters(), before, strict=True))
    assert torch.equal(run(one), run(other))
    next(iter(weights_of(one).values())).add_(1)
    assert not torch.equal(run(one), run(other))


def test_weights_that_do_not_fit_change_nothing():
    model = random_model(CONFIGS["transformer"]).eval()
    before, good = run(model), {name: torch.zeros_like(weight) for name, weight in weights_of(model).items()}
    for weights, complaint in [
        ({**good, "more": torch.ones(1)}, "'more' is in the weights alone"),
        ({name: good[name] for name in list(good)[1:]}, r"'embedding\.weight' is in the model alone"),
        ({**good, "encoder.layers.0.feed_forward.outer.bias": torch.ones(1)}, "do not fit the Transformer"),
        ({**good, "embedding.weight": torch.ones(1, 8)}, rf"'embedding\.weight' is \[1, 8\], expected \[{VOCAB}, 8\]"),
    ]:
        with pytest.raises(InputError, match=complaint):
            load_weights_(model, weights)
    assert torch.equal(run(model), before)


# --- whole models ---


@pytest.mark.parametrize("name", CONFIGS)
def test_a_saved_model_says_the_same(tmp_path, name):
    model = random_model(CONFIGS[name])
    save_model(tmp_path / "model", model, weights_of(model), TOKENIZER, DIRECTIONS, "# card\n")
    state = torch.get_rng_state()
    loaded = load_model(read_bundle(tmp_path / "model"))
    assert torch.equal(torch.get_rng_state(), state)  # loading draws no random numbers
    assert not loaded.training
    assert loaded.config == model.config
    assert torch.equal(run(loaded), run(model.eval()))
    assert len(list(loaded.parameters())) == len(list(model.parameters()))  # what was tied is tied
    assert not any(parameter.is_meta for parameter in loaded.parameters())
    by_the_library = safetensors.torch.load_file(tmp_path / "model" / "model.safetensors")
    assert all(torch.equal(by_the_library[key], weight) for key, weight in weights_of(model).items())


def test_a_loaded_model_goes_on_learning():
    model = load_model(read_bundle(GOLDEN)).train()
    before = model.embedding.weight.detach().clone()
    model(torch.tensor([[5, 9, 2]]), torch.tensor([[1, 30]])).square().sum().backward()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter -= 0.1 * parameter.grad
    assert not torch.equal(model.embedding.weight, before)
    assert model.output.weight is model.embedding.weight


def test_an_average_is_saved_in_place_of_the_model(tmp_path):
    one, other = random_model(CONFIGS["transformer"]), random_model(CONFIGS["transformer"])
    pairs = zip(weights_of(one).items(), weights_of(other).values(), strict=True)
    mean = {name: (first.double() + second.double()) / 2 for (name, first), second in pairs}
    save_model(tmp_path / "model", one, mean, TOKENIZER, DIRECTIONS, "# card\n")
    loaded = weights_of(load_model(read_bundle(tmp_path / "model")))
    assert all(torch.equal(loaded[name], weight.float()) for name, weight in mean.items())


def test_what_could_not_be_read_is_not_saved(tmp_path):
    model = random_model(CONFIGS["transformer"])
    good = {name: weight.clone() for name, weight in weights_of(model).items()}
    poisoned = {**good, "embedding.weight": good["embedding.weight"] * float("nan")}
    other = random_model(replace(CONFIGS["transformer"], vocab_size=300))
    for machine, weights, complaint in [
        (model, poisoned, r"'embedding\.weight' has numbers that are not finite"),
        (model, {}, "do not fit"),
        (other, weights_of(other), f"the model knows 300 tokens and the tokenizer {VOCAB}"),
    ]:
        with pytest.raises(InputError, match=complaint):
            save_model(tmp_path / "model", machine, weights, TOKENIZER, DIRECTIONS, "")
    assert names(tmp_path) == []


@pytest.mark.parametrize("room", [0, 100, 5_000, 23_000])
def test_a_disk_that_is_full_leaves_the_old_model(tmp_path, room, evidence):
    """A real failure of the library's: files of this process may not grow beyond `room` bytes."""
    folder = tmp_path / "model"
    shutil.copytree(GOLDEN, folder)
    model = random_model(CONFIGS["transformer"])
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
    try:
        with pytest.raises(WriteError) as caught:
            save_model(folder, model, weights_of(model), TOKENIZER, DIRECTIONS, "# card\n")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    sentence = str(caught.value)
    assert sentence.startswith(f"cannot write {folder}")
    assert "File too large" in sentence
    assert "bytes needed" in sentence
    assert read_bundle(folder).key == read_bundle(GOLDEN).key
    assert names(tmp_path) == ["model"]
    evidence("F8", f"a disk full after {room:,} bytes of a model: old model kept, bytes left over", "yes, 0")


def test_the_library_s_word_for_a_full_disk_becomes_ours(tmp_path, monkeypatch):
    def full(tensors, path):
        path.write_bytes(b"half")
        raise SafetensorError("Error while serializing: I/O error: No space left on device (os error 28)")

    monkeypatch.setattr("attendo.model_folder.weights.save_file", full)
    model = random_model(CONFIGS["transformer"])
    with pytest.raises(
        WriteError, match=rf"cannot write {tmp_path}/model/model\.safetensors: .*No space.*bytes needed"
    ):
        save_model(tmp_path / "model", model, weights_of(model), TOKENIZER, DIRECTIONS, "")
    assert names(tmp_path) == []


def rewritten(folder, change):
    """The golden model with other weights, and a manifest that agrees."""
    shutil.copytree(GOLDEN, folder)
    tensors = safetensors.torch.load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    write_tensors(folder / "model.safetensors", {name: change(name, tensor) for name, tensor in tensors.items()})
    write_manifest(folder)
    return read_bundle(folder)


def test_weights_that_are_neither_float32_nor_float16_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"is BF16 \[.*\] where F32 .* and \d+ more differences"):
        load_model(rewritten(tmp_path / "short", lambda name, tensor: tensor.bfloat16()))
    mixed = rewritten(tmp_path / "mixed", lambda name, tensor: tensor.half() if "embedding" in name else tensor)
    with pytest.raises(InputError, match=r"is F16 \[.*\] where F32"):
        load_model(mixed)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64, torch.int32])
def test_what_no_folder_is_stored_in_is_not_written(tmp_path, dtype):
    model = load_model(read_bundle(GOLDEN))
    with pytest.raises(InputError, match=r"cannot be stored in .*: expected float32, float16 or int8"):
        save_model(tmp_path / "model", model, weights_of(model), TOKENIZER, DIRECTIONS, "", dtype)
    assert names(tmp_path) == []


def test_half_the_size_in_float16(tmp_path):
    model = load_model(read_bundle(GOLDEN))
    save_model(tmp_path / "half", model, weights_of(model), TOKENIZER, DIRECTIONS, "# card\n", torch.float16)
    loaded = load_model(read_bundle(tmp_path / "half"))
    for name, weight in weights_of(loaded).items():
        assert weight.dtype == torch.float32
        assert torch.equal(weight, weights_of(model)[name].half().float())
    by_the_library = safetensors.torch.load_file(tmp_path / "half" / "model.safetensors")
    assert {tensor.dtype for tensor in by_the_library.values()} == {torch.float16}


def test_a_configuration_and_its_table():
    for config in CONFIGS.values():
        table = json.loads(json.dumps(config_to_dict(config)))
        assert config_from_dict(table) == config
