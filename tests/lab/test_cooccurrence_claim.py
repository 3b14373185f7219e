"""L49: what must be exact, and a rule that can say the other thing."""

import math

import torch

from attendo.lab.attention import l49_cooccurrence as l49
from tests.lab.planted import small_runs, verdict

LINES = [[7, 9, 7, 30], [9, 7], [8, 9, 9, 9, 7]]


def test_it_counts_pairs_within_the_window_and_no_farther():
    pieces = torch.tensor([7, 9])
    for window in (1, 2, 4):
        together, by_chance = l49.count_together(LINES, pieces, window)
        expected = torch.zeros(2, 2, dtype=torch.float64)
        for line in LINES:
            for i, first in enumerate(line):
                for j, second in enumerate(line):
                    if i != j and abs(i - j) <= window and {first, second} <= {7, 9}:
                        expected[(first == 9) * 1, (second == 9) * 1] += 1
        assert torch.equal(together, expected)
        assert torch.allclose(by_chance.sum(), expected.sum())


def test_pieces_must_be_frequent_in_both_halves():
    assert l49.frequent_pieces((LINES, LINES), 3).tolist() == [7, 9]
    assert l49.frequent_pieces((LINES, LINES[:1]), 1).tolist() == [7, 9, 30]


def test_pmi_and_its_svd():
    together, by_chance = (torch.tensor([[value]], dtype=torch.float64) for value in (7.5, 1.5))
    assert l49.pmi(together, by_chance).item() == math.log(4)
    scores = torch.randn(6, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    words, company = l49.svd_vectors(scores, 6)
    torch.testing.assert_close(words @ company.T, scores)
    assert l49.svd_vectors(scores, 2)[0].shape == (6, 2)


def test_planted_scores_are_told_from_chance():
    generator = torch.Generator().manual_seed(2)
    right = torch.randn(30, 30, generator=generator)
    right = right + right.T
    often = torch.full((30, 30), 9.0)
    found = l49.compared({"same_counts": right, "attention": 3 * right, "product": -right}, right, often, often)
    assert (round(found["attention"], 9), round(found["product"], 9)) == (1, -1)
    assert found["pairs"] == 30 * 29 / 2
    noise = torch.randn(30, 30, generator=generator)
    assert abs(l49.compared({"same_counts": right, "product": noise}, right, often, often)["product"]) < 0.15


def test_untrained_embeddings_know_nothing_and_the_rule_can_say_all():
    assert all(abs(run["untrained"]) < 0.3 for run in small_runs(l49.EXPERIMENT))
    assert verdict("L49", svd=0.7, product=0.0, attention=0.4) == "holds only if"
    assert verdict("L49", svd=0.7, product=0.6, attention=0.6) == "holds"
    assert verdict("L49", svd=0.1, product=0.0, attention=0.4) == "does not hold"
    first, second = ({**run, "product": 0.0, "attention": 0.4} for run in small_runs(l49.EXPERIMENT))
    assert l49.judge([{**first, "svd": 0.2}, {**second, "svd": 0.8}]) == "undecided"
