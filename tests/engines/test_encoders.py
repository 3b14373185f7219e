"""CTranslate2's encoder beside torch, with the same weights: the same vectors, the same guesses."""

import random
from dataclasses import replace

import numpy as np
import pytest
import torch

from attendo.engines.ct2.conversion import encoder_obstacle
from attendo.engines.ct2.encoder_engine import load_ct2_encoder
from attendo.engines.torch_encoder import load_torch_encoder
from attendo.errors import ConfigError, InputError
from attendo.model.config import DecoderOnlyConfig, EncoderOnlyConfig, RecurrentConfig
from attendo.model_folder.bundle import read_bundle
from attendo.model_folder.weights import load_model
from attendo.special_tokens import MASK, SPECIAL
from tests.translation.small_translator import SMALL, save_random

BERT = EncoderOnlyConfig(vocab_size=8, d_model=16, d_ff=32, num_heads=2, num_layers=2, max_length=40)
CONFIGS = {
    "like BERT": BERT,
    "pre-norm": replace(BERT, norm_order="pre"),
    "RMSNorm": replace(BERT, norm="rms", norm_eps=1e-5),
    "RMSNorm, pre-norm": replace(BERT, norm="rms", norm_order="pre", norm_eps=1e-5),
    "sinusoidal": replace(BERT, positions="sinusoidal"),
    "rotary": replace(BERT, positions="rotary"),
    "no positions": replace(BERT, positions="none"),
    "ReLU": replace(BERT, activation="relu"),
    "SwiGLU, no bias": replace(BERT, activation="swiglu", bias=False),
    "one token type": replace(BERT, num_token_types=1),
    "another ε": replace(BERT, norm_eps=1e-3),
    "as many positions as columns": replace(BERT, max_length=16),
    "an encoder-decoder's": replace(SMALL, encoder_layers=2),
    "an encoder-decoder's, pre-norm, learned": replace(SMALL, norm_order="pre", positions="learned", max_length=30),
}


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "cache"))


def rows(vocab, seed=0):
    rng = random.Random(seed)
    return [[*(rng.randrange(6, vocab) for _ in range(length)), SPECIAL.eos] for length in (1, 9, 4, 15, 2)]


@pytest.mark.parametrize("name", CONFIGS)
def test_the_same_vectors_and_guesses(tmp_path, name):
    bundle = read_bundle(save_random(tmp_path / "model", config=CONFIGS[name]))
    ours, theirs = load_torch_encoder(bundle, "cpu"), load_ct2_encoder(bundle, 1)
    asked = rows(bundle.model["vocab_size"])
    for one, other in zip(ours.encode(asked), theirs.encode(asked), strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, atol=2e-4, rtol=1e-3)
    assert ours.longest == theirs.longest or CONFIGS[name].positions != "learned"
    if isinstance(CONFIGS[name], EncoderOnlyConfig):
        asked = [[MASK, *row[1:]] for row in asked]
        where = [[0, len(row) - 1] for row in asked]
        for one, other in zip(ours.guess(asked, where), theirs.guess(asked, where), strict=True):
            np.testing.assert_allclose(one, other, atol=2e-3)
            np.testing.assert_allclose(np.exp(other).sum(-1), 1, atol=1e-5)


def test_a_row_is_encoded_alone_or_among_others_alike(tmp_path):
    bundle = read_bundle(save_random(tmp_path / "model", config=BERT))
    asked = rows(bundle.model["vocab_size"])
    model = load_model(bundle)
    for engine in (load_torch_encoder(bundle, "cpu"), load_ct2_encoder(bundle, 1)):
        for row, among in zip(asked, engine.encode(asked), strict=True):
            with torch.inference_mode():
                alone = model.encode(torch.tensor([row]))[0].numpy()
            np.testing.assert_allclose(alone, among, atol=2e-4, rtol=1e-3)
        assert engine.encode([]) == []


def test_what_has_no_encoder_is_refused(tmp_path):
    for config in (
        DecoderOnlyConfig(vocab_size=8, d_model=16, d_ff=32, num_heads=2, num_layers=1),
        RecurrentConfig(vocab_size=8, d_model=16),
    ):
        assert encoder_obstacle(config)
        bundle = read_bundle(save_random(tmp_path / type(config).__name__, config=config))
        with pytest.raises(ConfigError, match="cannot be run by CTranslate2: it has no encoder"):
            load_ct2_encoder(bundle)
        with pytest.raises(InputError, match="no encoder of attention layers"):
            load_torch_encoder(bundle, "cpu")
    assert "layers" in encoder_obstacle(replace(BERT, num_layers=200))
    translator = read_bundle(save_random(tmp_path / "translator"))
    for engine in (load_torch_encoder(translator, "cpu"), load_ct2_encoder(translator, 1)):
        with pytest.raises(InputError, match="only an encoder-only model"):
            engine.guess([[5, 2]], [[0]])
