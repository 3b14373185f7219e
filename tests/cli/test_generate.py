"""attendo generate, and the other commands when they meet a language model."""

import json
import math

import pytest

from attendo.cli.generate import write_texts
from attendo.cli.main import run
from attendo.decoding.options import SamplingOptions
from attendo.generation.load import load_language_model
from attendo.report.formatting import visible
from tests.cli.command import command
from tests.generation.small_language_model import save_language_model


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return str(save_language_model(tmp_path_factory.mktemp("lm") / "model"))


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "cache"))


def test_texts_as_lines_and_as_json(model):
    few = ["--max-length", "6", "--seed", "3"]
    plain = command("generate", "春", "--model", model, "-n", "3", *few)
    assert plain.code == 0, plain.err
    lines = plain.out.split("\n")[:-1]
    assert len(lines) == 3
    assert all(line.startswith("春") for line in lines)
    as_json = command("generate", "春", "--model", model, "-n", "3", *few, "--json", "--engine", "torch")
    tables = [json.loads(line) for line in as_json.out.split("\n")[:-1]]
    assert [table["seed"] for table in tables] == [3, 4, 5]
    assert {table["prompt"] for table in tables} == {"春"}
    assert all(table["text"] == "春" + table["continuation"] for table in tables)


def test_prompts_of_stdin_and_none(model):
    found = command("generate", "-", "--model", model, "--max-length", "3", "--json", stdin="春\n\n花\n".encode())
    assert [json.loads(line)["prompt"] for line in found.out.split("\n")[:-1]] == ["春", "", "花"]
    greedy = command("generate", "--model", model, "--temperature", "0", "--max-length", "3", "--json")
    table = json.loads(greedy.out)
    assert (table["prompt"], table["seed"], table["tokens"]) == ("", None, 3)


def test_a_terminal_sees_each_character_as_it_is_drawn(model, monkeypatch):
    """Each write is flushed, the prompt first; what a terminal would obey is shown, not sent."""
    written = []

    class Terminal:
        isatty, flush, buffer = (lambda self: True), (lambda self: None), None
        write = staticmethod(lambda data: written.append(data.decode()))

    terminal = Terminal()
    terminal.buffer = terminal
    monkeypatch.setattr("sys.stdout", terminal)
    language_model = load_language_model(model, engine="torch", device="cpu")
    write_texts(language_model, "春\x1b", 2, 8, SamplingOptions(seed=4))
    texts = [
        text.continuation
        for text in language_model.generate("春\x1b", samples=2, max_length=8, sampling=SamplingOptions(seed=4))
    ]
    assert "".join(written) == "".join(f"春␛{visible(text)}\n" for text in texts)
    assert len(written) > 6
    assert written[0] == "春␛"


def test_a_prompt_of_broken_bytes_is_read(model):
    found = command("generate", "-", "--model", model, "--max-length", "3", "--json", stdin=b"a\xffb\n")
    assert found.code == 0, found.err
    assert json.loads(found.out)["prompt"] == "a\N{REPLACEMENT CHARACTER}b"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["generate", "春"], 2, "--model"),
        (["generate", "春", "--model", "none-such"], 1, "there is no model folder none-such"),
        (["generate", "春", "--model", "default"], 1, "is an encoder-decoder that translates"),
        (["generate", "春", "--model", "MODEL", "-n", "0"], 2, "0 is not in the range"),
        (["generate", "春", "--model", "MODEL", "--temperature", "-1"], 2, "-1"),
        (["generate", "春", "--model", "MODEL", "--temperature", "nan"], 2, "temperature = nan: expected"),
        (["generate", "春", "--model", "MODEL", "--top-p", "2"], 2, "top_p = 2"),
        (["generate", "春", "--model", "MODEL", "--seed", str(2**63 - 2), "-n", "3"], 2, "a seed of its own"),
        (["generate", "春", "--model", ""], 1, "there is no model folder '': expected"),
        (["generate", "春", "--model", "MODEL", "--temperature", "0", "--seed", "4"], 2, "nothing is drawn"),
        (["generate", "春", "--model", "MODEL", "--engine", "x"], 1, "expected auto, torch or ct2"),
        (["translate", "春", "--model", "MODEL", "--to", "en"], 1, "is a language model, trained on plain text"),
        (["evaluate", "TEXT", "--model", "MODEL", "--to", "en"], 2, "--to is for models that translate"),
        (["evaluate", "TEXT", "--model", "MODEL", "--passes", "3"], 2, "--passes is for models that translate"),
        (["evaluate", "TEXT", "--model", "MODEL", "--column", "2"], 1, "text.txt, line 1: no column 2: the line has 1"),
        (["evaluate", "EMPTY", "--model", "MODEL"], 1, "there is no text to measure"),
        (["evaluate", "none.txt", "--model", "MODEL"], 1, "cannot read none.txt"),
        (["evaluate", "TEXT", "--model", "default", "--column", "1"], 2, "--column is for models of plain text"),
        (["score", "TEXT", "--model", "MODEL"], 1, "is a language model, trained on plain text"),
        (["inspect", "春", "--model", "MODEL", "--to", "en", "--out", "OUT"], 2, "--to is for models that translate"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(arguments, code, words, model, tmp_path, capsys):
    (tmp_path / "text.txt").write_text("春眠\n", encoding="utf-8")
    (tmp_path / "empty.txt").write_text("\n\n", encoding="utf-8")
    known = {
        "MODEL": model, "TEXT": tmp_path / "text.txt", "EMPTY": tmp_path / "empty.txt", "OUT": tmp_path / "out"
    }  # fmt: skip
    assert run([str(known.get(word, word)) for word in arguments], debug=False) == code
    message = capsys.readouterr().err.strip()
    assert words in message
    assert "\n" not in message
    assert message.count("text.txt") <= 1


def test_evaluate_measures_perplexity(model, tmp_path, capsys):
    (tmp_path / "text.tsv").write_text("春眠\tspring\n\n花落\train drop\n", encoding="utf-8")
    assert run(["evaluate", str(tmp_path / "text.tsv"), "--model", model, "--column", "2", "--json"], debug=False) == 0
    (table,) = json.loads(capsys.readouterr().out)
    assert (table["lines"], table["characters"], table["words"], table["column"]) == (2, 17, 5, 2)
    assert table["perplexity_per_character"] == pytest.approx(2 ** table["bits_per_character"])
    assert run(["evaluate", str(tmp_path / "text.tsv"), "--model", model, "--column", "1", "--lang", "zh"], False) == 0
    shown = capsys.readouterr().out
    assert "每个字符的困惑度" in shown
    assert "个词" not in shown.replace("个词元", "")


def test_inspect_tells_how_each_token_is_foretold(model, tmp_path, capsys):
    out = tmp_path / "out"
    assert run(["inspect", "春雪", "--model", model, "--out", str(out), "--json"], debug=False) == 0
    table = json.loads(capsys.readouterr().out)
    tokens = table["tokens"]
    assert [tokens[0]["token"], tokens[-1]["token"], len(tokens)] == ["春", "</s>", 5], "雪 is three bytes"
    assert sum(math.log(one["probability"]) for one in tokens) == pytest.approx(table["log_prob"], rel=1e-5)
    for one in tokens:
        likelier = [p for _, p in one["candidates"] if p > one["probability"]]
        assert len(likelier) == min(one["rank"] - 1, 5)
    assert table["attention"]["language-model"]["rows"] == ["<s>", "春", "雪"]
    page = (out / "index.html").read_text(encoding="utf-8")
    assert "How each token is foretold" in page
    assert page.count("<figure") == 8  # 2 layers of 4 heads
    assert run(["inspect", "春雪", "--model", model, "--out", str(out), "--lang", "zh"], debug=False) == 0
    assert "困惑度" in capsys.readouterr().out


def test_export_is_for_ctranslate2s_generator(model, tmp_path, capsys):
    import ctranslate2

    assert run(["export", model, str(tmp_path / "ct2"), "--to", "ct2"], debug=False) == 0
    assert "ctranslate2.Generator" in capsys.readouterr().err
    generator = ctranslate2.Generator(str(tmp_path / "ct2"), device="cpu")
    assert len(generator.score_batch([["1", "270", "2"]])[0].log_probs) == 2
