"""attendo bulk, as it is typed."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from attendo.bulk.plan import read_plan
from attendo.cli.main import main
from attendo.translation.load import load
from tests.bulk.job import Job

SENTENCES = [
    "我爱机器学习。",
    "你好吗？",
    "他昨天买了三本书。",
    "今天天气很好。",
    "谢谢你的帮助。",
    "",
    "我住在北京。",
    "再见！",
]


def attendo(*words, code=0):
    with pytest.raises(SystemExit) as end:
        main([*map(str, words)])
    assert (end.value.code or 0) == code, words


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.txt").write_text("\n".join(SENTENCES * 3) + "\n", encoding="utf-8")
    return tmp_path


def test_plan_run_status_join_with_the_shipped_model(place, capsys):
    attendo("bulk", "plan", "in.txt", "work", "--to", "en", "--lines-per-shard", 5)
    attendo("bulk", "join", "work", code=1)
    assert "5 of 5 shards are not done: 0, 1, 2, 3, 4" in capsys.readouterr().err
    attendo("bulk", "run", "work", "--workers", 1, "--threads", 1)
    assert "5 of 5 shards, 24 of 24 lines" in capsys.readouterr().err
    attendo("bulk", "status", "work", "--json")
    table = json.loads(capsys.readouterr().out)
    assert (table["done"], table["failed"], table["lines_done"]) == (5, {}, 24)
    assert table["ledger"]["lines_out"] == 24
    assert table["core_hours"] > 0
    with pytest.raises(SystemExit) as end:
        main(["bulk", "join", "work", "--out", "out.txt"])
    assert end.value.code in (0, 3)
    answers = load(threads=1).translate(SENTENCES * 3, to="en")
    assert (place / "out.txt").read_text(encoding="utf-8") == "".join(f"{one.text}\n" for one in answers)


def test_join_refuses_to_pretend(job, monkeypatch, capsys):
    job.plan()
    job.run()
    expected = job.join()
    out = job.folder.parent / "out.txt"
    file = next((job.folder / "shards").glob("00003.*.txt"))
    whole = file.read_bytes()
    for damaged in (whole[:-1], whole.replace(b"e", b"x", 1), None):
        file.unlink() if damaged is None else file.write_bytes(damaged)
        attendo("bulk", "join", job.folder, "--out", out, code=1)
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert "remove 00003.done beside it and run the plan again" in said
        assert not out.exists()
        assert not list(job.folder.parent.glob(".unfinished-*"))
    (job.folder / "shards" / "00003.done").unlink()
    job.run()  # which is what was advised
    assert job.join() == expected


def test_what_is_said_of_wrong_words(place, capsys):
    attendo("bulk", "plan", "in.txt", "work", "--to", "fr", code=1)
    attendo("bulk", "plan", "none.txt", "work", "--to", "en", code=1)
    attendo("bulk", "run", "work", code=1)
    attendo("bulk", "plan", "in.txt", "work", "--to", "en")
    attendo("bulk", "run", "work", "--index", 1, code=2)
    attendo("bulk", "run", "work", "--index", 4, "--of", 4, code=2)
    attendo("bulk", "join", "work", "--out", "in.txt", code=2)
    said = capsys.readouterr().err
    assert "does not translate into 'fr'" in said
    assert "--index and --of go together" in said
    assert "Traceback" not in said


@pytest.mark.parametrize(("missing", "words"), [
    ("ray", ["bulk", "run", "work", "--ray", "local"]),
    ("pyarrow", ["bulk", "plan", "in.parquet", "other", "--to", "en"]),
])  # fmt: skip
def test_without_a_library_one_line_says_which(place, missing, words, monkeypatch, capsys):
    attendo("bulk", "plan", "in.txt", "work", "--to", "en")
    (place / "in.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, missing, None)
    capsys.readouterr()
    attendo(*words, code=1)
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert f"needs {missing}: pip install 'attendo[" in said
    attendo("bulk", "run", "work", "--workers", 1, "--threads", 1)  # all else works


@pytest.mark.slow
def test_workers_of_one_command_of_which_one_is_killed(place):
    """And the whole is stopped once by SIGTERM, and goes on."""
    (place / "in.txt").write_text("\n".join(SENTENCES * 100) + "\n", encoding="utf-8")
    attendo("bulk", "plan", "in.txt", "work", "--to", "en", "--lines-per-shard", 20)
    command = [sys.executable, "-m", "attendo", "bulk", "run", "work", "--workers", "2"]
    shards = place / "work" / "shards"

    def leases():
        found = []
        for path in shards.glob("*.lease-?"):
            try:
                found.append(json.loads(path.read_bytes()))
            except (OSError, ValueError):
                continue
        return found

    run = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while len(list(shards.glob("*.done"))) < 3:
        time.sleep(0.05)
    while not (held := leases()):
        time.sleep(0.01)
    os.kill(held[0]["pid"], signal.SIGKILL)
    while len(list(shards.glob("*.done"))) < 8:
        time.sleep(0.05)
    run.send_signal(signal.SIGTERM)
    said = run.communicate(timeout=60)[1]
    assert run.returncode == 143
    assert "a worker was ended by SIGKILL" in said
    assert not [path for path in shards.iterdir() if path.name.endswith(("lease-1", ".tmp"))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    plan = read_plan(place / "work")
    assert len(list(shards.glob("*.done"))) == len(plan.shards) == 40
    two = Job(place, place / "in.txt", place / "work").join()
    attendo("bulk", "plan", "in.txt", "alone", "--to", "en", "--lines-per-shard", 20)
    attendo("bulk", "run", "alone", "--workers", 1)
    assert Job(place, place / "in.txt", place / "alone").join() == two
