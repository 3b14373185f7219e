"""An encoder-only model inspected: its weights, its guesses, the page and the command."""

import json

import pytest
import torch

from attendo.cli.main import run
from attendo.errors import InputError
from attendo.inspection.encoder_only import inspect_masked_text, read_text
from attendo.model.record import AttentionRecord
from tests.inspection.small_models import model, save, tokenizer

TEXT = "老师[MASK]饕 24 [MASK] books."  # 饕 is three bytes, shown as one


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save("encoder-only", tmp_path_factory.mktemp("inspect") / "model")


def test_weights_are_those_of_the_model_and_masks_bear_their_name():
    read = read_text(TEXT, tokenizer())
    found = inspect_masked_text(model("encoder-only"), tokenizer(), read)
    record = AttentionRecord()
    with torch.inference_mode():
        logits = model("encoder-only")(torch.tensor([read.ids]), record=record)
    assert found.maps.rows == found.maps.columns == found.tokens
    assert found.tokens == ("老师", "[MASK]", "饕", "␣", "2", "4", "[MASK]", "␣books", ".", "</s>")
    assert found.maps.weights.shape == (1, 2, 10, 10)
    torch.testing.assert_close(found.maps.weights.sum(-1), torch.ones(1, 2, 10))
    torch.testing.assert_close(found.maps.weights[0, :, 0, :2], record.encoder_self[0][0, :, 0, :2])
    for position, candidates in zip(read.positions, found.filled.masks, strict=True):
        assert candidates[0].id == int(logits[0, position].argmax())
    assert not found.maps.causal


def test_a_text_without_masks_has_maps_and_no_guesses():
    found = inspect_masked_text(model("encoder-only"), tokenizer(), read_text("老师", tokenizer()))
    assert found.filled is None
    assert found.tokens == ("老师", "</s>")
    with pytest.raises(InputError, match="no text to look at"):
        read_text(" \n", tokenizer())


def test_the_command_writes_a_page_with_guesses_and_every_layer(folder, tmp_path, capsys):
    assert run(["inspect", TEXT, "--model", str(folder), "--out", str(tmp_path), "--json"], debug=False) == 0
    table = json.loads(capsys.readouterr().out)
    assert [len(candidates) for candidates in table["masks"]] == [10, 10]
    assert table["attention"]["encoder-only"]["shape"] == [1, 2, 10, 10]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["encoder-only-layer-1.png", "index.html"]
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "Guesses for the masks" in page
    assert f"{table['masks'][1][0]['probability']:.2%}" in page
    assert page.count("<figure") == 2  # one a head
    assert "<script" not in page
    command = ["inspect", TEXT, "--model", str(folder), "--out", str(tmp_path), "--lang", "zh"]
    assert run(command, debug=False) == 0
    assert "第 2 个掩码，共 2 个" in capsys.readouterr().out


@pytest.mark.parametrize("option", [("--to", "en"), ("--from", "zh"), ("--target", "x"), ("--beam", "2")])
def test_what_is_for_translating_is_refused(folder, tmp_path, capsys, option):
    assert run(["inspect", "书", *option, "--model", str(folder), "--out", str(tmp_path)], debug=False) == 2
    assert f"{option[0]} is for models that translate" in capsys.readouterr().err
    assert run(["inspect", "书" * 600, "--model", str(folder), "--out", str(tmp_path)], debug=False) == 1
    assert "this model reads at most 512" in capsys.readouterr().err
