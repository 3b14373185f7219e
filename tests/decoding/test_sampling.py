"""Sampling against exact probabilities, and what it must never do."""

import pytest
import torch

from attendo.decoding.greedy import greedy_search
from attendo.decoding.options import SamplingOptions
from attendo.decoding.sampling import draw_tokens, sample
from attendo.decoding.scoring import score_targets
from attendo.errors import ConfigError, InputError
from tests.decoding.families import FAMILIES, model_of, padded, sentences
from tests.reference.exhaustive_search import every_target

every_family = pytest.mark.parametrize("family", FAMILIES)


def chi_square(counts, probabilities):
    """Σ (observed - expected)² / expected; its mean is the number of cells less 1, its deviation √(2 · that)."""
    total = sum(counts)
    return sum((count - total * p) ** 2 / (total * p) for count, p in zip(counts, probabilities, strict=True))


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_frequencies_are_the_probabilities(temperature):
    log_probs = torch.tensor([0.4, 0.3, 0.15, 0.1, 0.05]).log()
    expected = (log_probs / temperature).softmax(-1).tolist()
    uniform = torch.rand(20_000, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    drawn = draw_tokens(log_probs.expand(20_000, -1), uniform, SamplingOptions(temperature=temperature))
    assert chi_square(drawn.bincount(minlength=5).tolist(), expected) < 18.5  # 4 degrees: exceeded 1 in 1,000 times


@every_family
def test_whole_targets_are_drawn_as_often_as_the_model_says(family):
    model, source = model_of(family, vocab=6, eos=1.0), torch.tensor([[4, 5, 2]])
    targets = [ids for ids, _ in every_target(model, source, 2)]
    count = 6_000
    found = sample(model, source.expand(count, -1), 2, SamplingOptions(), seeds=range(count))
    drawn = [each.ids for each in found]
    scored = {ids: score_targets(model, source, torch.tensor([ids]))[0].token_log_probs for ids in targets}
    one = {ids[0]: torch.tensor(scored[ids][0]).exp().item() for ids in targets}
    probabilities = []  # at each place among what may be said: padding and <s> never are
    for ids in targets:
        p = one[ids[0]] / sum(one.values())
        if len(ids) == 2:
            siblings = [other for other in targets if len(other) == 2 and other[0] == ids[0]]
            seconds = {other: torch.tensor(scored[other][1]).exp().item() for other in siblings}
            p *= seconds[ids] / sum(seconds.values())
        probabilities.append(p)
    assert sum(probabilities) == pytest.approx(1.0)
    cells = len(targets)
    assert chi_square([drawn.count(ids) for ids in targets], probabilities) < cells - 1 + 4 * (2 * (cells - 1)) ** 0.5


def test_top_k_and_top_p_never_leave_their_sets():
    torch.manual_seed(2)
    log_probs = torch.randn(300, 40).mul(2).log_softmax(-1)
    uniform = torch.rand(300, dtype=torch.float64)
    uniform[:2] = torch.tensor([0.0, 1 - 2**-53])  # the ends of the staircase
    for k in (1, 3, 39, 40, 50):
        drawn = draw_tokens(log_probs, uniform, SamplingOptions(top_k=k))
        better = (log_probs > log_probs.gather(1, drawn[:, None])).sum(1)
        assert (better < k).all()
    for p in (0.01, 0.5, 0.9, 0.999):
        drawn = draw_tokens(log_probs, uniform, SamplingOptions(top_p=p))
        chosen = log_probs.gather(1, drawn[:, None])
        before = log_probs.exp().masked_fill(log_probs <= chosen, 0).sum(1)  # what the likelier ones sum to
        assert (before < p + 1e-6).all()
        both = draw_tokens(log_probs, uniform, SamplingOptions(top_p=p, top_k=2))
        assert ((log_probs > log_probs.gather(1, both[:, None])).sum(1) < 2).all()
    forbidden = log_probs.clone()
    forbidden[:, 30:] = -torch.inf
    assert (draw_tokens(forbidden, uniform, SamplingOptions()) < 30).all()


def test_equals_at_the_edge_of_top_k_are_taken_by_id():
    log_probs = torch.zeros(1, 30).log_softmax(-1).expand(500, -1)
    drawn = draw_tokens(log_probs, torch.rand(500, dtype=torch.float64), SamplingOptions(top_k=4))
    assert set(drawn.tolist()) == {0, 1, 2, 3}


@every_family
def test_towards_temperature_zero_it_is_greedy_search(family):
    model, source = model_of(family, eos=1.0), padded(sentences(10))
    cold = sample(model, source, 8, SamplingOptions(temperature=1e-6, seed=9))
    assert [each.ids for each in cold] == [each.ids for each in greedy_search(model, source, 8)]
    one = sample(model, source, 8, SamplingOptions(top_k=1, seed=9))
    assert [each.ids for each in one] == [each.ids for each in cold]


@every_family
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_batch_mates_change_nothing(family, dtype):
    model, rows = model_of(family, dtype=dtype, eos=1.0), sentences(16)
    options = SamplingOptions(temperature=1.5, top_p=0.95)
    longest = [3 + n % 6 for n in range(16)]
    together = sample(model, padded(rows), longest, options, seeds=range(16))
    for n in (0, 7, 15):
        (alone,) = sample(model, padded([rows[n]], width=12), longest[n], options, seeds=[n])
        assert alone.ids == together[n].ids
    assert [each.ids for each in sample(model, padded(rows), longest, options)] != [each.ids for each in together]
    again = sample(model, padded(rows), longest, options, seeds=range(16))
    assert [each.ids for each in again] == [each.ids for each in together]


def test_the_log_probability_is_the_models_own():
    model, source = model_of("transformer", eos=1.0), padded(sentences(5))
    found = sample(model, source, 6, SamplingOptions(temperature=3.0, top_k=5))
    for each, scored in zip(found, score_targets(model, source, padded([each.ids for each in found])), strict=True):
        assert each.token_log_probs == pytest.approx(scored.token_log_probs, abs=1e-9)
        assert each.score == pytest.approx(scored.score, abs=1e-9)


def test_one_seed_for_each_sentence():
    with pytest.raises(InputError, match="1 seeds for 2 sentences"):
        sample(model_of("lstm"), torch.tensor([[5, 2], [6, 2]]), 3, SamplingOptions(), seeds=[1])
    with pytest.raises(ConfigError, match="greedy"):
        SamplingOptions(temperature=0.0)
