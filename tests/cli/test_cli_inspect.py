"""attendo inspect: the steps on stdout, the maps in a folder, and one line for whatever goes wrong."""

import io
import json
import sys
from pathlib import Path

import pytest
from lxml import etree

from attendo.inspection.inspect import inspect
from attendo.report import fonts
from tests.cli.test_cli import attendo
from tests.inspection.small_models import save


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    for name in ("transformer", "decoder-only", "lstm", "lstm, no attention", "encoder-only", "learned"):
        save(name, folder / name)
    return folder


def test_the_steps_the_pictures_and_the_page(models, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(fonts, "families", lambda: (fonts.LATIN,))
    out = tmp_path / "new" / "folder"
    code, output, remarks = attendo(
        "inspect", "爱书", "--to", "en", "--from", "zh", "--beam", "2", "--model", str(models / "transformer"),
        "--out", str(out), capsys=capsys,
    )  # fmt: skip
    assert code == 0
    expected = inspect("爱书", to="en", model=models / "transformer", beam=2)
    assert output.startswith("source       爱书\n  tokens     >>en<< 爱书 </s>\n")
    assert output.count("\nstep ") == len(expected.steps)
    assert "step 1: 1 hypothesis, 4 continuations: 2 kept, 0 ended, 2 lost\n" in output
    assert f"score {expected.best.score:.3f}" in output
    assert "The search ends: " in output
    assert {path.name for path in out.iterdir()} == {
        "index.html", "alignment.png", "cross-layer-1.png", "decoder-self-layer-1.png", "encoder-self-layer-1.png",
        "encoder-self-layer-2.png",
    }  # fmt: skip
    assert "the translation was cut at 128 tokens" in remarks
    assert "no installed font has " in remarks
    assert remarks.endswith(f"wrote {out}/index.html and 5 pictures beside it\n")
    page = (out / "index.html").read_text(encoding="utf-8")
    etree.fromstring(page.removeprefix("<!DOCTYPE html>").encode())
    assert '<h1 dir="auto">爱书</h1>' in page


@pytest.mark.parametrize(("name", "use"), [("decoder-only", "self"), ("lstm", "cross")])
def test_json_holds_tokens_shapes_and_steps(name, use, models, tmp_path, capsys, monkeypatch):
    text = io.TextIOWrapper(io.BytesIO("爱饕\n".encode()))
    monkeypatch.setattr(sys, "stdin", text)
    code, output, _ = attendo(
        "inspect", "-", "--to", "en", "--model", str(models / name), "--out", str(tmp_path), "--json", "--beam", "1",
        capsys=capsys,
    )  # fmt: skip
    assert code == 0
    answer = json.loads(output)
    assert answer["source"]["text"] == "爱饕"
    assert answer["source"]["tokens"] == [">>en<<", "爱", "饕", "</s>"]
    assert len(answer["source"]["ids"]) == 6
    assert list(answer["attention"]) == [use]
    layers, heads, rows, columns = answer["attention"][use]["shape"]
    assert (layers, heads) == ((2, 2) if name == "decoder-only" else (1, 1))
    assert (rows, columns) == (len(answer["attention"][use]["rows"]), len(answer["attention"][use]["columns"]))
    chosen = [step["contenders"][0]["id"] for step in answer["steps"]]
    assert chosen == answer["translation"]["ids"]
    assert all(0 < each["probability"] < 1 for step in answer["steps"] for each in step["contenders"])
    assert answer["steps"][-1]["finished"][0]["ids"] == answer["translation"]["ids"]
    assert len(answer["alignment"]["weights"]) == len(answer["alignment"]["rows"])
    assert all(Path(path).is_file() for path in answer["files"])


@pytest.mark.parametrize(
    ("text", "changes", "code", "words"),
    [
        ("", {}, 1, "the text is empty"),
        (" \t\n", {}, 1, "the text is empty"),
        ("爱", {"--model": "missing"}, 1, "missing"),
        ("爱", {"--to": "fr"}, 1, "does not translate into 'fr'"),
        ("爱", {"--from": "fr"}, 1, "does not translate from 'fr'"),
        ("爱", {"--beam": "0"}, 2, "--beam"),
        ("爱", {"--to": None}, 2, "--to"),
        ("爱", {"--out": None}, 2, "--out"),
        ("爱", {"--out": "file"}, 1, "cannot write"),
        ("爱", {"--out": "file/folder"}, 1, "cannot write"),
        ("爱" * 600, {}, 1, "has 602 tokens: maps of attention are made of at most 512"),
        ("爱" * 20, {"--model": "learned"}, 1, "22 tokens, too many for the 12 learned positions"),
        ("爱", {"--model": "lstm, no attention"}, 1, "has no attention"),
        ("爱", {"--model": "encoder-only"}, 2, "--to is for models that translate"),
    ],
)
def test_mistakes_get_one_line(text, changes, code, words, models, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    options = {"--to": "en", "--model": "transformer", "--out": "out"} | changes
    folders = {"--model": models, "--out": tmp_path}
    line = [str(folders[name] / value) if name in folders else value for name, value in options.items() if value]
    names = [name for name, value in options.items() if value]
    arguments = [word for pair in zip(names, line, strict=True) for word in pair]
    ended, out, err = attendo("inspect", *arguments, text, capsys=capsys)
    assert (ended, out) == (code, "")
    assert err.startswith("attendo: ")
    assert words in err
    assert err.count("\n") == 1


def test_stdin_that_is_no_text_is_one_line(models, tmp_path, capsys, monkeypatch):
    for raw, words in ((b"\xff\xfe", "is not UTF-8"), (b"x" * 200_000, "more than 100,000 bytes"), (b"\n", "is empty")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        model = str(models / "transformer")
        code, out, err = attendo("inspect", "-", "--to", "en", "--model", model, "--out", str(tmp_path), capsys=capsys)
        assert (code, out, err.count("\n")) == (1, "", 1)
        assert words in err
