"""Folders of models that were made to harm: nothing in them is run, and each is one line."""

import json
import struct
import subprocess
import sys

import numpy as np
import pytest
import torch

from attendo.errors import InputError
from attendo.exchange import torch_file
from attendo.exchange.import_model import import_model
from attendo.exchange.normaliser_table import read_normaliser_table
from attendo.exchange.normaliser_writing import packed_normaliser
from attendo.model_folder.bundle import read_bundle
from tests.exchange.foreign_folders import save_marian


class Evil:
    """What a pickle may ask for: any function with any arguments."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return (type(self.mark).touch, (self.mark,))


@pytest.fixture
def folder(tmp_path):
    save_marian(tmp_path / "en-fr")
    return tmp_path / "en-fr"


def refused(folder, words):
    out = folder.parent / "out"
    with pytest.raises(InputError, match=words) as caught:
        import_model(folder, out)
    assert "\n" not in str(caught.value)
    assert not out.exists()


@pytest.mark.slow
def test_a_pickle_of_tensors_is_read(tmp_path):
    save_marian(tmp_path / "en-fr", safe=False)
    save_marian(tmp_path / "safe")
    for name in ("en-fr", "safe"):
        import_model(tmp_path / name, tmp_path / f"{name}-out", directions=(("en", "fr"),))
    first, second = (read_bundle(tmp_path / f"{name}-out") for name in ("en-fr", "safe"))
    assert first.files["model.safetensors"] == second.files["model.safetensors"]


def test_a_pickle_that_runs_code_does_not(folder):
    mark = folder / "was-run"
    (folder / "model.safetensors").unlink()
    torch.save({"model.shared.weight": Evil(mark)}, folder / "pytorch_model.bin")
    refused(folder, "more than tensors")
    assert not mark.exists()


@pytest.mark.slow
@pytest.mark.parametrize("content", [b"", b"\x80\x04N.", b"PK\x03\x04 and no more", b"\x00" * 4096])
def test_what_is_no_such_file_is_one_line(folder, content):
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(content)
    refused(folder, "more than tensors, or is damaged")


def test_a_pickle_has_little_time(folder, monkeypatch):
    (folder / "model.safetensors").unlink()
    torch.save({"model.shared.weight": torch.zeros(2)}, folder / "pytorch_model.bin")
    monkeypatch.setattr(torch_file, "SECONDS", 0.01)
    refused(folder, r"was not read within 0\.01 seconds")


@pytest.mark.slow
def test_a_pickle_has_little_room(folder):
    """A file of a kilobyte with one number, which says that it is a million of them: 4 MB are too many."""
    (folder / "model.safetensors").unlink()
    torch.save({"model.shared.weight": torch.zeros(1).expand(2**20)}, folder / "pytorch_model.bin")
    assert (folder / "pytorch_model.bin").stat().st_size < 2**14
    refused(folder, "or is damaged: .*too large")


@pytest.mark.parametrize(("wanted", "words"), [(torch_file.SPARE_MEMORY, "MemoryError"), (2**20, "got it")])
def test_a_pickle_has_little_memory(wanted, words):
    """The limits of the child, tried in one: memory that is asked for and not given, or not used."""
    code = f"from attendo.exchange.torch_file import limit; limit(0); bytearray({wanted}); print('got it')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert words in (done.stdout + done.stderr).strip().split("\n")[-1]


def test_sizes_that_lie(folder):
    table = json.loads((folder / "config.json").read_text())
    for changes, words in (
        ({"d_model": 64}, "expected"),
        ({"vocab_size": 10**9}, "vocab_size is"),
        ({"encoder_layers": 3}, "missing"),
        ({"encoder_layers": 1}, "is none of a Marian model"),
        ({"pad_token_id": 10**6}, "names the id"),
        ({"activation_function": "exec"}, "activation_function is"),
        ({"model_type": "bert"}, "expected marian"),
        ({"encoder_ffn_dim": 7}, "expected the same"),
    ):
        (folder / "config.json").write_text(json.dumps(table | changes))
        refused(folder, words)


def test_a_vocabulary_that_lies(folder):
    table = json.loads((folder / "vocab.json").read_text())
    table["<pad>"] = 0
    (folder / "vocab.json").write_text(json.dumps(table))
    refused(folder, "one for each id")


def test_a_trie_without_end():
    """A node that is its own child."""
    units = [(1 << 10) | 1] * 64
    with pytest.raises(ValueError, match=r"has no end|is not there"):
        read_normaliser_table(struct.pack(f"<I{len(units)}I", 4 * len(units), *units))


def test_a_table_comes_back():
    rng = np.random.default_rng(1)
    keys = ["".join(map(chr, rng.integers(0x80, 0x3000, rng.integers(1, 4)))) for _ in range(2_000)]
    table = {key: chr(rng.integers(97, 123)) for key in keys}
    table |= {"a": "", "ab": "x", "abc": "yz", "\U0001f600": ":)"}
    assert read_normaliser_table(packed_normaliser(table)) == table
