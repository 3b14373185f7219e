"""The shortlist of the default model: what is said most, counted once more by hand."""

import shutil
from collections import Counter

import numpy as np
import pytest
from safetensors.numpy import load_file

from attendo.files.manifest import write_manifest
from attendo.model_folder.bundle import SHORTLIST, read_bundle
from attendo.model_folder.shortlist import read_shortlist
from recipes.default.shortlist import make_shortlist, most_said, sayable, sizes_of
from tests.translation.small_translator import save_random

PAIRS = ["我爱你。\tI love you.", "他买了书\the bought books", "三本书\tthree books", "好\tlearning machine learning"]
ONE_WAY = ["机器学习很有趣\tfun", "昨天\tyesterday"]
RECIPE = """
[[data.corpora]]
file = "both.tsv"
languages = ["zh", "en"]
weight = 3.0

[[data.corpora]]
file = "one.tsv"
languages = ["zh", "en"]
one_way = true

[[data.corpora]]
file = "nowhere.tsv"
languages = ["zh", "en"]
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def bundle(tmp_path):
    return read_bundle(save_random(tmp_path / "model"))


def make(tmp_path, bundle, size):
    (tmp_path / "text").mkdir(exist_ok=True)
    (tmp_path / "text" / "both.tsv").write_text("\n".join(PAIRS) + "\n", encoding="utf-8")
    (tmp_path / "text" / "one.tsv").write_text("\n".join(ONE_WAY) + "\n", encoding="utf-8")
    (tmp_path / "recipe.toml").write_text(RECIPE, encoding="utf-8")
    out = tmp_path / SHORTLIST
    make_shortlist(tmp_path / "recipe.toml", [tmp_path, tmp_path / "text"], bundle, out, {"zh": size, "en": size})
    return out


def by_hand(tokenizer, texts, size):
    """Slow and obvious: the sayable ones and every character, then what is said most often until the list is full."""
    counts = Counter()
    for text, times in texts:
        for token in tokenizer.encode(text):
            counts[token] += times
    alone = {token for token in counts if len(tokenizer.surface(token).decode(errors="replace").strip()) == 1}
    chosen = set(sayable(tokenizer)) | alone
    for token, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        if size is None or len(chosen) < size:
            chosen.add(token)
    return sorted(chosen)


@pytest.mark.parametrize("more", [0, 5, 12, None])
def test_what_is_said_most_as_counted_by_hand(tmp_path, bundle, more, capsys):
    """With no size all that is said at all."""
    tokenizer = bundle.tokenizer()
    size = None if more is None else len(list(sayable(tokenizer))) + more
    found = load_file(make(tmp_path, bundle, size))
    both = [line.split("\t") for line in PAIRS]
    one_way = [line.split("\t") for line in ONE_WAY]
    zh = by_hand(tokenizer, [(zh, 3) for zh, _ in both], size)
    en = by_hand(tokenizer, [(en, 3) for _, en in both] + [(en, 1) for _, en in one_way], size)
    assert found["zh"].tolist() == zh
    assert found["en"].tolist() == en
    assert "nowhere.tsv: not there" in capsys.readouterr().out


def test_each_language_has_a_list_of_its_own_length():
    assert sizes_of("en=8000,de") == {"en": 8000, "de": None}


def test_a_character_that_is_said_is_on_the_shortest_list(bundle):
    tokenizer = bundle.tokenizer()
    said = [token for token in tokenizer.encode("机器") if len(tokenizer.surface(token).decode(errors="replace")) == 1]
    rare = [token for token in said if token not in set(sayable(tokenizer))]
    counts = np.ones(tokenizer.vocab_size)
    counts[rare] = 0.1
    assert rare
    assert set(rare) <= set(most_said(counts, tokenizer, 0).tolist())


def test_the_same_text_gives_the_same_bytes(tmp_path, bundle):
    first = make(tmp_path, bundle, 320).read_bytes()
    assert make(tmp_path, read_bundle(bundle.folder), 320).read_bytes() == first


def test_whatever_stands_in_a_source_can_be_spelt(bundle):
    """With no text at all: bytes, digits, marks, stand-ins and single letters are there."""
    tokenizer = bundle.tokenizer()
    listed = set(most_said(np.zeros(tokenizer.vocab_size), tokenizer, 0).tolist())
    assert set(range(tokenizer.layout.first_piece)) <= listed
    for text in ("{1}", "120", "0.5", "?!", "我", "e"):
        by_letters = {token for letter in text for token in tokenizer.encode(letter)}
        assert {token for token in by_letters if tokenizer.surface(token).isascii()} <= listed


def test_the_file_is_one_that_a_model_folder_reads(tmp_path, bundle):
    shutil.copy(make(tmp_path, bundle, size=325), bundle.folder / SHORTLIST)
    write_manifest(bundle.folder)
    lists = read_shortlist(read_bundle(bundle.folder))
    assert {name: len(ids) for name, ids in lists.items()} == {"zh": 325, "en": 325}
