"""The decoder-only model against Hugging Face Llama, and against Llama written out in float64."""

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from attendo.model.config import DecoderOnlyConfig
from attendo.model.decoder_only import DecoderOnly
from tests.reference.llama_written_out import llama_logits
from tests.reference.same import assert_same_gradients, attention_names, copy_weights, random_gains

VOCAB, D_MODEL, LAYERS, HEADS = 23, 32, 3, 4
TOKENS = torch.tensor([[5, 6, 7, 8, 9, 2], [10, 11, 12, 13, 14, 15]])


def our_model(kv_heads=HEADS):
    model = DecoderOnly(
        DecoderOnlyConfig(
            vocab_size=VOCAB, d_model=D_MODEL, d_ff=48, num_heads=HEADS, num_kv_heads=kv_heads, num_layers=LAYERS,
            dropout=0.0,
        )
    )  # fmt: skip
    random_gains(model)
    for parameter in model.parameters():  # a start of 0.02 is so small that a wrong angle would hide in it
        if parameter.dim() == 2:
            torch.nn.init.normal_(parameter, std=0.3)
    return model.double()


def names():
    pairs = {"embedding.weight": "model.embed_tokens.weight", "norm.gain": "model.norm.weight"}
    pairs["output.weight"] = "lm_head.weight"
    for n in range(LAYERS):
        ours, theirs = f"layers.{n}", f"model.layers.{n}"
        pairs |= attention_names(
            f"{ours}.self_attention", f"{theirs}.self_attn", "q_proj", "k_proj", "v_proj", "o_proj", bias=False
        )
        pairs[f"{ours}.around_self_attention.norm.gain"] = f"{theirs}.input_layernorm.weight"
        pairs[f"{ours}.around_feed_forward.norm.gain"] = f"{theirs}.post_attention_layernorm.weight"
        for name in ("gate", "up", "down"):
            pairs[f"{ours}.feed_forward.{name}.weight"] = f"{theirs}.mlp.{name}_proj.weight"
    return pairs


@pytest.mark.parametrize("kv_heads", [HEADS, 2, 1], ids=["as many", "grouped-query", "multi-query"])
def test_logits_and_gradients_of_hugging_face_llama(kv_heads):
    theirs = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=VOCAB, hidden_size=D_MODEL, intermediate_size=48, num_hidden_layers=LAYERS,
            num_attention_heads=HEADS, num_key_value_heads=kv_heads, max_position_embeddings=64, rms_norm_eps=1e-6,
            tie_word_embeddings=False, pad_token_id=0, bos_token_id=1, eos_token_id=2,
        )
    ).double().eval()  # fmt: skip
    ours = our_model(kv_heads)
    with torch.no_grad():  # theirs takes our weights, which are large enough to show a mistake
        for our_name, their_name in names().items():
            theirs.get_parameter(their_name).copy_(ours.get_parameter(our_name))
    copy_weights(ours, theirs, names())

    logits, expected = ours.language_model(TOKENS), theirs(input_ids=TOKENS).logits

    # It computes norms and angles in float32 whatever the weights are, hence 1e-5 and not 1e-10.
    torch.testing.assert_close(logits, expected, atol=1e-5, rtol=1e-5)
    direction = torch.randn_like(logits)
    (logits * direction).sum().backward()
    (expected * direction).sum().backward()
    assert_same_gradients(ours, theirs, names(), 1e-4)


@pytest.mark.parametrize("kv_heads", [HEADS, 2, 1])
def test_the_cache_holds_the_heads_of_keys_and_values_alone(kv_heads):
    """And decoding with it says what the whole text says at once."""
    ours = our_model(kv_heads).eval()
    state = ours.start_decoding(TOKENS[:, :3])
    for end in range(4, TOKENS.shape[1] + 1):
        logits = ours.next_token_logits(TOKENS[:, end - 1 : end], state)
        torch.testing.assert_close(logits, ours.language_model(TOKENS[:, :end])[:, -1], atol=1e-10, rtol=0)
    assert {tuple(part.shape) for cache in state.caches for part in cache.past} == {(2, kv_heads, 6, D_MODEL // HEADS)}


@pytest.mark.parametrize("kv_heads", [HEADS, 2, 1])
def test_logits_and_gradients_of_llama_written_out(kv_heads):
    ours = our_model(kv_heads)
    weights = {name: p.detach().clone().requires_grad_() for name, p in ours.named_parameters()}
    expected = torch.stack(
        [
            llama_logits(row, weights, num_layers=LAYERS, num_heads=HEADS, kv_heads=kv_heads, eps=1e-6, base=10_000.0)
            for row in TOKENS
        ]
    )
    logits = ours.language_model(TOKENS)
    torch.testing.assert_close(logits, expected, atol=1e-10, rtol=1e-10)
    direction = torch.randn_like(logits)
    (logits * direction).sum().backward()
    (expected * direction).sum().backward()
    for name, parameter in ours.named_parameters():
        torch.testing.assert_close(parameter.grad, weights[name].grad, atol=1e-10, rtol=1e-10, msg=name)
