"""What must hold for every model, whatever its sizes and inputs (hypothesis draws them)."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attendo.errors import InputError
from attendo.model.build import build_model
from attendo.model.config import DecoderOnlyConfig, EncoderOnlyConfig, RecurrentConfig, TransformerConfig, can_pack
from attendo.training.loss import cross_entropy_sum

VOCAB = 17
SIZES = {"vocab_size": VOCAB, "d_model": 16, "d_ff": 24, "num_heads": 2, "dropout": 0.0}

AUTOREGRESSIVE = {
    "transformer": TransformerConfig(**SIZES, encoder_layers=2, decoder_layers=2),
    "transformer, pre-norm, learned": TransformerConfig(
        **SIZES, encoder_layers=1, decoder_layers=2, norm_order="pre", positions="learned", max_length=64
    ),
    "transformer, rotary, rms, swiglu": TransformerConfig(
        **SIZES, encoder_layers=2, decoder_layers=1, positions="rotary", norm="rms", activation="swiglu", bias=False
    ),
    "transformer, no positions, untied": TransformerConfig(
        **SIZES, encoder_layers=1, decoder_layers=1, positions="none", tied_output=False
    ),
    "transformer, two tables, output bias": TransformerConfig(
        **SIZES, encoder_layers=1, decoder_layers=1, activation="swish", shared_embedding=False, output_bias=True
    ),
    "decoder-only": DecoderOnlyConfig(**SIZES, num_layers=2),
    "decoder-only, sinusoidal": DecoderOnlyConfig(**SIZES, num_layers=1, positions="sinusoidal", norm_order="post"),
    "transformer, additive": TransformerConfig(**SIZES, encoder_layers=1, decoder_layers=2, compatibility="additive"),
    "decoder-only, additive, multi-query": DecoderOnlyConfig(
        **SIZES, num_layers=1, num_kv_heads=1, compatibility="additive", positions="sinusoidal"
    ),
    "lstm, attention": RecurrentConfig(vocab_size=VOCAB, d_model=16, dropout=0.0),
    "lstm, no attention": RecurrentConfig(vocab_size=VOCAB, d_model=16, dropout=0.0, attention="none"),
    "gru, dot, fed": RecurrentConfig(
        vocab_size=VOCAB, d_model=16, dropout=0.0, cell="gru", attention="dot", input_feeding=True
    ),
    "rnn, general": RecurrentConfig(vocab_size=VOCAB, d_model=16, dropout=0.0, cell="rnn", attention="general"),
}
every_autoregressive_model = pytest.mark.parametrize("name", AUTOREGRESSIVE)
tokens = st.integers(3, VOCAB - 1)
sentences = st.lists(st.lists(tokens, min_size=1, max_size=7), min_size=1, max_size=4)
few = settings(max_examples=20, deadline=None)


def model_of(name):
    torch.manual_seed(0)
    model = build_model(AUTOREGRESSIVE[name]).double().eval()
    for parameter in model.parameters():  # large enough that any influence shows
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.4)
    return model


def batch(rows, ends_with=(), starts_with=(), width=None):
    """Rows of ids, padded to the longest or to a given width."""
    rows = [[*starts_with, *row, *ends_with] for row in rows]
    width = width or max(map(len, rows))
    return torch.tensor([row + [0] * (width - len(row)) for row in rows])


def pairs_of(data):
    sources = data.draw(sentences)
    targets = data.draw(
        st.lists(st.lists(tokens, min_size=1, max_size=6), min_size=len(sources), max_size=len(sources))
    )
    return batch(sources, ends_with=[2]), batch(targets, starts_with=[1])


@every_autoregressive_model
@few
@given(data=st.data())
def test_decoding_with_the_cache_equals_the_teacher_forced_pass(name, data):
    model = model_of(name)
    source, target_in = pairs_of(data)
    with torch.inference_mode():
        expected = model(source, target_in)
        state = model.start_decoding(source)
        position = 0
        while position < target_in.shape[1]:
            count = data.draw(st.integers(1, 3)) if data.draw(st.booleans()) else 1
            tokens_now = target_in[:, position : position + count]
            position += tokens_now.shape[1]
            logits = model.next_token_logits(tokens_now, state)
            torch.testing.assert_close(logits, expected[:, position - 1], atol=1e-10, rtol=1e-10)


@every_autoregressive_model
@few
@given(data=st.data())
def test_a_later_token_changes_no_earlier_output(name, data):
    model = model_of(name)
    source, target_in = pairs_of(data)
    position = data.draw(st.integers(0, target_in.shape[1] - 1))
    changed = target_in.clone()
    changed[:, position] = 3 + (changed[:, position] - 2) % (VOCAB - 3)
    with torch.inference_mode():
        before, after = model(source, target_in), model(source, changed)
    assert torch.equal(before[:, :position], after[:, :position])
    assert not torch.equal(before[:, position], after[:, position])


@every_autoregressive_model
@few
@given(data=st.data())
def test_padding_a_batch_changes_nothing(name, data):
    """Each sentence alone gives what it gives beside longer ones, however wide the padding."""
    model = model_of(name)
    source, target_in = pairs_of(data)
    extra = data.draw(st.integers(0, 3))
    wide_source = torch.nn.functional.pad(source, (0, extra))
    wide_target = torch.nn.functional.pad(target_in, (0, extra))
    with torch.inference_mode():
        together = model(wide_source, wide_target)
        for row in range(len(source)):
            source_length, target_length = int((source[row] != 0).sum()), int((target_in[row] != 0).sum())
            alone = model(source[row : row + 1, :source_length], target_in[row : row + 1, :target_length])
            torch.testing.assert_close(together[row, :target_length], alone[0], atol=1e-10, rtol=1e-10)


@every_autoregressive_model
@few
@given(data=st.data())
def test_reorder_permutes_exactly(name, data):
    """Rows may be exchanged, repeated and left out in the middle of decoding."""
    model = model_of(name)
    source, target_in = pairs_of(data)
    index = torch.tensor(data.draw(st.lists(st.integers(0, len(source) - 1), min_size=1, max_size=5)))
    with torch.inference_mode():
        plain, reordered = model.start_decoding(source), model.start_decoding(source)
        model.next_token_logits(target_in[:, :1], plain)
        model.next_token_logits(target_in[:, :1], reordered)
        reordered.reorder(index)
        following = torch.full((len(source), 1), 5)
        expected = model.next_token_logits(following, plain)[index]
        torch.testing.assert_close(
            model.next_token_logits(following[index], reordered), expected, atol=1e-12, rtol=1e-12
        )


@every_autoregressive_model
@few
@given(data=st.data())
def test_one_masked_pass_equals_growing_prefixes(name, data):
    """M12: the loss of one pass is the mean of the losses of "SOS", "SOS How", "SOS How are", …"""
    model = model_of(name)
    source = torch.tensor([[*data.draw(st.lists(tokens, min_size=1, max_size=6)), 2]])
    target = data.draw(st.lists(tokens, min_size=1, max_size=6))
    target_in, target_out = torch.tensor([[1, *target]]), torch.tensor([[*target, 2]])
    with torch.inference_mode():
        at_once = cross_entropy_sum(model(source, target_in), target_out) / target_out.numel()
        one_by_one = [
            cross_entropy_sum(model(source, target_in[:, : n + 1])[:, -1:], target_out[:, n : n + 1])
            for n in range(target_out.shape[1])
        ]
    torch.testing.assert_close(at_once, torch.stack(one_by_one).mean(), atol=1e-10, rtol=1e-10)


@few
@given(order=st.permutations(range(6)), row=st.lists(tokens, min_size=6, max_size=6, unique=True))
def test_without_positions_the_encoder_cannot_see_order(order, row):
    """L18: shuffle in, the same shuffle out. With positions it must not hold."""
    source = torch.tensor([row])
    with torch.inference_mode():
        blind = model_of("transformer, no positions, untied")
        torch.testing.assert_close(blind.encode(source[:, order]), blind.encode(source)[:, order], atol=1e-12, rtol=0)
        if list(order) != sorted(order):
            for name in ("transformer", "transformer, pre-norm, learned", "transformer, rotary, rms, swiglu"):
                seeing = model_of(name)
                assert not torch.allclose(seeing.encode(source[:, order]), seeing.encode(source)[:, order])


@few
@given(data=st.data())
def test_a_masked_source_token_changes_nothing(data):
    """M5, M4: what padding holds in the embedding table is of no consequence."""
    model = model_of("transformer")
    source, target_in = pairs_of(data)
    source = torch.nn.functional.pad(source, (0, 2))
    with torch.inference_mode():
        before = model(source, target_in)[target_in != 0]
        model.embedding.weight[0] += 100.0
        after = model(source, target_in)[target_in != 0]
    # Column 0 is the logit of padding itself, which reads the changed row.
    assert torch.equal(before[:, 1:], after[:, 1:])


@few
@given(rows=sentences, extra=st.integers(0, 3))
def test_padding_changes_nothing_for_the_encoder_only_model(rows, extra):
    torch.manual_seed(0)
    model = build_model(EncoderOnlyConfig(**SIZES, num_layers=2, max_length=16, attention_dropout=0.0)).double()
    together = model(torch.nn.functional.pad(batch(rows), (0, extra)))
    for row, sentence in enumerate(rows):
        alone = model(torch.tensor([sentence]))
        torch.testing.assert_close(together[row, : len(sentence)], alone[0], atol=1e-10, rtol=1e-10)


PACKABLE = [name for name, config in AUTOREGRESSIVE.items() if can_pack(config)]


@pytest.mark.parametrize("name", PACKABLE)
@few
@given(data=st.data())
def test_pairs_packed_into_one_row_do_not_see_each_other(name, data):
    """Each pair gives in a shared row, beside others and padding, what it gives alone."""
    model = model_of(name)
    source, target_in = pairs_of(data)
    pairs = [(source[n][source[n] != 0], target_in[n][target_in[n] != 0]) for n in range(len(source))]
    extra = torch.zeros(data.draw(st.integers(0, 3)), dtype=torch.long)
    row = [torch.cat((*sides, extra))[None] for sides in zip(*pairs, strict=True)]
    segments_of = [
        torch.cat((*(torch.full_like(side, n) for n, side in enumerate(sides, start=1)), extra))[None]
        for sides in zip(*pairs, strict=True)
    ]
    with torch.inference_mode():
        packed = model(*row, segments=tuple(segments_of))[0]
        for n, (one_source, one_target) in enumerate(pairs, start=1):
            alone = model(one_source[None], one_target[None])[0]
            torch.testing.assert_close(packed[segments_of[1][0] == n], alone, atol=1e-10, rtol=1e-10)


def test_a_recurrent_model_refuses_packed_rows():
    ones = torch.ones(1, 2, dtype=torch.long)
    with pytest.raises(InputError, match="one pair a row"):
        model_of("lstm, attention")(ones, ones, segments=(ones, ones))
