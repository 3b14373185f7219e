"""The page: one file that asks nobody for anything; its numbers are torch's to the digits stored."""

import base64
import hashlib
import random
import re

import numpy as np
import pytest
import torch
from lxml import html

from attendo.errors import InputError
from attendo.explain.explain import explain
from attendo.explain.packing import RELATIVE_ERROR, packed, unpacked
from attendo.explain.page import PARTS, START, bundled, page_html
from attendo.explain.page_data import page_data
from attendo.explain.view import view_of
from attendo.inspection.inspect import inspect
from attendo.model_folder.weights import load_model
from tests.cli.test_cli import attendo
from tests.explain.sentences import GLASS, SENTENCE, TWENTY, data_of, explained

CLOSE = 1e-5  # of the largest number of a tensor: how far the glass may be from torch
MEGABYTE = 1_000_000


def page_of(found, language="en", **view):
    return page_html(page_data(found, view_of(found, **view), language))


def by_torch(found):
    """What each linear part of the torch model gives, by the glass' names: an independent witness."""
    model, outputs = load_model(found.shown.glass.bundle), {}
    names = {"query": "Q", "key": "K", "value": "V", "output": "out", "inner": "inner", "outer": "out"}
    for name, module in model.named_modules():
        part, _, last = name.rpartition(".")
        if last in names and ".layers." in part:
            key = f"{part.replace('.layers.', '.')}.{names[last]}"
            module.register_forward_hook(lambda _, __, out, key=key: outputs.update({key: out[0].detach().numpy()}))
    with torch.inference_mode():
        model(torch.tensor([found.shown.source]), torch.tensor([found.shown.target_in]))
    heads = model.config.num_heads
    for key, out in outputs.items():
        if key[-2:] in (".Q", ".K", ".V"):
            outputs[key] = out.reshape(len(out), heads, -1).swapaxes(0, 1)
    return outputs


def test_500_numbers_of_the_page_are_torchs():
    found = explain("我喜欢🎉和𠮷野家的12个饺子。", "en", model=GLASS)
    data, witness = data_of(page_of(found)), by_torch(found)
    stored = {name: unpacked(one) for name, one in data["tensors"].items() if name in witness}
    assert len(stored) == 6 * 6 + 2 * 10  # Q, K, V, out, inner, out of 6 layers; of 2 with cross-attention four more
    chance = random.Random(1)
    for _ in range(500):
        name = chance.choice(sorted(stored))
        index = tuple(chance.randrange(size) for size in stored[name].shape)
        ours, theirs = stored[name][index], witness[name][index]
        assert abs(ours - theirs) <= RELATIVE_ERROR * abs(theirs) + CLOSE * np.abs(witness[name]).max(), (name, index)


def test_attention_that_the_page_computes_is_what_inspect_shows():
    found = explained()
    tensors = {name: unpacked(one) for name, one in data_of(page_of(found))["tensors"].items()}
    maps = {one.name: one.weights.numpy() for one in inspect(SENTENCE, to="en").maps}
    for part, name in (("encoder.{}.self_attention", "encoder-self"), ("decoder.{}.self_attention", "decoder-self"),
                       ("decoder.{}.cross_attention", "cross")):  # fmt: skip
        for layer, shown in enumerate(maps[name]):
            q, k = (tensors[f"{part.format(layer)}.{letter}"] for letter in "QK")
            scaled = q @ k.swapaxes(-2, -1) / 8
            if name == "decoder-self":
                scaled = np.where(np.tril(np.ones(scaled.shape[-2:])), scaled, -np.inf)
            e = np.exp(scaled - scaled.max(-1, keepdims=True))
            np.testing.assert_allclose(e / e.sum(-1, keepdims=True), shown, atol=1e-4)


@pytest.mark.parametrize("which", [0, 5, 19])
def test_pages_are_small(which):
    """All twenty in the slow tier; here the shortest, one of emoji and the longest."""
    text, to = TWENTY[which]
    found = explain(text, to, model=GLASS)
    size, pieces = len(page_of(found).encode()), len(found.shown.source) - 2
    assert size < (2.5 if pieces <= 12 else 10) * MEGABYTE, (pieces, size)


def test_the_page_asks_nobody_for_anything():
    page = page_of(explained(erase=("机器",)), "zh")
    tree = html.fromstring(page)
    assert not tree.xpath("//*[@src or @srcset or @data or @action or @background]")
    assert not tree.xpath("//link | //iframe | //object | //embed | //img | //base")
    assert not tree.xpath("//@href")  # the script makes the links to its own stations
    script, style = tree.xpath("//script[not(@type)]")[0].text, tree.xpath("//style")[0].text
    names = {"http://www.w3.org/1998/Math/MathML", "http://www.w3.org/2000/svg"}  # of namespaces: nobody fetches them
    assert set(re.findall(r"https?://[^\"'\s]+", script + style)) == names
    assert not re.search(r"\b(fetch|XMLHttpRequest|WebSocket|sendBeacon|importScripts|eval|innerHTML)\b", script)
    assert not re.search(r"url\(|@import", style)
    policy = tree.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")[0]
    assert policy.startswith("default-src 'none'; ")
    for text, kind in ((script, "script-src"), (style, "style-src")):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind} 'sha256-{digest}'" in policy


def test_a_text_cannot_end_the_data():
    found = explain("</script><script>alert(1)</script> & \u2028 <!-- 你好", "en", "zh", model=GLASS)
    page = page_of(found)
    assert page.count("<script") == page.count("</script>") == 2
    assert "alert(1)" in data_of(page)["text"]


def test_every_part_is_on_the_page():
    script = bundled(START)
    for path in PARTS.glob("*.js"):
        assert path.read_text(encoding="utf-8").split("\n")[0] in script, path.name
    names = re.findall(r"^(?:async )?(?:function\*?|class|const|let) (\w+)", script, re.MULTILINE)
    assert len(set(names)) == len(names) > 100
    assert not re.search(r"^(import|export)\b", script, re.MULTILINE)
    assert max(len(path.read_text(encoding="utf-8").split("\n")) for path in PARTS.iterdir()) <= 300


def test_numbers_are_packed_with_the_digits_they_have():
    chance = np.random.default_rng(1)
    many = (chance.normal(size=(7, 30)) * 10.0 ** chance.integers(-6, 5, size=(7, 30))).astype(np.float32)
    assert packed(many)["type"] == "f24"
    np.testing.assert_allclose(unpacked(packed(many)), many, rtol=RELATIVE_ERROR)
    halves = many.clip(-1000, 1000).astype(np.float16).astype(np.float32)
    assert packed(halves)["type"] == "f16"
    np.testing.assert_array_equal(unpacked(packed(halves)), halves)
    assert unpacked(packed(np.zeros((0, 4), np.float32))).shape == (0, 4)


def test_weights_in_eight_bits_stay_so():
    key = GLASS.model.weights["encoder.layers.0.self_attention.key.weight"]
    for matrix in (key[:40], np.concatenate((key[:2], np.zeros((1, key.shape[1]), np.float32)))):
        stored = packed(matrix)
        assert stored["type"] == "i8"
        assert len(stored["data"]) < 1.4 * (matrix.size + 4 * len(matrix))
        np.testing.assert_array_equal(unpacked(stored), matrix)
    other = key[:2].copy()
    other[0, 0] *= 1.001
    assert packed(other)["type"] == "f24"


def test_the_chosen_column_of_every_matrix_is_there():
    data = page_data(explained(), view_of(explained(), dimension=37), "en")
    query = data["weights"]["encoder.layers.3.self_attention.query"]
    assert query["columns"] == [head * 64 + one for head in range(6) for one in (0, 1, 37)]
    weights = GLASS.model.weights["encoder.layers.3.self_attention.query.weight"]
    np.testing.assert_allclose(unpacked(query["weight"]), weights[query["columns"]], rtol=RELATIVE_ERROR)
    assert data["weights"]["decoder.layers.1.feed_forward.outer"]["columns"] == [0, 1, 37]


def test_a_column_beyond_the_heads_can_be_chosen_too():
    data = page_data(explained(), view_of(explained(), dimension=1500), "en")
    columns = {
        name: data["weights"][f"encoder.layers.0.{name}"]["columns"]
        for name in ("feed_forward.inner", "feed_forward.outer", "self_attention.key")
    }
    assert columns["feed_forward.inner"] == [0, 1, 1500]
    assert columns["feed_forward.outer"] == [0, 1]
    assert columns["self_attention.key"] == [head * 64 + one for head in range(6) for one in (0, 1)]
    with pytest.raises(InputError, match="--dimension is 1536: expected 0 to 1535 here"):
        view_of(explained(), dimension=1536)


def test_steps_hold_the_fifty_best_and_their_probabilities():
    found = explained(temperature=1.7)
    for step, one in enumerate(page_data(found, view_of(found), "en")["steps"]):
        assert len(one["ids"]) == 50
        shares = np.exp(np.array(one["logits"]) / 1.7 - one["log_sum"])
        np.testing.assert_allclose(shares, np.exp(found.log_probs[step])[one["ids"]], rtol=1e-4)
        assert found.log_probs[step].max() == found.log_probs[step][one["ids"][0]]


def test_the_command_writes_the_page_and_says_where(tmp_path, capsys):
    out = tmp_path / "new"
    code, said, told = attendo("explain", SENTENCE, "--to", "en", "--out", str(out), "--lang", "zh", capsys=capsys)
    assert code == 0
    assert [path.name for path in out.iterdir()] == ["explain.html"]
    assert told == f"已写入 {out / 'explain.html'}\n"
    assert "I love machine learning." in said
    assert (out / "explain.html").read_text(encoding="utf-8").startswith('<!DOCTYPE html>\n<html lang="zh">')


def test_a_text_that_is_too_long_for_a_page_gets_a_line(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("attendo.explain.page.MOST_TOKENS", 3)  # to translate 150 takes a while
    (tmp_path / "old").mkdir()
    for out in (tmp_path / "new" / "deeper", tmp_path / "old"):
        code, _, told = attendo("explain", "我爱机器学习", "--to", "en", "--out", str(out), capsys=capsys)
        assert code == 1
        assert "a page shows at most 3 of each" in told
        assert [path.name for path in tmp_path.iterdir()] == ["old"]  # no folder is left that was made for nothing
        assert list((tmp_path / "old").iterdir()) == []


def test_a_page_and_a_tensor_at_once_are_refused(tmp_path, capsys):
    words = ("explain", "爱", "--to", "en", "--tensor", "memory", "--out", str(tmp_path / "new"))
    code, said, told = attendo(*words, capsys=capsys)
    assert (code, said) == (2, "")
    assert told.startswith("attendo: --tensor and --out exclude each other")
    assert not (tmp_path / "new").exists()


def test_a_model_folder_is_no_place_for_a_page(capsys):
    code, _, told = attendo("explain", "爱", "--to", "en", "--out", str(GLASS.bundle.folder), capsys=capsys)
    assert code == 2
    assert told.startswith("attendo: --out")
    assert not (GLASS.bundle.folder / "explain.html").exists()


def test_the_words_of_the_untouched_translation_are_known():
    found = explained(erase=("机器",))
    comparison = page_data(found, view_of(found), "en")["comparison"]
    words = ["".join(comparison["labels"][begin:end]) for begin, end in comparison["words"]]
    assert [word.strip("␣") for word in words] == ["I", "love", "machine", "learning", ".", "</s>"]
