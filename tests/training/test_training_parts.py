"""Loss, schedule and step: against torch, against written-out sums, and by a property."""

import copy
import math

import pytest
import torch
from torch.nn import functional as F

from attendo.data.batch import Batch
from attendo.model.config import TransformerConfig
from attendo.model.transformer import Transformer
from attendo.training.loss import cross_entropy_sum
from attendo.training.objective import TeacherForcing
from attendo.training.optimizer import cosine_learning_rate, noam_learning_rate
from attendo.training.step import train_step


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_loss_by_a_written_out_sum_and_by_torch(smoothing):
    logits = torch.randn(2, 3, 7, dtype=torch.float64)
    target_out = torch.tensor([[3, 4, 2], [5, 2, 0]])
    total, count = 0.0, 0
    for row in range(2):
        for place in range(3):
            right = int(target_out[row, place])
            if right != 0:
                log_p = logits[row, place].log_softmax(-1)
                q = [smoothing / 7 + (1 - smoothing) * (token == right) for token in range(7)]
                total -= sum(mass * log_p[token].item() for token, mass in enumerate(q))
                count += 1
    ours = cross_entropy_sum(logits, target_out, smoothing)
    assert ours.item() == pytest.approx(total, abs=1e-10)
    mean = F.cross_entropy(logits.flatten(0, 1), target_out.flatten(), ignore_index=0, label_smoothing=smoothing)
    assert ours.item() / count == pytest.approx(mean.item(), abs=1e-10)


def test_the_papers_schedule():
    """Equation 3: up in a straight line, the peak where it should be, down with the square root."""
    rates = [noam_learning_rate(step, 512, 4000) for step in range(1, 16_001)]
    assert max(rates) == rates[3999] == pytest.approx((512 * 4000) ** -0.5)
    assert rates[1999] == pytest.approx(rates[3999] / 2)
    assert rates[15_999] == pytest.approx(rates[3999] / 2)
    with pytest.raises(ValueError, match="from 1"):
        noam_learning_rate(0, 512, 4000)


def test_the_cosine_schedule():
    rates = [cosine_learning_rate(step, 0.01, 100, 1100) for step in range(1, 1201)]
    assert max(rates) == rates[99] == pytest.approx(0.01)
    assert rates[49] == pytest.approx(0.005)
    assert rates[599] == pytest.approx(0.005)
    assert rates[349] == pytest.approx(0.01 * (1 + math.cos(math.pi / 4)) / 2)
    assert rates[1099] == rates[1199] == 0.0


@pytest.mark.parametrize(("warmup", "steps"), [(0, 100), (100, 100), (100, 50)])
def test_an_impossible_schedule_is_refused(warmup, steps):
    with pytest.raises(ValueError, match="warmup_steps"):
        cosine_learning_rate(1, 0.01, warmup, steps)
    if warmup == 0:
        with pytest.raises(ValueError, match="warmup_steps"):
            noam_learning_rate(1, 512, warmup)


def test_micro_batches_change_nothing():
    pairs = [([5, 6, 7], [8]), ([5], [9, 10, 11, 12]), ([6, 7], [9, 9]), ([4, 4, 4, 4], [5])]
    torch.manual_seed(1)
    model = Transformer(
        TransformerConfig(
            vocab_size=13, d_model=16, d_ff=32, num_heads=2, encoder_layers=1, decoder_layers=1, dropout=0
        )
    ).double()
    results = []
    for cuts in ([4], [1, 3], [1, 1, 1, 1]):
        copied = copy.deepcopy(model)
        optimizer = torch.optim.SGD(copied.parameters(), lr=1.0)
        rest, batches = pairs, []
        for size in cuts:
            batches.append(Batch.from_pairs(rest[:size]))
            rest = rest[size:]
        outcome = train_step(copied, optimizer, batches, 0.5, TeacherForcing(label_smoothing=0.1))
        results.append((outcome.loss, outcome.gradient_norm, torch.nn.utils.parameters_to_vector(copied.parameters())))
    for other in results[1:]:
        for ours, theirs in zip(results[0], other, strict=True):
            torch.testing.assert_close(ours, theirs, atol=1e-6, rtol=1e-6)
    assert not torch.allclose(results[0][2], torch.nn.utils.parameters_to_vector(model.parameters()))


def test_the_gradient_is_clipped_and_the_rate_is_used():
    model = Transformer(
        TransformerConfig(
            vocab_size=13, d_model=16, d_ff=32, num_heads=2, encoder_layers=1, decoder_layers=1, dropout=0
        )
    )
    before = torch.nn.utils.parameters_to_vector(model.parameters()).detach().clone()
    optimizer = torch.optim.SGD(model.parameters(), lr=123.0)
    batches = [Batch.from_pairs([([5], [6])])]
    norm = train_step(model, optimizer, batches, 0.25, max_gradient_norm=0.01).gradient_norm
    moved = torch.nn.utils.parameters_to_vector(model.parameters()) - before
    assert norm > 0.01
    assert moved.norm().item() == pytest.approx(0.25 * 0.01, rel=1e-3)
