"""config.json may say which heads tell what a word was made from; what it says may be hostile."""

import json
import shutil
from pathlib import Path

import pytest

from attendo.errors import InputError
from attendo.files.manifest import write_manifest
from attendo.model_folder.bundle import CONFIG, model_folder, read_bundle
from attendo.model_folder.bundle_writing import write_bundle
from attendo.model_folder.optional_keys import AlignmentHeads
from tests.translation.fake_engine import fake_tokenizer

GOLDEN = Path(__file__).parents[1] / "golden" / "model-format-1"
LAYERS, HEADS = (read_bundle(GOLDEN).model[name] for name in ("decoder_layers", "num_heads"))


def with_alignment(folder, alignment):
    shutil.copytree(GOLDEN, folder)
    table = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    (folder / CONFIG).write_text(json.dumps(table | {"alignment": alignment}), encoding="utf-8")
    write_manifest(folder)
    return folder


def test_a_model_without_the_key_has_none():
    assert read_bundle(GOLDEN).alignment is None


def test_the_default_model_has_it():
    assert read_bundle(model_folder(None)).alignment == AlignmentHeads(layer=0, heads=(5,), shift=1)


@pytest.mark.parametrize("shift", [0, 1])
def test_what_is_written_is_read(tmp_path, shift):
    chosen = AlignmentHeads(layer=LAYERS - 1, heads=(HEADS - 1, 0), shift=shift)
    assert read_bundle(with_alignment(tmp_path / "model", chosen.to_dict())).alignment == chosen


def write(folder, family, alignment):
    tokenizer = fake_tokenizer()
    table, directions = {"family": family, "vocab_size": tokenizer.vocab_size}, [("zh", "en")]
    weights = lambda path: path.write_bytes(b"none")  # noqa: E731
    write_bundle(folder, table, tokenizer, directions, "# Fake\n", weights, needs=1, alignment=alignment)


def test_a_folder_is_written_with_it(tmp_path):
    chosen = AlignmentHeads(layer=5, heads=(7,), shift=1)
    write(tmp_path / "model", "transformer", chosen)
    assert read_bundle(tmp_path / "model").alignment == chosen
    with pytest.raises(InputError, match="6 layers of 8 heads"):
        write(tmp_path / "other", "transformer", AlignmentHeads(layer=6, heads=(0,)))
    with pytest.raises(InputError, match="no heads that look at the source"):
        write(tmp_path / "other", "decoder-only", AlignmentHeads(layer=0, heads=(0,)))
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    "alignment",
    [
        None,
        [],
        1,
        {},
        {"layer": 0},
        {"heads": [0]},
        {"layer": 0, "heads": []},
        {"layer": 0, "heads": 0},
        {"layer": 0, "heads": [0, 0]},
        {"layer": 0, "heads": [True]},
        {"layer": False, "heads": [0]},
        {"layer": 0.0, "heads": [0]},
        {"layer": -1, "heads": [0]},
        {"layer": 0, "heads": [-1]},
        {"layer": 0, "heads": ["0"]},
        {"layer": 0, "heads": [[0]]},
        {"layer": LAYERS, "heads": [0]},
        {"layer": 0, "heads": [HEADS]},
        {"layer": 10**400, "heads": [0]},
        {"layer": 0, "heads": [0], "shift": 2},
        {"layer": 0, "heads": [0], "shift": True},
        {"layer": 0, "heads": [0], "shift": "1"},
        {"layer": 0, "heads": [0], "more": 1},
        {"layer": 0, "heads": list(range(100_000))},
        {"layer": 0, "heads": [0], "\x1b[31m" * 1_000: 1},
    ],
)
def test_anything_else_is_an_error_that_fits_on_a_line(tmp_path, alignment):
    folder = with_alignment(tmp_path / "model", alignment)
    with pytest.raises(InputError, match="alignment") as error:
        read_bundle(folder)
    assert len(str(error.value)) < 400 + len(str(folder))
    assert str(error.value).isprintable()
