import pytest

from attendo.errors import ConfigError
from attendo.model.config import (
    DecoderOnlyConfig,
    EncoderOnlyConfig,
    RecurrentConfig,
    TransformerConfig,
    config_from_dict,
    config_to_dict,
)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"d_model": 10, "num_heads": 3}, "d_model = 10 cannot be split over num_heads = 3"),
        ({"d_model": -512}, "d_model in TransformerConfig is -512: expected a whole number from 1 to 65,536"),
        ({"d_model": 10**9}, "d_model in TransformerConfig is 1000000000: expected a whole number from 1 to 65,536"),
        ({"vocab_size": 0}, "vocab_size .* is 0: expected a whole number from 4"),
        ({"dropout": 10**400}, "dropout .* a number of about 400 digits"),
        ({"dropout": float("inf")}, "dropout .* is inf"),
        ({"vocab_size": 10**5000}, "a number of about 5000 digits"),
        ({"encoder_layers": 10**6}, "encoder_layers .* from 1 to 1,000"),
        ({"d_ff": 2.5}, "d_ff .* is 2.5"),
        ({"d_ff": True}, "d_ff .* is True"),
        ({"d_ff": "2048"}, "d_ff .* is '2048'"),
        ({"dropout": 1.0}, r"dropout .* is 1.0: expected a number in \[0, 1\)"),
        ({"dropout": -0.1}, "dropout .* is -0.1"),
        ({"attention_dropout": float("nan")}, "attention_dropout .* is nan"),
        ({"norm_eps": 0.0}, "norm_eps .* expected a positive number"),
        ({"norm": "batch"}, "norm in TransformerConfig is 'batch': expected one of layer, rms"),
        ({"norm_order": "middle"}, "expected one of post, pre"),
        ({"activation": "tanh"}, "expected one of relu, gelu, swish, swiglu"),
        ({"positions": "relative"}, "expected one of sinusoidal, sinusoidal-halves, learned, rotary, none"),
        ({"bias": 1}, "bias .* is 1: expected true or false"),
        ({"positions": "rotary", "d_model": 12, "num_heads": 4}, "the head width must be even"),
        ({"positions": "sinusoidal", "d_model": 9, "num_heads": 3}, "it must be even"),
    ],
)
def test_an_impossible_configuration_is_one_sentence(changes, complaint):
    with pytest.raises(ConfigError, match=complaint) as caught:
        TransformerConfig(**{"vocab_size": 100, **changes})
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"d_model": 7}, "two directions of the recurrent encoder"),
        ({"attention": "both"}, "expected one of additive, dot, general, none"),
        ({"cell": "LSTM"}, "expected one of rnn, gru, lstm"),
        ({"attention": "none", "input_feeding": True}, "what is fed is what attention saw"),
    ],
)
def test_an_impossible_recurrent_model_is_one_sentence(changes, complaint):
    with pytest.raises(ConfigError, match=complaint):
        RecurrentConfig(**{"vocab_size": 10, **changes})


def test_a_table_names_its_family():
    assert config_from_dict({"vocab_size": 9}) == TransformerConfig(vocab_size=9)
    assert config_from_dict({"family": "decoder-only", "vocab_size": 9}) == DecoderOnlyConfig(vocab_size=9)
    assert config_from_dict({"family": "encoder-only", "vocab_size": 9}) == EncoderOnlyConfig(vocab_size=9)
    table = {"family": "recurrent", "vocab_size": 9, "cell": "gru", "attention": "dot", "input_feeding": True}
    recurrent = RecurrentConfig(vocab_size=9, cell="gru", attention="dot", input_feeding=True)
    assert config_from_dict(table) == recurrent
    assert config_to_dict(recurrent)["family"] == "recurrent"


def test_earlier_names_are_still_read():
    table = {"family": "lstm", "vocab_size": 9, "d_model": 8}
    assert config_from_dict(table) == RecurrentConfig(vocab_size=9, d_model=8)
    assert config_from_dict({**table, "context": "attention"}) == RecurrentConfig(vocab_size=9, d_model=8)
    assert config_from_dict({**table, "context": "fixed"}) == RecurrentConfig(vocab_size=9, d_model=8, attention="none")
    assert "context" in {**table, "context": "fixed"}  # what was given stays as it was


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        ({"family": "rnn"}, "family is 'rnn': expected one of transformer"),
        ({"family": ["lstm"]}, "family is"),
        ({"family": "lstm", "vocab_size": 9, "context": "both"}, "context is 'both': expected attention or fixed"),
        ({"family": "lstm", "vocab_size": 9, "context": []}, "context is"),
        ({"family": "lstm", "vocab_size": 9, "context": "fixed", "attention": "none"}, "the earlier name of attention"),
        ({"vocab_size": 9, "context": "fixed"}, "unknown key 'context'"),
        ({"vocab_size": 9, "num_head": 8}, "unknown key 'num_head' .* did you mean 'num_heads'?"),
        ({"vocab_size": 9, "zzz": 8}, "unknown key 'zzz' .* known keys: vocab_size"),
        ({"d_model": 8}, "no vocab_size"),
    ],
)
def test_a_wrong_table_is_one_sentence(table, complaint):
    with pytest.raises(ConfigError, match=complaint):
        config_from_dict(table)
