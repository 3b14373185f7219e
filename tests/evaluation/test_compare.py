"""The two tests are sacreBLEU's own, run by its command on the same files."""

import json
import re

import pytest

from attendo.evaluation.compare import Difference, SignificanceTest, compare_hypotheses
from attendo.evaluation.hypotheses import Hypotheses, read_hypotheses
from attendo.evaluation.report_text import comparison_lines, verdict
from attendo.evaluation.test_set import read_references
from tests.evaluation import sacrebleu_command
from tests.evaluation.texts import sentences, spoilt, write, write_tsv

SAMPLES, TRIALS = 100, 200


@pytest.fixture(scope="module", params=["en", "zh"])
def compared(request, tmp_path_factory):
    language, folder = request.param, tmp_path_factory.mktemp("compare")
    texts = sentences(language)
    other = sentences("en" if language == "zh" else "zh")
    test_set = read_references([write_tsv(folder / "t.tsv", other, texts, spoilt(texts, language, 0.1, 9))])
    files = [
        write(folder / "a.txt", spoilt(texts, language, 0.35)),
        write(folder / "b.txt", spoilt(texts, language, 0.3, 3)),
    ]
    a, b = (read_hypotheses(path, test_set) for path in files)
    return compare_hypotheses(a, b, test_set, language, ("a.txt", "b.txt"), SAMPLES, TRIALS), folder


@pytest.mark.parametrize("kind", ["bs", "ar"])
def test_it_is_sacrebleus_test(compared, kind):
    found, folder = compared
    command = next(line for line in found.commands if f"--paired-{kind}-n" in line)
    outputs = sacrebleu_command.in_bash(f"{command} --width 5", folder)
    of_a, of_b, p_values = (cells(line) for line in outputs.split("\n") if "│" in line and "System" not in line)
    for index, one in enumerate(found.differences.values(), start=1):
        outcome = one.bootstrap if kind == "bs" else one.randomisation
        assert re.search(rf" - {one.name} +{re.escape(outcome.signature)}\n", outputs)
        assert numbers(p_values[index]) == [pytest.approx(outcome.p_value, abs=5.1e-5)]
        for score, (low, high), cell in ((one.a, one.interval_a, of_a[index]), (one.b, one.interval_b, of_b[index])):
            theirs, *interval = numbers(cell)
            assert score == pytest.approx(theirs, abs=1e-5)
            if kind == "bs":
                mean, half = interval
                assert (low, high) == (pytest.approx(mean - half, abs=1e-4), pytest.approx(mean + half, abs=1e-4))


def cells(line):
    return line.strip("│").split("│")


def numbers(cell):
    return [float(number) for number in re.findall(r"\d+\.\d+", cell)]


def test_json_and_text(compared):
    found, _ = compared
    table = json.loads(json.dumps(found.to_dict()))
    assert {"bleu", "chrf", "ter", "a", "b", "sentences", "warnings", "commands"} <= set(table)
    assert table["bleu"]["difference"] == pytest.approx(table["bleu"]["b"] - table["bleu"]["a"])
    assert 0 < table["chrf"]["paired_bootstrap"]["p"] <= 1
    assert table["ter"]["approximate_randomisation"]["signature"].startswith("nrefs:2|ar:200|seed:12345|")
    text = "\n".join(comparison_lines(found))
    for one in found.differences.values():
        assert one.bootstrap.signature in text
        assert one.randomisation.signature in text
        assert f"{one.difference:+.2f}" in text


def plain(texts):
    return Hypotheses("x", tuple(texts))


def test_a_clear_difference_is_real_and_a_slight_one_is_not(tmp_path):
    texts = sentences("en")
    test_set = read_references([write(tmp_path / "r", texts)])
    good, bad = plain(spoilt(texts, share=0.1)), plain(spoilt(texts, share=0.7))
    found = compare_hypotheses(bad, good, test_set, "en", samples=SAMPLES, trials=TRIALS)
    assert [one.better for one in found.differences.values()] == ["b", "b", "b"]
    found = compare_hypotheses(good, bad, test_set, "en", samples=SAMPLES, trials=TRIALS)
    assert [one.better for one in found.differences.values()] == ["a", "a", "a"]
    as_good = plain(spoilt(texts, share=0.1, seed=4))
    found = compare_hypotheses(good, as_good, test_set, "en", samples=SAMPLES, trials=TRIALS)
    assert [one.real for one in found.differences.values()] == [False, False, False]
    assert found.same == sum(map(str.__eq__, good.texts, as_good.texts))


def test_equal_systems_are_not_different(tmp_path):
    """sacreBLEU itself gives them the least p value there is."""
    texts = sentences("en")
    test_set = read_references([write(tmp_path / "r", texts)])
    one = plain(spoilt(texts))
    found = compare_hypotheses(one, one, test_set, "en", samples=20, trials=20)
    assert found.differences["bleu"].randomisation.p_value == pytest.approx(1 / 21)
    assert not any(each.real for each in found.differences.values())
    assert verdict(found.differences["bleu"]) == "no difference"
    assert found.warnings == ["x and x say the same in every line"]


def test_verdicts():
    def difference(p, q, a=10.0, b=11.0, name="BLEU", differing=100):
        return Difference(name, a, b, (0, 1), (0, 1), SignificanceTest(p, ""), SignificanceTest(q, ""), differing)

    assert verdict(difference(0.01, 0.049)) == "B is better"
    assert verdict(difference(0.01, 0.049, name="TER")) == "A is better"
    assert verdict(difference(0.01, 0.05)) == "uncertain: the two tests do not agree"
    assert verdict(difference(0.06, 0.05)) == "may be chance (p is not below 0.05)"
    assert verdict(difference(0.01, 0.01, differing=5)) == "too few lines differ to tell"
    assert [difference(0.01, 0.01, differing=few).real for few in (1, 5, 6)] == [False, False, True]  # 2 / 2^6 = 0.03
