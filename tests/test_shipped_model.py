"""The model that came with the package: what it is, and what `make demo` shows of it."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

import attendo
from attendo.model_folder.bundle import WEIGHTS, model_folder, read_bundle
from attendo.model_folder.checked_weights import read_weights
from recipes.default.card import origins

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def bundle():
    return read_bundle(model_folder(None))


def test_it_is_small_and_reads_all_four_directions(bundle):
    assert bundle.directions == (("zh", "en"), ("en", "zh"), ("de", "en"), ("en", "de"))
    assert (bundle.folder / WEIGHTS).stat().st_size <= 24_000_000
    weights = read_weights(bundle)
    assert 20e6 < sum(array.size for array in weights.values()) < 23e6


def test_its_card_names_licence_sources_and_scores(bundle):
    card = (bundle.folder / "README.md").read_text(encoding="utf-8")
    assert "Licence: CC BY-SA 4.0" in card
    assert all(f"| {origin.what} | {origin.licence} |" in card for origin in origins())
    assert "| pud |" not in card  # a test set
    assert "| test set | direction | teacher, 8 bits | student, 8 bits |" in card


@pytest.mark.parametrize("engine", ["ct2", "torch"])
def test_the_sentences_of_the_notes(engine):
    translator = attendo.load(engine=engine, device="cpu", threads=1)
    first, second = translator.translate(["我爱机器学习", "机器学习很有趣"], to="en")
    assert first.text == "I love machine learning."
    right = ("Machine learning is fun.", "Machine learning is interesting.", "Machine learning is very interesting.")
    assert second.text in right
    assert first.ledger.is_clean
    assert second.ledger.is_clean


def test_the_demonstration(tmp_path):
    done = subprocess.run(
        [sys.executable, "demos/translate.py", "--out", str(tmp_path / "out")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for direction in ("zh → en", "en → zh", "de → en", "en → de"):
        assert direction in done.stdout
    assert "I love machine learning." in done.stdout
    picture = tmp_path / "out" / "cross-layer-2.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "Where to go next" in done.stdout


def test_models_lists_it(capsys):
    from attendo.cli.main import run

    assert run(["models", "--json"], debug=True) == 0
    names = [one["name"] for one in json.loads(capsys.readouterr().out)]
    assert "default" in names


def test_stderr_may_be_closed():
    command = f"'{sys.executable}' -m attendo translate 我爱机器学习 --to de 2>&-"  # there is a remark to be said
    done = subprocess.run(["/bin/sh", "-c", command], cwd=ROOT, stdout=subprocess.PIPE, check=False)
    assert done.returncode == 3
    assert done.stdout.count(b"\n") == 1


def test_who_watches_sees_how_far_it_is(tmp_path):
    (tmp_path / "in.txt").write_text("你好。\n" * 50, encoding="utf-8")
    ours, theirs = pty.openpty()
    files = ["-i", str(tmp_path / "in.txt"), "-o", str(tmp_path / "out.txt")]
    command = [sys.executable, "-m", "attendo", "translate", *files, "--to", "en"]
    subprocess.run(command, cwd=ROOT, stderr=theirs, env={**os.environ, "TERM": "xterm"}, check=True)
    os.close(theirs)
    shown = os.read(ours, 100_000)
    os.close(ours)
    assert b"loading the model" in shown
    assert (tmp_path / "out.txt").read_text(encoding="utf-8").count("\n") == 50
