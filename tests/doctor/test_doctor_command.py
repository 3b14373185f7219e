"""The command: what it prints, what it writes, and how it says no. It is run as the user's function, by its own app."""

import json

import pytest
import typer
from typer.testing import CliRunner

from attendo.cli.doctor import doctor
from attendo.errors import DataError, UsageError
from tests.doctor.synthetic import clean_corpus, with_shift, write_tsv

app = typer.Typer()
app.command()(doctor)


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def damaged(tmp_path):
    rows = with_shift(clean_corpus(1000, source="zh"), 300, 360, 1)
    rows[4] = (rows[4][0], "")
    rows[600] = rows[500]
    rows[700] = rows[700][::-1]
    return write_tsv(tmp_path / "damaged.tsv", rows)


def test_json(damaged):
    done = run(damaged, "--json")
    assert done.exit_code == 0, done.output
    answer = json.loads(done.stdout)
    assert answer["pairs"] == 1000
    assert answer["languages"] == ["zh", "en"]
    by_kind = {finding["kind"]: finding for finding in answer["findings"]}
    assert by_kind["shifted_block"]["shift"] == 1
    assert abs(by_kind["shifted_block"]["first_line"] - 300) <= 3
    assert abs(by_kind["shifted_block"]["last_line"] - 360) <= 3
    for kind, line in (("empty", 5), ("duplicate", 601), ("swapped", 701)):
        found = by_kind[kind]
        assert found["lines"] == [line]
        assert found["first_line"] == found["last_line"] == found["examples"][0]["line"] == line
        assert found["count"] == 1
    assert "shifted" in answer["recommendation"]


def test_table_repair_and_pictures(damaged, tmp_path):
    done = run(
        damaged, "--languages", "zh,en", "--write", tmp_path / "new" / "good.tsv", "--pictures", tmp_path / "seen"
    )
    assert done.exit_code == 0, done.output
    assert "shifted block by +1" in done.stdout
    assert "1,000 pairs = " in done.stdout
    assert "swapped back" in done.stdout
    for name in ("lengths.png", "ratios.png"):
        assert (tmp_path / "seen" / name).read_bytes().startswith(b"\x89PNG")
    again = json.loads(run(tmp_path / "new" / "good.tsv", "--json").stdout)
    assert not {"shifted_block", "empty", "duplicate", "swapped"} & {finding["kind"] for finding in again["findings"]}


def test_two_files_and_several_corpora(tmp_path):
    rows = clean_corpus(60)
    source, target = tmp_path / "a.de", tmp_path / "a.en"
    source.write_text("".join(f"{row[0]}\n" for row in rows), encoding="utf-8")
    target.write_text("".join(f"{row[1]}\n" for row in rows), encoding="utf-8")
    answer = json.loads(run("--source", source, "--target", target, "--json").stdout)
    assert (answer["pairs"], answer["findings"]) == (60, [])
    assert answer["recommendation"] == "It looks good: use it as it is."
    files = [write_tsv(tmp_path / name, rows) for name in ("one.tsv", "two.tsv")]
    answers = json.loads(run(*files, "--json").stdout)
    assert [answer["file"] for answer in answers] == [str(file) for file in files]

    target.write_text("one line\n", encoding="utf-8")
    failed = run("--source", source, "--target", target)
    assert isinstance(failed.exception, DataError)
    assert "60" in str(failed.exception)


def test_against(tmp_path):
    rows = clean_corpus(60)
    corpus, test = write_tsv(tmp_path / "train.tsv", rows), write_tsv(tmp_path / "test.tsv", rows[7:9])
    answer = json.loads(run(corpus, "--against", test, "--json").stdout)
    assert [(f["kind"], f["lines"]) for f in answer["findings"]] == [("leak", [8, 9])]


@pytest.mark.parametrize(
    "arguments",
    [[], ["--source", "a"], ["a.tsv", "--source", "a", "--target", "b"], ["a.tsv", "b.tsv", "--write", "c.tsv"],
     ["a.tsv", "--languages", "zh"]],
)  # fmt: skip
def test_wrong_usage(arguments):
    assert isinstance(run(*arguments).exception, UsageError)


def test_an_unknown_language(tmp_path):
    failed = run(write_tsv(tmp_path / "a.tsv", [("a", "b")]), "--languages", "zh,klingon")
    assert isinstance(failed.exception, UsageError)
    assert "klingon" in str(failed.exception)
