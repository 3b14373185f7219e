"""What is true of whole models beside the equalities: shapes, the record, the encoder's one run, starts, errors."""

import pytest
import torch

from attendo.errors import InputError
from attendo.model.build import build_model
from attendo.model.config import DecoderOnlyConfig, EncoderOnlyConfig, RecurrentConfig, TransformerConfig
from attendo.model.presets import PRESETS, preset
from attendo.model.record import AttentionRecord

SIZES = {"vocab_size": 50, "d_model": 32, "d_ff": 64, "num_heads": 4, "dropout": 0.0}
SOURCE, TARGET_IN = torch.tensor([[5, 6, 7, 2], [8, 2, 0, 0]]), torch.tensor([[1, 9, 10], [1, 11, 0]])


def transformer(**changes):
    return build_model(TransformerConfig(**{**SIZES, "encoder_layers": 3, "decoder_layers": 2, **changes}))


def test_the_record_keeps_every_layer_and_head_and_changes_nothing():
    model = transformer().double()
    record = AttentionRecord()
    torch.testing.assert_close(model(SOURCE, TARGET_IN, record), model(SOURCE, TARGET_IN), atol=1e-12, rtol=0)
    assert [tuple(w.shape) for w in record.encoder_self] == [(2, 4, 4, 4)] * 3
    assert [tuple(w.shape) for w in record.decoder_self] == [(2, 4, 3, 3)] * 2
    assert [tuple(w.shape) for w in record.cross] == [(2, 4, 3, 4)] * 2
    for weights in (*record.encoder_self, *record.decoder_self, *record.cross):
        torch.testing.assert_close(weights.sum(-1), torch.ones_like(weights[..., 0]))
    assert (record.cross[0][1, :, :, 2:] == 0).all(), "padding is never looked at"
    assert (record.decoder_self[1].triu(1) == 0).all(), "nor is the future"


def test_the_record_of_the_other_families():
    lstm, alone = RecurrentConfig(vocab_size=50, d_model=32), DecoderOnlyConfig(**SIZES, num_layers=2)
    record = AttentionRecord()
    build_model(lstm)(SOURCE, TARGET_IN, record)
    assert [tuple(w.shape) for w in record.cross] == [(2, 1, 3, 4)]
    record = AttentionRecord()
    build_model(alone)(SOURCE, TARGET_IN, record)
    assert [tuple(w.shape) for w in record.decoder_self] == [(2, 4, 7, 7)] * 2
    record = AttentionRecord()
    build_model(EncoderOnlyConfig(**SIZES, num_layers=2))(SOURCE, record=record)
    assert [tuple(w.shape) for w in record.encoder_self] == [(2, 4, 4, 4)] * 2


def test_the_encoder_runs_once_and_its_keys_are_projected_once():
    """M14: n tokens take n decoder steps and one encoder pass."""
    model = transformer()
    runs = {"encoder": 0, "cross keys": 0, "decoder": 0}
    model.encoder.register_forward_hook(lambda *_: runs.update(encoder=runs["encoder"] + 1))
    model.decoder.register_forward_hook(lambda *_: runs.update(decoder=runs["decoder"] + 1))
    cross_key = model.decoder.layers[0].cross_attention.key
    cross_key.register_forward_hook(lambda *_: runs.update({"cross keys": runs["cross keys"] + 1}))
    state = model.start_decoding(SOURCE)
    for _ in range(5):
        model.next_token_logits(torch.tensor([[7], [8]]), state)
    assert runs == {"encoder": 1, "cross keys": 1, "decoder": 5}


def test_cross_attention_sees_only_the_last_encoder_layer():
    """M4: every decoder layer gets the same memory, the encoder's output."""
    model, seen = transformer(), []
    for layer in model.decoder.layers:
        layer.cross_attention.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[1]))
    memory = model.encode(SOURCE)
    model(SOURCE, TARGET_IN)
    assert len(seen) == 2
    assert all(torch.equal(memory, one) for one in seen)


def test_every_layer_keeps_the_width():
    """L40, M10: [batch, length, d_model] all the way through, 512 in the base model."""
    model = build_model(preset("base", 100))
    shapes = []
    for layer in (*model.encoder.layers, *model.decoder.layers):
        layer.register_forward_hook(lambda _, __, output: shapes.append(output.shape))
    with torch.inference_mode():
        logits = model(SOURCE, TARGET_IN)
    assert shapes == [(2, 4, 512)] * 6 + [(2, 3, 512)] * 6
    assert logits.shape == (2, 3, 100)
    torch.testing.assert_close(logits.softmax(-1).sum(-1), torch.ones(2, 3))  # M11


def test_the_start_is_the_papers():
    """Xavier's variance 2 / (in + out), embeddings of variance 1 / d_model, a first loss near log(vocabulary)."""
    model = build_model(TransformerConfig(vocab_size=2000, d_model=256, d_ff=1024, num_heads=4, encoder_layers=2))
    inner = model.encoder.layers[0].feed_forward.inner
    assert inner.weight.var().item() == pytest.approx(2 / (256 + 1024), rel=0.02)
    assert (inner.bias == 0).all()
    assert model.embedding.weight.var().item() == pytest.approx(1 / 256, rel=0.02)
    tokens = torch.randint(4, 2000, (8, 12))
    assert model.embedding(tokens).std().item() == pytest.approx(1.0, rel=0.05)
    loss = torch.nn.functional.cross_entropy(model(tokens, tokens).flatten(0, 1), torch.randint(4, 2000, (96,)))
    assert loss.item() == pytest.approx(torch.tensor(2000.0).log().item(), abs=1.0)


def test_the_start_of_the_other_families():
    lstm = build_model(RecurrentConfig(vocab_size=50, d_model=64))
    recurrent = lstm.decoder[0].weight_hh_l0.chunk(4)[2]
    torch.testing.assert_close(recurrent @ recurrent.T, torch.eye(64), atol=1e-5, rtol=0)
    assert (lstm.decoder[0].bias_ih_l0.chunk(4)[1] == 1).all()
    for cell, part in (("rnn", 0), ("gru", 2)):
        layer = build_model(RecurrentConfig(vocab_size=50, d_model=64, cell=cell)).decoder[0]
        recurrent = layer.weight_hh_l0[64 * part : 64 * (part + 1)]
        torch.testing.assert_close(recurrent @ recurrent.T, torch.eye(64), atol=1e-5, rtol=0)
        assert (layer.bias_ih_l0 == 0).all()
    alone = build_model(DecoderOnlyConfig(vocab_size=500, d_model=128, num_heads=4, num_layers=1))
    assert alone.output.weight.std().item() == pytest.approx(0.02, rel=0.05)
    bert = build_model(EncoderOnlyConfig(vocab_size=500, d_model=128, d_ff=256, num_heads=4, num_layers=1))
    assert bert.positions.weight.std().item() == pytest.approx(0.02, rel=0.05)
    assert (bert.head.output.bias == 0).all()
    learned = transformer(positions="learned", max_length=500)
    assert learned.target_positions.weight.std().item() == pytest.approx(32**-0.5, rel=0.05)


@pytest.mark.parametrize("name", ["tiny", "llama-7b", "bert-base", "lstm", "gru", "rnn"])
def test_no_parameter_is_left_uninitialised(name):
    """torch.empty hands out old memory; fill it with NaN first, and see that none is left."""
    kept = torch.utils.deterministic.fill_uninitialized_memory
    torch.use_deterministic_algorithms(True)
    torch.utils.deterministic.fill_uninitialized_memory = True
    try:
        config = preset(name, 60)
        if name == "llama-7b":
            config = DecoderOnlyConfig(**SIZES, num_layers=2)
        model = build_model(config)
    finally:
        torch.use_deterministic_algorithms(False)
        torch.utils.deterministic.fill_uninitialized_memory = kept
    assert all(parameter.isfinite().all() for parameter in model.parameters())


def test_the_seed_fixes_the_start():
    weights = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        weights.append(transformer().decoder.layers[0].feed_forward.inner.weight)
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])


@pytest.mark.parametrize("family", ["transformer", "decoder-only", "lstm"])
def test_dropout_only_in_training(family):
    config = {
        "transformer": TransformerConfig(**{**SIZES, "dropout": 0.3}, encoder_layers=1, decoder_layers=1),
        "decoder-only": DecoderOnlyConfig(**{**SIZES, "dropout": 0.3}, num_layers=1),
        "lstm": RecurrentConfig(vocab_size=50, d_model=32, dropout=0.3),
    }[family]
    model = build_model(config)
    assert not torch.equal(model(SOURCE, TARGET_IN), model(SOURCE, TARGET_IN))
    model.eval()
    assert torch.equal(model(SOURCE, TARGET_IN), model(SOURCE, TARGET_IN))


@pytest.mark.parametrize(
    ("config", "place"),
    [
        (TransformerConfig(**SIZES, attention_dropout=0.9, encoder_layers=1, decoder_layers=1), "encoder"),
        (TransformerConfig(**SIZES, attention_dropout=0.9, encoder_layers=1, decoder_layers=1), "decoder"),
        (TransformerConfig(**SIZES, activation_dropout=0.9, encoder_layers=1, decoder_layers=1), "encoder"),
        (TransformerConfig(**SIZES, activation_dropout=0.9, encoder_layers=1, decoder_layers=1), "decoder"),
    ],
)
def test_each_optional_dropout_reaches_its_place(config, place):
    model = build_model(config)
    x, memory = torch.randn(1, 4, 32), torch.randn(1, 5, 32)
    run = {"encoder": lambda: model.encoder(x), "decoder": lambda: model.decoder(x, memory, None, None)}[place]
    assert not torch.equal(run(), run())
    model.eval()
    assert torch.equal(run(), run())


@pytest.mark.parametrize("family", ["transformer", "decoder-only", "encoder-only", "lstm"])
def test_dropout_falls_on_the_embeddings_too(family):
    """Every layer silenced but the way in: what dropout still changes comes from the embeddings."""
    changes = {**SIZES, "dropout": 0.5}
    model = build_model(
        {
            "transformer": TransformerConfig(**changes, encoder_layers=1, decoder_layers=1),
            "decoder-only": DecoderOnlyConfig(**changes, num_layers=1),
            "encoder-only": EncoderOnlyConfig(**changes, num_layers=1, attention_dropout=0.0),
            "lstm": RecurrentConfig(vocab_size=50, d_model=32, dropout=0.5),
        }[family]
    )
    model.eval()
    model.dropout.train()
    inputs = (SOURCE,) if family == "encoder-only" else (SOURCE, TARGET_IN)
    assert not torch.equal(model(*inputs), model(*inputs))


def test_the_lstm_drops_what_it_says_too():
    """With its output dropped whole, the logits are 0."""
    model = build_model(RecurrentConfig(vocab_size=50, d_model=32, dropout=0.999999))
    assert (model(SOURCE, TARGET_IN) == 0).all()


def test_the_base_of_the_rotation_matters():
    torch.manual_seed(1)
    near = build_model(DecoderOnlyConfig(**SIZES, num_layers=1, rotary_base=100.0)).double()
    far = build_model(DecoderOnlyConfig(**SIZES, num_layers=1, rotary_base=10_000.0)).double()
    far.load_state_dict(near.state_dict())
    assert not torch.allclose(near(SOURCE, TARGET_IN), far(SOURCE, TARGET_IN), atol=1e-12)


@pytest.mark.parametrize("tied", [True, False])
def test_tying_is_a_choice(tied):
    for config in (
        TransformerConfig(**SIZES, encoder_layers=1, decoder_layers=1, tied_output=tied),
        DecoderOnlyConfig(**SIZES, num_layers=1, tied_output=tied),
        RecurrentConfig(vocab_size=50, d_model=32, tied_output=tied),
    ):
        model = build_model(config)
        assert (model.output.weight is model.embedding.weight) == tied


def test_autocast_keeps_one_type_in_the_cache():
    model = build_model(DecoderOnlyConfig(**SIZES, num_layers=1)).eval()
    with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16):
        state = model.start_decoding(SOURCE)
        model.next_token_logits(torch.tensor([[1], [1]]), state)
    keys, values = state.caches[0].past
    assert keys.dtype == values.dtype == torch.bfloat16


def test_an_empty_source_among_others_changes_nothing():
    """A row of padding alone must not disturb its neighbours, nor read beyond its end."""
    for config in (
        TransformerConfig(**SIZES, encoder_layers=1, decoder_layers=1),
        RecurrentConfig(vocab_size=50, d_model=32),
    ):
        model = build_model(config).eval()
        both = torch.stack((SOURCE[0], torch.zeros_like(SOURCE[0])))
        torch.testing.assert_close(model(both, TARGET_IN)[0], model(SOURCE[:1], TARGET_IN[:1])[0])


def test_a_source_for_each_target():
    for config in (
        TransformerConfig(**SIZES, encoder_layers=1, decoder_layers=1),
        DecoderOnlyConfig(**SIZES, num_layers=1),
        RecurrentConfig(vocab_size=50, d_model=32),
    ):
        with pytest.raises(InputError, match="1 sources and 2 targets"):
            build_model(config)(SOURCE[:1], TARGET_IN)


def test_a_source_of_padding_alone_gives_no_nan():
    for config in (
        TransformerConfig(**SIZES, encoder_layers=1, decoder_layers=1),
        DecoderOnlyConfig(**SIZES, num_layers=1),
        RecurrentConfig(vocab_size=50, d_model=32),
    ):
        model = build_model(config)
        logits = model(torch.zeros(1, 3, dtype=torch.long), torch.tensor([[1, 5]]))
        logits.sum().backward()
        assert logits.isfinite().all()
        assert all(p.grad.isfinite().all() for p in model.parameters() if p.grad is not None)


def test_errors_reach_the_caller_in_words():
    model = transformer(positions="learned", max_length=3)
    with pytest.raises(InputError, match="4 tokens is longer than the 3 learned positions"):
        model(SOURCE, TARGET_IN)
    state = model.start_decoding(SOURCE[:, :3])
    for _ in range(3):
        model.next_token_logits(torch.tensor([[5], [5]]), state)
    with pytest.raises(InputError, match="4 tokens is longer"):
        model.next_token_logits(torch.tensor([[5], [5]]), state)
    with pytest.raises(
        InputError, match="token id 77 at row 0, position 1 is outside the vocabulary: expected 0 to 49"
    ):
        model(torch.tensor([[5, 77]]), TARGET_IN[:1])


def test_every_preset_has_the_sizes_of_the_contract():
    table = {
        "tiny": (256, 1024, 4, 6, 2),
        "small": (512, 1024, 4, 6, 6),
        "base": (512, 2048, 8, 6, 6),
        "big": (1024, 4096, 16, 6, 6),
        "deep-shallow": (512, 2048, 8, 12, 2),
        "multi30k": (128, 256, 4, 4, 4),
    }
    for name, sizes in table.items():
        c = preset(name)
        assert (c.d_model, c.d_ff, c.num_heads, c.encoder_layers, c.decoder_layers) == sizes
        assert (c.norm_order, c.positions, c.activation, c.tied_output) == ("post", "sinusoidal", "relu", True)
    llamas = {name for name in PRESETS if name.startswith("llama")}
    assert set(PRESETS) == {*table, *llamas, "bert-base", "lstm", "gru", "rnn", "non-autoregressive"}
    assert all(preset(name, 777).vocab_size == 777 for name in PRESETS)
