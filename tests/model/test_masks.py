import torch

from attendo.model import masks


def test_the_matrix_of_the_notes():
    """Note D, "mask": five prefixes of "<bos> i love machine learning"."""
    expected = [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]
    assert masks.causal(5, 5)[0, 0].int().tolist() == expected


def test_the_last_query_stands_at_the_last_key():
    assert masks.causal(1, 4)[0, 0].tolist() == [[True] * 4]
    assert masks.causal(2, 4)[0, 0].int().tolist() == [[1, 1, 1, 0], [1, 1, 1, 1]]


def test_padding_and_its_combination():
    real = masks.real(torch.tensor([[5, 7, 0], [5, 6, 7]]), pad=0)
    assert real.shape == (2, 1, 1, 3)
    both = real & masks.causal(3, 3)
    assert both.shape == (2, 1, 3, 3)
    assert both[0, 0].int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 0]]
    assert both[1, 0].int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
