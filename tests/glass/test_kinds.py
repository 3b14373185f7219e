"""Every encoder-decoder that a recipe can name: small models with random weights, and each hand on some of them."""

from itertools import product
from typing import get_args

import pytest
import torch

from attendo.errors import InputError
from attendo.glass.hands import Hands
from attendo.model import config as kinds
from attendo.model.transformer import Transformer
from tests.glass.torch_witness import CLOSE, EVERY_HAND, by_glass, by_torch, close, difference, glass_of

CHOICES = {
    "norm_order": get_args(kinds.NormOrder),
    "positions": get_args(kinds.Positions),
    "norm": get_args(kinds.Norm),
    "activation": get_args(kinds.Activation),
    "bias": (True, False),
    "tied_output": (True, False),
}
SOURCE, TARGET_IN = [5, 9, 12, 9, 2], [1, 7, 16, 11]


def random_model(seed=1, **choices):
    """Two layers, so that what one hands to the next is tested; every number random, norms and biases, too."""
    config = kinds.TransformerConfig(
        vocab_size=20, d_model=12, d_ff=20, num_heads=2, encoder_layers=2, decoder_layers=2, max_length=9,
        norm_eps=1e-3, rotary_base=50.0, **choices,
    )  # fmt: skip
    torch.manual_seed(seed)
    model = Transformer(config).eval().requires_grad_(False)
    for parameter in model.parameters():
        parameter.normal_(mean=1.0 if parameter.dim() == 1 else 0.0, std=0.5)
    return model


@pytest.mark.parametrize("positions", CHOICES["positions"])
def test_every_kind(positions):
    others = {name: values for name, values in CHOICES.items() if name != "positions"}
    for values in product(*others.values()):
        model = random_model(positions=positions, **dict(zip(others, values, strict=True)))
        trace = by_glass(glass_of(model), SOURCE, TARGET_IN, Hands())
        log_probs, memory, _ = by_torch(model, SOURCE, TARGET_IN, Hands())
        assert difference(trace["memory"], memory) <= CLOSE, model.config
        assert difference(trace["log_probs"], log_probs) <= CLOSE, model.config


@pytest.mark.parametrize("tied", [True, False])
def test_a_table_of_the_sources_own_and_an_output_bias(tied):
    for shared, bias in ((False, True), (True, True), (False, False)):
        model = random_model(shared_embedding=shared, output_bias=bias, tied_output=tied)
        trace = by_glass(glass_of(model), SOURCE, TARGET_IN, Hands())
        log_probs, memory, _ = by_torch(model, SOURCE, TARGET_IN, Hands())
        assert difference(trace["memory"], memory) <= CLOSE, model.config
        assert difference(trace["log_probs"], log_probs) <= CLOSE, model.config


@pytest.mark.parametrize("positions", [kind for kind in CHOICES["positions"] if kind != "rotary"])
@pytest.mark.parametrize("norm_order", CHOICES["norm_order"])
def test_additive_attention(positions, norm_order):
    """Beside torch, with biases and without, under every hand but the one on a scale that is not there."""
    for bias, hands in (
        (True, Hands()),
        (False, Hands()),
        (True, EVERY_HAND["heads off"]),
        (True, EVERY_HAND["erase"]),
    ):
        model = random_model(positions=positions, norm_order=norm_order, bias=bias, compatibility="additive")
        trace = by_glass(glass_of(model), SOURCE, TARGET_IN, hands)
        log_probs, memory, record = by_torch(model, SOURCE, TARGET_IN, hands)
        assert difference(trace["memory"], memory) <= CLOSE
        assert difference(trace["log_probs"], log_probs) <= CLOSE
        assert difference(trace["decoder.1.self_attention.weights"], record.decoder_self[1][0]) <= CLOSE
    with pytest.raises(InputError, match="scale is False: expected true: additive attention divides by nothing"):
        Hands(scale=False).check(model.config, len(SOURCE))


@pytest.mark.parametrize("name", EVERY_HAND)
@pytest.mark.parametrize("positions", CHOICES["positions"])
def test_every_hand_on_every_kind_of_positions(positions, name):
    hands = EVERY_HAND[name]
    model = random_model(positions=positions, norm_order="post", activation="gelu")
    trace = by_glass(glass_of(model), SOURCE, TARGET_IN, hands)
    log_probs, memory, _ = by_torch(model, SOURCE, TARGET_IN, hands)
    assert difference(trace["memory"], memory) <= close(hands)
    assert difference(trace["log_probs"], log_probs) <= close(hands)


def test_no_kind_is_left_out():
    """A choice that the configuration gains is missed here."""
    ignored = {"dropout", "attention_dropout", "activation_dropout"}  # of training
    sizes = {"vocab_size", "d_model", "d_ff", "num_heads", "max_length", "encoder_layers", "decoder_layers"}
    numbers = {"rotary_base", "norm_eps"}
    own_test = {"compatibility", "shared_embedding", "output_bias"}
    assert set(kinds.TransformerConfig.__dataclass_fields__) == {*CHOICES, *ignored, *sizes, *numbers, *own_test}


def test_learned_positions_end():
    model = random_model(positions="learned")
    with pytest.raises(InputError, match="a sequence of 10 tokens is longer than the 9 learned positions"):
        by_glass(glass_of(model), [5] * 10, TARGET_IN, Hands())
