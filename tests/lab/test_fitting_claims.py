"""L41 and what it fits with: what must be exact, and a rule that can say each verdict."""

import pytest
import torch

from attendo.lab.attention import l41_fit_attention as l41
from attendo.lab.tools.fitting import fit_together
from attendo.lab.tools.toy_training import Budget
from attendo.model.attention import dot_product_attention
from tests.lab.planted import small_runs, verdict


def test_l41_its_attention_is_the_model_s():
    weights, spread = l41.drawn_attention(3, 5)
    x = torch.randn(1, 4, 5, l41.D, generator=torch.Generator().manual_seed(1))
    output, _ = dot_product_attention(*(x @ w for w in weights))
    torch.testing.assert_close(l41.attend(x, weights[:, None]), output)
    torch.testing.assert_close(l41.teacher_of(5, [3, 3], "cpu")(x.repeat(2, 1, 1, 1))[1], output[0] / spread)
    student = l41.PlainAttention()
    for own, w in zip(student.parameters(), weights, strict=True):
        own.data.copy_(w)
    torch.testing.assert_close(student(x[0]), output[0])
    for own in student.parameters():  # a student is taught multiples of the spread: that goes into the values alone
        own.data.div_(spread if own is student.value else 1)
    assert l41.error_at(student, 3, 10, trained_at=5) == pytest.approx(0, abs=1e-9)


def test_l41_counts_weights():
    n, width = 4, 16
    numbers = small_runs(l41.EXPERIMENT)[0]
    assert numbers["own"] == 3 * 8 * 8
    assert numbers[f"weights_{n}"][1] == 2 * n * 8 * width + width + n * 8


def test_l41_an_mlp_takes_one_length_and_attention_any():
    assert l41.takes(l41.FlatMLP(4, 8), 4)
    assert not l41.takes(l41.FlatMLP(4, 8), 5)
    assert l41.takes(l41.PlainAttention(), 5)
    assert l41.takes(l41.TokenByToken(), 5)


def test_l41_weights_for_an_error_by_hand():
    assert l41.weights_for(0.1, [1.0, 0.01], [100, 10_000]) == pytest.approx(1_000)
    assert l41.weights_for(0.1, [0.05, 0.01], [100, 10_000]) == 100
    assert l41.weights_for(0.1, [0.9, 0.5], [100, 10_000]) == 10_000


def test_l41_what_one_student_learns_does_not_depend_on_the_others():
    def linear(seed):
        return torch.nn.Linear(8, 8)

    def teacher_of(seeds, device):
        return lambda x: x.flip(-1)

    budget = Budget(steps=60, pairs=32, learning_rate=0.02)
    alone, _ = fit_together(linear, teacher_of, (32, 1, 8), [2], budget, [0.02])
    both, losses = fit_together(linear, teacher_of, (32, 1, 8), [1, 2], budget, [0.001, 0.02])
    torch.testing.assert_close(alone[0].weight, both[3].weight)
    assert losses.shape == (60, 4)
    assert losses[-1, 3] < 0.5 * losses[0, 3]


def planted(short, long, **others):
    """The errors of the two widths at lengths 2 and 4; 16 hidden units at 4 tokens are 1,072 weights."""
    errors = {"mlp_4_8": long[0], "mlp_4_16": long[1], "errors_2": short, "errors_4": long, "widest_short": short[-1]}
    return verdict("L41", **errors, **{"weights_4": [544, 1_920], **others})


def test_l41_can_say_all():
    assert planted([0.2, 0.05], [0.4, 0.3]) == "holds only if"
    assert planted([0.2, 0.05], [0.4, 0.3], other_length=1.0) == "holds"
    assert planted([0.2, 0.05], [0.4, 0.05]) == "does not hold"
    assert planted([0.2, 0.15], [0.4, 0.3]) == "undecided"  # never done
    assert planted([0.2, 0.05], [0.4, 0.3], mlp_4_16_half=0.6) == "undecided"  # still improving
    assert planted([0.2, 0.05], [0.4, 0.3], weights_4=[544, 1_000]) == "undecided"  # never ten times as many
    near = small_runs(l41.EXPERIMENT)[0] | {"weights_4": [544, 1_920], "widest_short": 0.05}
    assert l41.judge([near | {"errors_4": [0.4, end]} for end in (0.05, 0.3)]) == "undecided"
