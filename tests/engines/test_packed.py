"""The packed map against the one it is made from, for one row, a few and many."""

import copy

import pytest
import torch
from torch import nn

from attendo.decoding.packed import FEW, PackedLinear, packed

SHAPES = {"wide": (1000, 256), "narrow": (256, 1000), "square": (512, 512)}  # outputs, inputs

pytestmark = pytest.mark.skipif(not torch.backends.mkldnn.is_available(), reason="this torch has no oneDNN")


def linear_of(shape, *, by_columns, bias=True):
    outputs, inputs = shape
    linear = nn.Linear(inputs, outputs, bias=bias)
    if by_columns:
        linear.weight = nn.Parameter(linear.weight.detach().t().contiguous().t())
    return linear.requires_grad_(False)


@pytest.mark.parametrize("by_columns", [False, True])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_the_same_for_any_number_of_rows(shape, by_columns):
    linear = linear_of(shape, by_columns=by_columns, bias=not by_columns)
    quick = packed(linear)
    assert type(quick) is PackedLinear
    exact = copy.deepcopy(linear).double()
    for size in ((1,), (1, 1), (2,), (4, 1), (1, 24), (FEW,), (FEW + 1,), (0,), ()):
        x = torch.randn(*size, shape[1])
        expected = exact(x.double()).float()
        torch.testing.assert_close(quick(x), expected, atol=1e-5, rtol=1e-5)
        assert quick(x).shape == expected.shape
    x = torch.randn(4, 2, shape[1]).transpose(0, 1)[:, :1]  # rows that do not lie together
    torch.testing.assert_close(quick(x), exact(x.double()).float(), atol=1e-5, rtol=1e-5)
    x = torch.randn(shape[1], 1).t()
    torch.testing.assert_close(quick(x), exact(x.double()).float(), atol=1e-5, rtol=1e-5)


def test_names_and_values_stay():
    linear = linear_of(SHAPES["wide"], by_columns=False)
    found = packed(linear).state_dict()
    assert list(found) == ["weight", "bias"]
    assert torch.equal(found["weight"], linear.weight)


def test_small_matrices_and_other_precisions_are_left_alone():
    small, double = nn.Linear(16, 16), linear_of(SHAPES["wide"], by_columns=False).double()
    assert packed(small) is small
    assert packed(double) is double
