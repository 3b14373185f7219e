"""The trigram model that language models are measured against, by a corpus small enough to count by hand."""

import math

import pytest

from benchmarks.trigram import KneserNey, own_discounts, perplexity

TEXTS = ["ab", "ab", "ac"]
# Trigrams: <s><s>a 3, <s>ab 2, <s>ac 1, ab</s> 2, ac</s> 1. Before them came, as bigrams: <s>a 1, ab 1, ac 1, b</s> 1,
# c</s> 1 different characters; and as unigrams: a 1, b 1, c 1, </s> 2 (after b and after c). The vocabulary is a, b,
# c, </s>, <unk>.
HALF = [(0.5, 0.5, 0.5)] * 3


def test_by_hand():
    model = KneserNey(TEXTS, HALF)
    uniform = 1 / 5
    one_b = (1 - 0.5 + 4 * 0.5 * uniform) / 5  # 5 bigram types; four unigrams give half of themselves
    two_b = (1 - 0.5 + 2 * 0.5 * one_b) / 2  # after a came b and c
    three_b = (2 - 0.5 + 2 * 0.5 * two_b) / 3  # after <s>a: b twice, c once
    assert model.probability((), "b") == pytest.approx(one_b)
    assert model.probability(("a",), "b") == pytest.approx(two_b)
    assert model.probability(("<s>", "a"), "b") == pytest.approx(three_b)
    assert model.probability(("x", "y"), "b") == pytest.approx(one_b), "an unseen history counts for nothing"
    assert model.probability((), "<unk>") == pytest.approx(4 * 0.5 * uniform / 5)

    end = (2 - 0.5) / 2 + 0.5 / 2 * ((1 - 0.5) / 1 + 0.5 / 1 * ((2 - 0.5 + 4 * 0.5 * uniform) / 5))
    first = (3 - 0.5) / 3 + 0.5 / 3 * ((1 - 0.5) / 1 + 0.5 / 1 * one_b)
    assert model.log_probability("ab") == pytest.approx(math.log(first * three_b * end))
    assert perplexity(model, ["ab"]) == pytest.approx((first * three_b * end) ** (-1 / 3))


@pytest.mark.parametrize("history", [(), ("a",), ("<s>", "a"), ("z", "b"), ("<s>", "<s>")])
def test_probabilities_sum_to_one(history):
    model = KneserNey(["banana", "bandana", "cabana", "ban"])
    assert sum(model.probability(history, one) for one in model.vocabulary) == pytest.approx(1)


def test_the_discounts_are_chen_and_goodmans():
    from collections import Counter

    counts = Counter({(str(n), str(index)): n for n in (1, 2, 3, 4) for index in range(10 // n)})  # 10, 5, 3, 2 of them
    y = 10 / (10 + 2 * 5)
    assert own_discounts(counts) == pytest.approx((1 - 2 * y * 5 / 10, 2 - 3 * y * 3 / 5, 3 - 4 * y * 2 / 3))
