"""CTranslate2's generator beside torch, with the same weights: the same log-probabilities, the same texts."""

from dataclasses import replace

import pytest

from attendo.decoding.options import SamplingOptions
from attendo.engines.ct2.conversion import generator_obstacle
from attendo.errors import ConfigError
from attendo.generation.load import load_language_model
from tests.generation.small_language_model import LLAMA, save_language_model

CONFIGS = {
    "like Llama": LLAMA,
    "shared keys": replace(LLAMA, num_kv_heads=2),
    "one key for all heads": replace(LLAMA, num_kv_heads=1),
    "tied": replace(LLAMA, tied_output=True),
    "learned": replace(LLAMA, positions="learned", max_length=40),
    "sinusoidal, post-norm, ReLU": replace(LLAMA, positions="sinusoidal", norm_order="post", activation="relu"),
    "no positions, LayerNorm, GELU, bias": replace(
        LLAMA, positions="none", norm="layer", norm_eps=1e-5, activation="gelu", bias=True
    ),
    "another base": replace(LLAMA, rotary_base=100.0, norm_eps=1e-3),
}


@pytest.mark.parametrize("name", CONFIGS)
def test_the_same_scores_and_texts(tmp_path, monkeypatch, name):
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "cache"))
    folder = save_language_model(tmp_path / "model", CONFIGS[name])
    ours = load_language_model(folder, engine="torch", device="cpu", threads=1)
    theirs = load_language_model(folder, engine="ct2", threads=1)
    texts = ["春眠不觉晓", "花落知多少，夜来风雨声。处处", "x", "雪"]
    for one, other in zip(ours.score(texts), theirs.score(texts), strict=True):
        assert one == pytest.approx(other, abs=2e-5)
    for sampling in (None, SamplingOptions(temperature=0.8, top_k=40, top_p=0.9, seed=3)):
        drawn = [[*each.generate("春", samples=3, max_length=20, sampling=sampling)] for each in (ours, theirs)]
        assert drawn[0] == drawn[1]


def test_what_has_no_counterpart_is_told_and_torch_takes_over(tmp_path):
    additive = replace(LLAMA, positions="learned", max_length=40, compatibility="additive")
    assert "compares by dot products alone" in generator_obstacle(additive)
    folder = save_language_model(tmp_path / "model", additive)
    assert load_language_model(folder, device="cpu").engine.name.startswith("torch")
    with pytest.raises(ConfigError, match="cannot be run by CTranslate2"):
        load_language_model(folder, engine="ct2")
