"""Names, shapes, order and classes beside the modules of `transformers` itself, built without memory."""

import json
import re

import pytest
import torch
from transformers import (
    BertConfig,
    BertForMaskedLM,
    LlamaConfig,
    LlamaForCausalLM,
    MarianConfig,
    MarianMTModel,
)

from attendo.errors import InputError
from attendo.inspection.hugging_face import under_their_names
from attendo.model.config import DecoderOnlyConfig, EncoderOnlyConfig, TransformerConfig
from attendo.model.presets import preset
from attendo.model.shapes import weight_shapes
from tests.cli.command import command

SIZES = {"vocab_size": 50, "d_model": 16, "d_ff": 24, "num_heads": 4}


def llama(config):
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=config.vocab_size, hidden_size=config.d_model, intermediate_size=config.d_ff,
            num_hidden_layers=config.num_layers, num_attention_heads=config.num_heads,
            num_key_value_heads=config.kv_heads, rms_norm_eps=config.norm_eps, tie_word_embeddings=config.tied_output,
            attention_bias=config.bias, mlp_bias=config.bias,
        )
    )  # fmt: skip


def bert(config):
    return BertForMaskedLM(
        BertConfig(
            vocab_size=config.vocab_size, hidden_size=config.d_model, intermediate_size=config.d_ff,
            num_hidden_layers=config.num_layers, num_attention_heads=config.num_heads,
            max_position_embeddings=config.max_length, type_vocab_size=config.num_token_types,
        )
    )  # fmt: skip


def marian(config):
    return MarianMTModel(
        MarianConfig(
            vocab_size=config.vocab_size, d_model=config.d_model, encoder_layers=config.encoder_layers,
            decoder_layers=config.decoder_layers, encoder_attention_heads=config.num_heads,
            decoder_attention_heads=config.num_heads, encoder_ffn_dim=config.d_ff, decoder_ffn_dim=config.d_ff,
            pad_token_id=0, eos_token_id=2, decoder_start_token_id=1, tie_word_embeddings=True,
        )
    )  # fmt: skip


MODELS = {
    "llama-2-70b": (preset("llama-2-70b"), llama),
    "a small Llama, tied, with biases": (DecoderOnlyConfig(**SIZES, num_layers=2, bias=True, tied_output=True), llama),
    "a small BERT": (EncoderOnlyConfig(**SIZES, num_layers=2, num_token_types=3), bert),
    "a small Marian": (TransformerConfig(**SIZES, encoder_layers=2, decoder_layers=3), marian),
}


def without_computed(named):
    """Marian's sines and cosines are a weight there, which is never trained; ours are computed."""
    return [(name, thing) for name, thing in named if "embed_positions" not in name]


@pytest.mark.parametrize("name", MODELS)
def test_every_name_and_shape_in_the_same_order(name):
    config, build = MODELS[name]
    with torch.device("meta"):
        theirs = build(config)
    found = under_their_names(config)
    assert found.kind == type(theirs).__name__
    expected = [(name, tuple(w.shape)) for name, w in without_computed(theirs.named_parameters())]
    assert [(name, shape) for name, shape in found.shapes.items() if name not in found.tied] == expected
    assert set(found.names.values()) == set(weight_shapes(config)), "every weight of ours is somewhere"


@pytest.mark.parametrize("name", [name for name in MODELS if "small" in name])
def test_the_tree_is_what_print_shows(name):
    """Lines of theirs whose module has weights; ours have a number more, and say less of embeddings and norms."""
    config, build = MODELS[name]
    with torch.device("meta"):
        theirs = build(config)
    expected = [
        (path, type(module).__name__)
        for path, module in without_computed(theirs.named_modules())
        if any(True for _ in module.parameters())
    ]
    found = under_their_names(config)
    shown = {line.strip() for line in str(theirs).splitlines()}
    for line in found.tree().splitlines():
        if "Linear(" in line:
            assert line.partition("  #")[0].strip() in shown
    paths = {path for weight in found.shapes for path in beginnings(weight)}
    assert paths == {path for path, _ in expected}
    kinds = dict(expected)
    for path in paths:
        inside = {
            weight.removeprefix(f"{path}.") if path else weight: shape
            for weight, shape in found.shapes.items()
            if not path or weight.startswith(f"{path}.")
        }
        assert found.lines(path, inside)[0].partition("(")[0] == kinds[path], path


def beginnings(name):
    """a.b.c -> "", a, a.b"""
    parts = name.split(".")[:-1]
    return [".".join(parts[:end]) for end in range(len(parts) + 1)]


def test_the_listing_of_the_notes():
    ended = command("describe", "llama-7b", "--names", "hf")
    lines = [line.strip() for line in ended.out.splitlines()]
    assert ended.code == 0
    for line in (
        "LlamaForCausalLM(  # 6,738,415,616",
        "(0-31): 32 x LlamaDecoderLayer(  # 202,383,360 each",
        "(q_proj): Linear(in_features=4096, out_features=4096, bias=False)  # 16,777,216",
        "(down_proj): Linear(in_features=11008, out_features=4096, bias=False)  # 45,088,768",
        "(lm_head): Linear(in_features=4096, out_features=32000, bias=False)  # 131,072,000",
    ):
        assert line in lines
    ended = command("describe", "llama-2-70b", "--names", "hf", "--json")
    assert json.loads(ended.out)["hugging_face"]["weights"]["model.layers.79.self_attn.k_proj.weight"] == [1024, 8192]


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        (preset("lstm"), "a model of the family recurrent has no counterpart at Hugging Face"),
        (
            TransformerConfig(**SIZES, norm_order="pre"),
            "Marian, the nearest, has norm_order = post, and here it is pre",
        ),
        (
            TransformerConfig(**SIZES, activation="swiglu"),
            "has activation = relu, gelu or swish, and here it is swiglu",
        ),
        (DecoderOnlyConfig(**SIZES, positions="learned"), "Llama, the nearest, has positions = rotary, and here it is"),
        (EncoderOnlyConfig(**SIZES, compatibility="additive"), "BERT, the nearest, has compatibility = dot, and here"),
    ],
)
def test_what_has_no_counterpart_is_one_sentence(config, sentence):
    with pytest.raises(InputError, match=re.escape(sentence)):
        under_their_names(config)


def test_the_command_says_it_too():
    ended = command("describe", "lstm", "--names", "hf")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err == "attendo: a model of the family recurrent has no counterpart at Hugging Face\n"
    assert command("describe", "base", "--names", "theirs").code == 2
