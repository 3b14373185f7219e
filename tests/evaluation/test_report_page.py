"""The page of an evaluation: well-formed, in both languages, all numbers there, and nothing of the input is markup."""

import re
from dataclasses import replace

import pytest
from lxml import etree

from attendo.evaluation.evaluate import score_hypotheses
from attendo.evaluation.hypotheses import Hypotheses
from attendo.evaluation.report_page import sentence_chart, write_evaluation
from attendo.evaluation.report_text import evaluation_lines
from attendo.evaluation.test_set import EvaluationSet
from attendo.report.charts import Bar, draw_bars
from attendo.report.language import in_chinese
from attendo.report.page import POLICY
from tests.evaluation.texts import sentences, spoilt

MARKUP = "</td></table><script>alert('1')</script>\"><img src=x onerror=alert(1)> & "
HOSTILE = f"{MARKUP}\x1b[31m \u202eolleh \x00 我爱你 שלום"


def found(language="en", name="t.tsv", first=""):
    texts = sentences(language)
    other = sentences("en" if language == "zh" else "zh")
    test_set = EvaluationSet(name, (first, *other), ((first, *texts),), ("ref",))
    hypotheses = Hypotheses(name, ("x", *spoilt(texts, language)))
    return score_hypotheses(test_set, hypotheses, to=language, samples=20)


def page_of(path, *evaluations):
    write_evaluation(path / "r.html", evaluations)
    page = (path / "r.html").read_text(encoding="utf-8")
    return page, etree.fromstring(page.removeprefix("<!DOCTYPE html>").encode())


def test_all_scores_are_there_with_signatures_in_both_languages(tmp_path):
    one = found("zh")
    page, tree = page_of(tmp_path, one)
    rows = ["".join(row.itertext()) for row in tree.findall(".//section[@id='scores-1']//tbody/tr")]
    assert len(rows) == 5  # three BLEU, chrF, TER
    for row, score in zip(rows, [*one.bleu.values(), one.chrf, one.ter], strict=True):
        assert f"{score.score:.2f}" in row
        assert score.signature in row
    (marked,) = tree.findall(".//tr[@class='best']")
    assert "tok:zh" in "".join(marked.itertext())
    for words in ("Scores", "得分", "By length", "按句长", "罕见词与常见词", "最差的句子", one.command):
        assert words in page
    assert tree.findall(".//p[@lang='zh']")
    assert one.worst[0].hypothesis in "".join(tree.find(".//section[@id='worst-1']").itertext())


@pytest.mark.parametrize(
    ("file", "texts"),
    [(None, ("in the references.", "在参考译文中")), ("seen.tsv", ("in seen.tsv.", "在 seen.tsv 中"))],
)
def test_both_languages_say_where_words_were_counted(tmp_path, file, texts):
    _, tree = page_of(tmp_path, replace(found(), frequencies_of=file))
    section = "".join(tree.find(".//section[@id='words-1']").itertext())
    assert all(words in section for words in texts)


def test_several_test_sets_have_an_overview_and_names_of_their_own(tmp_path):
    page, tree = page_of(tmp_path, found(), found("zh", "other.tsv"))
    ids = tree.xpath("//@id")
    assert len(ids) == len(set(ids))
    assert [link.get("href") for link in tree.findall(".//a")] == ["#set-1", "#set-2"]
    assert "other.tsv" in page


def test_hostile_input_stays_text(tmp_path):
    one = replace(found("en", HOSTILE, HOSTILE), warnings=[HOSTILE], frequencies_of=HOSTILE, command=HOSTILE)
    page, tree = page_of(tmp_path, one, one)
    assert POLICY in page
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", page)
    assert not tree.findall(".//script")
    assert not tree.findall(".//img")
    assert not tree.xpath("//@*[starts-with(name(), 'on')]")
    assert all(link.startswith("#") for link in tree.xpath("//@href | //@src"))
    assert "http" not in re.sub(r'xmlns="[^"]*"|http-equiv', "", page)


def test_bars_are_as_high_as_their_values():
    tree = etree.fromstring(draw_bars("a & b", [Bar("x", 50, "50"), Bar("y", 100, "100", interval=(90, 110))]))
    low, high = (float(bar.get("height")) for bar in tree.iter("{*}rect"))
    assert high == pytest.approx(2 * low, abs=0.2)
    (whisker,) = (path.get("d") for path in tree.iter("{*}path") if path.get("class") == "whisker")
    bottom, top = map(float, re.fullmatch(r"M[\d.]+ ([\d.]+)V([\d.]+)", whisker).groups())
    assert bottom - top == pytest.approx(20 * high / 100, abs=0.3)
    assert draw_bars("nothing", []) == ""
    assert draw_bars("zero", [Bar("x", 0, "0")])


def test_every_sentence_is_in_one_class():
    tree = etree.fromstring(sentence_chart([0.0, 9.99, 10.0, 55.0, 100.0, 100.0]))
    values = [span.text for span in tree.iter("span") if span.get("class") == "value"]
    assert values == ["2", "1", "0", "0", "0", "1", "0", "0", "0", "2"]


def test_a_page_in_chinese_alone(tmp_path):
    write_evaluation(tmp_path / "r.html", [found("en"), found("zh")], "zh")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    for words in ("得分", "按句长", "测试集", "句数", "最差的句子", "参考译文", "由 attendo"):
        assert words in page
    for words in ("Scores", "By length", "test set", " sentences", "Written by", "chrF from"):
        assert words not in page


def test_a_bleu_of_nothing_is_explained_and_no_interval_goes_beyond_100():
    words = ["Hund", "Katze", "Maus", "Haus"]
    test_set = EvaluationSet("t.tsv", None, (tuple(words),), ("ref",))
    one = score_hypotheses(test_set, Hypotheses("h", tuple(words)), to="de", samples=50)
    assert one.quoted[1].score == 0  # there are no four words in a row
    lines = "\n".join(evaluation_lines(one))
    assert "as in very short sentences, it is near 0; chrF tells more" in lines
    assert "应看 chrF" in "\n".join(evaluation_lines(one, in_chinese))
    texts = [f"A dog runs through the park number {number}." for number in range(20)]
    almost = ["A cat sits.", *texts[1:]]
    test_set = EvaluationSet("t.tsv", None, (tuple(texts),), ("ref",))
    good = score_hypotheses(test_set, Hypotheses("h", tuple(almost)), to="en", samples=200)
    assert good.quoted[1].interval[1] <= 100
    assert good.chrf.interval[1] <= 100
    assert good.quoted[1].mean + good.quoted[1].half_width > 100
    assert "it is near 0" not in "\n".join(evaluation_lines(good))
