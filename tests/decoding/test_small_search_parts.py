"""Options and their limits, the choice of candidates with ties, the score, targets given by hand, lengths."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attendo.decoding.candidates import best_tokens
from attendo.decoding.hypothesis import Hypothesis, score
from attendo.decoding.length import longest_output, max_lengths
from attendo.decoding.options import SamplingOptions, SearchOptions
from attendo.decoding.scoring import score_targets
from attendo.errors import ConfigError
from attendo.model.build import build_model
from attendo.model.config import TransformerConfig
from tests.decoding.families import FAMILIES, VOCAB, model_of, padded, sentences


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"beam_size": 0}, "beam_size = 0: expected a whole number from 1 to 256"),
        ({"beam_size": 257}, "from 1 to 256"),
        ({"beam_size": 2.0}, "whole number"),
        ({"beam_size": True}, "whole number"),
        ({"beam_size": 3, "n_best": 4}, "n_best = 4: expected a whole number from 1 to 3, the beam's size"),
        ({"min_length": -1}, "min_length = -1"),
        ({"no_repeat_ngram": -1}, "no_repeat_ngram = -1"),
        ({"length_penalty": float("nan")}, "length_penalty = nan"),
        ({"length_penalty": 11.0}, "from -10 to 10"),
        ({"repetition_penalty": 0.9}, "repetition_penalty = 0.9: expected a number from 1 to 100"),
        ({"stop": "never"}, "expected 'exact' or 'early'"),
    ],
)
def test_search_options_are_checked(wrong, words):
    with pytest.raises(ConfigError, match=words):
        SearchOptions(**wrong)


@pytest.mark.parametrize(
    "wrong",
    [{"temperature": -1.0}, {"temperature": math.inf}, {"top_k": -1}, {"top_p": 0.0}, {"top_p": 1.1}, {"seed": -1}],
)
def test_sampling_options_are_checked(wrong):
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        SamplingOptions(**wrong)


def test_one_maximum_serves_all():
    assert max_lengths(5, 3) == [5, 5, 5]
    assert max_lengths([1, 2], 2) == [1, 2]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(st.integers(0, 3), min_size=12, max_size=12), min_size=1, max_size=4), st.integers(1, 12))
def test_the_best_tokens_are_those_of_a_stable_sort(rows, count):
    values, ids = best_tokens(torch.tensor(rows, dtype=torch.float32), count)
    for row, row_values, row_ids in zip(rows, values.tolist(), ids.tolist(), strict=True):
        expected = sorted(range(12), key=lambda token: (-row[token], token))[:count]
        assert row_ids == sorted(expected)
        assert row_values == [row[token] for token in row_ids]


def test_the_score_by_hand():
    assert score(-6.0, 4, 0.0) == -6.0
    assert score(-6.0, 4, 1.0) == -1.5
    assert score(-6.0, 4, 0.5) == -3.0
    assert score(-6.0, 4, -0.5) == -12.0
    made = Hypothesis.of([5, 6, 2], [-1.0, -2.0, -3.0], 1.0)
    assert (made.log_prob, made.score, made.ended) == (-6.0, -2.0, True)
    assert not Hypothesis.of([5], [-1.0], 1.0).ended


@pytest.mark.parametrize("family", FAMILIES)
def test_all_targets_of_a_length_sum_to_one(family):
    """Every sequence of two tokens, scored at once: the probabilities of a model sum to 1."""
    model = model_of(family)
    targets = torch.cartesian_prod(torch.arange(1, VOCAB), torch.arange(1, VOCAB))  # padding would end a target
    source = torch.tensor([[5, 6, 2]]).expand(len(targets), -1)
    scored = score_targets(model, source, targets)
    first = {each.ids[0]: math.exp(each.token_log_probs[0]) for each in scored}
    with torch.inference_mode():
        now = model(source[:1], torch.tensor([[1]]))[0, 0].softmax(-1)
    assert sum(first.values()) == pytest.approx(1 - now[0].item())
    assert all(each.log_prob == pytest.approx(sum(each.token_log_probs)) for each in scored)


def test_padding_a_target_changes_no_score():
    model, source = model_of("transformer"), padded(sentences(2))
    one = score_targets(model, source, torch.tensor([[5, 2, 0, 0], [6, 7, 8, 2]]))
    alone = score_targets(model, source[:1], torch.tensor([[5, 2]]))[0]
    assert one[0].ids == alone.ids == (5, 2)
    assert one[0].token_log_probs == pytest.approx(alone.token_log_probs, abs=1e-10)


def test_a_source_without_padding_needs_no_mask_and_says_the_same():
    model = build_model(TransformerConfig(vocab_size=20, d_model=16, d_ff=32, num_heads=2, dropout=0.0)).double().eval()
    tokens = torch.tensor([[1], [1]])
    whole, wider = torch.tensor([[5, 6, 2], [7, 8, 2]]), torch.tensor([[5, 6, 2, 0], [7, 8, 2, 0]])
    free, masked = model.start_decoding(whole), model.start_decoding(wider)
    assert free.source_is_real is None
    assert masked.source_is_real is not None
    for state in (free, masked):
        state.reorder(torch.tensor([1, 0]))
    torch.testing.assert_close(model.next_token_logits(tokens, free), model.next_token_logits(tokens, masked))


def test_the_longest_output():
    """3 or 6 a token and 32, rounded up to a multiple of 128."""
    assert longest_output(0, "bpe") == 128
    assert longest_output(32, "bpe") == 128
    assert longest_output(33, "unigram") == 256
    assert longest_output(32, "char") == 256
    assert all(longest_output(n, "bpe") >= 3 * n + 32 > longest_output(n, "bpe") - 128 for n in range(200))
