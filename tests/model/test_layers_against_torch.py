"""One encoder layer and one decoder layer against torch.nn's, same weights: outputs and gradients to 1e-10."""

import pytest
import torch

from attendo.model import masks
from attendo.model.config import TransformerConfig
from attendo.model.decoder import DecoderLayer
from attendo.model.encoder import EncoderLayer
from tests.reference.same import random_gains

REAL = torch.tensor([[True] * 6, [True] * 4 + [False] * 2])


def config(norm_order, activation):
    return TransformerConfig(
        vocab_size=9, d_model=32, d_ff=48, num_heads=4, norm_order=norm_order, activation=activation, dropout=0.0
    )


def copy_attention(ours, theirs):
    weights, biases = theirs.in_proj_weight.chunk(3), theirs.in_proj_bias.chunk(3)
    for linear, weight, bias in zip((ours.query, ours.key, ours.value), weights, biases, strict=True):
        linear.weight.copy_(weight)
        linear.bias.copy_(bias)
    ours.output.load_state_dict(theirs.out_proj.state_dict())


def copy_rest(ours, theirs, norms):
    ours.feed_forward.inner.load_state_dict(theirs.linear1.state_dict())
    ours.feed_forward.outer.load_state_dict(theirs.linear2.state_dict())
    for sublayer, norm in norms:
        sublayer.norm.gain.copy_(norm.weight)
        sublayer.norm.bias.copy_(norm.bias)


def assert_same_pass(ours, theirs, our_inputs, their_inputs, our_parameters, their_parameters):
    """Outputs, then gradients of inputs and of the named parameters."""
    our_output, their_output = ours(), theirs()
    torch.testing.assert_close(our_output, their_output, atol=1e-10, rtol=0)
    our_gradients = torch.autograd.grad(our_output.square().sum(), (*our_inputs, *our_parameters))
    their_gradients = torch.autograd.grad(their_output.square().sum(), (*their_inputs, *their_parameters))
    for our_gradient, their_gradient in zip(our_gradients, their_gradients, strict=True):
        torch.testing.assert_close(our_gradient, their_gradient, atol=1e-10, rtol=1e-10)
        assert their_gradient.abs().max() > 0


@pytest.mark.parametrize("norm_order", ["post", "pre"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_encoder_layer(norm_order, activation):
    theirs = torch.nn.TransformerEncoderLayer(
        32, 4, 48, 0.0, activation, batch_first=True, norm_first=norm_order == "pre", dtype=torch.float64
    )
    random_gains(theirs)
    ours = EncoderLayer(config(norm_order, activation)).double()
    with torch.no_grad():
        copy_attention(ours.self_attention, theirs.self_attn)
        copy_rest(ours, theirs, [(ours.around_self_attention, theirs.norm1), (ours.around_feed_forward, theirs.norm2)])
    x = torch.randn(2, 6, 32, dtype=torch.float64, requires_grad=True)
    assert_same_pass(
        lambda: ours(x, REAL[:, None, None]),
        lambda: theirs(x, src_key_padding_mask=~REAL),
        (x,),
        (x,),
        (ours.feed_forward.inner.weight, ours.self_attention.output.weight, ours.around_self_attention.norm.gain),
        (theirs.linear1.weight, theirs.self_attn.out_proj.weight, theirs.norm1.weight),
    )


@pytest.mark.parametrize("norm_order", ["post", "pre"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_decoder_layer(norm_order, activation):
    theirs = torch.nn.TransformerDecoderLayer(
        32, 4, 48, 0.0, activation, batch_first=True, norm_first=norm_order == "pre", dtype=torch.float64
    )
    random_gains(theirs)
    ours = DecoderLayer(config(norm_order, activation)).double()
    with torch.no_grad():
        copy_attention(ours.self_attention, theirs.self_attn)
        copy_attention(ours.cross_attention, theirs.multihead_attn)
        copy_rest(
            ours,
            theirs,
            [
                (ours.around_self_attention, theirs.norm1),
                (ours.around_cross_attention, theirs.norm2),
                (ours.around_feed_forward, theirs.norm3),
            ],
        )
    x = torch.randn(2, 5, 32, dtype=torch.float64, requires_grad=True)
    memory = torch.randn(2, 6, 32, dtype=torch.float64, requires_grad=True)
    causal = masks.causal(5, 5)
    assert_same_pass(
        lambda: ours(x, memory, causal, REAL[:, None, None]),
        lambda: theirs(x, memory, tgt_mask=~causal[0, 0], memory_key_padding_mask=~REAL),
        (x, memory),
        (x, memory),
        (ours.feed_forward.outer.weight, ours.cross_attention.output.weight, ours.around_cross_attention.norm.gain),
        (theirs.linear2.weight, theirs.multihead_attn.out_proj.weight, theirs.norm2.weight),
    )
