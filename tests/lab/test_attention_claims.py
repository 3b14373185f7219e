"""L4, L12, L14 and L15: the numbers, and rules that can say no."""

import pytest
import torch

from attendo.lab.attention import l4_variance, l14_zero_scores, l15_rank
from attendo.lab.tools.toy_training import toy_config
from attendo.model.build import build_model
from tests.lab.planted import small, verdict


def test_l4():
    assert verdict("L4") == "holds"
    assert verdict("L4", after=50.0, largest=500.0) == "holds"  # trained heads are no part of what the notes say
    assert verdict("L4", variance_off=9.0) == "does not hold"
    assert verdict("L4", mean_off=9.0) == "does not hold"


def test_l4_at_random_and_in_a_model():
    at_random = l4_variance.at_random(16, 3, 50_000)
    assert at_random["variance"] == pytest.approx(16, rel=0.05)
    assert at_random["kurtosis"] == pytest.approx(3 + 6 / 16, rel=0.05)
    torch.manual_seed(1)
    model = build_model(toy_config(16, 64, 128, num_heads=2)).eval()
    for part in (layer.self_attention for layer in model.encoder.layers):
        torch.nn.init.zeros_(part.query.weight)
    sentences = [(torch.randint(4, 20, (1, n)), torch.randint(4, 20, (1, n))) for n in (5, 8)]
    found = l4_variance.scores_in(model, sentences)
    assert list(found) == [f"{kind}_{head}" for kind in ("encoder", "decoder", "cross") for head in (1, 2)]
    assert found["encoder_1"] == found["encoder_2"] == (0.0, 0.0)
    assert min(variance for name, (variance, _) in found.items() if not name.startswith("encoder")) > 0.1


def test_l4_variances_of_independent_and_of_equal_components():
    torch.manual_seed(1)
    q, k = torch.randn(2, 1, 400, 16).unbind()  # one head
    ((found, expected),) = l4_variance.variances([(q, k)])
    assert (found, expected) == (pytest.approx(1, rel=0.15), pytest.approx(1, rel=0.1))
    same = q[..., :1].expand_as(q)  # all components agree: the scores spread 16 times as much
    ((found, expected),) = l4_variance.variances([(same, k[..., :1].expand_as(k))])
    assert found / expected == pytest.approx(16, rel=0.1)


def test_l12():
    assert verdict("L12") == "does not hold"
    assert verdict("L12", additive_in_x=1e-16, homogeneous_in_x=0.0) == "holds"
    assert verdict("L12", additive_in_x=1e-6, homogeneous_in_x=0.0) == "undecided"


def test_l14():
    assert verdict("L14") == "does not hold"
    assert verdict("L14", from_own_value=0.0) == "holds"
    assert verdict("L14", from_mean_of_values=0.5) == "undecided"


def test_l14_every_token_hears_every_other_alike():
    (numbers,) = l14_zero_scores.EXPERIMENT.measure([5], small(l14_zero_scores.EXPERIMENT))
    assert numbers["influence_attention"] == pytest.approx([1 / 6] * 36)
    assert numbers["from_own_value_by_length"][0] < 1e-12  # of a single token the mean is its own value
    assert numbers["influence_feed_forward"] == pytest.approx(torch.eye(6).flatten().tolist())


def test_l15():
    assert verdict("L15") == "does not hold"
    below = [float(d_k) for d_k in l15_rank.D_K]
    assert verdict("L15", of_weights=below) == "holds"
    assert verdict("L15", of_weights=[below[0] + 1, *below[1:]]) == "undecided"


def test_l15_counts_ranks():
    two = torch.outer(torch.arange(1.0, 6), torch.ones(5)) + torch.eye(5)[0].outer(torch.eye(5)[2])
    assert l15_rank.numerical_rank(two.double()) == 2
    at = small(l15_rank.EXPERIMENT)
    (numbers,) = l15_rank.EXPERIMENT.measure([5], at)
    assert numbers["of_scores"] == [min(d_k, at.whole("positions")) for d_k in l15_rank.D_K]
