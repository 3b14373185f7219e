"""A given translation under the magnifying glass: nothing is searched, and the weights are those of reading it."""

import pytest

from attendo.decoding.scoring import score_targets
from attendo.errors import InputError
from attendo.inspection.inspect import inspect_text
from attendo.inspection.page import write_page
from attendo.inspection.steps import inspection_lines, inspection_to_dict
from attendo.special_tokens import SPECIAL
from tests.inspection.small_models import DIRECTIONS, FAMILIES, TEXT, model, tokenizer

TARGET = "Teachers love 24 books."


def looked_at(name, target=TARGET):
    return inspect_text(model(name), tokenizer(), TEXT, DIRECTIONS, target=target)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_given_translation_is_read(family):
    import torch

    found = looked_at(family)
    ids = (*tokenizer().encode(TARGET), SPECIAL.eos)
    assert (found.best.ids, found.translation, found.steps) == (ids, TARGET, ())
    [score] = score_targets(model(family), torch.tensor([found.source]), torch.tensor([ids]))
    assert found.best.log_prob == pytest.approx(score.log_prob)
    assert found.alignment.weights.shape == (len(found.alignment.rows), len(found.alignment.columns))
    lines = list(inspection_lines(found))
    assert lines[-1].startswith("The translation was given: nothing was searched")
    assert any(">>en<<: the language to write" in line for line in lines)
    assert inspection_to_dict(found)["steps"] == []


def test_what_is_no_translation(tmp_path):
    with pytest.raises(InputError, match="the given translation is empty"):
        looked_at("transformer", " \n")
    with pytest.raises(InputError, match="tokens: expected at most"):
        looked_at("transformer", "books " * 2_000)


def test_the_page_in_chinese_alone(tmp_path):
    found = looked_at("transformer")
    write_page(tmp_path / "p.html", found, found.maps, {}, "zh")
    page = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert '<html lang="zh">' in page
    for words in (
        "词对齐",
        "编码器自注意力",
        "第 1 层",
        "第 1 头",
        "译文是给定的",
        "&lt;：要译成的语言",
        "由 attendo",
    ):
        assert words in page
    for words in ("Alignment", "Encoder self-attention", "Layer 1", "head 1", "the language to write", "Written by"):
        assert words not in page
    assert "原文" in "\n".join(inspection_lines(found, "zh"))
