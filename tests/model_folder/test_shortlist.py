"""shortlist.safetensors: read as it was written; what is wrong with one is said in a line."""

import json

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import attendo
from attendo.errors import InputError
from attendo.files.manifest import write_manifest
from attendo.model_folder.bundle import SHORTLIST, read_bundle
from attendo.model_folder.installed import add_model
from attendo.model_folder.shortlist import read_shortlist, stored_lists, write_shortlist
from attendo.model_folder.weights import load_model, save_model, weights_of
from tests.translation.small_translator import save_random

VOCABULARY = 450
LISTS = {"zh": np.array([0, 1, 2, 3, 9, 300, 449]), "en": np.arange(450)}


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return save_random(tmp_path_factory.mktemp("plain") / "model")


@pytest.fixture
def folder(plain, tmp_path):
    """A model folder with a shortlist, to be damaged."""
    copy = tmp_path / "model"
    copy.mkdir()
    for file in plain.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    write_shortlist(copy / SHORTLIST, LISTS, read_bundle(plain))
    write_manifest(copy)
    return copy


def test_what_is_written_is_read_here_and_by_the_library(folder):
    bundle = read_bundle(folder)
    for read in (read_shortlist(bundle), load_file(folder / SHORTLIST)):
        assert {name: ids.tolist() for name, ids in read.items()} == {name: ids.tolist() for name, ids in LISTS.items()}
    assert load_file(folder / SHORTLIST)["zh"].dtype == np.uint16
    assert bundle.listed_tags() == {4: "zh"}  # in English everything may be said, so there is nothing to be gained
    assert bundle.key != read_bundle_without(folder).key


def read_bundle_without(folder):
    (folder / SHORTLIST).unlink()
    write_manifest(folder)
    bundle = read_bundle(folder)
    assert bundle.listed_tags() == {}
    return bundle


def test_large_vocabularies_have_larger_numbers(tmp_path):
    ids = np.array([0, 1, 2, 3, 70_000])
    stored = stored_lists(tmp_path / SHORTLIST, {"zh": ids}, [("en", "zh")], "bpe", 70_001)
    assert stored["zh"].dtype == np.uint32
    assert stored["zh"].tolist() == ids.tolist()


def ids(*numbers):
    return np.array(numbers, np.uint16)


HOSTILE = {
    "a language that the model does not speak": ({"fr": ids(0, 1, 2, 3)}, "translates into en, zh"),
    "a name of control characters": ({"\x1b[2Jx\n": ids(0, 1, 2, 3)}, "translates into en, zh"),
    "floats": ({"zh": np.zeros(9, np.float32)}, r"F32 \[9\]: expected U16, 4 to 450 ids"),
    "larger numbers than needed": ({"zh": np.arange(9, dtype=np.uint32)}, "expected U16"),
    "a table": ({"zh": np.zeros((9, 9), np.uint16)}, r"U16 \[9, 9\]"),
    "one number": ({"zh": np.array(3, np.uint16)}, r"U16 \[\]"),
    "none": ({"zh": ids()}, "4 to 450"),
    "more than there are": ({"zh": np.arange(451, dtype=np.uint16)}, "4 to 450"),
    "no </s>": ({"zh": ids(0, 1, 3, 4)}, "does not begin with the special ids 0 to 3"),
    "no order": ({"zh": ids(0, 1, 2, 3, 9, 8)}, "not in order"),
    "one twice": ({"zh": ids(0, 1, 2, 3, 9, 9)}, "not in order"),
    "an id that no token has": ({"zh": ids(0, 1, 2, 3, 450)}, "has the id 450: expected ids below 450"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_wrong_is_one_line(folder, name, monkeypatch, tmp_path):
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "cache"))
    tensors, complaint = HOSTILE[name]
    save_file(tensors, folder / SHORTLIST)
    write_manifest(folder)
    with pytest.raises(InputError, match=complaint) as caught:
        attendo.load(folder, engine="ct2", threads=1).translate("fun", to="zh")
    assert str(caught.value).isprintable()
    assert SHORTLIST in str(caught.value)
    assert attendo.load(folder, engine="ct2", threads=1, full_vocabulary=True).engine.shorter == {}


def change(folder, how):
    path = folder / SHORTLIST
    raw = path.read_bytes()
    path.write_bytes(how(raw))


@pytest.mark.parametrize(
    ("how", "vouched", "complaint"),
    [
        (lambda raw: raw[:-1] + bytes([raw[-1] ^ 1]), False, "not what its manifest says"),
        (lambda raw: raw[:-1], False, "its manifest says"),
        (lambda raw: raw[:-1], True, "bytes of data"),
        (lambda raw: b"", True, "is not a safetensors file"),
        (lambda raw: (2**62).to_bytes(8, "little") + raw[8:], True, "is not a safetensors file"),
        (lambda raw: raw + bytes(100_000), True, "is too large"),
    ],
)
def test_a_damaged_file_is_refused(folder, how, vouched, complaint):
    change(folder, how)
    if vouched:
        write_manifest(folder)
    with pytest.raises(InputError, match=complaint):
        read_bundle(folder).listed_tags()


NOT_WRITTEN = {
    "no </s>": ({"zh": np.array([0, 1, 3, 4])}, "special ids"),
    "an id that no token has": ({"zh": np.array([0, 1, 2, 3, 450])}, "has the id 450"),
    "one that is no id": ({"zh": np.array([0, 1, 2, 3, -1])}, "not in order"),
    "no order": ({"zh": np.array([0, 1, 2, 3, 7, 5])}, "not in order"),
    "too few": ({"zh": np.array([0, 1, 2])}, "4 to 450"),
    "a table": ({"zh": np.zeros((4, 4), int)}, "4 to 450"),
    "a language that the model does not speak": ({"fr": np.arange(9)}, "translates into en, zh"),
}


@pytest.mark.parametrize("name", NOT_WRITTEN)
def test_a_list_that_cannot_be_read_is_not_written(plain, tmp_path, name):
    lists, complaint = NOT_WRITTEN[name]
    bundle = read_bundle(plain)
    with pytest.raises(InputError, match=complaint):
        write_shortlist(tmp_path / SHORTLIST, lists, bundle)
    with pytest.raises(InputError, match=complaint) as caught:
        save_again(bundle, tmp_path / "model", lists)
    assert f"{tmp_path / 'model' / SHORTLIST}" in str(caught.value)
    assert not any(tmp_path.iterdir())


def save_again(bundle, folder, lists):
    model = load_model(bundle)
    save_model(folder, model, weights_of(model), bundle.tokenizer(), bundle.directions, "# card\n", shortlist=lists)


def test_a_model_is_saved_with_its_lists(plain, tmp_path):
    save_again(read_bundle(plain), tmp_path / "model", LISTS)
    read = read_shortlist(read_bundle(tmp_path / "model"))
    assert {name: ids.tolist() for name, ids in read.items()} == {name: ids.tolist() for name, ids in LISTS.items()}


def test_a_tokenizer_without_tags_of_languages_has_no_lists(tmp_path):
    with pytest.raises(InputError, match="whose sources begin with the tag of a language"):
        stored_lists(tmp_path / SHORTLIST, LISTS, [("en", "zh")], "sentencepiece", VOCABULARY)


def test_a_list_that_changes_after_it_was_checked_is_refused(folder):
    bundle = read_bundle(folder)
    change(folder, lambda raw: raw.replace(ids(9, 300, 449).tobytes(), ids(9, 301, 449).tobytes()))
    with pytest.raises(InputError, match="not what its manifest says"):
        read_shortlist(bundle)


def test_an_added_model_keeps_it(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("ATTENDO_MODELS", str(tmp_path / "added"))
    added = add_model(folder, "listed")
    assert read_bundle(added.folder).key == read_bundle(folder).key
    assert SHORTLIST in json.loads((added.folder / "manifest.json").read_text())["files"]


def test_a_folder_with_one_may_be_replaced(folder):
    save_random(folder)
    assert SHORTLIST not in read_bundle(folder).files
