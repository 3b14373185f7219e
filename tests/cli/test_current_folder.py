"""The folder that a command works in: gone, or one that is a model's."""

import os
import shutil
from pathlib import Path

from tests.cli.command import command

GOLDEN = Path(__file__).parents[1] / "golden" / "model-format-1"


def test_a_current_folder_that_was_deleted(tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()

    def leave_nothing():
        os.chdir(gone)
        gone.rmdir()

    done = command("translate", "你好", "--to", "en", before=leave_nothing)
    assert (done.code, done.out) == (1, "")
    assert done.err == "attendo: the current folder was deleted: change to one that is there\n"


def test_inspect_writes_nothing_into_the_folder_of_a_model(tmp_path):
    other = shutil.copytree(GOLDEN, tmp_path / "other")
    before = sorted(path.name for path in other.iterdir())
    done = command("inspect", "the sea", "--to", "pt-BR", "--model", GOLDEN, "--out", other)
    assert (done.code, done.out) == (1, "")
    assert "is a model's folder (it has manifest.json)" in done.err
    assert sorted(path.name for path in other.iterdir()) == before
