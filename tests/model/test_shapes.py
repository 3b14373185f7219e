"""The list of weights that needs no torch, beside the models that torch builds."""

import subprocess
import sys
import time

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attendo.model.build import build_model
from attendo.model.config import (
    FAMILIES,
    DecoderOnlyConfig,
    EncoderOnlyConfig,
    NonAutoregressiveConfig,
    RecurrentConfig,
    TransformerConfig,
)
from attendo.model.presets import PRESETS, preset
from attendo.model.shapes import num_parameters, weight_shapes

layers = st.integers(1, 5)
sizes = {"vocab_size": st.integers(4, 50), "d_model": st.sampled_from([4, 8])}
shared = {
    **sizes, "d_ff": st.integers(1, 9), "num_heads": st.sampled_from([1, 2]), "norm": st.sampled_from(["layer", "rms"]),
    "norm_order": st.sampled_from(["pre", "post"]), "activation": st.sampled_from(["relu", "gelu", "swish", "swiglu"]),
    "positions": st.sampled_from(["sinusoidal", "sinusoidal-halves", "learned", "rotary", "none"]),
    "bias": st.booleans(), "max_length": st.integers(1, 20),
}  # fmt: skip
additive = {"compatibility": st.just("additive"), "positions": st.sampled_from(["sinusoidal", "learned", "none"])}
num_kv_heads = st.sampled_from([0, 1])
cells = st.sampled_from(["rnn", "gru", "lstm"])
both = {"encoder_layers": layers, "decoder_layers": layers, "tied_output": st.booleans()}
configs = st.one_of(
    st.builds(TransformerConfig, **shared, **both, shared_embedding=st.booleans(), output_bias=st.booleans()),
    st.builds(TransformerConfig, **shared | additive, **both),
    st.builds(NonAutoregressiveConfig, **shared, **both),
    st.builds(DecoderOnlyConfig, **shared, num_layers=layers, tied_output=st.booleans(), num_kv_heads=num_kv_heads),
    st.builds(DecoderOnlyConfig, **shared | additive, num_layers=layers, num_kv_heads=num_kv_heads),
    st.builds(EncoderOnlyConfig, **shared, num_layers=layers, num_token_types=st.integers(1, 4)),
    st.builds(
        RecurrentConfig, **sizes, **both, cell=cells,
        attention=st.sampled_from(["additive", "dot", "general"]), input_feeding=st.booleans(),
    ),
    st.builds(RecurrentConfig, **sizes, **both, cell=cells, attention=st.just("none")),
)  # fmt: skip


PUBLISHED_PARAMETERS = {
    "llama-7b": 6_738_415_616, "llama-13b": 13_015_864_320, "llama-30b": 32_528_943_616, "llama-65b": 65_285_660_672,
    "llama-2-70b": 68_976_648_192,
}  # fmt: skip


def built(config):
    with torch.device("meta"):
        model = build_model(config)
    return [(name, tuple(weight.shape)) for name, weight in model.named_parameters()]


@settings(max_examples=60, deadline=None)
@given(configs)
def test_the_same_names_and_shapes_in_the_same_order_as_the_model(config):
    assert list(weight_shapes(config).items()) == built(config)


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset(name):
    config = preset(name)
    assert list(weight_shapes(config).items()) == built(config)
    if name in PUBLISHED_PARAMETERS:
        assert num_parameters(config) == PUBLISHED_PARAMETERS[name]


def test_the_deepest_and_largest_models_are_listed_at_once():
    stack = {"encoder_layers": 1000, "decoder_layers": 1000}
    for kind in FAMILIES.values():
        depth = stack if hasattr(kind, "encoder_layers") else {"num_layers": 1000}
        started = time.process_time()
        assert num_parameters(kind(vocab_size=10_000_000, d_model=65_536, **depth)) > 10**12
        assert time.process_time() - started < 1


def test_it_needs_no_torch():
    code = "import sys, attendo.model.shapes; sys.exit(bool({'torch', 'numpy'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
