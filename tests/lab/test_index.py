"""What lab list shows without measuring."""

import json

import pytest

from attendo.cli.main import run
from attendo.errors import AttendoError
from attendo.lab import index
from attendo.lab.claims import EXPERIMENTS
from attendo.lab.run import Wanted, run_experiment


@pytest.fixture
def results():
    return [run_experiment(EXPERIMENTS[name], Wanted("small")) for name in ("L1", "L6")]


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.setattr(index, "PATH", tmp_path / "index.json")
    return tmp_path / "index.json"


def test_what_is_written_is_read_and_listed_in_both_languages(results, path, monkeypatch, capsys):
    monkeypatch.setattr("attendo.lab.claims.EXPERIMENTS", {name: EXPERIMENTS[name] for name in ("L1", "L2", "L6")})
    index.write_index(results)
    read = index.read_index()
    assert {name: entry.verdict for name, entry in read.items()} == {one.claim_id: one.verdict for one in results}
    for language, seeds in (("en", "4 steps, 2 seeds"), ("zh", "训练 4 步，2 个随机种子")):
        assert run(["lab", "list", "--lang", language], debug=False) == 0
        shown = capsys.readouterr().out
        assert seeds in shown
        assert read["L6"].line(language).finding in shown
        assert "L2 " in shown


def test_without_an_index_the_claims_are_listed_alone(path, capsys):
    assert run(["lab", "list"], debug=False) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(EXPERIMENTS)


@pytest.mark.parametrize(
    "content", ["[]", '{"L1": 3}', '{"L1": {"verdict": "holds"}}', '{"L1": {"verdict": "yes"}}', "{"]
)
def test_a_broken_index_is_one_line(path, content):
    path.write_text(content, encoding="utf-8")
    with pytest.raises(AttendoError):
        index.read_index()


def test_the_stored_index_has_claims_in_order_and_all_of_the_notes_list():
    stored = list(json.loads(index.PATH.read_text(encoding="utf-8")))
    assert stored == [name for name in EXPERIMENTS if name in stored]
    assert {f"L{number}" for number in range(1, 41)} <= set(stored)
