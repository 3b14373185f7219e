"""L45, L53 and L54, about lengths of embeddings, keys and padding: what must be exact, and rules that can say no."""

import pytest
import torch

from attendo.lab.attention import l53_product_or_cosine as l53
from attendo.lab.layers import l54_padding as l54
from attendo.lab.positions import l45_embedding_length as l45
from attendo.lab.tools.default_model import default_model, encoder_maps
from attendo.lab.tools.hand_aligned import hand_aligned
from tests.lab.planted import small_runs, verdict


def test_l45_lengths_are_those_of_the_table():
    model, _ = default_model()
    assert l45.mean_length(model, [7]) == pytest.approx(model.embedding.weight[7].square().sum().sqrt().item())
    assert l45.position_length(64) == pytest.approx(32**0.5)
    numbers = small_runs(l45.EXPERIMENT)[0]
    assert numbers["before"] == pytest.approx(1, abs=0.05)  # variance 1 / d_model
    assert len(numbers["tied"]) == 2
    assert numbers["tied"][0] != numbers["tied"][1]


def test_l45_the_toys_share_their_table_or_do_not():
    tied, apart = l45.build(True, 1), l45.build(False, 1)
    assert tied.output.weight is tied.embedding.weight
    assert apart.output.weight is not apart.embedding.weight


def test_l45_can_say_all():
    before = {"before": 1.0, "tied_before": 1.0, "apart_before": 1.0}
    after = {"after": 0.5, "tied_after": 0.5, "apart_after": 0.5}
    assert verdict("L45", **before, **after) == "holds"
    assert verdict("L45", **before, **dict.fromkeys(after, 2.0)) == "does not hold"
    assert verdict("L45", **before, **{**after, "after": 2.0}) == "holds only if"
    numbers = small_runs(l45.EXPERIMENT)[0] | before | after
    assert l45.judge([numbers | {"after": length} for length in (0.5, 3.0)]) == "undecided"


def test_l53_by_hand():
    q, keys = torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 0.0], [3.0, 3.0]])
    assert l53.agreement(q, keys).tolist() == [False]  # 1 < 3, but cos 0° > cos 45°
    assert l53.agreement(q, torch.nn.functional.normalize(keys, dim=1)).tolist() == [True]
    same = torch.tensor([[1.0, 0.0], [0.9, 0.1], [0.0, 20.0]])
    assert l53.agreement(same, same, itself=False).tolist() == [True, False, True]


def test_l53_its_queries_and_keys_are_those_of_attention():
    model, tokenizer = default_model()
    side = hand_aligned()["zh"][0].source
    found = l53.queries_and_keys(model, tokenizer, side)
    maps = encoder_maps(model, tokenizer, side.text, side.language).flatten(0, 1)
    assert len(found) == len(maps)
    for (q, k), weights in zip(found, maps, strict=True):
        expected = torch.softmax(q @ k.T / q.shape[-1] ** 0.5, dim=-1).double()
        torch.testing.assert_close(expected, weights, atol=1e-5, rtol=1e-4)


def test_l53_can_say_all():
    assert verdict("L53", embeddings=1.0, keys=1.0, equal=1.0) == "holds"
    assert verdict("L53", embeddings=0.5, keys=1.0, equal=1.0) == "holds only if"
    assert verdict("L53", embeddings=0.5, keys=1.0, equal=0.5) == "does not hold"
    numbers = small_runs(l53.EXPERIMENT)[0] | {"keys": 1.0, "equal": 1.0}
    assert l53.judge([numbers | {"embeddings": share} for share in (0.8, 1.0)]) == "undecided"


def test_l54_masked_padding_changes_nothing_and_the_encoder_is_the_model_s():
    model, tokenizer = default_model()
    side = hand_aligned()["zh"][0].source
    ids = l54.padded(tokenizer, side, 3)
    row = model.embedding(ids[:, -1:])[0, 0].detach()
    memory, weights = l54.encoded(model, ids, row, masked=True)
    torch.testing.assert_close(memory, model.encode(ids)[0])
    assert (weights[..., -3:] == 0).all()
    alone = model.encode(ids[:, :-3])[0]
    torch.testing.assert_close(memory[:-3], alone, atol=1e-4, rtol=1e-4)
    _, weights = l54.encoded(model, ids, 0 * row, masked=False)
    assert (weights[..., -3:] > 0).all()


def test_l54_can_say_all():
    assert verdict("L54") == "does not hold"
    assert verdict("L54", row=0.0) == "holds"
    assert verdict("L54", with_position=0.0) == "holds only if"
