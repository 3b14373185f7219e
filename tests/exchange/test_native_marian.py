"""Marian's own folders, imported: the logits of `transformers`, the scores of CTranslate2, which reads them itself."""

import json
import re
import shutil
import zipfile

import ctranslate2
import numpy as np
import pytest
import sentencepiece
import torch
import yaml
from hypothesis import given
from hypothesis import strategies as some

from attendo.errors import InputError
from attendo.exchange.import_model import import_model, read_foreign
from attendo.exchange.marian_yaml import read_settings, read_vocabulary
from attendo.model_folder.bundle import read_bundle
from attendo.model_folder.weights import load_model
from attendo.special_tokens import SPECIAL, pad_rows
from tests.exchange.foreign_folders import sentences
from tests.exchange.native_folders import save_native
from tests.exchange.test_hugging_face_marian import by_halves, sources

SPM = ("source.spm", "target.spm")
MODELS = {
    "one table": {},
    "relu, an output of its own": {"tied": False, "activation_function": "relu"},
    "three tables, 3+1 layers": {"own_vocabularies": True, "tied": False, "encoder_layers": 3, "decoder_layers": 1},
    "two tables": {"own_vocabularies": True},
}


@pytest.mark.parametrize("options", MODELS.values(), ids=MODELS)
def test_the_logits_of_transformers(tmp_path, options):
    theirs, kept = save_native(tmp_path / "en-fr", **options)
    theirs = theirs.double()
    for stack in (theirs.model.encoder, theirs.model.decoder):  # they keep the sines of float32
        stack.embed_positions.weight.data.copy_(by_halves(128, 32))
    import_model(tmp_path / "en-fr", tmp_path / "ours")
    foreign, kind = read_foreign(tmp_path / "en-fr", ())
    assert kind == "Marian model"
    bundle = read_bundle(tmp_path / "ours")
    assert bundle.directions == (("en", "fr"),)
    pad = theirs.config.pad_token_id
    source_rows, target_rows = (torch.from_numpy(foreign.rows(side)) for side in (foreign.source, foreign.target))
    source_kept = torch.tensor([row for row in range(theirs.config.vocab_size) if row != pad])
    source = torch.tensor(pad_rows(sources(bundle, 12)))
    words = bundle.tokenizer().encode_all_targets(sentences("fr", 12, seed=6))
    target_in = torch.tensor([[SPECIAL.bos, *ids[:4]] for ids in words])
    their_target = kept[target_rows[target_in]]
    their_target[:, 0] = pad
    with torch.no_grad():
        logits = load_model(bundle).double()(source, target_in)
        expected = theirs(
            input_ids=torch.where(source == SPECIAL.pad, pad, source_kept[source_rows[source]]),
            attention_mask=(source != SPECIAL.pad).long(),
            decoder_input_ids=their_target,
        ).logits
    known = target_rows >= 0
    assert known.sum() == len(kept)
    torch.testing.assert_close(logits[..., known], expected[..., kept[target_rows[known]]], atol=1e-10, rtol=1e-10)


def test_the_scores_of_ctranslate2(tmp_path):
    """It reads such files itself: names, turned matrices and the vocabulary are not only as our own writer has them."""
    save_native(tmp_path / "en-fr")
    files = [str(tmp_path / "en-fr" / name) for name in ("a.npz", "a.vocab.yml", "a.vocab.yml")]
    converted = ctranslate2.converters.MarianConverter(files[0], files[1:]).convert(str(tmp_path / "ct2"))
    import_model(tmp_path / "en-fr", tmp_path / "ours")
    bundle = read_bundle(tmp_path / "ours")
    tokenizer, model = bundle.tokenizer(), load_model(bundle)
    pieces = [sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "en-fr" / name)) for name in SPM]
    texts, answers = sentences("en", 20, seed=5), sentences("fr", 20, seed=5)
    rows = [
        [cut.encode(text, out_type=str) for text in side] for cut, side in zip(pieces, (texts, answers), strict=True)
    ]
    theirs = ctranslate2.Translator(converted, compute_type="float32", intra_threads=1)
    for text, answer, scored in zip(texts, answers, theirs.score_batch(*rows), strict=True):
        target = [*tokenizer.encode_target(answer), SPECIAL.eos]
        with torch.no_grad():
            logits = model(
                torch.tensor([tokenizer.source_ids(text, "fr")]), torch.tensor([[SPECIAL.bos, *target[:-1]]])
            )
        ours = logits.log_softmax(-1)[0].gather(1, torch.tensor(target)[:, None])[:, 0]
        assert ours.tolist() == pytest.approx(scored.log_probs, abs=1e-3)


def test_a_vocabulary_in_the_pieces(tmp_path):
    """vocab.spm: its ids are SentencePiece's own. Without decoder.yml, as there is one file of each kind."""
    save_native(tmp_path / "en-fr")
    folder = tmp_path / "en-fr"
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / "source.spm"))
    names = [pieces.id_to_piece(row) for row in range(pieces.get_piece_size())]
    rng = np.random.default_rng(1)
    arrays = dict(np.load(folder / "a.npz", allow_pickle=False))
    arrays["Wemb"] = rng.normal(size=(len(names), 32)).astype(np.float32)
    arrays["decoder_ff_logit_out_b"] = rng.normal(size=(1, len(names))).astype(np.float32)
    np.savez(folder / "a.npz", **arrays)
    (folder / "source.spm").rename(folder / "vocab.spm")
    for name in ("target.spm", "a.vocab.yml", "decoder.yml"):
        (folder / name).unlink()
    foreign, _ = read_foreign(folder, ())
    assert foreign.source.tokens == foreign.target.tokens == tuple(names)
    import_model(folder, tmp_path / "ours")
    tokenizer, rows = read_bundle(tmp_path / "ours").tokenizer(), foreign.rows(foreign.source)
    for text in sentences("en", 30, seed=2):
        assert rows[tokenizer.encode(text)].tolist() == pieces.encode(text)


@pytest.fixture(scope="module")
def native(tmp_path_factory):
    folder = tmp_path_factory.mktemp("native") / "en-fr"
    theirs, _ = save_native(folder)
    return folder, theirs


REFUSED = {
    "transformer-preprocess": ("n", "transformer-preprocess is 'n', expected \"\""),
    "transformer-postprocess": ("da", "transformer-postprocess is 'da', expected dan"),
    "transformer-postprocess-emb": ("nd", "transformer-postprocess-emb is 'nd'"),
    "transformer-postprocess-top": ("n", "transformer-postprocess-top is 'n'"),
    "transformer-decoder-autoreg": ("rnn", "expected self-attention"),
    "transformer-tied-layers": ("\n  - 1\n  - 1", "transformer-tied-layers is"),
    "transformer-train-positions": ("true", "transformer-train-positions is 'true'"),
    "transformer-ffn-activation": ("exec", "transformer-ffn-activation is 'exec'"),
    "right-left": ("true", "right-left is 'true'"),
    "type": ("s2s", "type is 's2s', expected transformer"),
    "dim-emb": ("64", r"is \[32, 32\], expected \[64, 64\]"),
    "enc-depth": ("999999999", "encoder_layers"),
    "dec-depth": ("1", "is none of such a model"),
    "transformer-heads": ("5", "num_heads"),
    "transformer-dim-ffn": ("-1", "expected a whole number"),
    "transformer-decoder-dim-ffn": ("7", "transformer-decoder-dim-ffn is '7'"),
}


def refused(folder, words):
    with pytest.raises(InputError, match=words) as caught:
        import_model(folder, folder.parent / "out")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400
    assert not (folder.parent / "out").exists()


@pytest.mark.parametrize("key", REFUSED)
def test_settings_that_are_not_supported(native, tmp_path, key):
    folder, _ = native
    value, words = REFUSED[key]
    copy = tmp_path / "en-fr"
    shutil.copytree(folder, copy)
    arrays = dict(np.load(folder / "a.npz", allow_pickle=False))
    raw = arrays["special:model.yml"].tobytes().rstrip(b"\0").decode()
    raw = re.sub(rf"^{key}:.*\n(  .*\n)*", "", raw, flags=re.MULTILINE) + f"{key}: {value}\n"
    np.savez(copy / "a.npz", **arrays | {"special:model.yml": np.frombuffer(raw.encode(), np.int8)})
    refused(copy, words)


def hostile(change, **options):
    """The file written anew, its members changed by `change`."""

    def make(path):
        with zipfile.ZipFile(path) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        change(members)
        with zipfile.ZipFile(path, "w", options.get("packed", zipfile.ZIP_STORED)) as archive:
            for name, content in members.items():
                archive.writestr(name, content)

    return make


def header(members, old, new):
    """The header of the bias, which keeps its length."""
    raw = members["decoder_ff_logit_out_b.npy"]
    assert old in raw
    changed = raw.replace(old, new + b" " * max(0, len(old) - len(new)), 1)
    if len(new) > len(old):
        changed = changed.replace(b" " * (len(new) - len(old)) + b"\n", b"\n", 1)
    assert len(changed) == len(raw)
    members["decoder_ff_logit_out_b.npy"] = changed


def lying_sizes(path):
    """The list of the zip says of one member that it has 2 GB."""
    raw = bytearray(path.read_bytes())
    at = raw.index(b"PK\x01\x02")
    raw[at + 20 : at + 28] = (2**31 - 1).to_bytes(4, "little") * 2
    path.write_bytes(bytes(raw))


def objects(path):
    arrays = dict(np.load(path, allow_pickle=False))
    np.savez(path, **arrays | {"Wemb": np.array([{"a": 1}, "b"], dtype=object)})


def twice(path):
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("Wemb.npy", b"")


def numbers(name, array):
    def make(path):
        np.savez(path, **dict(np.load(path, allow_pickle=False)) | {name: array})

    return make


HOSTILE = {
    "objects": (objects, "it holds object, expected numbers"),
    "a shape that lies": (hostile(lambda m: header(m, b"'shape': (1, ", b"'shape': (9999, ")), "of its kind"),
    "a shape below zero": (hostile(lambda m: header(m, b"'shape': (1, ", b"'shape': (-1, ")), "its shape is"),
    "a header that is a call": (hostile(lambda m: header(m, b"'fortran_order': False", b"'x': exit(3)")), "cannot be"),
    "whole numbers": (numbers("Wemb", np.zeros((3, 3), np.int64)), "it holds int64, expected numbers"),
    "letters as weights": (numbers("Wemb", np.zeros((3, 3), np.int8)), "is .*expected"),
    "not finite": (numbers("encoder_l1_self_bq", np.full((1, 32), np.nan, np.float32)), "not finite"),
    "packed": (hostile(lambda m: None, packed=zipfile.ZIP_DEFLATED), "packed arrays"),
    "a bomb": (hostile(lambda m: m.update({"z.npy": b"\0" * 10**7}), packed=zipfile.ZIP_DEFLATED), "packed arrays"),
    "sizes that lie": (lying_sizes, "larger than it is|cannot be read"),
    "twice": (twice, "twice"),
    "a name that leads out": (hostile(lambda m: m.update({"../../x.npy": m["Wemb.npy"]})), "is none of such a model"),
    "no settings": (hostile(lambda m: m.pop("special:model.yml.npy")), "has no 'special:model.yml'"),
    "no matrix": (hostile(lambda m: m.pop("decoder_l2_context_Wk.npy")), "'decoder_l2_context_Wk' is missing"),
    "cut short": (lambda path: path.write_bytes(path.read_bytes()[:-1_000]), "is no .npz"),
    "no zip": (lambda path: path.write_bytes(b"\x93NUMPY" * 99), "is no .npz"),
    "empty": (lambda path: path.write_bytes(b""), "is no .npz"),
    "bits that flipped": (
        lambda path: path.write_bytes(path.read_bytes()[:2_000] + b"\xff" * 40 + path.read_bytes()[2_040:]),
        "cannot be read",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_npz_is_one_line(native, tmp_path, name):
    folder, _ = native
    shutil.copytree(folder, tmp_path / "en-fr")
    make, words = HOSTILE[name]
    make(tmp_path / "en-fr" / "a.npz")
    refused(tmp_path / "en-fr", words)


def test_folders_that_lie(native, tmp_path):
    folder, _ = native
    for number, (name, content, words) in enumerate((
        ("decoder.yml", "models:\n  - ../../etc/passwd\n", "names 'passwd' under models"),
        ("decoder.yml", "models:\n  - a.npz\n  - a.npz\n", "2 models"),
        ("decoder.yml", "models: [a.npz\n", "line 1 has a list without an end"),
        ("decoder.yml", "- a\n", "line 1 is an item of no list"),
        ("a.vocab.yml", '"</s>": 0\n"<unk>": 0\n', "one for each id"),
        ("a.vocab.yml", '"</s>": 0\n"</s>": 1\n', "second time"),
        ("a.vocab.yml", "a: 0\nb: 1\n", "has no </s>"),
        ("a.vocab.yml", "a\n", "line 1 is no token with an id"),
        ("a.vocab.yml", '"\\ud800": 0\n', "which is no character"),
        ("a.vocab.yml", '"</s>": 0\n"<unk>": 1\na: 2\nb: 3\n', "expected .*4, 32"),
    )):  # fmt: skip
        copy = tmp_path / str(number) / "en-fr"
        shutil.copytree(folder, copy)
        (copy / name).write_text(content)
        refused(copy, words)


@given(some.lists(some.text(some.characters(exclude_categories=["Cs"]), min_size=1, max_size=6), unique=True))
def test_vocabularies_as_others_write_them(tokens):
    """PyYAML and JSON as the writers: every character, in quotation marks or not."""
    table = {token: row for row, token in enumerate(tokens)}
    quoted = yaml.safe_dump(table, default_style='"', allow_unicode=False, width=10**9, sort_keys=False)
    assert read_vocabulary(re.sub(r'!!int "(\d+)"', r"\1", quoted).encode() if table else b"") == table
    plain = "".join(f"{json.dumps(key, ensure_ascii=False)}: {row}\n" for key, row in table.items())
    assert read_vocabulary(plain.encode()) == table


@given(some.dictionaries(some.from_regex(r"[a-z][a-z-]{0,8}", fullmatch=True), some.one_of(
    some.text("abc: '\"\\d#-\t\u4e00", max_size=8), some.lists(some.text("ab'\"\\ ", max_size=4), max_size=3),
)))  # fmt: skip
def test_settings_as_others_write_them(settings):
    """What PyYAML writes of texts and lists of them, in both ways of quotation."""
    for style in ('"', "'"):
        raw = yaml.safe_dump(settings, default_style=style, width=10**9, allow_unicode=True)
        assert read_settings(raw.encode() if settings else b"") == settings
