"""A model folder as files: what it says, what is refused (F1, F7, F9)."""

import io
import json
import random
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from attendo.errors import AttendoError, InputError
from attendo.files.manifest import write_manifest
from attendo.model_folder.bundle import FILES, read_bundle
from attendo.model_folder.weights import load_model
from attendo.text.subword_models import Bpe, Characters, write_tokenizer
from tests.golden.make_model import logits

GOLDEN = Path(__file__).parents[1] / "golden" / "model-format-1"
ALL_FILES = (*FILES, "manifest.json")


@pytest.fixture
def folder(tmp_path):
    """A good model folder, to be damaged."""
    return Path(shutil.copytree(GOLDEN, tmp_path / "model"))


def set_config(folder, change):
    """config.json with something changed, and a manifest that vouches for it."""
    path = folder / "config.json"
    table = change(json.loads(path.read_text()))
    path.write_text(json.dumps(table))
    write_manifest(folder)


def test_what_a_bundle_says(folder):
    bundle = read_bundle(folder)
    assert bundle.languages == ("en", "pt-BR")
    assert bundle.directions == (("en", "pt-BR"), ("pt-BR", "en"))
    assert bundle.model["family"] == "transformer"
    assert bundle.weights == folder / "model.safetensors"
    assert len(bundle.key) == 64
    assert bundle.tokenizer().decode(bundle.tokenizer().encode("the 我")) == "the 我"


def test_a_bundle_needs_no_torch(folder):
    code = "import sys, pathlib, attendo.model_folder.bundle as b\n"
    code += f"b.read_bundle(pathlib.Path({str(folder)!r})).tokenizer()"
    code += "; sys.exit(bool({'torch', 'numpy', 'safetensors'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# --- config.json ---


def without(name):
    return lambda table: {key: value for key, value in table.items() if key != name}


def having(**fields):
    return lambda table: {**table, **fields}


WRONG = {
    "a list": (lambda table: [table], "has no format number"),
    "no format": (without("format"), "has no format number"),
    "a format that is true": (having(format=True), "has no format number"),
    "a format that is text": (having(format="1"), "has no format number"),
    "a newer format": (having(format=2, new_key=1), "made by a newer attendo: format 2, this version reads 1"),
    "a format of 4,000 digits": (having(format=10**4000), "made by a newer attendo: format a number of about 4000"),
    "format 0": (having(format=0), "is of no attendo: format 0, this version reads 1"),
    "no model": (without("model"), "has no model"),
    "no languages": (without("languages"), "has no languages"),
    "an unknown key": (having(auto_map={"AutoModel": "x.py"}), "unknown key 'auto_map'"),
    "a long key": (having(**{"k" * 9000: 1}), "unknown key 'kkk"),
    "a model that is a list": (having(model=[1]), "model is [1], expected an object"),
    "a tokenizer without kind": (having(tokenizer={}), "tokenizer is {}, expected only its kind"),
    "a tokenizer of no kind": (having(tokenizer={"kind": "syllables"}), "expected only its kind"),
    "a tokenizer with more": (having(tokenizer={"kind": "bpe", "code": "x"}), "expected only its kind"),
    "languages that are text": (having(languages="en"), "languages is 'en'"),
    "no language": (having(languages=[]), "languages is []"),
    "a language that is none": (having(languages=["../../etc"]), "'../../etc' in languages"),
    "a language that is a number": (having(languages=[1]), "1 in languages"),
    "a language that is a list": (having(languages=[["en"]]), "['en'] in languages"),
    "a language twice": (having(languages=["en", "en"]), "'en' in languages, expected different names"),
    "20,000 languages": (having(languages=["en"] * 20_000), "expected a list of 1 to 200"),
    "no direction": (having(directions=[]), "directions is []"),
    "directions that are pairs": (having(directions=[["en", "de"]]), "expected a list of 1 to 4"),
    "a direction to nowhere": (having(directions=["en-de"]), "not SOURCE-TARGET with two of the languages en, pt-BR"),
    "a direction twice": (having(directions=["en-en", "en-en"]), "listed twice"),
    "too many directions": (having(directions=["en-en"] * 5), "expected a list of 1 to 4"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_configuration_is_one_sentence(folder, name):
    change, complaint = WRONG[name]
    set_config(folder, change)
    with pytest.raises(InputError) as caught:
        read_bundle(folder)
    sentence = str(caught.value)
    assert complaint in sentence
    assert str(folder / "config.json") in sentence
    assert "\n" not in sentence
    assert len(sentence) - len(str(folder)) < 250


def test_a_configuration_that_is_too_large_or_too_deep(folder):
    for raw in (b" " * 1_000_001, b"[" * 100_000, b'{"format":' + b"1" * 5000 + b"}", b"", b"\xff"):
        (folder / "config.json").write_bytes(raw)
        write_manifest(folder)
        with pytest.raises(InputError, match=r"config\.json"):
            read_bundle(folder)


@pytest.mark.parametrize(
    ("subwords", "languages", "complaint"),
    [
        (Characters(("a", "b")), ["en", "pt-BR"], "kind is 'char' in tokenizer.json and 'bpe' in config.json"),
        (Bpe(("a", "b"), ()), ["en", "pt-BR"], "vocab_size is 264 in tokenizer.json and 290 in config.json"),
        (Bpe(tuple(f"p{n}" for n in range(28)), ()), ["pt-BR", "en"], "languages is ('pt-BR', 'en') in tokenizer.json"),
    ],
)
def test_a_tokenizer_of_another_model_is_refused(folder, subwords, languages, complaint):
    """The order of the languages matters: it decides which tag is whose."""
    write_tokenizer(folder / "tokenizer.json", subwords, languages)
    write_manifest(folder)
    with pytest.raises(InputError) as caught:
        read_bundle(folder).tokenizer()
    assert complaint in str(caught.value)


# --- F1: nothing in a bundle is ever run ---


def pickled(command):
    """What pickle makes of an object whose __reduce__ says (os.system, (command,)), in the oldest and a newer form."""
    text = command.encode()
    oldest = b"cos\nsystem\n(S'" + text + b"'\ntR."
    newer = b"\x80\x04\x8c\x02os\x8c\x06system\x93X" + len(text).to_bytes(4, "little") + text + b"\x85R."
    return oldest, newer


def zipped(**files):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        for name, raw in files.items():
            file.writestr(name.replace("__", "/"), raw)
    return archive.getvalue()


def payloads(canary):
    command = f"touch {canary}"
    oldest, newer = pickled(command)
    numpy_header = b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }".ljust(117) + b"\n"
    safetensors = b'{"a":{"dtype":"U8","shape":[%d],"data_offsets":[0,%d]}}' % (len(newer), len(newer))
    return {
        "pickle, protocol 0": oldest,
        "pickle, protocol 4": newer,
        "torch.save": zipped(**{"archive__data.pkl": newer, "archive__version": b"3\n"}),
        "TorchScript": zipped(**{"model__constants.pkl": newer, "model__code____torch__.py": command.encode()}),
        "pt2": zipped(**{"archive_format": b"pt2", "models__model.json": b"{}", "data__constants__c.pt": newer}),
        "npy of objects": b"\x93NUMPY\x01\x00" + len(numpy_header).to_bytes(2, "little") + numpy_header + newer,
        "YAML": f"!!python/object/apply:os.system ['{command}']\n".encode(),
        "JSON that names a call": json.dumps(
            {"__reduce__": ["os.system", [command]], "py/object": "os.system"}
        ).encode(),
        "Python": f"import os\nos.system({command!r})\n".encode(),
        "shell": f"#!/bin/sh\n{command}\n".encode(),
        "safetensors around a pickle": len(safetensors).to_bytes(8, "little") + safetensors + newer,
        "a template": f"{{{{ ''.__class__.__mro__[1].__subclasses__() }}}}\n`{command}`\n".encode(),
    }


def test_the_payloads_are_live(tmp_path):
    """The guard of the guard: the pickles do make the file, where something loads them."""
    for number in range(2):
        canary = tmp_path / f"canary-{number}"
        raw = pickled(f"touch {canary}")[number]
        code = "import pickle, sys; pickle.loads(sys.stdin.buffer.read())"
        subprocess.run([sys.executable, "-c", code], input=raw, check=True)
        assert canary.exists()


def test_no_payload_runs_under_any_name(folder, tmp_path, evidence):
    canary = tmp_path / "canary"
    tried = 0
    for name in ALL_FILES:
        good = (folder / name).read_bytes()
        for what, raw in payloads(canary).items():
            (folder / name).write_bytes(raw)
            if name != "manifest.json":
                write_manifest(folder)  # the author of a bundle vouches for his own payload
            tried += 1
            if name == "README.md":  # nobody reads it
                load_everything(folder)
            else:
                with pytest.raises(AttendoError) as caught:
                    load_everything(folder)
                assert name in str(caught.value), what
                assert "\n" not in str(caught.value), what
            assert not canary.exists(), what
        (folder / name).write_bytes(good)
        write_manifest(folder)
    load_everything(folder)
    assert tried == 60
    evidence("F1", "payloads in a model folder that ran", f"0 of {tried}")


def load_everything(folder):
    bundle = read_bundle(folder)
    bundle.tokenizer()
    return load_model(bundle)


# --- F7: nothing is believed that is not what was written ---


def test_every_flipped_bit_is_noticed(folder, evidence):
    """A fifth of them in each file. All that a flip in the manifest may do unnoticed is leave its meaning as it was."""
    draw, before = random.Random(7), read_bundle(folder)
    undetected = harmless = 0
    for number in range(1000):
        path = folder / ALL_FILES[number % len(ALL_FILES)]
        good = path.read_bytes()
        damaged = bytearray(good)
        damaged[draw.randrange(len(good))] ^= 1 << draw.randrange(8)
        path.unlink()
        path.write_bytes(damaged)
        try:
            after = read_bundle(folder)
        except InputError:
            pass
        else:
            same = path.name == "manifest.json" and after.model == before.model
            harmless, undetected = harmless + same, undetected + (not same)
        path.unlink()  # some file systems flush a file that is written over
        path.write_bytes(good)
    assert undetected == 0
    assert read_bundle(folder) == before
    evidence("F7", "flipped bits in a model folder that went unnoticed", f"{undetected} of 1000")
    evidence("F7", "of those in the manifest, such as left its meaning as it was", harmless)


@pytest.mark.parametrize("how", ["missing", "renamed", "a link", "empty", "a folder"])
def test_each_file_must_be_there_and_plain(tmp_path, how, evidence):
    refused = [name for name in ALL_FILES if is_refused(Path(shutil.copytree(GOLDEN, tmp_path / name)), name, how)]
    assert refused == list(ALL_FILES)
    evidence("F7", f"files of a model folder that are {how}: refused", f"{len(refused)} of {len(refused)}")


def is_refused(folder, name, how):
    path = folder / name
    match how:
        case "missing":
            path.unlink()
        case "renamed":
            path.rename(folder / f"{name}.bak")
        case "a link":
            path.rename(folder.parent / f"{name}.real")
            path.symlink_to(folder.parent / f"{name}.real")
        case "empty":
            path.write_bytes(b"")
        case "a folder":
            path.unlink()
            path.mkdir()
    try:
        read_bundle(folder)
    except InputError:
        return True
    return False


@pytest.mark.parametrize("name", ["model.py", "pytorch_model.bin", "manifest.json.bak"])
def test_nothing_may_stand_beside(folder, name, evidence):
    (folder / name).write_bytes(b"")
    with pytest.raises(InputError, match="does not belong there"):
        read_bundle(folder)
    write_manifest(folder)
    with pytest.raises(InputError, match="does not belong there"):
        read_bundle(folder)
    evidence("F7", f"a model folder with {name} beside its files: refused", "1 of 1")


def test_what_is_no_folder(tmp_path):
    for path in (tmp_path / "nothing", GOLDEN / "README.md", tmp_path):
        with pytest.raises(InputError):
            read_bundle(path)


# --- F9: folders of every release ---


def test_old_folders_say_what_they_said(evidence):
    folders = sorted(GOLDEN.parent.glob("model-format-*/"))
    for folder in folders:
        recorded = json.loads(folder.with_suffix(".json").read_text())
        now = logits(folder)
        assert now["source"] == recorded["source"]
        assert now["target"] == recorded["target"]
        assert now["logits"] == pytest.approx(recorded["logits"], abs=2e-5)
    evidence("F9", "formats of model folders that load and give the same logits", f"{len(folders)} of {len(folders)}")


def test_a_newer_folder_is_refused_clearly(folder, evidence):
    set_config(folder, having(format=2, something_new={}))
    with pytest.raises(InputError, match="was made by a newer attendo: format 2, this version reads 1"):
        read_bundle(folder)
    evidence("F9", "a newer format: refused, and the sentence says so", "1 of 1")
