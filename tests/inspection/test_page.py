"""index.html: every head with its values, well-formed, in both languages, and nothing of the input is markup."""

import re
from dataclasses import replace

import pytest
import torch
from lxml import etree

from attendo.inspection.page import MOST_CELLS, fit_page, side_by_side, write_page
from attendo.report.page import POLICY
from tests.inspection.small_models import FAMILIES, TEXT, inspection

MARKUP = "</td></table><script>alert('1')</script>\"><img src=x onerror=alert(1)> & "
HOSTILE = f"{MARKUP}\x1b[31m \u202eolleh \x00 我爱你 שלום"


def page_of(tmp_path, family="transformer", text=TEXT, change=None):
    found = inspection(family, text)
    maps = [change(one) if change else one for one in found.maps]
    path = tmp_path / "index.html"
    write_page(path, found, maps, {"model": MARKUP})
    page = path.read_text(encoding="utf-8")
    return page, etree.fromstring(page.removeprefix("<!DOCTYPE html>").encode()), maps, found.alignment


def tables(tree, section):
    return tree.findall(f".//section[@id='{section}']//figure//table")


def values(table):
    """What a reader sees when pointing at the cells: [rows][columns]."""
    rows = table.findall("tbody/tr")
    return [[float(cell.get("title").rpartition(": ")[2]) for cell in row.findall("td")] for row in rows]


@pytest.mark.parametrize("family", FAMILIES)
def test_every_head_of_every_layer_is_there_with_its_values(family, tmp_path):
    _, tree, maps, aligned = page_of(tmp_path, family)
    for one in maps:
        found = tables(tree, one.name)
        layers, heads = one.weights.shape[:2]
        assert len(found) == layers * heads
        for table, weights in zip(found, one.weights.flatten(0, 1), strict=True):
            assert values(table) == [pytest.approx(row, abs=6e-4) for row in weights.tolist()]
            assert [th.text for th in table.findall("tbody/tr/th")] == list(one.rows)
            assert ["".join(th.itertext()) for th in table.findall("thead/tr/th")] == list(one.columns)
    (table,) = tables(tree, "alignment")
    assert values(table) == [pytest.approx(row, abs=6e-4) for row in aligned.weights.tolist()]


def test_labels_are_text_in_chinese_and_captions_are_in_both_languages(tmp_path):
    page, tree, _, _ = page_of(tmp_path)
    heads = ["".join(th.itertext()) for th in tables(tree, "cross")[0].findall("thead/tr/th")]
    assert heads == [">>en<<", "老师", "爱", "饕", "␣", "2", "4", "␣books", ".", "</s>"]
    for words in ("Cross-attention", "交叉注意力", "词对齐", "解码器自注意力", "Step 1", "第 1 步", "淘汰"):
        assert words in page
    assert tables(tree, "cross")[0].find("thead").get("lang") == "zh"


def test_every_step_is_there_with_its_losers(tmp_path):
    _, tree, _, _ = page_of(tmp_path)
    steps = inspection("transformer").steps
    found = tree.findall(".//div[@class='step']")
    assert len(found) == len(steps)
    for part, step in zip(found, steps, strict=True):
        assert [row.get("class") for row in part.findall("table/tbody/tr")] == [one.fate for one in step.contenders]


def test_hostile_input_stays_text(tmp_path):
    page, tree, _, _ = page_of(tmp_path, text=HOSTILE)
    assert POLICY in page
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", page)
    assert not tree.findall(".//script")
    assert not tree.findall(".//img")
    assert not tree.xpath("//@*[starts-with(name(), 'on')]")
    assert all(link.startswith("#") for link in tree.xpath("//@href | //@src"))
    assert "<script>alert('1')</script>" in tree.find(".//h1").text
    assert MARKUP.strip() in "".join(tree.find(".//dl[@class='facts']").itertext())
    assert {"<", "alert"} & {th.text.strip("␣") for th in tables(tree, "encoder-self")[0].findall("tbody/tr/th")}


def test_what_does_not_fit_is_a_mean_or_left_to_the_pictures(tmp_path):
    side = 60  # 3 layers of 4 heads: 43,200 cells
    weights = torch.rand(3, 4, side, side)
    assert fit_page(weights[:1], "cross").weights.shape == (1, 4, side, side)
    by_layer = fit_page(weights, "cross")
    torch.testing.assert_close(by_layer.weights, weights.mean(1, keepdim=True))
    assert "the mean over heads" in by_layer.note[0]
    one = fit_page(torch.rand(12, 1, side, side).softmax(-1), "cross")
    assert one.weights.shape == (1, 1, side, side)
    torch.testing.assert_close(one.weights.sum(-1), torch.ones(1, 1, side))
    assert len(fit_page(torch.zeros(1, 1, 201, 201), "cross").weights) == 0
    assert fit_page(torch.zeros(1, 1, 200, 200), "cross").note is None

    def long(one):
        names = tuple(f"token {index}" for index in range(side))
        return replace(one, rows=names, columns=names, weights=torch.rand(3, 4, side, side))

    page, tree, _, _ = page_of(tmp_path, change=long)
    assert len(tables(tree, "cross")) == 3
    assert "cross-layer-1.png" in page
    assert page.count("<td") < 4 * MOST_CELLS


def test_what_a_mask_forbids_is_marked(tmp_path):
    """Of decoder self-attention the upper right half, and nothing elsewhere."""
    _, tree, maps, _ = page_of(tmp_path)
    for one in maps:
        for table in tables(tree, one.name):
            masked = [
                [cell.get("class") == "masked" for cell in row.findall("td")] for row in table.findall("tbody/tr")
            ]
            size = range(len(one.rows))
            causal = one.name == "decoder-self"
            assert masked == [[causal and column > row for column in range(len(one.columns))] for row in size]


def test_four_heads_stand_two_and_two():
    nested = side_by_side(["a", "b", "c", "d"])
    assert re.sub(r"\s", "", nested) == re.sub(
        r"\s", "", '<div class="maps"><div class="maps">ab</div><div class="maps">cd</div></div>'
    )
