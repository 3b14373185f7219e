"""Which code made a model: in environment.json, in the card, and said where a run is resumed with another."""

import json
import shutil
import subprocess

import pytest

from attendo import __version__
from attendo.files.source_code import package_code
from attendo.runs import run_folder
from attendo.runs.run_folder import RunFolder, git_state, package_git
from attendo.runs.train import train
from attendo.training.log import read_log
from tests.training.tiny_run import tiny_recipe

STEPS = {"max_steps": 2, "checkpoint_every": 2, "warmup_steps": 1, "schedule": "noam"}


def git(folder, *words):
    program = shutil.which("git")
    if program is None:
        pytest.skip("no git here")
    who = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.org"]
    subprocess.run([program, "-C", str(folder), *who, *words], check=True, capture_output=True)


@pytest.fixture
def checkout(tmp_path):
    """A user's project, with a package of its own under git and another, installed, that git ignores."""
    for name in ("attendo", ".venv/attendo"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "__init__.py").write_text("", encoding="utf-8")
    (tmp_path / ".gitignore").write_text(".venv/\n", encoding="utf-8")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "first")
    return tmp_path


def test_the_commit_of_the_package_and_not_of_whatever_lies_around_it(checkout):
    commit = git_state(checkout)
    assert package_git(checkout / "attendo") == commit
    assert package_git(checkout / ".venv" / "attendo") == "no checkout"
    (checkout / ".gitignore").write_text(".venv/\n*.txt\n", encoding="utf-8")
    assert git_state(checkout) == f"{commit}, changed"
    assert package_git(checkout / "attendo") == commit
    (checkout / "attendo" / "new.py").write_text("", encoding="utf-8")
    assert package_git(checkout / "attendo") == f"{commit}, changed"


def test_without_git_there_is_no_checkout(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert (git_state(tmp_path), package_git(tmp_path)) == ("no git", "no checkout")


def test_environment_and_card_name_the_code(tmp_path):
    result = train(tiny_recipe(training=STEPS), tmp_path / "run")
    table = json.loads((tmp_path / "run" / "environment.json").read_text(encoding="utf-8"))
    assert (table["attendo"], table["attendo_code"]) == (__version__, package_code())
    assert table["attendo_git"] == package_git()
    card = (result.model / "README.md").read_text(encoding="utf-8")
    assert f"made by attendo {__version__} (code {package_code()})" in card


def remarks_of_resuming(tmp_path, caplog, max_steps):
    caplog.clear()
    assert train(tiny_recipe(training=STEPS | {"max_steps": max_steps}), tmp_path / "run").finished
    return [record.getMessage() for record in caplog.records if "code is another" in record.getMessage()]


def test_resuming_with_other_code_is_said_and_not_refused(tmp_path, caplog, monkeypatch):
    train(tiny_recipe(training=STEPS), tmp_path / "run")
    assert not remarks_of_resuming(tmp_path, caplog, max_steps=4)
    monkeypatch.setattr(run_folder, "package_code", lambda: "0123456789abcdef")
    (said,) = remarks_of_resuming(tmp_path, caplog, max_steps=6)
    assert f"({package_code()} then, 0123456789abcdef now)" in said
    assert said in [record.get("text") for record in read_log(tmp_path / "run" / "log.jsonl")]


@pytest.mark.parametrize("text", ["", "[]", "{", '{"attendo_code": 5}', '{"attendo_code": "' + "x" * 5000 + '"}'])
def test_a_file_without_sense_is_no_obstacle(tmp_path, text):
    (tmp_path / "environment.json").write_text(text, encoding="utf-8")
    assert len(RunFolder(tmp_path).code()) <= 16
