"""L50, L51, L52, L57 and L59: what must be exact, and rules that can say the other thing."""

import pytest
import torch
from torch.nn import functional as F

from attendo.lab.attention import l57_cutting_heads, l59_convolution
from attendo.lab.families import l50_state_at_it
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


def test_l50_can_say_all():
    assert verdict("L50") == "holds only if"
    assert verdict("L50", lstm_most=0.1) == "does not hold"
    assert verdict("L50", both_ways_least=0.0, both_ways_most=0.0) == "holds"
    assert verdict("L50", transformer_least=0.0) == "undecided"
    assert verdict("L50", lstm_most=1e-7) == "undecided"


def test_l50_from_left_to_right_nothing_differs_before_the_word_that_does():
    numbers = small_runs(l50_state_at_it.EXPERIMENT)[0]
    first, second = l50_state_at_it.as_words(l50_state_at_it.it_pairs()[0])
    different = [one != other for one, other in zip(first, second, strict=True)]
    assert [difference > 0 for difference in numbers["lstm_by_word"]] == [
        any(different[: at + 1]) for at in range(len(different))
    ]
    assert all(difference > 0 for difference in numbers["transformer_by_word"])
    assert numbers["trained_it"] > 0.01


def test_l59_can_say_all():
    assert verdict("L59") == "holds only if"
    assert verdict("L59", error=0.1) == "does not hold"
    assert verdict("L59", moves=0.0, head_columns=1.0) == "holds"
    assert verdict("L59", moves=1e-6, head_columns=1.0) == "undecided"


def test_l59_its_convolution_is_the_sum_over_offsets_and_one_head_is_one_of_them():
    generator = torch.Generator().manual_seed(4)
    x, kernel = (torch.randn(*shape, dtype=torch.float64, generator=generator) for shape in ((9, 3), (2, 3, 4)))
    offsets = l59_convolution.offsets_of(4)
    assert offsets == [-1, 0, 1, 2]
    terms = [torch.stack([kernel[:, :, tap] @ x[(i + at) % 9] for i in range(9)]) for tap, at in enumerate(offsets)]
    torch.testing.assert_close(l59_convolution.convolution(x, kernel), sum(terms))
    for tap, at in enumerate(offsets):
        head = l59_convolution.head_of_a_tap(x, at, kernel[:, :, tap], 50.0)
        torch.testing.assert_close(head, terms[tap])
    blurred = l59_convolution.head_of_a_tap(x, 1, kernel[:, :, 2], 0.0)
    torch.testing.assert_close(blurred, (x @ kernel[:, :, 2].T).mean(0).expand(9, -1))
