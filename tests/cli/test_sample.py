"""--sample and what belongs to it, as a user types it."""

import json

import pytest

from attendo.cli.main import main
from tests.translation.small_translator import save_random

TEXT = "我爱机器学习。"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return save_random(tmp_path_factory.mktemp("sample") / "model", ends=9.0)


@pytest.fixture
def attendo(model, monkeypatch, capfd, tmp_path):
    monkeypatch.setenv("ATTENDO_CACHE", str(model.parent / "cache"))
    monkeypatch.chdir(tmp_path)

    def run(command, *arguments):
        with pytest.raises(SystemExit) as end:
            main([command, *arguments, "--model", str(model), "--to", "en", "--threads", "1"])
        out, err = capfd.readouterr()
        return end.value.code or 0, out, err

    return run


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["--temperature", "1"],
            "--temperature belongs to --sample: without it a translation is searched for, not drawn",
        ),
        (["--seed", "1"], "--seed belongs to --sample"),
        (["--top-k", "0"], "--top-k belongs to --sample"),
        (["--top-p", "1"], "--top-p belongs to --sample"),
        (["--sample", "--beam", "4"], "--sample and --beam exclude each other"),
        (["--sample", "--passes", "4"], "--sample and --passes exclude each other"),
        (["--sample", "--temperature", "0"], "temperature = 0: expected a number above 0"),
        (["--sample", "--temperature", "nan"], "temperature = nan: expected a number from"),
        (["--sample", "--top-k", "-1"], "top_k = -1: expected a whole number from 0"),
        (["--sample", "--top-p", "1.01"], "top_p = 1.01: expected a number from"),
        (["--sample", "--seed", "99999999999999999999"], "seed = 99999999999999999999: expected a whole number from 0"),
        (["--sample", "--seed", "x"], "Invalid value for '--seed'"),
    ],
)
def test_what_contradicts_itself_is_wrong_usage(attendo, arguments, said, tmp_path):
    (tmp_path / "test.tsv").write_text(f"{TEXT}\tI\n", encoding="utf-8")
    for command, what in (("translate", TEXT), ("evaluate", "test.tsv")):
        code, out, err = attendo(command, what, *arguments)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert err.startswith(f"attendo: {said}")


def test_a_sample_of_a_file_says_how_it_was_drawn_and_is_resumed_only_so(attendo, tmp_path):
    (tmp_path / "in.txt").write_text(f"{TEXT}\n你好吗？\n", encoding="utf-8")
    drawn = ("-i", "in.txt", "--sample", "--seed", "5", "--temperature", "0.5", "--n-best", "2", "--json")
    _, on_stdout, _ = attendo("translate", *drawn)
    code, _, _ = attendo("translate", *drawn, "-o", "out.txt", "--report", "report.json")
    assert code in (0, 3)
    options = {"temperature": 0.5, "top_k": 0, "top_p": 1.0, "seed": 5}
    lines = [json.loads(line) for line in (tmp_path / "out.txt").read_text(encoding="utf-8").splitlines()]
    assert [line["sampling"] for line in lines] == [options] * 2
    assert json.loads((tmp_path / "report.json").read_text())["sampling"] == options
    texts = [(line["text"], line["alternatives"]) for line in lines]
    assert [(one["text"], one["alternatives"]) for one in map(json.loads, on_stdout.splitlines())] == texts
    assert "nothing to do" in attendo("translate", *drawn, "-o", "out.txt", "--resume")[2]
    other = tuple("6" if word == "5" else word for word in drawn)
    code, _, err = attendo("translate", *other, "-o", "out.txt", "--resume")
    assert code in (1, 2)
    assert "another --temperature, --top-k, --top-p or --seed" in err


def test_samples_are_evaluated(attendo, tmp_path):
    (tmp_path / "test.tsv").write_text(f"{TEXT}\tI\n你好吗？\tYou\n", encoding="utf-8")
    code, out, _ = attendo("evaluate", "test.tsv", "--sample", "--top-k", "5", "--samples", "0", "--json")
    (found,) = json.loads(out)
    assert (code, found["beam"], found["length_penalty"]) == (0, None, None)
    assert found["sampling"] == {"temperature": 1.0, "top_k": 5, "top_p": 1.0, "seed": 1}
    _, out, _ = attendo("evaluate", "test.tsv", "--sample", "--samples", "0")
    assert "sampling: temperature 1, top-k 0, top-p 1, seed 1" in out
    code, _, err = attendo("evaluate", "test.tsv", "--sample", "--length-penalty", "1")
    assert (code, err.count("\n")) == (2, 1)
