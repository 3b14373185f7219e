"""The steps of the build: in order, resumed, and neighbours that are only text side by side."""

import json
import tomllib
from functools import partial

import pytest

from recipes.default.build import Step, digest_of, make_steps, matching, steps, train
from recipes.default.encode import write_recipe


def write(text, out):
    out.write_text(text, encoding="utf-8")


def test_what_is_there_is_not_made_again(tmp_path, capsys):
    (tmp_path / "a").write_text("as it was", encoding="utf-8")
    make_steps(tmp_path, {"a": Step(partial(write, "A")), "b": Step(partial(write, "B"))})
    assert (tmp_path / "a").read_text(encoding="utf-8") == "as it was"
    assert (tmp_path / "b").read_text(encoding="utf-8") == "B"
    assert capsys.readouterr().out.startswith("a: there\nb: made in")
    noted = json.loads((tmp_path / "steps" / "b.json").read_text(encoding="utf-8"))
    assert noted["sha256"] == digest_of(tmp_path / "b")
    assert set(noted) == {"seconds", "gpu", "sha256"}


def test_side_by_side_as_one_after_the_other(tmp_path):
    some = {name: Step(partial(write, name), by_itself=False) for name in "abc"}
    make_steps(tmp_path, some)
    assert [(tmp_path / name).read_text(encoding="utf-8") for name in "abc"] == list("abc")


def test_a_name_may_stand_for_several(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTENDO_DATA", str(tmp_path))
    known = steps(tmp_path, 1, None, [])
    assert matching("made-up", known) == ["made-up.zh-en.tsv", "made-up.de-en.tsv"]
    assert matching("distilled", known) == ["distilled"]
    assert matching("tokenizer", known) == ["tokenizer.json"]
    assert matching("nothing", known) == []


@pytest.mark.parametrize("name", ["teacher", "second-teacher", "student"])
def test_each_recipe_is_whole(tmp_path, name):
    table = tomllib.loads(write_recipe(tmp_path, name).read_text(encoding="utf-8"))
    assert {"data", "model", "training", "validation"} <= set(table)


def test_a_student_may_begin_with_the_weights_of_another(tmp_path):
    """All else is as it was: the text, and how it is learnt."""
    plain = tomllib.loads(write_recipe(tmp_path, "student").read_text(encoding="utf-8"))
    table = tomllib.loads(write_recipe(tmp_path, "student", tmp_path / "before").read_text(encoding="utf-8"))
    assert table["model"] == {"init_from": str(tmp_path / "before"), "dropout": plain["model"]["dropout"]}
    del plain["model"], plain["tokenizer"], table["model"]
    assert table == plain


def test_it_must_have_the_same_tokenizer(tmp_path):
    for folder in (tmp_path, tmp_path / "before"):
        folder.mkdir(exist_ok=True)
        (folder / "tokenizer.json").write_text(folder.name, encoding="utf-8")
    with pytest.raises(SystemExit, match="another tokenizer"):
        train(tmp_path, [], tmp_path / "making-student", tmp_path / "before")
    with pytest.raises(SystemExit, match="no model folder"):
        train(tmp_path, [], tmp_path / "making-student", tmp_path / "nowhere")
