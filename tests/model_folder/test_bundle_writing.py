"""How a model folder is written: whole or not at all, over an older model and over nothing else."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from attendo.errors import InputError, WriteError
from attendo.files.durable import mark
from attendo.model_folder.bundle import FILES, read_bundle
from attendo.model_folder.bundle_writing import write_bundle
from attendo.text.subword_models import Bpe
from attendo.text.tokenizer import Tokenizer
from tests.golden.make_model import tiny_tokenizer

GOLDEN = Path(__file__).parents[1] / "golden" / "model-format-1"
ALL_FILES = (*FILES, "manifest.json")


def write(folder, *, tokenizer=None, directions=(("en", "pt-BR"),), card="# card\n", weights=b"weights", needs=0):
    model = {"family": "transformer", "vocab_size": 290}
    write_bundle(
        folder, model, tokenizer or tiny_tokenizer(), directions, card, lambda path: path.write_bytes(weights), needs
    )


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_what_is_written_is_read(tmp_path):
    write(tmp_path / "model")
    bundle = read_bundle(tmp_path / "model")
    assert bundle.directions == (("en", "pt-BR"),)
    assert bundle.model == {"family": "transformer", "vocab_size": 290}
    assert bundle.tokenizer().subwords == tiny_tokenizer().subwords
    assert names(tmp_path / "model") == sorted(ALL_FILES)
    assert names(tmp_path) == ["model"]


def test_equal_models_have_equal_keys(tmp_path):
    write(tmp_path / "one")
    write(tmp_path / "two")
    write(tmp_path / "three", card="# another card\n")
    one, two, three = (read_bundle(tmp_path / name).key for name in ("one", "two", "three"))
    assert one == two != three


def test_others_may_read_it(tmp_path):
    before = os.umask(0o022)
    try:
        write(tmp_path / "model")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "model").stat().st_mode) == 0o755
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "model").iterdir()} == {0o644}


def test_an_older_model_is_replaced(tmp_path):
    write(tmp_path / "model", weights=b"old")
    (tmp_path / "model" / ".DS_Store").touch()
    write(tmp_path / "model", weights=b"new")
    assert read_bundle(tmp_path / "model").weights.read_bytes() == b"new"
    assert names(tmp_path / "model") == sorted(ALL_FILES)
    assert names(tmp_path) == ["model"]


def test_a_damaged_model_is_replaced_too(tmp_path):
    write(tmp_path / "model")
    (tmp_path / "model" / "model.safetensors").unlink()
    write(tmp_path / "model")
    read_bundle(tmp_path / "model")


def test_a_model_behind_a_link_is_replaced_where_it_is(tmp_path):
    (tmp_path / "large-disk").mkdir()
    write(tmp_path / "large-disk" / "model", weights=b"old")
    (tmp_path / "model").symlink_to(tmp_path / "large-disk" / "model")
    write(tmp_path / "model", weights=b"new")
    assert (tmp_path / "model").is_symlink()
    assert (tmp_path / "large-disk" / "model" / "model.safetensors").read_bytes() == b"new"
    assert names(tmp_path) == ["large-disk", "model"]


@pytest.mark.parametrize("there", [["thesis.tex"], ["manifest.json", "background.js"], ["config.json"], [".git"]])
def test_a_folder_that_is_no_model_is_never_replaced(tmp_path, there):
    folder = tmp_path / "model"
    folder.mkdir()
    for name in there:
        (folder / name).write_text("mine")
    with pytest.raises(InputError, match="is no model folder: it is not replaced"):
        write(folder)
    assert {path.name: path.read_text() for path in folder.iterdir()} == dict.fromkeys(there, "mine")


EXTENSION = '{"manifest_version": 3, "name": "mine", "version": "1.0"}'


@pytest.mark.parametrize(
    "kind", ["a manifest of another program", "a repository", "a hidden file", "a link", "a folder"]
)
def test_what_is_not_ours_is_never_replaced_with_a_model(tmp_path, kind):
    folder = tmp_path / "model"
    if kind == "a manifest of another program":
        folder.mkdir()
        (folder / "manifest.json").write_text(EXTENSION)
        (folder / "README.md").write_text("mine")
    else:
        write(folder)
    match kind:
        case "a repository":
            (folder / ".git").mkdir()
            (folder / ".git" / "HEAD").write_text("ref")
        case "a hidden file":
            (folder / ".env").write_text("mine")
        case "a link":
            (folder / "README.md").rename(tmp_path / "mine.md")
            (folder / "README.md").symlink_to(tmp_path / "mine.md")
        case "a folder":
            (folder / "README.md").unlink()
            (folder / "README.md").mkdir()
    before = names(folder)
    with pytest.raises(InputError, match="is no model folder: it is not replaced"):
        write(folder)
    assert names(folder) == before


def test_an_empty_folder_and_a_file(tmp_path):
    (tmp_path / "empty").mkdir()
    write(tmp_path / "empty")
    read_bundle(tmp_path / "empty")
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InputError, match="is a file: a model is a folder"):
        write(tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("directions", [[], [("en", "de")], [("en", "en"), ("en", "en")]])
def test_directions_that_could_not_be_read_are_not_written(tmp_path, directions):
    with pytest.raises(InputError):
        write(tmp_path / "model", directions=directions)
    assert names(tmp_path) == []


def test_languages_too_alike_are_not_written(tmp_path):
    tokenizer = Tokenizer(Bpe(("a",), ()), ["pt", "pt-en", "de", "en-de"])
    with pytest.raises(InputError, match="can be read as"):
        write(tmp_path / "model", tokenizer=tokenizer, directions=[("pt", "en-de")])


def test_a_failure_leaves_the_old_model(tmp_path, monkeypatch):
    write(tmp_path / "model", weights=b"old")

    def full(descriptor):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(WriteError, match=f"cannot write {tmp_path}/model.*No space left on device"):
            write(tmp_path / "model", weights=b"new")
    assert read_bundle(tmp_path / "model").weights.read_bytes() == b"old"
    assert names(tmp_path) == ["model"]


def test_a_folder_without_parent_is_one_sentence(tmp_path):
    with pytest.raises(WriteError, match="No such file or directory"):
        write(tmp_path / "nothing" / "model")


def test_what_killed_writers_left_is_swept(tmp_path):
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    (tmp_path / f"{mark()}{dead.pid}-abc").mkdir()
    write(tmp_path / "model")
    assert names(tmp_path) == ["model"]
