"""L51, L52 and L57: what must be exact, and rules that can say the other thing."""

import pytest
import torch
from torch.nn import functional as F

from attendo.lab.attention import l57_cutting_heads
from attendo.lab.layers import l51_linear, l52_alignment
from tests.lab.planted import small_runs, verdict


def test_l51_can_say_all():
    assert verdict("L51", linear_most=1e-15) == "does not hold"
    assert verdict("L51", linear_most=0.3) == "holds"
    assert verdict("L51", linear_most=1e-6) == "undecided"


def test_l51_sees_a_bend_and_a_shift_and_a_mixture():
    x, y = torch.randn(2, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    assert max(l51_linear.from_a_line(lambda x: 3 * x + 1, x, y)) < 1e-15  # a shift bends nothing
    assert max(l51_linear.from_a_line(torch.square, x, y)) > 0.1
    inputs = torch.randn(50, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(2))
    assert l51_linear.explained_by_columns(inputs, inputs * torch.arange(1, 7) + 5) == pytest.approx(1)
    assert l51_linear.explained_by_columns(inputs, inputs.roll(1, dims=1)) < 0.3


def test_l52_can_say_all():
    assert verdict("L52", ratio=1.0) == "does not hold"
    assert verdict("L52", ratio=8.0, feed_forward_in=512.0, feed_forward_out=64.0) == "holds"
    assert verdict("L52", ratio=8.0) == "undecided"


def test_l52_counts_columns_and_an_uncut_head_is_brought_back_by_its_own_matrix():
    (numbers,) = small_runs(l52_alignment.EXPERIMENT)
    assert numbers["heads"] == [1, 8]
    assert numbers["uncut_joined"] == [64, 512]
    assert numbers["joined"] == numbers["attention_out"] == numbers["uncut_out"] == [64, 64]


def test_l57_can_say_all():
    assert verdict("L57") == "holds"
    assert verdict("L57", raw_error=0.0) == "does not hold"
    assert verdict("L57", matrices_error=0.1) == "undecided"
    assert verdict("L57", projected_columns=8.0) == "undecided"


def test_l57_agrees_with_torch_and_a_raw_cut_is_a_matrix_of_blocks():
    generator = torch.Generator().manual_seed(3)
    x = torch.randn(5, 12, dtype=torch.float64, generator=generator)
    matrices = torch.randn(3, 12, 12, dtype=torch.float64, generator=generator)
    ours = torch.cat(l57_cutting_heads.project_then_cut(x, matrices, 3), dim=-1)
    q, k, v = ((x @ matrix).unflatten(-1, (3, 4)).transpose(0, 1) for matrix in matrices)
    torch.testing.assert_close(ours, F.scaled_dot_product_attention(q, k, v).transpose(0, 1).flatten(1))
    blocks = torch.block_diag(*torch.ones(3, 4, 4, dtype=torch.float64))
    cut = l57_cutting_heads.cut_then_project(x, matrices, 3)
    same = l57_cutting_heads.project_then_cut(x, matrices * blocks, 3)
    assert l57_cutting_heads.apart(cut, same) < 1e-14
