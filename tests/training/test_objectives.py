"""What is trained, against slow and obvious versions, and by properties."""

import copy
import math

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from attendo.data.batch import Batch
from attendo.data.batches import Position
from attendo.model.build import build_model
from attendo.model.config import DecoderOnlyConfig, EncoderOnlyConfig, RecurrentConfig, TransformerConfig
from attendo.runs.validation import masked_accuracy, mean_loss
from attendo.special_tokens import MASK, SPECIAL
from attendo.training.average import MovingAverage, mean_weights
from attendo.training.config import TrainingConfig
from attendo.training.loss import cross_entropy_sum
from attendo.training.masked_tokens import MaskedTokens, Masking, sentences
from attendo.training.objective import RDrop, TeacherForcing, symmetric_kl_sum
from attendo.training.optimizer import build_optimizer, learning_rate
from attendo.training.step import train_step

SMALL = {"vocab_size": 13, "d_model": 16, "d_ff": 32, "num_heads": 2, "dropout": 0.0}
FAMILIES = {
    "transformer": TransformerConfig(**SMALL, encoder_layers=1, decoder_layers=1),
    "decoder-only": DecoderOnlyConfig(**SMALL, num_layers=1),
    "lstm": RecurrentConfig(vocab_size=13, d_model=16, encoder_layers=1, decoder_layers=1, dropout=0.0),
}
PAIRS = [([5, 6, 7], [8]), ([5], [9, 10, 11, 12]), ([6, 7], [9, 9]), ([4, 4, 4, 4], [5])]


@pytest.fixture(params=FAMILIES)
def model(request):
    torch.manual_seed(1)
    return build_model(FAMILIES[request.param]).double()


def vector(model):
    return torch.nn.utils.parameters_to_vector(model.parameters()).detach().clone()


def test_one_masked_pass_is_the_mean_of_growing_prefixes(model):
    """M12: the loss of all positions at once is the mean of the losses of "SOS", "SOS How", "SOS How are" …"""
    source, target = PAIRS[1]
    batch = Batch.from_pairs([(source, target)])
    at_once = TeacherForcing()(model, batch) / batch.num_target_tokens
    output = [*target, SPECIAL.eos]
    one_by_one = []
    for length in range(len(output)):
        prefix = torch.tensor([[SPECIAL.bos, *target[:length]]])
        logits = model(batch.source, prefix)[0, -1]
        one_by_one.append(-F.log_softmax(logits, -1)[output[length]])
    torch.testing.assert_close(at_once, torch.stack(one_by_one).mean())


def test_r_drop_without_dropout_is_plain_training(model):
    batch = Batch.from_pairs(PAIRS)
    plain = TeacherForcing(label_smoothing=0.1)(model, batch)
    twice = RDrop(alpha=5.0, label_smoothing=0.1)(model, batch)
    torch.testing.assert_close(plain, twice)
    after = []
    for objective in (TeacherForcing(0.1), RDrop(5.0, 0.1)):
        copied = copy.deepcopy(model)
        optimizer = torch.optim.SGD(copied.parameters(), lr=1.0)
        train_step(copied, optimizer, [batch], 0.5, objective)
        after.append(vector(copied))
    torch.testing.assert_close(after[0], after[1])


def test_r_drop_is_the_written_out_sum():
    torch.manual_seed(3)
    first, second = torch.randn(2, 2, 3, 7, dtype=torch.float64)
    target = torch.tensor([[4, 5, 2], [6, 2, 0]])
    total = 0.0
    for row in range(2):
        for place in range(3):
            if target[row, place] == SPECIAL.pad:
                continue
            p, q = (torch.softmax(logits[row, place], -1).tolist() for logits in (first, second))
            total += sum(a * math.log(a / b) + b * math.log(b / a) for a, b in zip(p, q, strict=True))
    assert symmetric_kl_sum(first, second, target).item() == pytest.approx(total, rel=1e-5)


def test_r_drop_pulls_two_dropouts_together():
    torch.manual_seed(1)
    model = build_model(TransformerConfig(**{**SMALL, "dropout": 0.3}, encoder_layers=1, decoder_layers=1))
    batch = Batch.from_pairs(PAIRS)
    torch.manual_seed(5)
    with_alpha = RDrop(alpha=2.0)(model, batch)
    torch.manual_seed(5)
    without = RDrop(alpha=0.0)(model, batch)
    assert with_alpha.item() > without.item() + 1e-3


def test_the_moving_average_against_a_slow_version():
    torch.manual_seed(1)
    model = build_model(FAMILIES["transformer"])
    average = MovingAverage(model, decay=0.9)
    slow = vector(model).double()
    for step in range(1, 121):
        finite = step % 7 != 0  # a skipped update is no step of the average either
        with torch.no_grad():
            for parameter in model.parameters():
                parameter += finite * torch.randn_like(parameter)
        average.update(model, step, torch.tensor(finite))
        decay = min(0.9, (1 + step) / (10 + step))
        if finite:
            slow = decay * slow + (1 - decay) * vector(model).double()
    ours = torch.cat([average.weights[name].flatten() for name, _ in model.named_parameters()])
    torch.testing.assert_close(ours.double(), slow, rtol=1e-4, atol=1e-4)
    own = vector(model)
    with average.applied_to(model):
        assert torch.equal(vector(model), ours)
    assert torch.equal(vector(model), own)


def test_the_mean_of_checkpoints_against_numpy():
    torch.manual_seed(1)
    checkpoints = [{"a": torch.randn(3, 4), "b": torch.randn(5)} for _ in range(7)]
    mean = mean_weights(iter(checkpoints))
    for name in ("a", "b"):
        expected = np.mean([one[name].double().numpy() for one in checkpoints], axis=0)
        np.testing.assert_allclose(mean[name].numpy(), expected, rtol=1e-6, atol=1e-7)
        assert mean[name].dtype == torch.float32


def test_the_optimiser_is_adamw_written_out():
    """Fused, with the paper's betas and epsilon: against the equations of Kingma and Ba, for three steps."""
    torch.manual_seed(2)
    config = TrainingConfig(weight_decay=0.01)
    model = torch.nn.Linear(3, 2)
    optimizer = build_optimizer(model, config)
    weight = model.weight.detach().double().clone()
    m, v = torch.zeros_like(weight), torch.zeros_like(weight)
    for step in range(1, 4):
        gradient = torch.randn(2, 3)
        model.weight.grad, model.bias.grad = gradient.clone(), torch.zeros(2)
        optimizer.param_groups[0]["lr"] = rate = learning_rate(step, 512, config)
        optimizer.step()
        m = 0.9 * m + 0.1 * gradient.double()
        v = 0.98 * v + 0.02 * gradient.double() ** 2
        weight -= rate * 0.01 * weight
        weight -= rate * (m / (1 - 0.9**step)) / ((v / (1 - 0.98**step)).sqrt() + 1e-9)
    torch.testing.assert_close(model.weight.double(), weight, rtol=1e-6, atol=1e-7)


def test_the_learning_rate_of_a_recipe():
    noam = TrainingConfig(schedule="noam", learning_rate=2.0, warmup_steps=400)
    assert learning_rate(100, 256, noam) == pytest.approx(2.0 * 256**-0.5 * 100 * 400**-1.5)
    assert learning_rate(1600, 256, noam) == pytest.approx(2.0 * 256**-0.5 * 1600**-0.5)
    cosine = TrainingConfig(schedule="cosine", learning_rate=1e-3, warmup_steps=100, max_steps=1100)
    assert learning_rate(100, 256, cosine) == pytest.approx(1e-3)
    assert learning_rate(600, 256, cosine) == pytest.approx(0.5e-3)


MASKING = Masking(share=0.15, vocab_size=500, first_piece=10, seed=3)


FIRST = Position(1, 0)


def masked(num_rows=400, position=FIRST):
    rng = np.random.default_rng(0)
    pairs = [
        (rng.integers(10, 500, rng.integers(1, 30)).tolist(), rng.integers(10, 500, rng.integers(1, 30)).tolist())
        for _ in range(num_rows)
    ]
    batch = Batch.from_pairs(pairs)
    return sentences(batch), MASKING(batch, position)


def test_masking_follows_the_80_10_10_rule():
    whole, batch = masked()
    chosen = batch.target_out != SPECIAL.pad
    pieces = whole >= 10
    assert not (chosen & ~pieces).any(), "control ids, tags and padding are never asked for"
    assert torch.equal(batch.target_out[chosen], whole[chosen])
    assert torch.equal(batch.source[~chosen], whole[~chosen]), "what is not asked for is left as it is"
    assert batch.num_target_tokens == int(chosen.sum())
    # One of every row at least, so a little more than 15 %.
    assert 0.15 < chosen.sum() / pieces.sum() < 0.19
    assert chosen[pieces.any(1)].any(1).all()
    shown = batch.source[chosen]
    hidden, kept = (shown == MASK).double().mean().item(), (shown == whole[chosen]).double().mean().item()
    assert hidden == pytest.approx(0.8, abs=0.03)
    assert kept == pytest.approx(0.1, abs=0.03)
    assert (shown[(shown != MASK) & (shown != whole[chosen])] >= 10).all()


def test_masks_are_a_function_of_the_position():
    assert torch.equal(masked()[1].source, masked()[1].source)
    assert not torch.equal(masked()[1].source, masked(position=Position(1, 1))[1].source)
    assert not torch.equal(masked()[1].source, masked(position=Position(2, 0))[1].source)


def test_only_hidden_positions_are_asked_and_nothing_else_changes():
    """The same loss and gradients as from the logits of all positions."""
    config = EncoderOnlyConfig(vocab_size=30, d_model=16, d_ff=32, num_heads=2, num_layers=1, max_length=16)
    model = build_model(config).double().eval()
    rows = [(list(range(start, start + 8)), list(range(start + 2, start + 10))) for start in range(10, 14)]
    batch = Masking(share=0.3, vocab_size=30, first_piece=10, seed=1)(Batch.from_pairs(rows), Position(1, 0))
    found = []
    for loss in (MaskedTokens()(model, batch), cross_entropy_sum(model(batch.source), batch.target_out)):
        found.append((loss.detach(), *torch.autograd.grad(loss, list(model.parameters()), materialize_grads=True)))
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.slow
def test_an_encoder_learns_to_guess_hidden_tokens():
    """Rows that count upwards: a hidden token follows from its neighbours."""
    torch.manual_seed(1)
    config = EncoderOnlyConfig(
        vocab_size=30, d_model=32, d_ff=64, num_heads=4, num_layers=2, max_length=16, dropout=0.0,
        attention_dropout=0.0,
    )  # fmt: skip
    model = build_model(config)
    optimizer = build_optimizer(model, TrainingConfig())
    masking = Masking(share=0.15, vocab_size=30, first_piece=10, seed=1)
    rows = [(list(range(start, start + 8)), list(range(start + 2, start + 10))) for start in range(10, 20)] * 4

    def batch(number):
        return masking(Batch.from_pairs(rows), Position(1, number))

    untrained = masked_accuracy(model.eval(), [batch(1000)])
    for step in range(1, 301):
        train_step(model.train(), optimizer, [batch(step)], 2e-3, MaskedTokens())
    model.eval()
    assert masked_accuracy(model, [batch(1000), batch(1001)]) > 0.9 > 0.3 > untrained
    assert mean_loss(model, [batch(1000)], MaskedTokens()) < 0.6


def test_halves_give_the_same_update(model):
    batch = Batch.from_pairs(PAIRS)
    after = []
    for batches in ([batch], batch.halves()):
        copied = copy.deepcopy(model)
        train_step(copied, torch.optim.SGD(copied.parameters(), lr=1.0), batches, 0.5)
        after.append(vector(copied))
    torch.testing.assert_close(after[0], after[1])
    assert [half.num_target_tokens for half in batch.halves()] == [7, 5]
    single = Batch.from_pairs(PAIRS[:1])
    assert [half.num_target_tokens for half in single.halves()] == [2]
