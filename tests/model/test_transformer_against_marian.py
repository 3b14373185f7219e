"""The whole encoder-decoder against Hugging Face Marian, same weights: logits and every gradient to 1e-10."""

import pytest
import torch
from transformers import MarianConfig, MarianMTModel

from attendo.model.config import TransformerConfig
from attendo.model.positions import sinusoidal_encoding
from attendo.model.transformer import Transformer
from tests.reference.same import assert_same_gradients, attention_names, copy_weights, random_gains

VOCAB, D_MODEL, HEADS, D_FF, ENCODER_LAYERS, DECODER_LAYERS = 23, 32, 4, 48, 3, 2


def marian(activation):
    config = MarianConfig(
        vocab_size=VOCAB, d_model=D_MODEL, encoder_layers=ENCODER_LAYERS, decoder_layers=DECODER_LAYERS,
        encoder_attention_heads=HEADS, decoder_attention_heads=HEADS, encoder_ffn_dim=D_FF, decoder_ffn_dim=D_FF,
        activation_function=activation, scale_embedding=True, max_position_embeddings=40, dropout=0.0,
        attention_dropout=0.0, activation_dropout=0.0, pad_token_id=0, eos_token_id=2, bos_token_id=1,
        decoder_start_token_id=1, share_encoder_decoder_embeddings=True, tie_word_embeddings=True,
    )  # fmt: skip
    model = MarianMTModel(config).double().eval()
    random_gains(model)
    with torch.no_grad():  # Marian's table has all sines first; ours is interleaved as in the paper
        table = sinusoidal_encoding(torch.arange(40)[None], D_MODEL, torch.float64)[0]
        model.model.encoder.embed_positions.weight.copy_(table)
        model.model.decoder.embed_positions.weight.copy_(table)
    return model


def names():
    pairs = {"embedding.weight": "model.shared.weight"}
    for stack, count in (("encoder", ENCODER_LAYERS), ("decoder", DECODER_LAYERS)):
        for n in range(count):
            ours, theirs = f"{stack}.layers.{n}", f"model.{stack}.layers.{n}"
            projections = ("q_proj", "k_proj", "v_proj", "out_proj")
            pairs |= attention_names(f"{ours}.self_attention", f"{theirs}.self_attn", *projections)
            norms = {"self_attention": "self_attn_layer_norm", "feed_forward": "final_layer_norm"}
            if stack == "decoder":
                pairs |= attention_names(f"{ours}.cross_attention", f"{theirs}.encoder_attn", *projections)
                norms["cross_attention"] = "encoder_attn_layer_norm"
            for our_norm, their_norm in norms.items():
                pairs[f"{ours}.around_{our_norm}.norm.gain"] = f"{theirs}.{their_norm}.weight"
                pairs[f"{ours}.around_{our_norm}.norm.bias"] = f"{theirs}.{their_norm}.bias"
            for our_linear, their_linear in (("inner", "fc1"), ("outer", "fc2")):
                for kind in ("weight", "bias"):
                    pairs[f"{ours}.feed_forward.{our_linear}.{kind}"] = f"{theirs}.{their_linear}.{kind}"
    return pairs


@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_logits_and_gradients(activation):
    theirs = marian(activation)
    ours = Transformer(
        TransformerConfig(
            vocab_size=VOCAB, d_model=D_MODEL, d_ff=D_FF, num_heads=HEADS, encoder_layers=ENCODER_LAYERS,
            decoder_layers=DECODER_LAYERS, activation=activation, dropout=0.0,
        )
    ).double()  # fmt: skip
    copy_weights(ours, theirs, names())
    source = torch.tensor([[5, 6, 7, 8, 9, 2], [10, 11, 2, 0, 0, 0], [12, 2, 0, 0, 0, 0]])
    target_in = torch.tensor([[1, 13, 14, 15], [1, 16, 0, 0], [1, 17, 18, 0]])

    logits = ours(source, target_in)
    expected = theirs(input_ids=source, attention_mask=(source != 0).long(), decoder_input_ids=target_in).logits

    real = target_in != 0
    torch.testing.assert_close(logits[real], expected[real], atol=1e-10, rtol=1e-10)
    direction = torch.randn(int(real.sum()), VOCAB, dtype=torch.float64)
    (logits[real] * direction).sum().backward()
    (expected[real] * direction).sum().backward()
    assert_same_gradients_but_keys(ours, theirs)


def assert_same_gradients_but_keys(ours, theirs):
    """A key bias adds the same number to every score of a query, which softmax does not see: its gradient is 0."""
    pairs = names()
    assert_same_gradients(ours, theirs, {a: b for a, b in pairs.items() if not a.endswith("key.bias")}, 1e-10)
    for name in (name for name in pairs if name.endswith("key.bias")):
        torch.testing.assert_close(
            ours.get_parameter(name).grad, torch.zeros(D_MODEL, dtype=torch.float64), atol=1e-10, rtol=0
        )
