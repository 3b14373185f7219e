"""Argos packages: what we export is what we import, CTranslate2 and SentencePiece run it, hostile ones are a line."""

import io
import json
import struct
import zipfile

import ctranslate2
import pytest
import sentencepiece

from attendo import load
from attendo.errors import InputError
from attendo.exchange.export_argos import export_argos
from attendo.exchange.import_model import import_model
from attendo.exchange.sentence_piece_file import from_bytes
from attendo.model_folder.bundle import read_bundle
from tests.exchange.foreign_folders import save_marian, sentences


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("argos")
    save_marian(folder / "en-fr")
    import_model(folder / "en-fr", folder / "ours")
    export_argos(read_bundle(folder / "ours"), folder / "en_fr.argosmodel")
    return folder


def test_its_own_engines_run_it(packed, tmp_path):
    with zipfile.ZipFile(packed / "en_fr.argosmodel") as archive:
        archive.extractall(tmp_path)
    (root,) = tmp_path.iterdir()
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(root / "sentencepiece.model"))
    engine = ctranslate2.Translator(str(root / "model"), compute_type="int8")
    texts = sentences("en", 20, seed=3)
    found = engine.translate_batch([pieces.encode(text, out_type=str) for text in texts], beam_size=1)
    ours = load(packed / "ours", threads=1)
    rows = [ours.tokenizer.source_ids(text, "fr") for text in texts]
    expected = ours.engine.translator.translate_batch([list(map(str, row)) for row in rows], beam_size=1)
    names = ours.tokenizer.names(range(ours.tokenizer.vocab_size))
    assert [one.hypotheses[0] for one in found] == [
        [names[int(token)] for token in one.hypotheses[0]] for one in expected
    ]


def test_the_way_back(packed, tmp_path):
    """Through 8 bits and back: the same 8 bits."""
    import_model(packed / "en_fr.argosmodel", tmp_path / "again")
    first, again = load(packed / "ours", threads=1), load(tmp_path / "again", threads=1)
    assert again.tokenizer.encode_all(sentences("en", 30)) == [
        again.tokenizer.encode(text) for text in sentences("en", 30)
    ]
    for text in sentences("en", 20, seed=4):
        assert first.translate(text, to="fr").text == again.translate(text, to="fr").text


def broken(packed, out, change):
    """The package with one member changed, added or taken away."""
    with zipfile.ZipFile(packed / "en_fr.argosmodel") as archive, zipfile.ZipFile(out, "w") as new:
        members = {name: archive.read(name) for name in archive.namelist()}
        root = next(iter(members)).split("/")[0]
        change(members, root)
        for name, content in members.items():
            new.writestr(name, content)
    return out


def lying_shape(members, root):
    raw = bytearray(members[f"{root}/model/model.bin"])
    at = raw.index(b"decoder/embeddings/weight\0") + len(b"decoder/embeddings/weight\0") + 1
    raw[at : at + 4] = struct.pack("<I", 2**31)
    members[f"{root}/model/model.bin"] = bytes(raw)


HOSTILE = {
    "no metadata": (lambda members, root: members.pop(f"{root}/metadata.json"), "metadata.json"),
    "two packages": (lambda members, root: members.update({"other/metadata.json": b"{}"}), "metadata.json"),
    "a shape that lies": (lying_shape, "bytes, which are not"),
    "cut short": (
        lambda members, root: members.update({f"{root}/model/model.bin": members[f"{root}/model/model.bin"][:-9]}),
        "are left",
    ),
    "pieces that are none": (
        lambda m, root: m.update({f"{root}/sentencepiece.model": b"\x0a\xff\xff\xff\x7f"}),
        "left",
    ),
    "a name that leads out": (
        lambda members, root: members.update({"../../evil": b"x", f"{root}/model/config.json": b"[]"}),
        "expected an object",
    ),
    "a language that is a path": (
        lambda m, root: m.update(
            {f"{root}/metadata.json": json.dumps({"from_code": "../x", "to_code": "fr"}).encode()}
        ),
        "names the language",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_packages_are_one_line(packed, tmp_path, name):
    change, words = HOSTILE[name]
    file = broken(packed, tmp_path / "bad.argosmodel", change)
    with pytest.raises(InputError, match=words) as caught:
        import_model(file, tmp_path / "out")
    assert "\n" not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["bad.argosmodel"]


def test_a_bomb_is_not_unpacked(packed, tmp_path):
    """A member of gigabytes of zeros, whose size the zip tells, or lies about."""
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("p/metadata.json", b" " * 30_000_000)
    (tmp_path / "bomb.argosmodel").write_bytes(raw.getvalue())
    with pytest.raises(InputError, match="is larger than"):
        import_model(tmp_path / "bomb.argosmodel", tmp_path / "out")


def test_random_bytes_are_no_pieces():
    for raw in (b"", b"\x08\x01", b"\x0a\x05\x0a\x01a\x15", b"\xff" * 40, b"\x0a\x02\x0a\x00"):
        with pytest.raises((ValueError, struct.error)):
            from_bytes(raw)
