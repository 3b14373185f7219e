"""L13 and L40: the numbers, and rules that can say no."""

import pytest

from attendo.lab.claims import EXPERIMENTS
from tests.lab.planted import small_runs, verdict

SHARED = ("llama_2_70b", "llama_3_70b", "qwen2_5_32b", "qwen2_5_72b")


def test_l13():
    assert verdict("L13") == "holds only if"
    shared = dict.fromkeys((f"share_{key}" for key in SHARED), 0.66)
    assert verdict("L13", **shared) == "holds"
    assert verdict("L13", **{**shared, "share_qwen2_5_72b": 0.8}) == "holds only if"
    assert verdict("L13", billions=100.0) == "holds"  # GPT-3 alone
    none = dict.fromkeys(("share_llama_13b", "share_llama_65b", "share_gpt_3", "share_qwen2_5_14b"), 0.5)
    assert verdict("L13", **none) == "does not hold"


def test_l13_counts_what_was_published():
    (numbers,) = small_runs(EXPERIMENTS["L13"])
    assert numbers["parameters_llama_7b"] == 6_738_415_616
    assert numbers["parameters_llama_2_70b"] == 68_976_648_192
    assert numbers["parameters_llama_3_70b"] == 70_553_706_496
    # Qwen has biases in queries, keys and values, which nobody would see here.
    published = {"qwen2_5_14b": 14_770_033_664, "qwen2_5_32b": 32_763_876_352, "qwen2_5_72b": 72_706_203_648}
    for key, parameters in published.items():
        assert numbers[f"parameters_{key}"] == pytest.approx(parameters, rel=1e-4)
    assert numbers["parameters_gpt_3"] == pytest.approx(175e9, rel=0.01)
    assert numbers["in_layers_base"] == pytest.approx(4 / 7, abs=1e-3)


def test_l40():
    (numbers,) = small_runs(EXPERIMENTS["L40"])
    assert numbers["sublayers"] == 6 * 2 + 6 * 3
    assert (numbers["inside_feed_forward"], numbers["inside_a_head"], numbers["logits"]) == (2048, 64, 37_000)
    assert EXPERIMENTS["L40"].judge([numbers]) == "holds"
    assert EXPERIMENTS["L40"].judge([{**numbers, "least_between": 256}]) == "does not hold"
