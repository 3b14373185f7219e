"""A training step on a CPU with fewer detours: its loss and gradients against autograd's of the written-out model."""

import math
from copy import deepcopy
from dataclasses import replace

import hypothesis.strategies as st
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from torch.nn import functional as F

from attendo.data.batch import Batch
from attendo.engines.cpu import loss
from attendo.engines.cpu.dropout import FewBits
from attendo.engines.cpu.lines import Line
from attendo.engines.cpu.loss import LeanLoss, cross_entropy_
from attendo.engines.cpu.residual import ResidualNorm
from attendo.engines.cpu.training import LeanTeacherForcing, lean_if_possible
from attendo.engines.cuda.training.fused import FusedRDrop, FusedTeacherForcing
from attendo.model.build import build_model
from attendo.model.config import TransformerConfig, in_family
from attendo.model.presets import preset
from attendo.runs.build_trainer import objective_of
from attendo.training.config import TrainingConfig
from attendo.training.device import Machine
from attendo.training.objective import RDrop, TeacherForcing
from attendo.training.optimizer import build_optimizer
from attendo.training.step import train_step
from tests.engines.same_dropout import dropping_again

CPU = Machine(torch.device("cpu"), torch.float32, compiled=False, threads=1, packed=False)
CONFIG = TransformerConfig(
    vocab_size=46, d_model=24, d_ff=40, num_heads=2, encoder_layers=2, decoder_layers=2, dropout=0.0
)
PADDED = [([5, 6, 7, 8, 9], [10, 11]), ([12], [13, 14, 15, 16]), ([17, 18], [19])]
ALIKE = [([5, 6], [10, 11, 12]), ([7, 8], [13, 14, 15])]


def packed():
    """Two pairs in the first row, one in the second, and padding after both."""
    source, target = torch.tensor([[5, 2, 6, 7, 2, 0], [8, 9, 2, 0, 0, 0]]), torch.tensor([[4, 2, 5, 2], [6, 7, 2, 0]])
    of_source = torch.tensor([[1, 1, 2, 2, 2, 0], [1, 1, 1, 0, 0, 0]])
    of_target = torch.tensor([[1, 1, 2, 2], [1, 1, 1, 0]])
    target_in = torch.tensor([[1, 4, 1, 5], [1, 6, 7, 0]])
    return Batch(source, target_in, target, 7, (of_source, of_target))


BATCHES = {"padded": Batch.from_pairs(PADDED), "alike": Batch.from_pairs(ALIKE), "packed": packed()}


def gradients(objective, model, batch):
    model.zero_grad()
    total = objective(model, batch)
    (total / 3).backward()
    return total.detach(), {name: weight.grad.clone() for name, weight in model.named_parameters()}


def model_of(dtype=torch.float64, **changed):
    torch.manual_seed(1)
    model = build_model(replace(CONFIG, **changed)).to(dtype)
    for weight in model.parameters():
        torch.nn.init.normal_(weight, std=0.3)  # biases and gains that are not 0 and 1
    return model


def in_chunks(monkeypatch, tokens):
    """Several, the last one smaller."""
    monkeypatch.setattr(loss, "AT_ONCE", 1)
    monkeypatch.setattr(loss, "FEWEST_TOKENS", tokens)


@pytest.mark.parametrize("batch", BATCHES.values(), ids=BATCHES)
@pytest.mark.parametrize("changed", [{}, {"tied_output": False}, {"norm_order": "pre", "num_heads": 1}], ids=str)
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_loss_and_gradients_are_those_of_the_written_out_model(monkeypatch, batch, changed, smoothing):
    in_chunks(monkeypatch, 3)
    model = model_of(**changed)
    expected, wanted = gradients(TeacherForcing(smoothing), model, batch)
    found_loss, found = gradients(LeanTeacherForcing(smoothing, torch.float64), model, batch)
    torch.testing.assert_close(found_loss, expected)
    for name, gradient in wanted.items():
        torch.testing.assert_close(found[name], gradient, atol=1e-9, rtol=1e-7, msg=lambda text, name=name: name + text)


@pytest.mark.parametrize("order", ["post", "pre"])
def test_it_drops_where_the_written_out_model_does(order, monkeypatch):
    """Each dropout by factors of its own, on the embeddings and on what every sublayer says; none when it is tested."""
    recorded, factors = [], FewBits.factors
    monkeypatch.setattr(FewBits, "factors", lambda *given: recorded.append(factors(*given)) or recorded[-1])
    model, batch = model_of(dropout=0.3, norm_order=order), BATCHES["alike"]
    loss, found = gradients(LeanTeacherForcing(0.1, torch.float64), model, batch)
    assert len(recorded) == 2 + 2 * 2 + 2 * 3
    with dropping_again(recorded, monkeypatch):
        expected, wanted = gradients(TeacherForcing(0.1), model, batch)
    torch.testing.assert_close(loss, expected)
    for name, gradient in wanted.items():
        torch.testing.assert_close(found[name], gradient, atol=1e-9, rtol=1e-7, msg=lambda text, name=name: name + text)
    with torch.no_grad():
        tested = [
            objective(model.eval(), batch)
            for objective in (LeanTeacherForcing(0.1, torch.float64), TeacherForcing(0.1))
        ]
    torch.testing.assert_close(*tested)


def test_in_bfloat16_all_is_near(monkeypatch):
    in_chunks(monkeypatch, 4)
    torch.manual_seed(1)
    model, batch = build_model(replace(CONFIG, d_model=64, d_ff=128)), BATCHES["padded"]
    expected, wanted = gradients(TeacherForcing(0.1), model, batch)
    for dtype, limit in ((torch.float32, 1e-4), (torch.bfloat16, 0.15)):  # some ReLU turns over
        found_loss, found = gradients(LeanTeacherForcing(0.1, dtype), model, batch)
        assert abs(found_loss / expected - 1) < limit / 5
        for name, gradient in wanted.items():
            assert found[name].dtype == torch.float32
            if not name.endswith("key.bias"):  # which is 0 but for rounding: a softmax does not see it
                assert (found[name] - gradient).norm() < limit * gradient.norm(), name


@pytest.mark.parametrize("dropout", [0.0, 0.4])
def test_the_norm_drops_the_same_on_its_way_back(dropout):
    torch.manual_seed(1)
    x, y, gain, offset = (torch.randn(*size, dtype=torch.float64) for size in ((5, 8), (5, 8), (8,), (8,)))
    factors = FewBits().factors(x, dropout)
    inputs = [each.requires_grad_() for each in (x, y, gain, offset)]
    assert torch.autograd.gradcheck(lambda x, y, g, b: ResidualNorm.apply(x, y, factors, g, b, 1e-5), inputs)
    expected = F.layer_norm(x + (y if factors is None else y * factors), (8,), gain, offset, 1e-5)
    torch.testing.assert_close(ResidualNorm.apply(x, y, factors, gain, offset, 1e-5), expected)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 9), st.integers(2, 40), st.sampled_from([1.0, 30.0, 300.0]))
def test_cross_entropy_is_that_of_torch(seed, tokens, vocabulary, scale):
    """Of very unlikely tokens, too, whose probability is 0 in float32."""
    rng = torch.Generator().manual_seed(seed)
    logits = (scale * torch.randn(tokens, vocabulary, generator=rng)).requires_grad_()
    targets = torch.randint(0, vocabulary, (tokens,), generator=rng)
    for smoothing in (0.0, 0.1):
        logits.grad = None
        expected = F.cross_entropy(logits, targets, label_smoothing=smoothing, reduction="sum")
        expected.backward()
        changed = logits.detach().clone()
        torch.testing.assert_close(cross_entropy_(changed, targets, smoothing), expected.detach(), atol=1e-3, rtol=1e-5)
        torch.testing.assert_close(changed, logits.grad, atol=1e-5, rtol=1e-5)


def test_the_gradient_of_the_loss_is_that_of_finite_differences():
    torch.manual_seed(1)
    x, weight = torch.randn(5, 6, dtype=torch.float64), torch.randn(9, 6, dtype=torch.float64)
    targets = torch.tensor([0, 3, 8, 3, 1])
    inputs = x.requires_grad_(), weight.requires_grad_()
    assert torch.autograd.gradcheck(lambda x, w: LeanLoss.apply(x, w, targets, 0.1, torch.float64), inputs)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=5).filter(any))
def test_a_line_has_every_token_once_and_goes_back(lengths):
    grid = torch.zeros(len(lengths), max(lengths), dtype=torch.long)
    for row, length in enumerate(lengths):
        grid[row, :length] = torch.arange(100 * row + 4, 100 * row + 4 + length)
    line = Line.of(grid)
    assert line.tokens.tolist() == [token for row in grid.tolist() for token in row if token]
    assert line.places.tolist() == [place for length in lengths for place in range(length)]
    vectors = torch.randn(len(line.tokens), 3, dtype=torch.float64, requires_grad=True)
    spread = line.spread(vectors)
    assert torch.equal((spread != 0).any(-1), grid != 0)
    assert torch.equal(line.gather(spread), vectors)
    assert torch.autograd.gradcheck(line.spread, (vectors,))
    assert torch.autograd.gradcheck(line.gather, (spread.detach().requires_grad_(),))


def test_dropout_drops_its_share_and_by_no_pattern():
    torch.manual_seed(1)
    bits = FewBits()
    one, other = (bits.factors(torch.empty(513, 512), 0.3) for _ in range(2))  # a number of bits that is no multiple
    left = 1 - round(0.3 * 2**16) / 2**16
    assert set(one.unique().tolist()) == {0.0, np.float32(1 / left)}
    one, other = ((each.double() * left - left).flatten() for each in (one, other))
    spread, limit = 0.3 * 0.7, 4 / len(one) ** 0.5
    assert abs(one.mean()) < limit * spread**0.5
    for lag in (1, 2, 3, 4, 512, 1024):  # neighbours, those of one draw of 64 bits, and those in the next row
        assert abs((one[:-lag] * one[lag:]).mean() / spread) < limit, lag
    assert abs((one * other).mean() / spread) < limit
    assert bits.factors(torch.empty(4, 4), 0.0) is None


def test_the_largest_dropout_that_a_configuration_takes_leaves_something():
    torch.manual_seed(1)
    largest = math.nextafter(1.0, 0.0)
    factors = FewBits().factors(torch.empty(512, 512), replace(CONFIG, dropout=largest).dropout)
    assert set(factors.unique().tolist()) == {0.0, 2.0**16}
    total, _ = gradients(LeanTeacherForcing(0.1, torch.float64), model_of(dropout=largest), BATCHES["padded"])
    assert total.isfinite()


def weights_after(seed, state=None):
    """Eight steps with dropout, or the last four of them from the state after the first four."""
    model = model_of(torch.float32, dropout=0.2)
    optimizer = build_optimizer(model, TrainingConfig())
    torch.manual_seed(seed)
    batches, middle = [BATCHES["padded"], BATCHES["alike"]] * 4, None
    if state:
        model.load_state_dict(state[0])
        optimizer.load_state_dict(state[1])
        torch.set_rng_state(state[2])
        batches = batches[4:]
    for count, batch in enumerate(batches):
        if count == 4:
            middle = deepcopy((model.state_dict(), optimizer.state_dict(), torch.get_rng_state()))
        train_step(model.train(), optimizer, [batch], 1e-2, LeanTeacherForcing(0.1))
    return [weight.detach().clone() for weight in model.parameters()], middle


def test_two_runs_are_equal_to_the_last_bit_and_so_is_one_taken_up_again():
    first, middle = weights_after(3)
    again, _ = weights_after(3)
    resumed, _ = weights_after(99, middle)
    other, _ = weights_after(4)
    assert all(map(torch.equal, first, again))
    assert all(map(torch.equal, first, resumed))
    assert not all(map(torch.equal, first, other))  # another seed drops other numbers


def test_only_what_the_step_computes_is_given_to_it():
    tiny, training = preset("tiny", 8_001), TrainingConfig()
    assert lean_if_possible(CPU, tiny, training) == replace(CPU, step="lean")
    for other in ({"norm": "rms"}, {"activation": "gelu"}, {"attention_dropout": 0.1}, {"positions": "rotary"}):
        assert lean_if_possible(CPU, replace(tiny, **other), training) is CPU, other
    assert lean_if_possible(CPU, in_family(tiny, "non-autoregressive"), training) is CPU
    assert lean_if_possible(CPU, preset("lstm", 8_000), training) is CPU
    for settled in ({"r_drop": 5.0}, {"compile": "on"}, {"compile": "off"}, {"shard": True}):
        assert lean_if_possible(CPU, tiny, TrainingConfig(**settled)) is CPU, settled
    kinds = {"written-out": TeacherForcing, "lean": LeanTeacherForcing, "fused": FusedTeacherForcing}
    for step, kind in kinds.items():
        assert type(objective_of(training, tiny, replace(CPU, step=step))) is kind
    dropping = TrainingConfig(r_drop=5.0, label_smoothing=0.2)
    for step, kind in (("written-out", RDrop), ("fused", FusedRDrop)):
        chosen = objective_of(dropping, tiny, replace(CPU, step=step))
        assert (type(chosen), chosen.alpha, chosen.label_smoothing) == (kind, 5.0, 0.2)
    gpu = replace(CPU, device=torch.device("cuda"))
    assert lean_if_possible(gpu, tiny, training) is gpu
