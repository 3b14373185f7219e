"""A configuration is believed as far as the weights bear it out: one that is made to harm is refused (F4)."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import safetensors.torch

from attendo.errors import AttendoError, ConfigError, InputError
from attendo.files.manifest import write_manifest
from attendo.files.tensor_file import read_header
from attendo.model_folder.bundle import read_bundle
from attendo.model_folder.weights import load_model, write_tensors
from tests.golden.make_model import tiny_tokenizer

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden" / "model-format-1"
VOCAB = tiny_tokenizer().vocab_size

BOMBS = {
    "d_model 10^9": {"d_model": 10**9},
    "10^6 layers": {"encoder_layers": 10**6},
    "a vocabulary of 10^9": {"vocab_size": 10**9},
    "a negative size": {"d_ff": -1},
    "a size of 0": {"d_model": 0},
    "a size that is true": {"num_heads": True},
    "a size that is text": {"d_model": "512"},
    "a size that is a fraction": {"d_model": 8.0},
    "a dropout of NaN": {"dropout": float("nan")},
    "an infinite rotary_base": {"rotary_base": float("inf")},
    "a size of 4,000 digits": {"d_ff": 10**4000},
    "a size that is a list": {"d_model": [8]},
    "an unknown key": {"torchscript": True},
    "an unknown family": {"family": "gpt"},
    "a family that is a list": {"family": ["transformer"]},
    "heads that do not divide": {"num_heads": 3},
    "1,000 layers on each side": {"encoder_layers": 1000, "decoder_layers": 1000},
    "everything at its limit": {
        "encoder_layers": 1000, "decoder_layers": 1000, "d_model": 65_536, "d_ff": 1_048_576, "num_heads": 4096,
        "vocab_size": 10_000_000, "positions": "learned", "max_length": 1_000_000,
    },
    "a vocabulary of 10^7": {"vocab_size": 10_000_000},
    "a d_model of 65,536": {"d_model": 65_536},
    "a d_ff of 1,048,576": {"d_ff": 1_048_576},
    "a million learned positions": {"positions": "learned", "max_length": 1_000_000},
    "a deep decoder alone": {"family": "decoder-only", "num_layers": 1000, "d_model": 65_536},
    "a deep encoder alone": {"family": "encoder-only", "num_layers": 1000, "d_model": 65_536},
    "a deep one that gives all at once": {
        "family": "non-autoregressive", "encoder_layers": 1000, "decoder_layers": 1000, "d_model": 65_536,
    },
    "a deep LSTM": {"family": "recurrent", "encoder_layers": 1000, "decoder_layers": 1000, "d_model": 65_536},
    "one layer more": {"encoder_layers": 3},
    "one layer fewer": {"encoder_layers": 1},
    "another way of sizing": {"d_ff": 17},
    "an output of its own": {"tied_output": False},
    "no biases": {"bias": False},
}  # fmt: skip
OTHER_FAMILIES = ("decoder-only", "encoder-only", "recurrent", "non-autoregressive")  # with keys of their own

CHILD = """
import json, resource, sys, time
resource.setrlimit(resource.RLIMIT_AS, (2 * 2**30, 2 * 2**30))  # torch itself takes 0.7 GB of addresses
from pathlib import Path
from attendo.model_folder.bundle import read_bundle
from attendo.model_folder.weights import load_model
from attendo.errors import AttendoError

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

load_model(read_bundle(Path(sys.argv[1])))
before = peak()
for folder in sorted(Path(sys.argv[2]).iterdir()):
    start = time.process_time()
    try:
        load_model(read_bundle(folder))
        sentence = "loaded"
    except AttendoError as error:
        sentence = "refused: " + str(error)
    print(json.dumps([folder.name, sentence, 1000 * (time.process_time() - start), peak() - before]))
"""


def lay_bombs(folder):
    """A good model folder each, but for its configuration; the manifests vouch for them all."""
    for name, change in BOMBS.items():
        bomb = copy(folder, name)
        table = json.loads((bomb / "config.json").read_text())
        kept = {"vocab_size": VOCAB} if change.get("family") in OTHER_FAMILIES else table["model"]
        table["model"] = {**kept, **change}
        (bomb / "config.json").write_text(json.dumps(table))
        write_manifest(bomb)
    good = (GOLDEN / "config.json").read_bytes()
    for name, raw in {
        "a size of 5,000 digits": good.replace(b'"d_ff": 16', b'"d_ff": ' + b"1" * 5000),
        "JSON 100,000 deep": b'{"format": 1, "model": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        "objects 50,000 deep": b'{"format": 1, "model": ' + b'{"a":' * 50_000 + b"1" + b"}" * 50_001,
    }.items():
        bomb = copy(folder, name)
        (bomb / "config.json").write_bytes(raw)
        write_manifest(bomb)
    lay_many_tensors(copy(folder, "1,000 layers beside 10,000 tensors"))


def copy(folder, name):
    return Path(shutil.copytree(GOLDEN, folder / name))


def lay_many_tensors(bomb):
    """The most tensors that a header may list, so that the number of layers is no reason to doubt."""
    table = json.loads((bomb / "config.json").read_text())
    table["model"].update(encoder_layers=1000, decoder_layers=1)
    (bomb / "config.json").write_text(json.dumps(table))
    header = {str(number): {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]} for number in range(10_000)}
    raw = json.dumps(header).encode()
    (bomb / "model.safetensors").write_bytes(len(raw).to_bytes(8, "little") + raw)
    write_manifest(bomb)


def test_configurations_made_to_harm_are_refused(tmp_path, evidence):
    (tmp_path / "bombs").mkdir()
    lay_bombs(tmp_path / "bombs")
    command = [sys.executable, "-c", CHILD, str(GOLDEN), str(tmp_path / "bombs")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env={**os.environ})
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.split("\n") if line]
    assert len(found) == len(BOMBS) + 4
    for name, sentence, milliseconds, _ in found:
        assert sentence.startswith("refused: "), name
        assert "\n" not in sentence, name
        assert len(sentence) < 500, name
        assert name in sentence, "the folder is named"
        assert milliseconds < 1000, name
    slowest, memory = max(row[2] for row in found), max(row[3] for row in found)
    assert memory < 100
    evidence("F4", "configurations made to harm: refused, with 2 GB of addresses", f"{len(found)} of {len(found)}")
    evidence("F4", "the slowest took, of processor time", f"{slowest:.0f} ms")
    evidence("F4", "the most memory one took beyond what a good model had taken", f"{memory:.0f} MB")


def test_a_wrong_model_table_is_named_with_its_file(tmp_path):
    bomb = copy(tmp_path, "model")
    table = json.loads((bomb / "config.json").read_text())
    table["model"]["d_modell"] = 8
    (bomb / "config.json").write_text(json.dumps(table))
    write_manifest(bomb)
    with pytest.raises(ConfigError, match=r"model/config\.json: unknown key 'd_modell' .* did you mean 'd_model'"):
        load_model(read_bundle(bomb))
    assert issubclass(ConfigError, AttendoError)


def test_the_weights_of_another_shape_but_the_same_size(tmp_path):
    """Tensors and parameters are as many as they should be; one is turned round."""
    bomb = copy(tmp_path, "model")
    tensors = safetensors.torch.load_file(bomb / "model.safetensors")
    name = next(name for name, info in read_header(bomb / "model.safetensors").items() if info.shape == (16, 8))
    tensors[name] = tensors[name].T.contiguous()
    tensors = {key: tensor.clone() for key, tensor in tensors.items()}
    write_tensors(bomb / "model.safetensors", tensors)
    write_manifest(bomb)
    with pytest.raises(InputError, match=rf"'{name}' is F32 \[8, 16\] where F32 \[16, 8\] is expected"):
        load_model(read_bundle(bomb))
