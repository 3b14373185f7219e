"""L71, L73 and L74: what is counted, by hand; and rules that can say each verdict."""

import pytest
import torch
from torch import nn

from attendo.lab.families.l71_long_sequences import crossing, kept_bytes
from attendo.lab.text.l73_clusters import SENTENCES, pieces_of_word, purity, words_by_kind
from attendo.lab.text.l74_sentence_starts import starts
from attendo.lab.tools.default_model import default_model
from tests.lab.planted import verdict


def test_l71_can_say_each_verdict():
    assert verdict("L71", ratio_shortest=2.0, ratio_longest=0.5) == "holds only if"
    assert verdict("L71", ratio_shortest=2.0, ratio_longest=1.5) == "holds"
    assert verdict("L71", ratio_shortest=0.8, ratio_longest=0.5) == "does not hold"
    assert verdict("L71", ratio_shortest=1.0, ratio_longest=0.5) == "undecided"


def test_l71_where_the_lines_cross():
    assert crossing((10, 1000), [10.0, 0.1]) == pytest.approx(100)
    assert crossing((10, 1000), [3.0, 2.0]) == 1000
    assert crossing((10, 1000), [0.5, 0.1]) == 10


def test_l71_counts_what_is_kept_for_the_gradient():
    x = torch.randn(7, 5, requires_grad=True)
    assert kept_bytes(lambda: x.exp().sum()) == 7 * 5 * 4  # the result, once
    layer = nn.Linear(5, 3, bias=False)
    assert kept_bytes(lambda: layer(x).sum()) == (7 * 5 + 3 * 5) * 4  # what went in, and the weights


def test_l73_can_say_each_verdict():
    numbers = {"trained_attention": 0.2, "trained_table": 0.5, "trained_end": 0.7}
    assert verdict("L73", **numbers) == "holds"
    assert verdict("L73", **numbers | {"trained_attention": 0.0}) == "holds only if"
    assert verdict("L73", **numbers | {"trained_attention": 0.0, "trained_end": 0.5}) == "does not hold"
    assert verdict("L73", **numbers | {"trained_attention": 0.05}) == "undecided"


def test_l73_purity():
    kinds = torch.tensor([0, 0, 1, 1])
    apart = torch.tensor([[1.0, 0.0], [1.0, 0.1], [-1.0, 0.0], [-1.0, 0.1]])
    assert purity(apart, kinds, 1) == 1.0
    assert purity(apart, torch.tensor([0, 1, 0, 1]), 1) == 0.0
    assert purity(apart + 100, kinds, 1) == 1.0  # what all have in common says nothing


def test_l73_the_pieces_are_those_of_the_word():
    _, tokenizer = default_model()
    for sentence in SENTENCES:
        for word in (word for words in words_by_kind() for word in words):
            ids, where = pieces_of_word(tokenizer, sentence, word)
            assert tokenizer.decode(ids[where]).strip() == word, sentence


def test_l74_counts():
    found = starts(["我爱机器。", "打开机器。", "机器坏了。"])  # verbs: 爱, 打开, 坏; nouns: 机器 three times
    assert found["noun"] == pytest.approx(1 / 3)
    assert found["begins_with_verb"] == pytest.approx(1 / 3)
    assert found["begins_with_noun"] == pytest.approx(1 / 3)


def test_l74_can_say_each_verdict():
    def shares(*higher):
        numbers = {}
        for text in ("everyday", "manual", "buttons"):
            numbers |= {f"{text}_verb": 0.2 if text in higher else 0.05, f"{text}_noun": 0.1}
        return numbers

    assert verdict("L74", **shares("manual", "buttons")) == "holds only if"
    assert verdict("L74", **shares()) == "holds"
    assert verdict("L74", **shares("everyday", "manual", "buttons")) == "does not hold"
    assert verdict("L74", **shares("manual") | {"everyday_verb": 0.1}) == "undecided"
