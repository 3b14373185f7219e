"""Each constraint by what must hold of every answer, for each family and each search (hypothesis draws the cases)."""

import time

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attendo.decoding.beam import beam_search
from attendo.decoding.constraints import (
    ForcedPrefix,
    MinLength,
    NoRepeatNgram,
    RepetitionPenalty,
    Rows,
    constrained,
    constraints_of,
)
from attendo.decoding.greedy import greedy_search
from attendo.decoding.options import SamplingOptions, SearchOptions
from attendo.decoding.phrase_tree import PhraseTree
from attendo.decoding.phrases import Phrases, in_turn
from attendo.decoding.sampling import sample
from attendo.decoding.scoring import score_targets
from attendo.errors import InputError
from tests.decoding.families import FAMILIES, VOCAB, model_of, padded
from tests.reference.phrases_by_search import contains
from tests.reference.phrases_by_search import progress as progress_by_search

every_family = pytest.mark.parametrize("family", FAMILIES)
few = settings(max_examples=12, deadline=None, database=None)
tokens = st.integers(3, VOCAB - 1)
rows_of_tokens = st.lists(st.lists(tokens, min_size=1, max_size=5), min_size=1, max_size=3)
MODELS = {}


def model_for(family):
    if family not in MODELS:
        MODELS[family] = model_of(family, eos=1.0)
    return MODELS[family]


def every_search(family, rows, longest, constraints):
    """All answers of greedy search, sampling and beams of 2 and 4: pairs of the sentence's number and a hypothesis."""
    model, source = model_for(family), padded([[*row, 2] for row in rows])
    yield from enumerate(greedy_search(model, source, longest, constraints))
    yield from enumerate(sample(model, source, longest, SamplingOptions(temperature=2.0, seed=5), constraints))
    for size in (2, 4):
        found = beam_search(
            model, source, longest, SearchOptions(beam_size=size, n_best=size, stop="exact"), constraints
        )
        yield from ((sentence, each) for sentence, answers in enumerate(found) for each in answers)


@every_family
@few
@given(rows=rows_of_tokens, data=st.data())
def test_lengths_hold(family, rows, data):
    longest = [data.draw(st.integers(1, 8)) for _ in rows]
    shortest = data.draw(st.integers(0, 9))
    for sentence, found in every_search(family, rows, longest, [MinLength(shortest)]):
        assert min(shortest, longest[sentence]) <= len(found.ids) <= longest[sentence]
        assert found.ended or len(found.ids) == longest[sentence]
        assert not {0, 1} & set(found.ids)
        assert 2 not in found.ids[:-1]


@every_family
@few
@given(rows=rows_of_tokens, data=st.data())
def test_a_forced_prefix_is_there(family, rows, data):
    prefixes = [data.draw(st.lists(tokens, max_size=4)) for _ in rows]
    model, source = model_for(family), padded([[*row, 2] for row in rows])
    for sentence, found in every_search(family, rows, 7, [ForcedPrefix(prefixes)]):
        prefix = tuple(prefixes[sentence])
        assert found.ids[: len(prefix)] == prefix
        (scored,) = score_targets(model, source[sentence : sentence + 1], torch.tensor([found.ids]))
        assert found.log_prob == pytest.approx(scored.log_prob, abs=1e-9)  # the model's own, forced or not


@every_family
@few
@given(rows=rows_of_tokens, n=st.integers(1, 3))
def test_no_ngram_comes_twice(family, rows, n):
    for _, found in every_search(family, rows, 12, [NoRepeatNgram(n)]):
        ngrams = [found.ids[at : at + n] for at in range(len(found.ids) - n + 1)]
        assert len(set(ngrams)) == len(ngrams)


@every_family
@few
@given(rows=rows_of_tokens, data=st.data())
def test_phrases_appear(family, rows, data):
    phrase = st.lists(tokens, min_size=1, max_size=3)
    phrases = [data.draw(st.lists(phrase, max_size=3)) for _ in rows]
    longest = [1 + sum(map(len, of_one)) + data.draw(st.integers(0, 6)) for of_one in phrases]
    for sentence, found in every_search(family, rows, longest, [Phrases(phrases)]):
        assert all(contains(found.ids, tuple(each)) for each in phrases[sentence])
        assert len(found.ids) <= longest[sentence]


@every_family
def test_a_beam_finds_a_better_place_for_a_phrase_than_greedy_search(family):
    """Over some sentences: what the model says of the answers is no worse, and without phrases nothing changes."""
    model, rows = model_for(family), [[5, 6, 7], [8, 9], [10], [11, 12, 13, 14]]
    source = padded([[*row, 2] for row in rows])
    phrases = Phrases([[(4, 5)], [(6,)], [(7, 8), (9,)], []])
    greedy = greedy_search(model, source, 10, [phrases])
    options = SearchOptions(beam_size=8, stop="exact")
    found = [answers[0] for answers in beam_search(model, source, 10, options, [phrases])]
    assert sum(each.score for each in found) >= sum(each.score for each in greedy)
    free = beam_search(model, source[3:], 10, options)
    assert beam_search(model, source[3:], 10, options, [Phrases([[]])]) == free


def test_a_repetition_penalty_lowers_the_logits_of_what_was_said():
    logits = torch.tensor([[0.0, 0.0, 1.0, 4.0, -4.0, 2.0]], dtype=torch.float64)
    rows = Rows(torch.tensor([[3, 4, 3]]), torch.tensor([0]), torch.tensor([9]))
    penalised = RepetitionPenalty(2.0)(logits, rows)
    assert penalised.tolist() == [[0.0, 0.0, 1.0, 2.0, -8.0, 2.0]]
    raw, ranked = constrained(logits, [RepetitionPenalty(2.0)], rows)
    assert (ranked - raw)[0, 2:].tolist() == pytest.approx([0.0, -2.0, -4.0, 0.0])
    assert raw.exp().sum().item() == pytest.approx(1.0)


@every_family
def test_with_a_penalty_the_log_probability_is_still_the_models(family):
    model, source = model_for(family), padded([[5, 6, 2], [7, 2]])
    options = SearchOptions(beam_size=3, n_best=3, repetition_penalty=3.0, stop="exact")
    for row, answers in enumerate(beam_search(model, source, 8, options)):
        for found in answers:
            (scored,) = score_targets(model, source[row : row + 1], torch.tensor([found.ids]))
            assert found.log_prob == pytest.approx(scored.log_prob, abs=1e-9)
            assert found.score <= scored.score + 1e-12


def test_options_become_constraints():
    assert constraints_of(SearchOptions(stop="exact")) == []
    options = SearchOptions(min_length=3, no_repeat_ngram=2, repetition_penalty=1.5, stop="exact")
    assert constraints_of(options) == [RepetitionPenalty(1.5), NoRepeatNgram(2), MinLength(3)]


def progress(output, phrases):
    tree = PhraseTree(phrases)
    return tree.progress(tree.standing(output))


def test_progress_by_hand():
    phrases = [(5, 6), (7,)]
    assert progress([], phrases).missing == 3
    now = progress([9, 5], phrases)
    assert (now.missing, now.going_on, now.starts) == (2, (6,), (5, 7))
    assert progress([5, 6, 9], phrases).missing == 1
    assert progress([7, 5, 6], phrases).missing == 0
    assert progress([5, 9], phrases).missing == 3  # begun and left
    assert progress([5, 5], [(5, 5, 6)]).going_on == (6,)
    assert in_turn([2, 2, 0, 2, 0]) == [2, 0, 4, 1, 3]


few_tokens = st.integers(5, 7)  # so that phrases overlap, contain and continue each other


@settings(max_examples=500, deadline=None, database=None)
@given(
    phrases=st.lists(st.lists(few_tokens, min_size=1, max_size=4).map(tuple), max_size=6, unique=True),
    output=st.lists(st.integers(4, 8), max_size=14),
)
def test_the_tree_of_phrases_says_what_looking_for_each_of_them_says(phrases, output):
    tree = PhraseTree(phrases)
    for length in range(len(output) + 1):
        said = progress_by_search(output[:length], phrases)
        standing = tree.standing(output[:length])
        assert tree.progress(standing) == said
        assert tree.missing(standing) == said.missing


def test_sixty_phrases_are_said_in_seconds():
    """Looked for one by one in the whole output, for every candidate of every step, they took many minutes."""
    model = model_of("transformer", eos=1.0)
    generator = torch.Generator().manual_seed(3)
    phrases = {tuple(torch.randint(4, VOCAB, (4,), generator=generator).tolist()) for _ in range(60)}
    started = time.process_time()
    ((found,),) = beam_search(model, torch.tensor([[5, 6, 2]]), 300, SearchOptions(), [Phrases([list(phrases)])])
    assert all(contains(found.ids, phrase) for phrase in phrases)
    assert time.process_time() - started < 30


def test_what_cannot_be_forced_is_refused():
    with pytest.raises(InputError, match="token 2"):
        ForcedPrefix([[5], [5, 2]])
    with pytest.raises(InputError, match="expected tokens of a text"):
        Phrases([[[]]])
    with pytest.raises(InputError, match="sentence 1 has 201 phrases of 201 tokens: expected at most 200 of 1,000"):
        Phrases([[], [(token,) for token in range(4, 205)]])
    with pytest.raises(InputError, match="sentence 0 has 1 phrases of 1,001 tokens"):
        Phrases([[tuple(range(4, 1_005))]])
    with pytest.raises(InputError, match="have 3 tokens, but its target may have 3"):
        greedy_search(model_for("lstm"), torch.tensor([[5, 2]]), 3, [Phrases([[(5, 6, 7)]])])
