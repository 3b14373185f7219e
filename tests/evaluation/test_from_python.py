"""evaluate and compare as a user calls them: lists or paths in, results with to_dict out."""

import json

import pytest

from attendo.errors import DataError, UsageError
from attendo.evaluation.compare import compare
from attendo.evaluation.evaluate import evaluate
from attendo.evaluation.metrics import chrf
from attendo.evaluation.report_page import write_evaluation
from attendo.evaluation.report_text import evaluation_lines
from tests.evaluation.texts import sentences, spoilt, write, write_tsv
from tests.translation.fake_engine import fake_translator, write_fake_model


def test_lists_and_files_are_judged_alike(tmp_path):
    references, sources = sentences("en"), sentences("zh")
    hypotheses = spoilt(references, "en", 0.3)
    first = evaluate(hypotheses=hypotheses, references=references, sources=sources, to="en", samples=10)
    files = [write(tmp_path / name, texts) for name, texts in
             (("h.txt", hypotheses), ("r.txt", references), ("s.txt", sources))]  # fmt: skip
    second = evaluate(hypotheses=files[0], references=str(files[1]), sources=files[2], to="en", samples=10)
    third = evaluate(hypotheses=hypotheses, references=write_tsv(tmp_path / "t.tsv", sources, references), samples=10)
    assert first.bleu == second.bleu == third.bleu
    assert first.numbers == second.numbers == third.numbers
    assert json.loads(json.dumps(first.to_dict()))["bleu"]["score"] == first.quoted[1].score


def test_several_references_and_a_metric_of_ones_own(tmp_path):
    references = [sentences("en"), spoilt(sentences("en"), "en", 0.2)]
    found = evaluate(
        hypotheses=sentences("en"), references=references, to="en", samples=0,
        metrics={"own": lambda texts, wanted: chrf(texts, wanted[:1]).score},
    )  # fmt: skip
    assert found.references == 2
    assert found.metrics == found.to_dict()["metrics"] == {"own": 100.0}
    assert f"  {'own':<28}100.0000" in evaluation_lines(found)
    write_evaluation(tmp_path / "report.html", [found])
    assert "<dt>own</dt><dd>100.0000</dd>" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_translator_translates_a_test_set(tmp_path):
    texts = sentences("en")
    translator = fake_translator(write_fake_model(tmp_path / "model"))
    found = evaluate(write_tsv(tmp_path / "t.tsv", sentences("zh"), texts), model=translator, to="en", samples=0)
    assert found.run is not None
    assert found.sentences == len(texts)


def test_compare_lists_and_files(tmp_path):
    references = sentences("en")
    good, bad = spoilt(references, "en", 0.05), spoilt(references, "en", 0.6)
    first = compare(bad, good, references, to="en", samples=50, trials=50)
    second = compare(
        write(tmp_path / "a.txt", bad), write(tmp_path / "b.txt", good), [references], samples=50, trials=50
    )
    assert first.differences == second.differences
    assert first.differences["bleu"].better == "b"
    assert (first.a, second.a) == ("A", str(tmp_path / "a.txt"))


@pytest.mark.parametrize(
    "wrong",
    [{}, {"hypotheses": ["a"]}, {"test_set": "t.tsv", "hypotheses": ["a"], "references": ["a"]},
     {"test_set": "t.tsv", "references": ["a"]}],
)  # fmt: skip
def test_wrong_calls(wrong):
    with pytest.raises(UsageError):
        evaluate(**wrong)


def test_unequal_lists():
    with pytest.raises(DataError, match="expected one translation for each sentence"):
        evaluate(hypotheses=["a"], references=["a", "b"], to="en")
    with pytest.raises(DataError, match="expected as many"):
        evaluate(hypotheses=["a"], references=[["a"], ["a", "b"]], to="en")
