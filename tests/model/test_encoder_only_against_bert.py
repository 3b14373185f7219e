"""The encoder-only model against Hugging Face BERT with its masked-token head: logits and every gradient to 1e-10."""

import torch
from transformers import BertConfig, BertForMaskedLM

from attendo.model.config import EncoderOnlyConfig
from attendo.model.encoder_only import EncoderOnly
from tests.reference.same import assert_same_gradients, attention_names, copy_weights, random_gains

VOCAB, D_MODEL, LAYERS = 23, 32, 3


def names():
    pairs = {
        "embedding.weight": "bert.embeddings.word_embeddings.weight",
        "positions.weight": "bert.embeddings.position_embeddings.weight",
        "token_types.weight": "bert.embeddings.token_type_embeddings.weight",
        "embedding_norm.gain": "bert.embeddings.LayerNorm.weight",
        "embedding_norm.bias": "bert.embeddings.LayerNorm.bias",
        "head.dense.weight": "cls.predictions.transform.dense.weight",
        "head.dense.bias": "cls.predictions.transform.dense.bias",
        "head.norm.gain": "cls.predictions.transform.LayerNorm.weight",
        "head.norm.bias": "cls.predictions.transform.LayerNorm.bias",
        "head.output.bias": "cls.predictions.bias",
    }
    for n in range(LAYERS):
        ours, theirs = f"encoder.layers.{n}", f"bert.encoder.layer.{n}"
        pairs |= attention_names(
            f"{ours}.self_attention", f"{theirs}.attention", "self.query", "self.key", "self.value", "output.dense"
        )
        for our_norm, their_norm in (("self_attention", "attention.output"), ("feed_forward", "output")):
            pairs[f"{ours}.around_{our_norm}.norm.gain"] = f"{theirs}.{their_norm}.LayerNorm.weight"
            pairs[f"{ours}.around_{our_norm}.norm.bias"] = f"{theirs}.{their_norm}.LayerNorm.bias"
        for our_linear, their_linear in (("inner", "intermediate.dense"), ("outer", "output.dense")):
            for kind in ("weight", "bias"):
                pairs[f"{ours}.feed_forward.{our_linear}.{kind}"] = f"{theirs}.{their_linear}.{kind}"
    return pairs


def test_logits_and_gradients():
    theirs = BertForMaskedLM(
        BertConfig(
            vocab_size=VOCAB, hidden_size=D_MODEL, num_hidden_layers=LAYERS, num_attention_heads=4,
            intermediate_size=48, max_position_embeddings=16, hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0, pad_token_id=0,
        )
    ).double().eval()  # fmt: skip
    random_gains(theirs)
    ours = EncoderOnly(
        EncoderOnlyConfig(
            vocab_size=VOCAB, d_model=D_MODEL, d_ff=48, num_heads=4, num_layers=LAYERS, max_length=16,
            dropout=0.0, attention_dropout=0.0,
        )
    ).double()  # fmt: skip
    copy_weights(ours, theirs, names())
    tokens = torch.tensor([[5, 6, 7, 8, 9, 2], [10, 11, 2, 0, 0, 0]])
    token_types = torch.tensor([[0, 0, 0, 1, 1, 1], [0, 1, 1, 0, 0, 0]])

    logits = ours(tokens, token_types)
    expected = theirs(input_ids=tokens, token_type_ids=token_types, attention_mask=(tokens != 0).long()).logits

    real = tokens != 0
    torch.testing.assert_close(logits[real], expected[real], atol=1e-10, rtol=1e-10)
    direction = torch.randn(int(real.sum()), VOCAB, dtype=torch.float64)
    (logits[real] * direction).sum().backward()
    (expected[real] * direction).sum().backward()
    # BERT freezes the row of padding; ours is free, and only real tokens are compared.
    ours.embedding.weight.grad[0] = 0
    theirs.bert.embeddings.word_embeddings.weight.grad[0] = 0
    # A key bias adds the same number to every score of a query, which softmax does not see: its gradient is 0.
    assert_same_gradients(ours, theirs, {a: b for a, b in names().items() if not a.endswith("key.bias")}, 1e-10)
