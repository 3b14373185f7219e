"""L78: the two compatibility functions in one model, their costs, and a rule that can say all."""

import torch

from attendo.lab.attention import l78_additive as claim
from attendo.model.compatibility import AdditiveMultiHeadAttention
from attendo.model.multi_head import MultiHeadAttention
from tests.lab.planted import small_runs

ENDS = {f"{side}_{d_k}": 0.001 for side in ("dot", "additive") for d_k in (4, 64)}
LEARNT = {f"{name}_failed": 0.0 for name in ENDS}


def test_l78_all_models_are_one_but_for_how_they_compare():
    dot, additive, unscaled = (claim.build(16, side, 1) for side in claim.SIDES)
    shapes = [{name: w.shape for name, w in model.named_parameters()} for model in (dot, additive, unscaled)]
    assert shapes[0] == shapes[2]
    assert {name for name in shapes[1] if name not in shapes[0]} == {
        f"{layer}.score"
        for layer in (
            "encoder.layers.0.self_attention", "decoder.layers.0.self_attention", "decoder.layers.0.cross_attention"
        )
    }  # fmt: skip
    kinds = [
        {type(part) for part in model.modules() if isinstance(part, MultiHeadAttention)} for model in (dot, additive)
    ]
    assert kinds == [{MultiHeadAttention}, {AdditiveMultiHeadAttention}]


def test_l78_counts_what_is_kept():
    """Weights of 2 heads and 4 x 4 pairs; additive attention keeps d_k = 4 numbers for each pair besides."""
    found = claim.costs("small")
    weights, pairs = 4 * 2 * 4 * 4, 4 * 2 * 4 * 4 * 4
    assert found["kept_dot"] * 2**20 == weights
    assert weights + pairs <= found["kept_additive"] * 2**20 <= 2 * (weights + pairs)
    assert claim.kept_bytes(lambda: torch.ones(8, requires_grad=True).exp(), ()) == 32


def test_l78_can_say_all():
    measured = small_runs(claim.EXPERIMENT)

    def verdict(**changes):
        return claim.judge([{**run, **ENDS, **LEARNT, **changes} for run in measured])

    assert verdict() == "holds"
    assert verdict(additive_64=0.009) == "holds"  # nine times as much, of nothing
    assert verdict(additive_64=1.0) == "holds only if"
    assert verdict(additive_64=1.0, additive_4=1.0) == "does not hold"
    assert verdict(additive_64=1.0, additive_64_half=1.5) == "undecided"
