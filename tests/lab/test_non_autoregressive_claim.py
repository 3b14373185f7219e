"""L33: both sides are one size, each search is what it says it is, and the rule can say all four things."""

import pytest
import torch

from attendo.decoding.greedy import greedy_search
from attendo.lab.families import l33_non_autoregressive as claim
from attendo.lab.knobs import settings_of
from attendo.lab.tools import distillation
from attendo.lab.tools.measuring import count_weights
from attendo.lab.tools.real_searching import percent_repeated, search_quality, search_times, times_as_fast
from attendo.lab.tools.real_training import real_data
from attendo.lab.tools.real_translators import transformer
from attendo.model.build import build_model
from attendo.model.config import in_family
from attendo.model.transformer import Transformer
from tests.lab.planted import small, small_runs, verdict


def test_l33_one_pass_decides():
    assert verdict("L33", faster_1_k1=8.0, faster_32_k1=4.0) == "holds"
    assert verdict("L33", faster_1_k1=8.0, faster_32_k1=4.0, faster_1_k4=0.5, faster_32_k4=0.5) == "holds"
    assert verdict("L33", faster_1_k1=8.0, faster_32_k1=0.5) == "holds only if"
    assert verdict("L33", faster_1_k1=0.9, faster_32_k1=0.5) == "does not hold"


def test_l33_seeds_that_do_not_agree_decide_nothing():
    runs = small_runs(claim.EXPERIMENT)
    planted = [{**run, "faster_1_k1": 8.0, "faster_32_k1": value} for run, value in zip(runs, (0.5, 4.0), strict=True)]
    assert claim.judge(planted) == "undecided"


def test_l33_both_sides_have_about_as_many_weights():
    config = transformer(real_data("small"), "full")
    with torch.device("meta"):
        sizes = [count_weights(build_model(one)) for one in (config, in_family(config, "non-autoregressive"))]
    assert 1 <= sizes[1] / sizes[0] < 1.05


def test_l33_the_student_learns_from_its_own_teacher(monkeypatch, tmp_path):
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path))
    asked = []
    monkeypatch.setattr(claim, "distilled", lambda *given: asked.append(given) or distillation.distilled(*given))
    both = claim.Translators(real_data("small"), small(claim.EXPERIMENT), seed=1)
    student = both.student()
    ((_, teacher),) = asked
    for one, other in zip(teacher.parameters(), both.teacher().parameters(), strict=True):
        assert one.equal(other)
    assert both.student().losses == student.losses
    assert len(asked) == 1  # the second time it comes from the cache


def test_l33_a_student_that_is_not_distilled_learns_from_people(monkeypatch, tmp_path):
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path))
    monkeypatch.setattr(claim, "distilled", None)  # never called
    at = settings_of(claim.KNOBS, "small", {"distilled": "0"})
    losses = claim.Translators(real_data("small"), at, seed=1).student().losses
    assert len(losses) > 1


def test_a_beam_of_one_is_greedy_search_and_the_best_is_one_for_each_sentence():
    torch.manual_seed(1)
    model = Transformer(transformer(real_data("small"), "small")).eval()
    source = torch.tensor([[5, 6, 7, 2], [8, 9, 2, 0]])
    expected = greedy_search(model, source, 18)
    assert [h.ids for h in claim.best_of_beam(model, 1, source)] == [h.ids for h in expected]
    better = claim.best_of_beam(model, 4, source)
    assert all(b.score >= a.score for a, b in zip(expected, better, strict=True))


def test_searches_take_turns_on_the_same_sentences():
    data, asked = real_data("small"), []
    model = Transformer(transformer(data, "small")).eval()

    def search(name, source):
        asked.append((name, tuple(source.shape)))
        return claim.best_of_beam(model, 1, source)

    searches = {name: lambda source, name=name: search(name, source) for name in ("a", "b")}
    times = search_times(searches, model, data, together=4, sentences=10, turns=2)
    names, shapes = zip(*asked, strict=True)
    assert names == ("a", "b", *("a", "a", "a", "b", "b", "b") * 2)  # once to warm up; then 4, 4 and 2 of 20 sentences
    assert shapes[2:5] == shapes[5:8] == shapes[8:11]
    assert [rows for rows, _ in shapes[2:5]] == [4, 4, 2]
    assert all(len(each) == 2 and min(each) > 0 for each in times.values())
    assert search_quality(searches["a"], model, data).bleu >= 0


def test_times_are_compared_within_a_turn():
    """The second turn was disturbed: all took ten times as long."""
    assert times_as_fast({"it": [2.0, 20.0, 2.0], "than": [6.0, 60.0, 6.0]}, "than") == {"it": 3.0, "than": 1.0}


def test_repeated_tokens():
    assert percent_repeated([[5, 7, 7, 2], [5, 2]]) == pytest.approx(100 / 6)
