"""A training step in few programs: its gradients against autograd's of the written-out model, on any device; and on a
GPU each of Triton's programs against the written-out one.

Where there is no GPU the latter are skipped; `python -m pytest tests/engines` on a machine that has one runs them.
"""

from dataclasses import replace
from functools import partial

import hypothesis.strategies as st
import pytest
import torch
from hypothesis import given, settings

from attendo.data.batch import Batch
from attendo.engines.cuda.training import ends
from attendo.engines.cuda.training.fused import FusedRDrop, FusedTeacherForcing, fused_if_possible, in_half, is_plain
from attendo.engines.cuda.training.intervals import BatchIntervals, Intervals, places_within
from attendo.engines.cuda.training.programs import OnDevice
from attendo.engines.cuda.training.sublayers import (
    Around,
    AttentionCopies,
    CrossAttentionPass,
    FeedForwardCopies,
    FeedForwardPass,
    SelfAttentionPass,
)
from attendo.engines.cuda.training.written_out import WrittenOut, dropped, kept
from attendo.model import masks
from attendo.model.build import build_model
from attendo.model.config import TransformerConfig, in_family
from attendo.model.positions import positions_within
from attendo.model.presets import preset
from attendo.training.config import TrainingConfig
from attendo.training.device import Machine
from attendo.training.graphed import GraphedStep
from attendo.training.objective import RDrop, TeacherForcing
from attendo.training.optimizer import build_optimizer
from attendo.training.step import train_step
from tests.engines.same_dropout import dropping_again

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
CUDA = torch.device("cuda")
ON_A_GPU = Machine(CUDA, torch.bfloat16, compiled=True, threads=1, packed=True)
CONFIG = TransformerConfig(
    vocab_size=48, d_model=32, d_ff=48, num_heads=2, encoder_layers=2, decoder_layers=2, dropout=0.0
)


def packed_batch(seed=1, rows=3, width=24, vocab=48, most=7):
    """Rows of three pairs each, and one of none at all; the two sides of different widths."""
    rng = torch.Generator().manual_seed(seed)
    sides = {}
    for side, room in (("source", width), ("target", width + 4)):
        tokens, numbers = torch.zeros(rows, room, dtype=torch.long), torch.zeros(rows, room, dtype=torch.int32)
        for row in range(rows - 1):  # the last stays empty
            at = 0
            for number in range(1, 4):
                length = int(torch.randint(1, most, (), generator=rng))
                tokens[row, at : at + length] = torch.randint(4, vocab, (length,), generator=rng)
                numbers[row, at : at + length] = number
                at += length
        sides[side] = tokens, numbers
    (source, of_source), (target, of_target) = sides["source"], sides["target"]
    return Batch(source, target.roll(1, 1) * (target != 0), target, int((target != 0).sum()), (of_source, of_target))


def padded_batch():
    return Batch.from_pairs([([5, 6, 7, 8, 9], [10, 11]), ([12], [13, 14, 15, 16]), ([17, 18], [19])])


def gradients(objective, model, batch):
    model.zero_grad()
    loss = objective(model, batch)
    loss.backward()
    return loss.detach(), {name: weight.grad.clone() for name, weight in model.named_parameters()}


@pytest.mark.parametrize("batch", [packed_batch(), padded_batch()], ids=["packed", "one pair a row"])
@pytest.mark.parametrize("changed", [{}, {"tied_output": False}, {"num_heads": 1, "decoder_layers": 1}], ids=str)
@pytest.mark.parametrize("order", ["post", "pre"])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_loss_and_gradients_are_those_of_the_written_out_model(monkeypatch, batch, changed, order, smoothing):
    monkeypatch.setattr(ends, "CHUNK", 48 * 13)  # several chunks, the last one smaller
    torch.manual_seed(1)
    model = build_model(replace(CONFIG, norm_order=order, **changed)).double()
    for weight in model.parameters():
        torch.nn.init.normal_(weight, std=0.3)  # biases and gains that are not 0 and 1
    expected, expected_gradients = gradients(TeacherForcing(smoothing), model, batch)
    loss, found = gradients(FusedTeacherForcing(smoothing, torch.float64, WrittenOut()), model, batch)
    torch.testing.assert_close(loss, expected)
    for name, gradient in expected_gradients.items():
        torch.testing.assert_close(found[name], gradient, atol=1e-9, rtol=1e-7, msg=lambda text, name=name: name + text)


class Recording(WrittenOut):
    """Keeps by what it multiplies where it drops on its way forward."""

    def __init__(self):
        self.factors = []

    def note(self, like, seed, dropout):
        if dropout:
            self.factors.append(dropped(torch.ones_like(like), seed, dropout))

    def embed(self, table, tokens, positions, places, factor, seed, dropout, dtype):
        self.note(table[tokens], seed, dropout)
        return super().embed(table, tokens, positions, places, factor, seed, dropout, dtype)

    def residual_norm(self, x, y, bias, gain, offset, eps, seed, dropout):
        self.note(y, seed, dropout)
        return super().residual_norm(x, y, bias, gain, offset, eps, seed, dropout)


@pytest.mark.parametrize(
    ("fused", "written_out"),
    [(FusedTeacherForcing, TeacherForcing), (partial(FusedRDrop, 5.0), partial(RDrop, 5.0))],
    ids=["teacher forcing", "R-Drop"],
)
@pytest.mark.parametrize("order", ["post", "pre"])
def test_it_drops_where_the_written_out_model_does(order, fused, written_out, monkeypatch):
    """Each dropout by a seed of its own, on the embeddings and on what every sublayer says; none when it is tested.

    R-Drop's two copies meet different ones, or there would be nothing for them to agree on.
    """
    monkeypatch.setattr(ends, "CHUNK", 48 * 5)  # several chunks, the last one smaller
    torch.manual_seed(1)
    model = build_model(replace(CONFIG, dropout=0.3, norm_order=order)).double()
    batch, programs = Batch.from_pairs([([5, 6], [10, 11, 12]), ([7, 8], [13, 14])]), Recording()
    objective = fused(0.1, torch.float64, programs)
    loss, found = gradients(objective, model, batch)
    assert len(programs.factors) == 2 + 2 * 2 + 2 * 3
    with dropping_again(programs.factors, monkeypatch):
        expected, wanted = gradients(written_out(0.1), model, batch)
    torch.testing.assert_close(loss, expected)
    for name, gradient in wanted.items():
        torch.testing.assert_close(found[name], gradient, atol=1e-9, rtol=1e-7, msg=lambda text, name=name: name + text)
    with torch.no_grad():
        torch.testing.assert_close(objective(model.eval(), batch), TeacherForcing(0.1)(model, batch))


@pytest.mark.parametrize("order", ["post", "pre"])
def test_gradients_with_dropout_are_those_of_the_same_dropout(order):
    """By finite differences: forward and backward must drop the same numbers."""
    torch.manual_seed(1)
    sees = Intervals.between(torch.tensor([[1, 1, 2, 2, 2, 0]]), torch.tensor([[1, 2, 2, 0]]))
    own = Intervals.between(*2 * (torch.tensor([[1, 1, 2, 2, 2, 0]]),)).causal()
    around = Around(WrittenOut(), 1e-5, 0.4, torch.tensor([77, -5, 0, 0], dtype=torch.int32))
    rand = partial(torch.randn, dtype=torch.float64, requires_grad=True)
    square, bias = [(8, 8)] * 3, [(8,)] * 3
    rest = [rand(*size) for size in [*square, *bias, (8, 8), (8,), (8,), (8,)]]

    def look(sees, weights):
        joined, joined_bias = torch.cat(weights[:3]).detach(), torch.cat(weights[3:6]).detach()
        return AttentionCopies(sees, 2, joined, joined_bias, weights[6].detach())

    def itself(x, stream, *weights):
        return SelfAttentionPass.apply(x, stream, look(own, weights), around, *weights)

    def memory(x, stream, memory, *weights):
        return CrossAttentionPass.apply(x, stream, memory, look(sees, weights), around, *weights)

    def think(x, stream, w_1, b_1, w_2, b_2, gain, offset):
        given = FeedForwardCopies(w_1.detach(), b_1.detach(), w_2.detach())
        return FeedForwardPass.apply(x, stream, given, around, w_1, b_1, w_2, b_2, gain, offset)

    before = rand(6, 8), rand(6, 8) if order == "pre" else None
    assert torch.autograd.gradcheck(itself, (*before, *rest))
    assert torch.autograd.gradcheck(memory, (*before, rand(4, 8), *rest))
    assert torch.autograd.gradcheck(
        think, (*before, rand(5, 8), rand(5), rand(8, 5), rand(8), rand(8), rand(8)), eps=1e-7, atol=1e-4
    )


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 4), st.integers(2, 9))
def test_intervals_are_the_masks(seed, rows, most):
    batch = packed_batch(seed, rows, 3 * most, most=most)
    source, target = batch.segments
    found = BatchIntervals.of(batch)
    width = target.shape[1]
    causal = masks.same_segment(target, target) & masks.causal(width, width)
    for intervals, queries, keys, mask in (
        (found.source, source, source, masks.same_segment(source, source)),
        (found.cross, target, source, masks.same_segment(target, source)),
        (found.target, target, target, causal),
    ):
        real = (queries != 0)[:, :, None] & (keys != 0)[:, None]  # padding sees padding there, and nothing here
        wanted = torch.block_diag(*(mask[:, 0] & real).unbind())
        places = torch.arange(wanted.shape[1]), torch.arange(wanted.shape[0])
        sees = (places[0] >= intervals.first[:, None]) & (places[0] < intervals.before[:, None])
        seen_by = (places[1] >= intervals.first_query[:, None]) & (places[1] < intervals.before_query[:, None])
        assert torch.equal(sees, wanted.bool())
        assert not (wanted.bool() & ~seen_by.t()).any()  # it may name more queries: each asks for itself
    real = source.flatten() != 0
    assert torch.equal(found.source_places[real], positions_within(source).flatten()[real].int())
    assert not places_within(Intervals.between(source, source))[~real].any()


def test_dropout_drops_its_share_and_by_no_pattern():
    index = torch.arange(1 << 18)
    one, other = (kept(index, torch.tensor(seed), 0.3).double() for seed in ([12345, 678, 0, 0], [12346, 678, 0, 0]))
    error = (0.3 * 0.7 / len(index)) ** 0.5
    assert abs(one.mean() - 0.7) < 4 * error
    for lag in (1, 2, 32, 512, 1024):  # neighbours, and neighbours in the next row
        together = ((one[:-lag] - 0.7) * (one[lag:] - 0.7)).mean() / (0.3 * 0.7)
        assert abs(together) < 4 / len(index) ** 0.5, lag
    apart = ((one - 0.7) * (other - 0.7)).mean() / (0.3 * 0.7)
    assert abs(apart) < 4 / len(index) ** 0.5
    by_column = one.view(-1, 512).mean(0)
    assert by_column.std() < 1.3 * (0.3 * 0.7 / 512) ** 0.5


def test_copies_for_products_are_the_weights():
    model = build_model(CONFIG)
    halves = in_half(model, torch.bfloat16)
    attention = model.encoder.layers[1].self_attention
    joined = torch.cat([part.weight for part in (attention.query, attention.key, attention.value)])
    assert torch.equal(halves[attention.query.weight], joined.bfloat16())
    assert torch.equal(halves[model.output.weight], model.output.weight.bfloat16())


def test_only_what_the_programs_compute_is_given_to_them():
    base, training = preset("base", 32_000), TrainingConfig()
    chosen = fused_if_possible(ON_A_GPU, base, training)
    assert chosen.step == "fused"
    assert not chosen.compiled
    here = replace(ON_A_GPU, device=torch.device("cpu"))
    for step in ("lean", "fused"):  # checkpoints know one word for both
        assert replace(here, step=step).to_dict() == here.to_dict() | {"fused": "yes"}
    others = [
        {"norm": "rms"}, {"activation": "gelu"}, {"positions": "learned"}, {"bias": False},
        {"attention_dropout": 0.1}, {"activation_dropout": 0.1}, {"compatibility": "additive"},
        {"num_heads": 64}, {"vocab_size": 32_001},
        {"shared_embedding": False}, {"output_bias": True},
    ]  # fmt: skip
    for other in others:
        assert not is_plain(replace(base, **other)), other
    assert not is_plain(in_family(base, "non-autoregressive"))
    assert all(is_plain(preset(name, 8_000)) for name in ("tiny", "small", "base", "big", "deep-shallow", "multi30k"))
    for machine in (
        replace(ON_A_GPU, precision=torch.float32), replace(ON_A_GPU, compiled=False),
        replace(ON_A_GPU, device=torch.device("cpu")),
    ):  # fmt: skip
        assert fused_if_possible(machine, base, training) is machine
    assert fused_if_possible(ON_A_GPU, base, TrainingConfig(r_drop=5.0, tokens_per_batch=60_000)).step == "fused"
    too_many = {"r_drop": 5.0, "tokens_per_batch": 70_000}  # of each of the two copies
    for other in (too_many, {"compile": "on"}, {"compile": "off"}, {"tokens_per_batch": 300_000}):
        assert fused_if_possible(ON_A_GPU, base, TrainingConfig(**other)) is ON_A_GPU


# --- on a GPU


def randn(*shape, dtype=torch.float32):
    return torch.randn(*shape, device=CUDA, dtype=dtype)


def seed_of(*numbers):
    return torch.tensor([*numbers, 0, 0], dtype=torch.int32, device=CUDA)


@needs_gpu
@pytest.mark.parametrize(("heads", "head_dim"), [(4, 16), (2, 32), (8, 64), (2, 128)])
@pytest.mark.parametrize("kind", ["source", "target", "cross"])
def test_attention(heads, head_dim, kind):
    torch.manual_seed(1)
    batch = packed_batch(2, rows=9, width=150, most=50).to(CUDA)
    sees = getattr(BatchIntervals.of(batch), kind)
    width = heads * head_dim
    q, both = randn(len(sees.first), 3 * width)[:, :width], randn(len(sees.first_query), 2 * width)
    k, v = both.chunk(2, 1)
    d_out = randn(len(q), width)
    found = [torch.full_like(each, torch.nan) for each in (q, k, v)]
    wanted = [torch.empty_like(each) for each in (q, k, v)]
    out, logs = OnDevice().attend(q, k, v, sees, heads)
    sums = OnDevice().attend_gradient(d_out, q, k, v, out, logs, sees, heads, tuple(found))
    expected, other_logs = WrittenOut().attend(q, k, v, sees, heads)
    other_sums = WrittenOut().attend_gradient(d_out, q, k, v, expected, other_logs, sees, heads, tuple(wanted))
    for one, other in zip((out, *found, *sums), (expected, *wanted, *other_sums), strict=True):
        torch.testing.assert_close(one, other, atol=2e-4, rtol=2e-4)


@needs_gpu
@pytest.mark.parametrize(("rows", "width"), [(1, 8), (1_001, 512), (3_000, 1_024), (77, 1_000)])
@pytest.mark.parametrize("dropout", [0.0, 0.3])
def test_residual_norm(rows, width, dropout):
    torch.manual_seed(1)
    x, y, d_normed = randn(rows, width), randn(rows, width), randn(rows, width)
    bias, gain, offset = randn(3, width)
    around = 1e-5, seed_of(-3, 2**31 - 1), dropout
    for one, other in zip(
        OnDevice().residual_norm(x, y, bias, gain, offset, *around),
        WrittenOut().residual_norm(x, y, bias, gain, offset, *around), strict=True,
    ):  # fmt: skip
        torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-5)
    total = randn(rows, width)
    for d_total in (None, randn(rows, width)):
        for one, other in zip(
            OnDevice().residual_norm_gradient(d_normed, d_total, total, gain, *around),
            WrittenOut().residual_norm_gradient(d_normed, d_total, total, gain, *around), strict=True,
        ):  # fmt: skip
            torch.testing.assert_close(one, other, atol=1e-3, rtol=1e-4)


@needs_gpu
@pytest.mark.parametrize(("rows", "vocabulary"), [(5, 40), (300, 32_000), (7, 32_768), (64, 50_001)])
def test_cross_entropy(rows, vocabulary):
    torch.manual_seed(1)
    logits = 3 * randn(rows, vocabulary)
    targets = torch.randint(0, vocabulary, (rows,), device=CUDA)
    targets[0], targets[-1] = 0, vocabulary - 1
    one, other = logits.clone(), logits.clone()
    losses = OnDevice().cross_entropy_(one, targets, 0.1, 0)
    torch.testing.assert_close(losses, WrittenOut().cross_entropy_(other, targets, 0.1, 0), atol=1e-4, rtol=1e-5)
    torch.testing.assert_close(one, other, atol=1e-6, rtol=1e-4)


@needs_gpu
@pytest.mark.parametrize(("rows", "vocabulary"), [(5, 40), (300, 8_000), (7, 8_192), (64, 50_001)])
def test_agreement(rows, vocabulary):
    torch.manual_seed(1)
    targets = torch.randint(0, vocabulary, (rows,), device=CUDA)
    targets[0], targets[-1] = 0, vocabulary - 1
    one = 3 * randn(2 * rows, vocabulary)
    other = one.clone()
    losses = OnDevice().agreement_(*one.chunk(2), targets, 0.1, 5.0, 0)
    wanted = WrittenOut().agreement_(*other.chunk(2), targets, 0.1, 5.0, 0)
    torch.testing.assert_close(losses, wanted, atol=1e-3, rtol=1e-5)
    torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-4)


@needs_gpu
@pytest.mark.parametrize("dropout", [0.0, 0.2])
def test_both_ends_and_the_middle(dropout):
    torch.manual_seed(1)
    table, positions = randn(300, 96), randn(20, 96)
    tokens = torch.randint(0, 300, (1_111,), device=CUDA)
    places = torch.randint(0, 20, (1_111,), device=CUDA, dtype=torch.int32)
    how = 9.5, seed_of(4, 5), dropout
    found, wanted = (
        each.embed(table, tokens, positions, places, *how, torch.float32) for each in (OnDevice(), WrittenOut())
    )
    torch.testing.assert_close(found, wanted)
    g = randn(1_111, 96)
    found, wanted = (each.embed_gradient(g, tokens, 300, *how) for each in (OnDevice(), WrittenOut()))
    torch.testing.assert_close(found, wanted, atol=1e-4, rtol=1e-4)
    activated, one = randn(1_111, 300).relu(), randn(1_111, 300)
    other = one.clone()
    sums, other_sums = OnDevice().relu_gradient_(one, activated), WrittenOut().relu_gradient_(other, activated)
    assert torch.equal(one, other)
    torch.testing.assert_close(sums, other_sums, atol=1e-4, rtol=1e-4)


def small_model(dropout=0.1, order="post"):
    torch.manual_seed(1)
    config = replace(CONFIG, d_model=128, d_ff=256, num_heads=2, dropout=dropout, norm_order=order)
    return build_model(config).to(CUDA).train()


@needs_gpu
@pytest.mark.parametrize("order", ["post", "pre"])
def test_gradients_in_bfloat16_are_near_those_in_float32(order):
    model, batch = small_model(0.0, order), packed_batch(3, rows=40, width=120, most=40).to(CUDA)
    expected, wanted = gradients(TeacherForcing(0.1), model, batch)
    loss, found = gradients(FusedTeacherForcing(0.1), model, batch)
    assert abs(loss / expected - 1) < 1e-3
    for name, gradient in wanted.items():
        if not name.endswith("key.bias"):  # which is 0 but for rounding: a softmax does not see it
            assert (found[name] - gradient).norm() < 0.06 * gradient.norm(), name


def weights_after(step, batches, order, objective):
    model = small_model(order=order)
    torch.manual_seed(2)
    optimizer = build_optimizer(model, TrainingConfig())
    losses = [step(model, optimizer, [batch], 1e-3, objective).loss.item() for batch in batches]
    return losses, [weight.detach().clone() for weight in model.parameters()]


@needs_gpu
@pytest.mark.parametrize("objective", [FusedTeacherForcing(0.1), FusedRDrop(5.0, 0.1)], ids=["one copy", "R-Drop"])
@pytest.mark.parametrize("order", ["post", "pre"])
def test_two_runs_are_equal_to_the_last_bit_and_so_is_a_recorded_one(order, objective):
    batches = [packed_batch(seed, rows=32, width=120, most=40).to(CUDA) for seed in range(12)]

    def tensor_rate(model, optimizer, micro_batches, rate, objective):
        return train_step(model, optimizer, micro_batches, torch.full((), rate, device=CUDA), objective)

    runs = [weights_after(step, batches, order, objective) for step in (tensor_rate, tensor_rate, GraphedStep())]
    for losses, weights in runs[1:]:
        assert losses == runs[0][0]
        assert all(torch.equal(one, other) for one, other in zip(weights, runs[0][1], strict=True))
    assert runs[0][0][-1] < runs[0][0][0]
