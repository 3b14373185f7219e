"""A folder that holds files of somebody else under the names of a run is refused, before anything is written there."""

import os
import shutil
from pathlib import Path

import pytest

from attendo.cli.main import run
from attendo.errors import InputError, UsageError
from attendo.runs.run_folder import RunFolder
from attendo.runs.train import train
from tests.training.tiny_run import tiny_recipe

SHORT = {"max_steps": 2, "checkpoint_every": 2, "warmup_steps": 1}
NAMES = sorted({path.name for path in RunFolder(Path("r")).written} - {".lock", "checkpoints"})


def contents(folder):
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.mark.parametrize("name", NAMES)
def test_files_of_somebody_else_stay(tmp_path, name):
    folder = tmp_path / "r"
    mine = folder / name / "mine.txt" if "." not in name else folder / name
    mine.parent.mkdir(parents=True)
    mine.write_text("mine\n", encoding="utf-8")
    before = contents(folder)
    with pytest.raises(InputError, match=f"r has {name}, and no run of attendo wrote that"):
        train(tiny_recipe(training=SHORT), folder)
    assert contents(folder) == before


def test_a_link_that_leads_nowhere_counts(tmp_path):
    (tmp_path / "config.json").symlink_to(tmp_path / "gone")
    with pytest.raises(InputError, match=r"has config\.json"):
        train(tiny_recipe(training=SHORT), tmp_path)


def test_the_command_says_so_in_one_line(tmp_path, capsys):
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "report.html").write_text("mine", encoding="utf-8")
    assert run(["train", "recipes/reverse.toml", "--run-dir", str(tmp_path / "r")], False) == 1
    error = capsys.readouterr().err
    assert error.startswith("attendo: ")
    assert error.count("\n") == 1
    assert os.listdir(tmp_path / "r") == ["report.html"]  # noqa: PTH208


def test_an_empty_name_is_not_the_current_folder(tmp_path, capsys, monkeypatch):
    assert run(["train", "recipes/reverse.toml", "--run-dir", ""], False) == 2
    assert "an empty name: expected a folder" in capsys.readouterr().err
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="run_dir is ''"):
        train(tiny_recipe(training=SHORT), "")
    assert not list(tmp_path.iterdir())


def test_a_copy_without_its_lock_is_a_run(tmp_path):
    """And so is a folder in which other files lie, at every moment at which a run may have been killed."""
    folder = tmp_path / "r"
    folder.mkdir()
    (folder / "corpus.tsv").write_text("a\tb\n", encoding="utf-8")
    assert train(tiny_recipe(training=SHORT), folder).finished
    (folder / ".lock").unlink()
    RunFolder(folder).check_ours()
    (folder / "environment.json").unlink()
    RunFolder(folder).check_ours()
    (folder / ".lock").touch()
    for name in ("recipe.toml", "config.json", "tokenizer.json", "log.jsonl", "report.html", "model", "checkpoints"):
        left = folder / name
        shutil.rmtree(left) if left.is_dir() else left.unlink()
        RunFolder(folder).check_ours()
    assert train(tiny_recipe(training=SHORT), folder).finished
