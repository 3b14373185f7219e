import math

import pytest
import torch

from attendo.errors import InputError
from attendo.model.positions import LearnedPositions, RotaryPositions, SinusoidalPositions, sinusoidal_encoding


def test_the_worked_example_of_the_notes():
    """M9: d = 8, pos = 2."""
    expected = torch.tensor([0.9093, -0.4161, 0.1987, 0.9801, 0.0200, 0.9998, 0.0020, 0.999998])
    encoding = sinusoidal_encoding(torch.tensor([[2]]), 8)[0, 0]
    torch.testing.assert_close(encoding, expected, atol=5e-5, rtol=0)


def test_every_column_by_the_formula():
    d_model = 12
    table = sinusoidal_encoding(torch.arange(50)[None], d_model, torch.float64)[0]
    for position in range(50):
        for i in range(d_model // 2):
            angle = position / 10_000 ** (2 * i / d_model)
            assert math.isclose(table[position, 2 * i], math.sin(angle), abs_tol=1e-12)
            assert math.isclose(table[position, 2 * i + 1], math.cos(angle), abs_tol=1e-12)


def test_half_precision_still_tells_neighbours_apart():
    x = torch.zeros(1, 1, 64, dtype=torch.bfloat16)
    positions = SinusoidalPositions(64)
    here, there = (positions(x, torch.tensor([[position]]), position + 1) for position in (1000, 1001))
    assert here.dtype == torch.bfloat16
    exact = sinusoidal_encoding(torch.tensor([[1000]]), 64, torch.float64)
    torch.testing.assert_close(here.double(), exact, atol=4e-3, rtol=0)
    assert not torch.equal(here, there)


def test_learned_positions_have_an_end():
    positions = LearnedPositions(4, 6)
    torch.nn.init.normal_(positions.weight)  # the model's door does; until then it is what memory held
    x = torch.zeros(1, 4, 6)
    torch.testing.assert_close(positions(x, torch.arange(4)[None], 4)[0], positions.weight)
    with pytest.raises(InputError, match="5 tokens is longer than the 4 learned positions"):
        positions(torch.zeros(1, 5, 6), torch.arange(5)[None], 5)


def test_rotation_keeps_lengths_and_sees_only_distance():
    rotary = RotaryPositions(16, 10_000.0)
    q, k = torch.randn(2, 1, 1, 1, 16, dtype=torch.float64)

    def product(m, n):
        turn_q, turn_k = (rotary.rotation(torch.tensor([[position]]), torch.float64) for position in (m, n))
        torch.testing.assert_close(turn_q(q).norm(), q.norm())
        return (turn_q(q) * turn_k(k)).sum()

    torch.testing.assert_close(product(3, 1), product(103, 101), atol=1e-12, rtol=0)
    assert not torch.isclose(product(3, 1), product(1, 3))


def test_rotation_as_complex_numbers():
    """The pair (x_i, x_{i + d/2}) is a complex number; position p multiplies it by e^(i p ω)."""
    d, position = 8, 5
    x = torch.randn(1, 1, 1, d, dtype=torch.float64)
    turned = RotaryPositions(d, 10_000.0).rotation(torch.tensor([[position]]), torch.float64)(x)
    omega = 10_000.0 ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    expected = torch.complex(x[..., : d // 2], x[..., d // 2 :]) * torch.exp(1j * position * omega)
    torch.testing.assert_close(turned, torch.cat((expected.real, expected.imag), -1), atol=1e-12, rtol=0)
