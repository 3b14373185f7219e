"""A model with additive attention, explained: its scores are w · tanh(q + k), and nothing is divided."""

import numpy as np
import pytest
import torch

from attendo.errors import InputError
from attendo.explain.explain import explain
from attendo.explain.hand_words import HandWords
from attendo.explain.page_data import page_data
from attendo.explain.terminal import explanation_lines
from attendo.explain.view import view_of
from attendo.model.config import TransformerConfig
from attendo.model.transformer import Transformer
from attendo.model_folder.weights import save_model, weights_of
from tests.inspection.small_models import tokenizer

ENDS = {"force": ("4=</s>",)}  # a random model would not end by itself


@pytest.fixture(scope="module")
def additive(tmp_path_factory):
    torch.manual_seed(1)
    sizes = {"d_model": 16, "d_ff": 24, "num_heads": 2, "encoder_layers": 1, "decoder_layers": 1}
    model = Transformer(TransformerConfig(vocab_size=tokenizer().vocab_size, **sizes, compatibility="additive"))
    folder = tmp_path_factory.mktemp("additive") / "model"
    save_model(folder, model, weights_of(model), tokenizer(), [("zh", "en"), ("en", "zh")], "# Random\n")
    return folder


def test_the_walk_unfolds_a_score(additive):
    found = explain("我爱书", "en", "zh", model=additive, hands=HandWords(**ENDS))
    trace, part = found.shown.trace, "decoder.0.cross_attention"
    q, k, w = (trace[f"{part}.{name}"] for name in ("Q", "K", "w"))
    expected = (np.tanh(q[:, :, None] + k[:, None]) * w[:, None, None]).sum(-1)
    np.testing.assert_allclose(trace[f"{part}.scores"], expected, atol=1e-5)
    text = "\n".join(explanation_lines(found, view_of(found)))
    assert "softmax(w · tanh(q + k)) V" in text
    assert "w·tanh(q + k(" in text
    assert "√d_k" not in text
    assert "scaled " not in text.partition("encoder.0.self_attention")[2]


def test_the_page_holds_w(additive):
    found = explain("我爱书", "en", "zh", model=additive, hands=HandWords(**ENDS))
    data = page_data(found, view_of(found), "en")
    assert data["config"]["compatibility"] == "additive"
    assert data["tensors"]["encoder.0.self_attention.w"]["shape"] == [2, 8]


def test_there_is_no_scale_to_leave_out(additive):
    with pytest.raises(InputError, match="additive attention divides by nothing"):
        explain("我爱书", "en", "zh", model=additive, hands=HandWords(scale=False, **ENDS))
