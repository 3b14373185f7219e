"""report.html: all numbers, nothing that runs, well-formed, small, whatever the log holds."""

import json
import math
import re

import numpy as np
import pytest
from lxml import etree, html

from attendo.report.charts import keep_evenly, keep_extremes, linear_axis, log_axis, smooth
from attendo.report.page import POLICY
from attendo.runs.run_page import write_report

RECIPE = '[data]\nlanguages = ["zh", "en"]\n\n[validation]\nevery = 500\nmetric = "bleu"\n'
MARKUP = "</style></title></pre><script>alert('1')</script>\"><img src=x onerror=alert(1)> & "
HOSTILE = f"{MARKUP}\x1b[31m \u202eolleh \x00\ud800 "
SAMPLES = [["我们走吧。", "Let us go.", "Let's go."], ["שלום עולם", "Hello, world", HOSTILE]]


def step(at, loss=3.0, **changes):
    record = {
        "step": at, "loss": loss, "learning_rate": 3e-4, "gradient_norm": 0.8, "target_tokens": 23_000,
        "target_tokens_per_second": 41_000.0, "padding": 0.016, "epoch": 1, "batch": at,
    }  # fmt: skip
    return record | changes


def validation(at, best=True, samples=None, **scores):
    return {"step": at, "validation": scores, "best": best, "samples": samples or []}


def a_run(steps=2_000):
    """Falls like a real one; two updates are skipped, and the run is resumed once."""
    for at in range(1, steps + 1):
        loss = 2.5 + 7 * math.exp(-at / 300) + 0.2 * math.sin(1.7 * at)
        if at == 1_201:
            yield {"step": 1_200, "event": "resumed", "text": "from step-1200"}
        record = step(at, loss, learning_rate=1e-3 * min(1, at / 400))
        yield record | ({"loss": None, "gradient_norm": None, "skipped": True} if at in (812, 813) else {})
        if at % 500 == 0:
            yield validation(at, best=at != 2_000, samples=SAMPLES, loss=loss - 0.7, bleu=at / 50, chrf=52.5)
            yield {"step": at, "event": "saved", "text": ""}


def report(tmp_path, log, **changes):
    values = {
        "title": "zh-en small", "command": "attendo train recipe.toml --run-dir runs/a --set training.seed=7",
        "recipe_toml": RECIPE, "environment": {"torch": "2.13.0", "gpus": ["H200", "显卡"], "commit": None},
        "summary": {"parameters": "60,526,592", "time": "1 h 52 min"},
    }  # fmt: skip
    path = tmp_path / "report.html"
    write_report(path, log=log, **(values | changes))
    text = path.read_text(encoding="utf-8")
    return text, etree.fromstring(text.removeprefix("<!DOCTYPE html>").encode())


def words(tree, path="."):
    return [" ".join("".join(node.itertext()).split()) for node in tree.iterfind(path)]


def charts(tree):
    return {figure.find(".//b").text: figure for figure in tree.iterfind(".//figure")}


def points(figure, look):
    path = next(path.get("d") for path in figure.iterfind(".//{*}path") if path.get("class") == look)
    return [tuple(map(float, pair.split())) for pair in path.removeprefix("M").split("L")]


def test_the_page_holds_all_that_was_asked_for(tmp_path):
    text, tree = report(tmp_path, list(a_run()))
    assert words(tree, ".//h1") == ["zh-en small"]
    (headline,) = words(tree, ".//p[@class='headline']")
    assert headline.startswith("bleu 30.00 best, at step 1,500, loss ")
    assert "chrf 52.50" in headline
    assert words(tree, ".//dl[@class='facts']/div") == ["parameters60,526,592", "time1 h 52 min"]
    names = ["loss", "bleu", "chrf", "learning rate", "gradient norm", "target tokens a second"]
    assert list(charts(tree)) == names
    note = next(note for note in words(tree, ".//p[@class='note']") if "Dashed" in note)
    assert "the run was resumed (at step 1,200)" in note
    assert "(2 times, at steps 812, 813)" in note
    rows = [words(row, "td") for row in tree.iterfind(".//tbody/tr")]
    assert [row[0] for row in rows] == ["500", "1,000", "1,500", "2,000"]
    assert [row[2] for row in rows] == ["10.00", "20.00", "30.00", "40.00"]
    assert [row.get("class") for row in tree.iterfind(".//tbody/tr")] == [None, None, "best", None]
    assert words(tree, ".//dl[@class='sample']/dd")[:4] == ["我们走吧。", "Let us go.", "Let's go.", "שלום עולם"]
    command, recipe = (pre.text for pre in tree.iterfind(".//pre"))
    assert command == "attendo train recipe.toml --run-dir runs/a --set training.seed=7"
    assert recipe == RECIPE.strip()
    assert words(tree, ".//table[@class='words']//td") == ["2.13.0", '["H200", "显卡"]', "null"]
    assert len(text) < 200_000


def test_the_curves_are_where_the_numbers_are(tmp_path):
    _, tree = report(tmp_path, list(a_run()))
    loss = charts(tree)["loss"]
    ticks = {
        float(span.text): float(re.search(r"top:([\d.]+)%", span.get("style"))[1]) * 10
        for span in loss.iterfind(".//span[@class='y']")
    }
    (low, low_place), *_, (high, high_place) = ticks.items()
    raw = points(loss, "raw")
    assert len(raw) <= 1_000
    first = 2.5 + 7 * math.exp(-1 / 300) + 0.2 * math.sin(1.7)
    expected = low_place + (first - low) / (high - low) * (high_place - low_place)
    assert raw[0] == (pytest.approx(1000 / 2_000, abs=0.06), pytest.approx(expected, abs=0.2))
    assert raw[-1][0] == pytest.approx(1000, abs=2)
    smoothed = [y for _, y in points(loss, "train")]
    assert np.abs(np.diff(smoothed[500:])).max() < np.abs(np.diff([y for _, y in raw])).max() / 5
    notes = [title.text for title in charts(tree)["bleu"].iterfind(".//{*}title")]
    assert notes == [
        "step 500: 10.00",
        "step 1,000: 20.00",
        "step 1,500: 30.00",
        "step 2,000: 40.00",
        "step 1,500: 30.00",
    ]
    marks = {path.get("class"): path.get("d") for path in loss.iterfind(".//{*}path")}
    assert marks["resumed"] == "M600 1000v-1000"
    assert marks["skipped"] == "M406 1000v-80"  # 812 and 813 fall on one column
    assert marks["validated"].count("M") == 4
    rate = points(charts(tree)["learning rate"], "train")
    assert min(rate, key=lambda point: point[1])[0] >= 199, "the peak is reached at step 400 of 2,000"


def test_nothing_can_run_and_nothing_is_fetched(tmp_path):
    text, tree = report(
        tmp_path,
        [*a_run(600), validation(601, samples=[[HOSTILE] * 3], loss=1.0, **{HOSTILE: 3.0})],
        title=HOSTILE,
        command=HOSTILE,
        recipe_toml=f"# {HOSTILE}\n# second line",
        environment={HOSTILE: HOSTILE, "list": [HOSTILE]},
        summary={HOSTILE: HOSTILE},
    )
    policy = tree.find(".//meta[@http-equiv='Content-Security-Policy']").get("content")
    assert policy == POLICY == "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    for parsed in (tree, html.fromstring(text)):  # as XML and as browsers read it
        kinds = {etree.QName(node).localname for node in parsed.iter(etree.Element)}
        assert kinds == {
            "html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "b", "dl", "div", "dt", "dd", "section",
            "figure", "figcaption", "span", "svg", "path", "table", "thead", "tbody", "tr", "th", "td", "pre", "footer",
        }  # fmt: skip
        attributes = {name for node in parsed.iter(etree.Element) for name in node.attrib}
        assert not {name for name in attributes if name.startswith("on") or name in ("src", "href", "srcset")}
        assert [node.text for node in parsed.iter("h1")] == [f"{MARKUP}␛[31m �olleh ␀� "]
    assert len(list(tree.iter("style"))) == 1
    assert not re.search(r"url\(|@import|https?://(?!www\.w3\.org/2000/svg)", text)
    assert not set(text) & set("\x1b\x00\u202e\ud800")
    assert tree.findall(".//pre")[1].text.endswith("\n# second line")
    assert all(node.get("dir") == "auto" for node in tree.iterfind(".//dl[@class='sample']/dd"))


def test_light_dark_phone_and_paper(tmp_path):
    text, tree = report(tmp_path, [])
    style = tree.find(".//style").text
    assert "prefers-color-scheme: dark" in style
    assert "@media print" in style
    assert style.count("{") == style.count("}")
    assert tree.find(".//meta[@name='viewport']").get("content") == "width=device-width, initial-scale=1"
    assert text.startswith('<!DOCTYPE html>\n<html lang="en">')


@pytest.mark.parametrize(
    ("log", "headline", "pictures"),
    [
        ([], "no step yet", 0),
        ([step(1)], "1 step, no validation yet", 4),
        ([step(1, None, gradient_norm=math.nan, skipped=True)], "1 step, no validation yet", 2),
        ([step(n, math.nan) for n in range(1, 4)], "3 steps, no validation yet", 3),
        ([step(1), step(2, math.inf), step(3, -math.inf, gradient_norm=0.0)], "3 steps, no validation yet", 4),
        ([validation(500, bleu=3.25, loss=4.5)], "bleu 3.25 best, at step 500, loss 4.5000", 2),
        ([validation(1, best=False, loss=None)], "1 step, no best validation yet", 0),
        ([validation(n, loss=4.0) for n in (5, 10)], "loss 4.0000 best, at step 10", 1),
        ([step(1, "much"), step(2, True), step(3, 10**400), step(4, 1e300)], "4 steps, no validation yet", 4),
        ([{"step": 1}, {"event": "resumed"}, {"step": "2", "loss": 1.0}, {"step": -1, "loss": 1}, 7, None, "x", {},
          {"step": 10**30, "loss": 1.0}, {"step": 4, "validation": 3}, {"step": 2, "event": None}], "no step yet", 0),
        ([{"step": 3, "validation": {"loss": 1.5}, "best": True, "samples": [1, ["a"], [1, 2, 3], "abc"]}],
         "loss 1.5000 best, at step 3", 1),
    ],
)  # fmt: skip
def test_strange_logs_give_a_sensible_page(tmp_path, log, headline, pictures):
    text, tree = report(tmp_path, log)
    assert words(tree, ".//p[@class='headline']") == [headline]
    assert len(charts(tree)) == pictures
    body = "".join(tree.find("body").itertext()) + "".join(path.get("d") for path in tree.iterfind(".//{*}path"))
    assert not re.search(r"\b(nan|inf)\b", body, re.IGNORECASE)
    assert "Do it again" in words(tree, ".//h2")
    html.fromstring(text)


def test_steps_done_again_replace_the_first_ones(tmp_path):
    log = [*(step(n, 9.0) for n in range(1, 11)), validation(10, loss=9.0, samples=SAMPLES[:1])]
    log += [{"step": 5, "event": "resumed", "text": ""}, *(step(n, 1.0) for n in range(6, 11))]
    log += [validation(10, loss=1.0)]
    _, tree = report(tmp_path, log)
    heights = [y for _, y in points(charts(tree)["loss"], "raw")]
    assert heights[:5] == [heights[0]] * 5
    assert heights[5:] == [heights[5]] * 5
    assert heights[5] > heights[0], "1.0 stands below 9.0; an SVG counts downwards"
    assert [words(row, "td") for row in tree.iterfind(".//tbody/tr")] == [["10", "1.0000"]]


def test_a_recipe_that_cannot_be_read_costs_only_the_choice_of_the_headline(tmp_path):
    for recipe in ("", "this is [no toml", "validation = 3"):
        _, tree = report(tmp_path, [validation(5, loss=2.0, bleu=30.0)], recipe_toml=recipe)
        assert words(tree, ".//p[@class='headline']") == ["loss 2.0000 best, at step 5, bleu 30.00"]


def test_a_long_log_gives_a_small_file(tmp_path):
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 0.3, 200_000).tolist()
    log = [
        step(n, 4 + noise[n - 1], gradient_norm=math.exp(noise[n - 1]), skipped=n % 50 == 0) for n in range(1, 200_001)
    ]
    log += [
        validation(n, best=n == 123_400, loss=3 + noise[n - 1], bleu=20 + noise[n - 1])
        for n in range(100, 200_001, 100)
    ]
    log += [{"step": n, "event": "resumed", "text": ""} for n in range(0, 200_000, 150)]
    text, tree = report(tmp_path, log)
    assert len(text.encode()) < 500_000
    for figure in charts(tree).values():
        for path in figure.iterfind(".//{*}path"):
            assert path.get("d").count("L") < 1_000
            assert path.get("d").count("M") <= 1_001
    rows = [row[0].text for row in tree.iterfind(".//tbody/tr")]
    assert len(rows) <= 501
    assert {"123,400", "200,000"} <= set(rows)
    assert f"{len(rows)} of 2,000 validations." in words(tree, ".//p[@class='note']")
    highest = min(y for _, y in points(charts(tree)["loss"], "raw"))
    assert highest == pytest.approx(1000 * 0.04 / 1.08, abs=1), "thinning keeps the peaks"


def test_a_log_through_json_is_the_same_log(tmp_path):
    log = list(a_run(600))
    assert report(tmp_path, log)[0] == report(tmp_path, [json.loads(json.dumps(record)) for record in log])[0]


def test_smoothing():
    values = np.array([1.0, 2.0, np.nan, 4.0, 5.0, 6.0])
    assert smooth(values, 3).tolist() == [1.0, 1.5, 3.0, 4.5, 5.0, 5.5]
    assert smooth(np.array([2.0]), 9).tolist() == [2.0]
    assert smooth(np.array([]), 9).tolist() == []
    assert np.isnan(smooth(np.array([np.nan, np.nan]), 3)).all()


def test_thinning():
    x, y = np.arange(10_000), np.sin(np.arange(10_000))
    y[1234], y[5678], y[50] = 99.0, -99.0, np.nan
    for thin in (keep_extremes, keep_evenly):
        few_x, few_y = thin(x, y, 100)
        assert len(few_x) == len(few_y) <= 100
        assert (np.diff(few_x) > 0).all()
        assert thin(x[:9], y[:9], 100)[0].tolist() == list(range(9))
    assert {99.0, -99.0} <= set(keep_extremes(x, y, 100)[1])
    assert keep_evenly(x, y, 100)[0][[0, -1]].tolist() == [0, 9_999]


@pytest.mark.parametrize(
    ("axis", "labels"),
    [
        (linear_axis(0, 20_000, whole=True), ["0", "5,000", "10,000", "15,000", "20,000"]),
        (linear_axis(1, 3, whole=True), ["1", "2", "3"]),
        (linear_axis(7, 7, whole=True), ["7"]),
        (linear_axis(1.6, 10.8), ["2", "4", "6", "8", "10"]),
        (linear_axis(0, 7e-4), ["0", "0.0002", "0.0004", "0.0006"]),
        (linear_axis(0, 7e-7), ["0", "2.0e-07", "4.0e-07", "6.0e-07"]),
        (log_axis(0.3, 12), ["0.2", "0.5", "1", "2", "5", "10", "20"]),
        (log_axis(0.8, 0.8), ["0.5", "1"]),
        (linear_axis(40, 40), ["20", "30", "40", "50", "60"]),
        (linear_axis(0.3, 0.1 + 0.2), ["0.15", "0.20", "0.25", "0.30", "0.35", "0.40", "0.45"]),
        (linear_axis(0, 1e30), ["0", "2.0e+29", "4.0e+29", "6.0e+29", "8.0e+29", "1.0e+30"]),
        (linear_axis(0, 0), ["-0.4", "-0.2", "0", "0.2", "0.4"]),
        (log_axis(1e-3, 2e3), ["0.001", "0.01", "0.1", "1", "10", "100", "1,000"]),
        (log_axis(1e-3, 5e8), ["0.001", "0.1", "10", "1,000", "100,000", "1e+07", "1e+09"]),
    ],
)
def test_axes_have_ticks_that_people_like(axis, labels):
    assert axis.labels == labels
    positions = axis.position(axis.ticks)
    assert (positions >= -1e-9).all()
    assert (positions <= 1 + 1e-9).all()


def test_a_report_in_chinese(tmp_path):
    text, tree = report(tmp_path, list(a_run()), language="zh")
    assert tree.get("lang") == "zh"
    assert words(tree, ".//h2") == ["曲线", "验证", "译例", "重做一遍", "配方", "环境"]
    for english in ("Curves", "learning rate", "gradient norm", "Dashed lines", "at step", "reference", "Written by"):
        assert english not in text
    assert "虚线：续训（第 1,200 步）。" in text
