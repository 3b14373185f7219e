"""Heads are chosen by how well the two directions agree; people who aligned by hand say whether that is right."""

from types import SimpleNamespace

import pytest
import torch

from attendo.inspection.agreement import FEWEST_PAIRS, SeenBothWays, candidates, choose_heads, strangers
from attendo.model_folder.bundle import model_folder, read_bundle
from attendo.model_folder.optional_keys import AlignmentHeads
from attendo.model_folder.weights import load_model
from benchmarks.alignment.by_hand import read_aligned
from benchmarks.alignment.links import LinkCounts, look_at, measure
from tests.translation.small_translator import random_model, small_tokenizer

FIRST = AlignmentHeads(layer=0, heads=(0,))


@pytest.fixture(scope="module")
def shipped():
    bundle = read_bundle(model_folder(None))
    return SimpleNamespace(bundle=bundle, model=load_model(bundle), tokenizer=bundle.tokenizer())


def one_head(rows):
    """[pairs, layers, heads, steps, tokens] of a single pair and head; the last step is that of </s>."""
    return torch.tensor(rows)[None, None, None]


def test_agreement_counts_links_from_both_sides():
    """y1-x2, y2-x1 from the one side; x1-y2, x2-y2 from the other: y2-x1 is common to both."""
    both = SeenBothWays(
        one_head([[0.1, 0.9], [0.8, 0.2], [0.5, 0.5]]), one_head([[0.3, 0.7], [0.4, 0.6], [0.5, 0.5]]),
        torch.tensor([[2, 2]]),
    )  # fmt: skip
    assert both.agreement(FIRST) == (1, 4)


def test_a_shift_looks_one_step_later():
    later = SeenBothWays(
        one_head([[0.5, 0.4], [0.9, 0.1], [0.1, 0.9]]), one_head([[0.5, 0.4], [0.9, 0.1], [0.1, 0.9]]),
        torch.tensor([[2, 2]]),
    )  # fmt: skip
    assert later.agreement(AlignmentHeads(layer=0, heads=(0,), shift=1)) == (2, 4)
    assert later.agreement(FIRST) == (1, 4)


def test_heads_are_joined_as_long_as_that_helps():
    worth = {(0,): 0.3, (1,): 0.5, (2,): 0.4, (1, 2): 0.6, (1, 2, 0): 0.55}
    found = list(candidates(1, 3, lambda one: worth.get(one.heads, 0.0) if not one.shift else 0.0))
    assert [one.heads for one in found if not one.shift] == [(1,), (1, 2)]


def test_strangers_are_nobody_s_translation():
    pairs = [([n], [n]) for n in range(5)]
    assert all(source != target for source, target in strangers(pairs))


def test_the_choice_is_good_by_what_people_say(shipped):
    """By texts alone the choice is the head that makes the fewest errors on links set by hand."""
    pairs = read_aligned()
    texts = {}
    for pair in pairs:
        texts.setdefault(pair.languages, []).append((pair.source, pair.target))
    chosen = choose_heads(shipped.model, shipped.tokenizer, texts)
    assert chosen == shipped.bundle.alignment
    looked = look_at([*pairs, *(pair.turned() for pair in pairs)], shipped.model, shipped.tokenizer)

    def error_rate(layer, heads, shift):
        counts = measure(looked, lambda weights: weights[layer, list(heads)].mean(0), shift, shipped.tokenizer)
        return sum(counts.values(), LinkCounts()).error_rate

    ours = error_rate(chosen.layer, chosen.heads, chosen.shift)
    assert ours < 0.12
    assert all(ours < error_rate(layer, (head,), 0) - 0.05 for layer in range(2) for head in range(4))
    assert ours < error_rate(1, range(4), 0) - 0.05


def test_by_few_pairs_none_is_chosen(shipped):
    few = [("我爱书。", "I love books.")] * (FEWEST_PAIRS - 1)
    assert choose_heads(shipped.model, shipped.tokenizer, {("zh", "en"): few}) is None
    assert choose_heads(shipped.model, shipped.tokenizer, {}) is None


def test_of_a_model_that_has_learnt_nothing_none_is_chosen():
    tokenizer = small_tokenizer()
    pairs = [(pair.source, pair.target) for pair in read_aligned() if pair.languages == ("zh", "en")] * 2
    assert choose_heads(random_model(tokenizer=tokenizer).eval(), tokenizer, {("zh", "en"): pairs}) is None
