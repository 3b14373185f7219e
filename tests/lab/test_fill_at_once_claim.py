"""L79: two languages that differ in one thing, two ways to fill in, and a rule that can say all."""

import pytest
import torch

from attendo.lab.families import l79_fill_at_once as claim
from attendo.lab.families.l79_fill_at_once import FIRST_SYMBOL, FIRST_WORD, PLACES, TOPICS, ToyLanguage
from attendo.special_tokens import MASK, SPECIAL
from tests.lab.planted import small_runs

BOUND, FREE = ToyLanguage(bound=True, words=4), ToyLanguage(bound=False, words=4)


def generator():
    return torch.Generator().manual_seed(1)


class KnowsThePairs(torch.nn.Module):
    """What a model that has learnt the bound language would say: a hidden word is its partner's, or any of the topic's,
    of which first words like the first of them a little more, and second ones the last."""

    def forward(self, sentences):
        logits = torch.zeros(*sentences.shape, BOUND.vocab_size)
        for row, sentence in enumerate(sentences.tolist()):
            topic = sentence[0] - FIRST_SYMBOL
            for place in range(1, 1 + PLACES):
                second = (place + 1) % 2
                own = FIRST_WORD + BOUND.words * (TOPICS * second + topic)
                logits[row, place, own : own + BOUND.words] = 5.0
                logits[row, place, own + second * (BOUND.words - 1)] = 5.1
                partner = sentence[place - 1 if second else place + 1]
                if partner != MASK:
                    logits[row, place, partner + (1 if second else -1) * TOPICS * BOUND.words] = 20.0
        return logits


def test_l79_the_languages_differ_in_how_words_are_paired_and_in_nothing_else():
    bound, free = (language.draw(4_000, generator()) for language in (BOUND, FREE))
    assert BOUND.is_right(bound).all()
    assert FREE.is_right(bound).all()
    assert FREE.is_right(free).all()
    assert BOUND.is_right(free).float().mean() == pytest.approx(1 / 64, abs=0.01)
    for place in range(1 + PLACES):
        first, second = (side[:, place].bincount(minlength=BOUND.vocab_size) / 4_000 for side in (bound, free))
        assert (first - second).abs().max() < 0.03
    assert not FREE.is_right(torch.where(free == free[:, -1:], FIRST_SYMBOL, free)).any()  # a topic is no word


def test_l79_one_pair_can_be_the_likeliest():
    drawn = ToyLanguage(bound=True, words=4, favourite=0.4).draw(4_000, generator())
    assert ((drawn[:, 1::2] - FIRST_WORD) % 4 == 0).float().mean() == pytest.approx(0.4 + 0.6 / 4, abs=0.02)


@pytest.mark.parametrize("number", [1, 2, 5, 6])
def test_l79_so_many_are_hidden_whole_pairs_first_and_never_the_topic(number):
    hidden = claim.hide(BOUND.draw(50, generator()), number, generator()) == MASK
    assert hidden.sum(1).eq(number).all()
    assert not hidden[:, 0].any()
    assert hidden[:, 1:].unflatten(1, (-1, 2)).all(2).sum(1).eq(number // 2).all()


def test_l79_what_is_learnt_is_what_was_hidden():
    batch = BOUND.masked(64, generator())
    asked = batch.target_out != SPECIAL.pad
    assert not asked[:, 0].any()
    assert (batch.source == MASK).any()
    assert asked[batch.source == MASK].all()
    assert not batch.target_in.any()
    assert not batch.source.equal(BOUND.masked(64, torch.Generator().manual_seed(2)).source)


@pytest.mark.parametrize("number", [1, 2, 6])
def test_l79_a_model_that_knows_the_pairs_is_right_in_turn_and_wrong_at_once(number):
    model, sentences = KnowsThePairs(), BOUND.draw(20, generator())
    asked = claim.hide(sentences, number, generator())
    (once, one_pass), (turn, passes) = (fill(model, asked) for fill in claim.WAYS.values())
    assert (one_pass, passes) == (1, number)
    assert BOUND.is_right(turn).all()
    assert BOUND.is_right(once).all() == (number == 1)
    assert FREE.is_right(once).all()
    seen = asked != MASK
    assert once[seen].equal(sentences[seen])
    assert turn[seen].equal(sentences[seen])


def test_l79_can_say_all():
    measured = small_runs(claim.EXPERIMENT)
    right = {f"{side}_{way}_6": 1.0 for side in claim.SIDES for way in claim.WAYS}

    def verdict(**changes):
        return claim.judge([{**run, **right, **changes} for run in measured])

    assert verdict() == "holds"
    assert verdict(bound_once_6=0.95) == "holds"
    assert verdict(bound_once_6=0.0) == "holds only if"
    assert verdict(bound_once_6=0.0, free_once_6=0.5) == "does not hold"
    assert verdict(bound_once_6=0.0, bound_turn_6=0.5) == "undecided"  # it does not know the language
    assert verdict(bound_once_6=0.0, bound=0.5, bound_half=1.0) == "undecided"  # it has not stopped improving
    by_seed = [{**run, **right, "bound_once_6": value} for run, value in zip(measured, (0.0, 1.0), strict=True)]
    assert claim.judge(by_seed) == "undecided"
