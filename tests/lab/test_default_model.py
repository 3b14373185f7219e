"""What L9 and L39 stand on: the model that came with the package, and the sentences made up for them."""

import shutil

import pytest
import torch

from attendo.inspection.readable import Unit
from attendo.lab.attention import l6_heads, l39_source_word
from attendo.lab.tools import it_sentences
from attendo.lab.tools.code_hash import code_hash, source_of
from attendo.lab.tools.default_model import build_untrained, deal, default_model
from attendo.lab.tools.hand_aligned import AlignedSentence, hand_aligned, in_pieces


@pytest.fixture(scope="module")
def model():
    return default_model()[0]


@pytest.fixture(scope="module")
def tokenizer():
    return default_model()[1]


def test_parts_are_dealt_out_whole_and_by_the_seed():
    parts = deal(range(10), [5, 6, 7])
    assert sorted(index for part in parts for index in part) == list(range(10))
    assert [len(part) for part in parts] == [4, 3, 3]
    assert deal(range(10), [5, 6, 7]) == parts != deal(range(10), [6, 7, 8])


def test_what_is_kept_depends_on_the_model_and_on_the_sentences(monkeypatch, tmp_path):
    before = code_hash(l39_source_word.EXPERIMENT.module)
    monkeypatch.setattr("attendo.lab.tools.code_hash.model_folder", lambda name: tmp_path)
    (tmp_path / "manifest.json").write_text("another model")
    assert code_hash(l39_source_word.EXPERIMENT.module) != before
    table = tmp_path / "heads.tsv"
    without = code_hash(l6_heads.EXPERIMENT.module)
    monkeypatch.setattr("attendo.lab.tools.code_hash.source_of", lambda name: beside(table, name))
    assert code_hash(l6_heads.EXPERIMENT.module) == without
    table.write_text("a table")
    assert code_hash(l6_heads.EXPERIMENT.module) != without


def beside(table, name):
    """The sources as they are, but for one that is copied to where the table is."""
    path = source_of(name)
    return shutil.copy(path, table.with_suffix(".py")) if name == l6_heads.EXPERIMENT.module else path


def test_untrained_is_of_the_same_shape_and_drawn_by_the_seed(model):
    one, same, other = (build_untrained(model, seed) for seed in (1, 1, 2))
    for name, weight in model.state_dict().items():
        assert one.state_dict()[name].shape == weight.shape
    assert torch.equal(one.embedding.weight, same.embedding.weight)
    assert not torch.equal(one.embedding.weight, other.embedding.weight)
    assert not one.training


def test_the_links_are_whole():
    pairs = hand_aligned()
    assert [len(each) for each in pairs.values()] == [40, 40]
    for pair in (*pairs["zh"], *pairs["de"]):
        assert pair.sure <= pair.possible
        for i, j in pair.possible:
            assert pair.source.words[i].isalpha()
            assert pair.target.words[j].replace("'", "").isalpha()
        assert len({i for i, _ in pair.sure}) >= len(pair.source.words) / 3
        assert pair.swapped.swapped == pair
    first = pairs["de"][6]
    assert first.source.text == "Wenn es regnet, bleiben wir zu Hause."
    linked = {(first.source.words[i], first.target.words[j]) for i, j in first.sure}
    assert {("bleiben", "stay"), ("Hause", "home")} <= linked


def test_pieces_are_joined_into_the_words_of_the_file(tokenizer):
    for pair in (*hand_aligned()["zh"], *hand_aligned()["de"]):
        for side in (pair.source, pair.target):
            found = in_pieces(side, tokenizer)
            assert sum(unit.count for unit in found.units) == len(found.ids)
            assert [index for words in found.words for index in words] == list(range(len(side.words)))
            if side.language != "zh":  # a space stands before each word, so no piece reaches over two
                assert [unit.text for unit in found.units] == list(side.words)


def test_a_piece_over_two_words_makes_them_one(tokenizer, monkeypatch):
    units = [Unit(text, 1) for text in ("你好", "世", "界")]
    monkeypatch.setattr("attendo.lab.tools.hand_aligned.pieces", lambda ids, tokenizer: units)
    found = in_pieces(AlignedSentence("zh", ("你", "好", "世界")), tokenizer)
    assert [(unit.text, unit.count) for unit in found.units] == [("你 好", 1), ("世界", 2)]
    assert found.words == (range(0, 2), range(2, 3))


def test_l9_sentences_hold_their_words():
    pairs = it_sentences.it_pairs()
    assert len(pairs) == 12
    for pair in pairs:
        words = pair.frame.rstrip(".").split()
        assert words.count("it") == words.count("_") == 1
        assert {*pair.nouns} <= {*words}
        assert words.index(pair.nouns[0]) < words.index(pair.nouns[1])
        assert len({*pair.pronouns}) == len({*pair.adjectives}) == 2
