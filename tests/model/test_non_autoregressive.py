"""The translator that says all words at once: who sees whom, padding, and another model with the same weights."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional as F

from attendo.errors import InputError
from attendo.model.config import FURTHEST, NUM_LENGTHS, NonAutoregressiveConfig
from attendo.model.non_autoregressive import NonAutoregressive, length_class
from attendo.model.record import AttentionRecord
from attendo.model.transformer import Transformer
from attendo.special_tokens import MASK, SPECIAL
from tests.model.test_layers_against_torch import copy_attention, copy_rest
from tests.reference.same import random_gains

VOCAB, D_MODEL, HEADS, D_FF, ENCODER_LAYERS, DECODER_LAYERS = 17, 16, 2, 24, 2, 3
SIZES = {
    "vocab_size": VOCAB, "d_model": D_MODEL, "d_ff": D_FF, "num_heads": HEADS, "dropout": 0.0,
    "encoder_layers": ENCODER_LAYERS, "decoder_layers": DECODER_LAYERS,
}  # fmt: skip
SOURCE = torch.tensor([[5, 6, 7, 8, 2], [9, 10, 2, 0, 0]])
TARGET = torch.tensor([[11, MASK, 13, 2, 0, 0], [MASK, MASK, MASK, 8, 9, 2]])


def model_of(**changes):
    torch.manual_seed(0)
    model = NonAutoregressive(NonAutoregressiveConfig(**{**SIZES, **changes})).double().eval()
    for parameter in model.parameters():  # large enough that any influence shows
        torch.nn.init.normal_(parameter, std=0.4)
    return model


KINDS = {
    "post": {}, "pre, learned": {"norm_order": "pre", "positions": "learned", "max_length": 16},
    "rotary, rms, untied": {"positions": "rotary", "norm": "rms", "tied_output": False},
}  # fmt: skip
every_kind = pytest.mark.parametrize("kind", KINDS)


@every_kind
@torch.no_grad()
def test_every_position_sees_every_other(kind):
    model = model_of(**KINDS[kind])
    before, _ = model(SOURCE, TARGET)
    for position in range(6):
        changed = TARGET.clone()
        changed[1, position] = 15
        after, _ = model(SOURCE, changed)
        assert ((after - before)[1].abs().amax(-1) > 1e-6).all(), f"position {position} is not seen everywhere"
        assert torch.equal(after[0], before[0]), "but by its own sentence alone"


@torch.no_grad()
def test_the_same_parts_with_a_causal_mask_do_not():
    """The guard of the test above."""
    model = model_of()
    changed = TARGET.clone()
    changed[1, 5] = 15
    assert isinstance(model.parts, Transformer)
    assert torch.equal(model.parts(SOURCE, changed)[:, :5], model.parts(SOURCE, TARGET)[:, :5])


tokens = st.lists(st.integers(3, VOCAB - 1), min_size=1, max_size=6)


@every_kind
@settings(max_examples=15, deadline=None)
@given(pairs=st.lists(st.tuples(tokens, tokens), min_size=1, max_size=4), extra=st.integers(0, 3))
def test_padding_changes_nothing(kind, pairs, extra):
    model = model_of(**KINDS[kind])

    def sheet(rows):
        width = max(map(len, rows)) + 1 + extra
        return torch.tensor([[*row, 2, *[0] * (width - len(row) - 1)] for row in rows])

    with torch.no_grad():
        together, lengths = model(*map(sheet, zip(*pairs, strict=True)))
        for row, (source, target) in enumerate(pairs):
            alone, length = model(torch.tensor([[*source, 2]]), torch.tensor([[*target, 2]]))
            torch.testing.assert_close(together[row, : len(target) + 1], alone[0], atol=1e-10, rtol=1e-10)
            torch.testing.assert_close(lengths[row], length[0], atol=1e-10, rtol=1e-10)


class Written(torch.nn.Module):
    """The same model out of torch.nn's own layers, with what lies between written in the plainest way."""

    def __init__(self, norm_order):
        super().__init__()
        how = {"batch_first": True, "norm_first": norm_order == "pre", "dropout": 0.0, "dtype": torch.float64}
        last = [torch.nn.LayerNorm(D_MODEL, dtype=torch.float64) if norm_order == "pre" else None for _ in range(2)]
        self.encoder = torch.nn.TransformerEncoder(
            torch.nn.TransformerEncoderLayer(D_MODEL, HEADS, D_FF, **how), ENCODER_LAYERS, last[0],
            enable_nested_tensor=False,
        )  # fmt: skip
        self.decoder = torch.nn.TransformerDecoder(
            torch.nn.TransformerDecoderLayer(D_MODEL, HEADS, D_FF, **how), DECODER_LAYERS, last[1]
        )
        self.table = torch.nn.Parameter(torch.randn(VOCAB, D_MODEL, dtype=torch.float64))
        self.length = torch.nn.Linear(D_MODEL, NUM_LENGTHS, dtype=torch.float64)

    def embed(self, ids):
        x = self.table[ids] * math.sqrt(D_MODEL)
        encoding = torch.zeros(ids.shape[1], D_MODEL, dtype=torch.float64)
        for position in range(ids.shape[1]):
            for i in range(0, D_MODEL, 2):
                angle = position / 10_000 ** (i / D_MODEL)
                encoding[position, i], encoding[position, i + 1] = math.sin(angle), math.cos(angle)
        return x + encoding

    def forward(self, source, target):
        memory = self.encoder(self.embed(source), src_key_padding_mask=source == 0)
        x = self.decoder(
            self.embed(target), memory, tgt_key_padding_mask=target == 0, memory_key_padding_mask=source == 0
        )
        means = [states[: (ids != 0).sum()].mean(0) for states, ids in zip(memory, source, strict=True)]
        return F.linear(x, self.table), self.length(torch.stack(means))


@pytest.mark.parametrize("norm_order", ["post", "pre"])
def test_an_independent_model_with_the_same_weights(norm_order):
    torch.manual_seed(1)
    theirs, ours = Written(norm_order), model_of(norm_order=norm_order).train()
    for parameter in theirs.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    random_gains(theirs)
    parts = ours.parts
    with torch.no_grad():
        parts.embedding.weight.copy_(theirs.table)
        ours.length.load_state_dict(theirs.length.state_dict())
        for mine, other in zip(parts.encoder.layers, theirs.encoder.layers, strict=True):
            copy_attention(mine.self_attention, other.self_attn)
            copy_rest(mine, other, [(mine.around_self_attention, other.norm1), (mine.around_feed_forward, other.norm2)])
        for mine, other in zip(parts.decoder.layers, theirs.decoder.layers, strict=True):
            copy_attention(mine.self_attention, other.self_attn)
            copy_attention(mine.cross_attention, other.multihead_attn)
            around = (mine.around_self_attention, mine.around_cross_attention, mine.around_feed_forward)
            copy_rest(mine, other, list(zip(around, (other.norm1, other.norm2, other.norm3), strict=True)))
        if norm_order == "pre":
            for mine, other in ((parts.encoder, theirs.encoder), (parts.decoder, theirs.decoder)):
                mine.norm.gain.copy_(other.norm.weight)
                mine.norm.bias.copy_(other.norm.bias)

    real = TARGET != 0  # what stands behind a sentence means nothing, and may differ
    gradients = []
    for model, read in (
        (ours, (parts.embedding.weight, ours.length.weight)),
        (theirs, (theirs.table, theirs.length.weight)),
    ):
        logits, lengths = model(SOURCE, TARGET)
        loss = logits[real].square().sum() + lengths.square().sum()
        gradients.append([logits[real], lengths, *torch.autograd.grad(loss, read)])
    for mine, other in zip(*gradients, strict=True):
        torch.testing.assert_close(mine, other, atol=1e-9, rtol=1e-10)
        assert other.abs().max() > 0


@torch.no_grad()
def test_rows_of_one_source_share_its_memory_and_later_passes_its_keys():
    model = model_of()
    first = torch.tensor([[MASK, MASK, 2], [11, MASK, 2], [MASK, 12, 2], [13, 14, 2]])  # two rows for each source
    second = first.flip(1)
    read = model.read(SOURCE)
    for target in (first, second):
        expected, _ = model(SOURCE.repeat_interleave(2, 0), target)
        torch.testing.assert_close(model.guess(target, read), expected, atol=1e-10, rtol=1e-10)


@torch.no_grad()
def test_the_record_shows_attention_in_both_directions():
    record = AttentionRecord()
    logits, lengths = model_of()(SOURCE, TARGET, record)
    assert (logits.shape, lengths.shape) == ((2, 6, VOCAB), (2, NUM_LENGTHS))
    assert [tuple(w.shape) for w in record.encoder_self] == [(2, HEADS, 5, 5)] * ENCODER_LAYERS
    assert [tuple(w.shape) for w in record.cross] == [(2, HEADS, 6, 5)] * DECODER_LAYERS
    for weights in record.decoder_self:
        assert (weights[1] > 0).all()
        assert (weights[0, :, :, 4:] == 0).all(), "padding is never looked at"


def test_lengths_are_classes_and_back():
    target = torch.tensor([[4, 5, 6, 7, 8, 2], [4, 2, 0, 0, 0, 0]])
    assert length_class(SOURCE, target).tolist() == [FURTHEST + 1, FURTHEST - 1]
    model = model_of()
    read = model.read(SOURCE)
    assert model.lengths_of(length_class(SOURCE, target)[:, None], read).tolist() == [[6], [2]]
    long = torch.full((1, 80), 5)
    short = torch.tensor([[SPECIAL.eos]])
    assert length_class(short, long).tolist() == [NUM_LENGTHS - 1]
    assert length_class(long, short).tolist() == [0]
    shortest, furthest = torch.tensor([[0], [0]]), torch.tensor([[NUM_LENGTHS - 1]] * 2)
    assert model.lengths_of(shortest, read).tolist() == [[2], [2]], "a word and </s> at least"
    assert model.lengths_of(furthest, read).tolist() == [[5 + FURTHEST], [3 + FURTHEST]]
    learned = model_of(positions="learned", max_length=16)
    assert learned.lengths_of(furthest, read).tolist() == [[16], [16]], "there is no position for more"


def test_one_source_for_each_target():
    with pytest.raises(InputError, match="a source for each target"):
        model_of()(SOURCE[:1], TARGET)


def test_the_length_is_learned_by_the_encoder_too():
    model = model_of().train()
    _, lengths = model(SOURCE, TARGET)
    lengths.square().sum().backward()
    assert model.parts.encoder.layers[0].self_attention.query.weight.grad.abs().max() > 0
    assert model.parts.decoder.layers[0].feed_forward.inner.weight.grad is None
