"""L37: cuts, bits and roots, on texts small enough to count by hand."""

import math

import pytest

from attendo.lab.text import l37_cutting
from attendo.lab.tools.tokenizer_trial import (
    WORDS,
    NGram,
    TrialTexts,
    agreement,
    chinese_edges,
    convolve,
    ends,
    hypergeometric,
    lab_pages,
    pieces_of,
    split,
    unknown_parts,
)
from tests.lab.planted import verdict


@pytest.fixture(scope="module")
def english():
    return TrialTexts("en", lab_pages("en")[:100], 1, often=0)


def test_l37_edges_by_hand():
    assert ends(["un", "help", "ful"]) == {2, 6}
    assert hypergeometric(4, 1, 2) == [0.5, 0.5]
    assert convolve([0.5, 0.5], [0.5, 0.5]) == [0.25, 0.5, 0.25]
    # ab|cd and a|bc, cut everywhere but once, and once: 3 places with 1 edge, 2 places with 1 edge
    cuts = {"abcd": ["ab", "c", "d"], "abc": ["ab", "c"]}
    on_edge, by_chance, p = agreement(cuts.__getitem__, ["ab|cd", "a|bc"])
    assert (on_edge, by_chance) == (pytest.approx(1 / 3), pytest.approx((2 / 3 + 1 / 2) / 3))
    assert p == pytest.approx(1 - 1 / 3 * 1 / 2)


def test_l37_cutting_everywhere_is_as_good_as_chance_and_no_better(english):
    on_edge, by_chance, p = agreement(list, WORDS)
    assert on_edge == pytest.approx(by_chance)
    assert p == pytest.approx(1)
    assert len(WORDS) == len(set(WORDS)) == 124
    assert pieces_of(english.learn("char", 100), "unhelpful") == ["", *"unhelpful"]


def test_l37_the_model_is_a_probability():
    model = NGram([(1, 2, 1, 2), (2, 1)], 3)
    for before in ((-1, -1, -1), (-1, 1, 2), (2, 1, 2), (0, 0, 0)):
        assert sum(model.probability((*before, token), 3) for token in (0, 1, 2, -2)) == pytest.approx(1)
    assert NGram([], 3).bits((0, 1)) == pytest.approx(3 * math.log2(4))


def test_l37_texts_say_the_same_and_are_held_apart():
    for language in ("en", "zh"):
        found = lab_pages(language)
        assert len(found) > 300
        assert not any(mark in "".join(found) for mark in "$«»#")
        learned, held_out = split(found, 1)
        assert sorted(learned + held_out) == sorted(found)
        assert split(found, 2)[1] != held_out


def test_l37_what_is_left_out(english):
    assert unknown_parts(english.learn("bpe", 200), "zebra 斑馬") == []
    assert unknown_parts(english.learn("word", 200), "The zebra") == [" zebra"]
    assert chinese_edges(["机器学习很有趣，对。"])[0].replace("|", "") == "机器学习很有趣"


def test_l37_can_say_all():
    good = {
        "en_word_unknown_least": 0.1, "zh_word_unknown_least": 0.1, "en_bpe_unknown_half": 0, "zh_bpe_unknown_half": 0,
        "en_bpe_bits_half": 2.0, "zh_bpe_bits_half": 5.0, "en_word_bits_least": 2.0, "zh_word_bits_least": 5.0,
        "en_bpe_on_edge_roots": 0.7, "en_bpe_p_roots": 1e-9,
    }  # fmt: skip
    assert verdict("L37", **good) == "holds"
    assert verdict("L37", **{**good, "en_bpe_on_edge_roots": 0.3}) == "holds only if"
    assert verdict("L37", **{**good, "en_bpe_on_edge_roots": 0.3, "en_bpe_p_roots": 0.2}) == "does not hold"
    assert verdict("L37", **{**good, "zh_bpe_bits_half": 6.0}) == "does not hold"
    assert verdict("L37", **{**good, "zh_bpe_unknown_half": 0.02}) == "does not hold"
    assert verdict("L37", **{**good, "en_word_unknown_least": 0.001}) == "does not hold"
    assert verdict("L37", **{**good, "en_bpe_on_edge_roots": 0.5}) == "undecided"


def test_l37_roots_are_sought_where_words_are_still_cut():
    assert l37_cutting.largest_that_cuts((0.5, 0.1, 0.25), (3, 100, 31)) == 2
    assert l37_cutting.largest_that_cuts((0.5, 0.1, 0.25), (40, 100, 31)) == 0
    assert l37_cutting.largest_that_cuts((0.5, 0.1, 0.25), (3, 20, 10)) == 1  # none cuts enough: the smallest


def test_l37_only_words_that_occur_are_asked_for():
    texts = TrialTexts("en", ["We are looking for a looking glass."] * 10 + ["They played."], 1, often=5)
    assert texts.edges == ["look|ing"]
