"""attendo evaluate and compare: what a user types, and what comes back on stdout, on stderr and as exit code."""

import io
import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from lxml import etree

from attendo.cli.main import main
from attendo.evaluation.metrics import PUBLISHED_NAME
from attendo.translation import load as load_module
from tests.evaluation import sacrebleu_command
from tests.evaluation.texts import sentences, spoilt, write, write_tsv
from tests.translation.fake_engine import Beams, FakeEngine, fake_translator, for_ever, write_fake_model
from tests.translation.small_translator import save_random

CHINESE, ENGLISH = sentences("zh"), sentences("en")
MODEL = ("--model", "m", "--to", "en", "--samples", "30")


@pytest.fixture(scope="module")
def fake(tmp_path_factory):
    return write_fake_model(tmp_path_factory.mktemp("evaluate") / "model")


@pytest.fixture
def attendo(fake, monkeypatch, capfdbinary, tmp_path):
    """Runs a command in this process, over the fake engine, which says its source; returns code, stdout and stderr."""
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)

    def run(*arguments, engine=None, stdin=b""):
        translator = fake_translator(fake, engine or FakeEngine(tokens_per_batch=20, threads=3))
        monkeypatch.setattr(load_module, "load", lambda *_, **__: translator)
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as end:
            main([*map(str, arguments)])
        sys.stdout.flush()
        out, err = capfdbinary.readouterr()
        return end.value.code or 0, out.decode(), err.decode()

    return run


def files(folder):
    """A Chinese source and two English references, as a TSV and as files; and English hypotheses."""
    write_tsv(folder / "t.tsv", CHINESE, ENGLISH, spoilt(ENGLISH, share=0.1, seed=7))
    write(folder / "src.txt", CHINESE)
    write(folder / "ref1.txt", ENGLISH)
    write(folder / "ref2.txt", spoilt(ENGLISH, share=0.1, seed=7))
    write(folder / "hyp.txt", spoilt(ENGLISH))


def test_a_file_of_hypotheses_is_scored_as_sacrebleu_scores_it(attendo, tmp_path):
    files(tmp_path)
    code, out, err = attendo("evaluate", "--hypotheses", "hyp.txt", "--references", "ref1.txt", "--json")
    (found,) = json.loads(out)
    assert (code, err) == (0, "")
    theirs = sacrebleu_command.scores("sacrebleu ref1.txt -i hyp.txt -m bleu chrf ter --confidence", tmp_path)
    for name, score in (("bleu", "BLEU"), ("chrf", "chrF2"), ("ter", "TER")):
        sacrebleu_command.same(found[name], theirs[score])
    assert found["command"] == "sacrebleu ref1.txt -i hyp.txt -m bleu chrf ter --confidence"
    assert (found["sentences"], found["references"], found["to"]) == (60, 1, "en")
    assert found["seconds"] is found["source_tokens_per_second"] is found["engine"] is found["numbers"] is None


@pytest.mark.parametrize(
    "references",
    [
        ("--references", "ref1.txt", "ref2.txt", "--source", "src.txt"),
        ("--references", "ref1.txt", "--references", "ref2.txt", "--source", "src.txt"),
        ("--references", "t.tsv"),
    ],
)
def test_several_references_in_every_form(attendo, tmp_path, references):
    files(tmp_path)
    _, out, err = attendo("evaluate", "--hypotheses", "hyp.txt", *references, "--json", "--samples", "40")
    (found,) = json.loads(out)
    assert err == ""
    assert found["references"] == 2
    theirs = sacrebleu_command.scores(found["command"], tmp_path)
    for name, score in (("bleu", "BLEU"), ("chrf", "chrF2"), ("ter", "TER")):
        sacrebleu_command.same(found[name], theirs[score])
        assert "nrefs:2|bs:40|" in found[name]["signature"]
    assert found["from"] == "zh"
    assert found["numbers"]["asked"] == found["numbers_of_references"]["asked"] > 20
    assert found["numbers_of_references"]["share"] > 0.9
    assert sum(row["sentences"] for row in found["by_length"]) == 60
    assert found["worst"][0]["chrf"] <= found["worst"][-1]["chrf"] <= found["best"][-1]["chrf"]
    line = found["worst"][0]["line"]
    assert found["worst"][0]["source"] == CHINESE[line - 1]
    assert found["worst"][0]["references"][0] == ENGLISH[line - 1]


def test_chinese_side_by_side_with_the_one_to_quote(attendo, tmp_path):
    write(tmp_path / "hyp", spoilt(CHINESE, "zh"))
    write(tmp_path / "ref", CHINESE)
    command = ("evaluate", "--hypotheses", "hyp", "--references", "ref", "--samples", "20")
    _, out, err = attendo(*command, "--json")
    (found,) = json.loads(out)
    assert err == ""
    assert found["bleu_tokenisation"] == "zh"
    assert list(found["bleu_by_tokenisation"]) == ["zh", "char", "13a"]
    assert found["bleu"] == found["bleu_by_tokenisation"]["zh"]
    assert "tok:zh" in found["bleu"]["signature"]
    for name, score in found["bleu_by_tokenisation"].items():
        line = f"sacrebleu ref -i hyp --tokenize {name} --confidence --confidence-n 20"
        sacrebleu_command.same(score, sacrebleu_command.scores(line, tmp_path)["BLEU"])
    assert "asian:yes" in sacrebleu_command.scores(found["command"], tmp_path)["TER"]["signature"]
    _, out, _ = attendo(*command)
    (quoted,) = [line for line in out.split("\n") if "the one to quote" in line]
    assert "tok:zh" in quoted
    assert "ref: 60 sentences, zh (by the look of the references), 1 reference" in out


def test_a_model_is_asked_timed_and_scored(attendo, tmp_path):
    files(tmp_path)
    write_tsv(tmp_path / "one.tsv", ENGLISH, spoilt(ENGLISH, share=0.1))
    _, out, err = attendo("evaluate", *MODEL[:2], "--to", "en", "--samples", "30", "one.tsv", "t.tsv", "--json")
    first, second = json.loads(out)
    assert [first["test_set"], second["test_set"]] == ["one.tsv", "t.tsv"]
    assert "warning: t.tsv: the hypotheses are more like the source (1.00)" in err  # what the fake engine says
    for found in (first, second):
        assert found["sentences"] == 60
        assert found["seconds"] > 0
        assert found["source_tokens_per_second"] == pytest.approx(found["source_tokens"] / found["seconds"])
        assert (found["engine"], found["threads"], found["beam"], found["length_penalty"]) == ("fake", 3, 4, 1.0)
        for name in ("bleu", "chrf", "ter"):
            low, high = found[name]["interval"]
            assert 0 <= low <= high
            assert "version:" in found[name]["signature"]
    assert first["bleu"]["score"] > 60
    assert second["bleu"]["score"] < 1


def test_translations_are_written_line_by_line_and_the_command_judges_them(attendo, tmp_path):
    odd = [*ENGLISH[:20], "a\u2028b c d e", "tab? no", "x\x85y", "\u3000", "end"]
    wanted = [*spoilt(ENGLISH[:20], share=0.1), "a b c d e", "tab? no!", "x y", "\u3000", "end"]
    write_tsv(tmp_path / "a test.tsv", odd, wanted)
    arguments = (*MODEL, "a test.tsv", "--write-translations", "out 1.txt", "--beam", "2", "--length-penalty", "0.5")
    code, out, err = attendo("evaluate", *arguments, "--json")
    (found,) = json.loads(out)
    assert code == 0
    assert "wrote out 1.txt: 25 lines\n" in err
    assert (tmp_path / "out 1.txt").read_text(encoding="utf-8").split("\n") == [*(text.rstrip() for text in odd), ""]
    assert found["command"].startswith("sacrebleu <(cut -f2 'a test.tsv') -i 'out 1.txt' -m bleu chrf ter")
    theirs = sacrebleu_command.scores(found["command"], tmp_path)
    for name, score in (("bleu", "BLEU"), ("chrf", "chrF2"), ("ter", "TER")):
        sacrebleu_command.same(found[name], theirs[score])
    assert (found["beam"], found["length_penalty"], found["empty"]) == (2, 0.5, 1)


def test_loops_are_counted(attendo, tmp_path):
    write_tsv(tmp_path / "t.tsv", ENGLISH[:12], spoilt(ENGLISH[:12]))
    _, out, _ = attendo("evaluate", *MODEL, "--from", "zh", "t.tsv", "--json", engine=FakeEngine(for_ever))
    (found,) = json.loads(out)
    assert found["loops_decoded_again"] == found["untranslated"] == 12
    write(tmp_path / "h", [*spoilt(ENGLISH[:11]), "round and " * 30])
    _, out, _ = attendo("evaluate", "--hypotheses", "h", "--references", "t.tsv", "--samples", "0", "--json")
    assert json.loads(out)[0]["loops"] == 1


@pytest.mark.parametrize(
    ("arguments", "output", "recovered", "words"),
    [
        ((), "He has 12 books.", 6, "wider beam found what was missing at first in 6 lines"),
        (("--no-wider-retry",), "He has books.", 0, "wider beam none: the first answer was taken"),
        (("--no-second-look",), "He has books.", 0, "wider beam none: the first answer was taken"),
    ],
)
def test_a_wider_beam_is_told_and_can_be_left_out(attendo, tmp_path, arguments, output, recovered, words):
    write_tsv(tmp_path / "t.tsv", [f"{name}有12本书。" for name in "他她你我谁它"], ["He has 12 books."] * 6)
    command = ("evaluate", *MODEL, "t.tsv", "--write-translations", "out.txt", *arguments)
    _, out, _ = attendo(*command, "--json", engine=Beams("He has books.", ["He has 12 books."]))
    (found,) = json.loads(out)
    assert (found["second_look"], found["mended"], found["numbers"]["kept"]) == (not arguments, recovered, recovered)
    assert (tmp_path / "out.txt").read_text(encoding="utf-8") == f"{output}\n" * 6
    _, out, _ = attendo(*command, engine=Beams("He has books.", ["He has 12 books."]))
    assert words in " ".join(out.split())


def test_text_and_report(attendo, tmp_path):
    files(tmp_path)
    write(tmp_path / "train.txt", [*CHINESE, *ENGLISH])
    command = ("evaluate", "--hypotheses", "hyp.txt", "--references", "t.tsv", "--samples", "20", "--published")
    code, out, err = attendo(*command, "--training-text", "train.txt", "--report", "r.html")
    assert (code, err) == (0, "wrote r.html\n")
    assert "t.tsv: 60 sentences, zh → en (by the look of the references), 2 references" in out
    for words in (
        "  BLEU  ",
        "  chrF2 ",
        "  TER ",
        "case:mixed|eff:no|tok:13a",
        "in train.txt",
        "worst sentences",
        "numbers kept",
    ):
        assert words in out
    published = next(line for line in out.split("\n") if line.startswith(f"  {PUBLISHED_NAME}  "))
    assert "case:lc|eff:no|tok:none" in published
    assert "sacremoses -l en normalize tokenize <" in out
    page = (tmp_path / "r.html").read_text(encoding="utf-8").removeprefix("<!DOCTYPE html>")
    assert len(etree.fromstring(page.encode()).findall(".//figure")) == 6


def test_lower_cased_references_and_exchanged_files_are_noticed(attendo, tmp_path):
    files(tmp_path)
    write(tmp_path / "lower", [text.lower() for text in ENGLISH])
    code, _, err = attendo("evaluate", "--hypotheses", "hyp.txt", "--references", "lower", "--samples", "0")
    assert (code, err.count("\n")) == (0, 1)
    assert err.startswith("attendo: warning: the references have no capital letter and the hypotheses have")
    _, _, err = attendo("evaluate", "--hypotheses", "src.txt", "--references", "t.tsv", "--samples", "0")
    assert err.startswith("attendo: warning: the hypotheses are more like the source (1.00)")
    write_tsv(tmp_path / "back.tsv", ENGLISH, CHINESE)
    code, out, err = attendo("evaluate", *MODEL, "back.tsv")
    assert (code, out) == (1, "")
    assert "back.tsv: the sources look like en and the references like zh, but the translation is to be in en" in err
    assert "with --swap the second column is the source" in err
    code, out, _ = attendo("evaluate", *MODEL, "back.tsv", "--swap")
    assert code == 0
    assert "back.tsv: 60 sentences, zh → en" in out


def test_stdin_is_a_file_too(attendo, tmp_path):
    files(tmp_path)
    data = (tmp_path / "hyp.txt").read_bytes()
    _, out, _ = attendo(
        "evaluate", "--hypotheses", "-", "--references", "ref1.txt", "--samples", "0", "--json", stdin=data
    )
    _, same, _ = attendo("evaluate", "--hypotheses", "hyp.txt", "--references", "ref1.txt", "--samples", "0", "--json")
    assert json.loads(out)[0]["bleu"] == json.loads(same)[0]["bleu"]
    assert json.loads(out)[0]["bleu"]["interval"] is None


def test_hostile_text_cannot_write_to_the_terminal(attendo, tmp_path):
    write(tmp_path / "h", ["\x1b[31mred\x07", *ENGLISH])
    write(tmp_path / "r", ["\x1b[32mgreen", *spoilt(ENGLISH)])
    _, out, err = attendo("evaluate", "--hypotheses", "h", "--references", "r", "--samples", "0")
    assert "\x1b" not in out + err


def test_without_a_model_it_is_the_one_that_came_along(fake, monkeypatch, capfdbinary, tmp_path):
    files(tmp_path)
    asked = []
    monkeypatch.setattr(load_module, "load", lambda model, **_: asked.append(model) or fake_translator(fake))
    with pytest.raises(SystemExit) as end:
        main(["evaluate", str(tmp_path / "t.tsv"), "--to", "en", "--samples", "0"])
    assert not end.value.code
    assert asked == ["default"]
    assert b"60 sentences" in capfdbinary.readouterr().out


def test_compare(attendo, tmp_path):
    files(tmp_path)
    write(tmp_path / "other.txt", spoilt(ENGLISH, share=0.05, seed=8))
    command = ("compare", "hyp.txt", "other.txt", "--samples", "50", "--trials", "100")
    code, out, err = attendo(*command, "--references", "ref1.txt", "ref2.txt", "--json")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert [found[name]["better"] for name in ("bleu", "chrf", "ter")] == ["b", "b", "b"]
    assert "nrefs:2|bs:50|seed:12345|" in found["bleu"]["paired_bootstrap"]["signature"]
    assert json.loads(attendo(*command, "--references", "t.tsv", "--json")[1])["bleu"] == found["bleu"]
    _, out, _ = attendo(*command, "--references", "t.tsv")
    assert out.count("B is better") == 3


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("evaluate",), 2, "name either one or more TEST.tsv, and --model M, or --hypotheses H and --references R"),
        (("evaluate", *MODEL), 2, "name either one or more TEST.tsv"),
        (("evaluate", *MODEL, "--hypotheses", "hyp.txt"), 2, "name either one or more TEST.tsv"),
        (("evaluate", *MODEL, "t.tsv", "--references", "ref1.txt"), 2, "belong to --hypotheses"),
        (("evaluate", "--hypotheses", "hyp.txt"), 2, "--hypotheses needs --references R"),
        (("evaluate", "--hypotheses", "hyp.txt", "--references", "ref1.txt", "--beam", "2"), 2, "belong to --model"),
        (("evaluate", "--hypotheses", "hyp.txt", "--references", "ref1.txt", "t.tsv"), 2, "t.tsv is a test set"),
        (("evaluate", *MODEL, "t.tsv", "t.tsv", "--write-translations", "f"), 2, "takes one TEST.tsv at a time"),
        (("evaluate", *MODEL, "t.tsv", "--report", "none/r.html"), 2, "--report is none/r.html"),
        (("evaluate", *MODEL, "t.tsv", "--write-translations", "."), 2, "--write-translations is .: expected"),
        (("evaluate", *MODEL, "none.tsv"), 1, "cannot read none.tsv: No such file"),
        (("evaluate", *MODEL, "ref1.txt"), 1, "ref1.txt, line 1 has no tab"),
        (("evaluate", *MODEL, "empty"), 1, "empty is empty"),
        (("evaluate", "--model", "m", "--to", "fr", "t.tsv"), 1, "does not translate into 'fr'"),
        (("evaluate", "--model", "m", "t.tsv"), 2, "this model translates into en, zh: say which"),
        (("evaluate", *MODEL, "t.tsv", "--length-penalty", "99"), 1, "length_penalty = 99"),
        (("evaluate", "--hypotheses", "lost", "--references", "ref1.txt"), 1, "lost has 59 lines and ref1.txt has 60"),
        (("evaluate", "--hypotheses", "empty", "--references", "ref1.txt"), 1, "empty is empty"),
        (("evaluate", "--hypotheses", "hyp.txt", "--references", "ref1.txt", "lost"), 1, "lost has 59"),
        (("evaluate", "--hypotheses", "hyp.txt", "--references", "ref1.txt", "--source", "lost"), 1, "lost has 59"),
        (("compare", "hyp.txt", "--references", "ref1.txt"), 2, "name two files of translations, A and B"),
        (("compare", "hyp.txt", "hyp.txt"), 2, "--references"),
        (("compare", "hyp.txt", "lost", "--references", "ref1.txt"), 1, "lost has 59 lines and ref1.txt has 60"),
    ],
)  # fmt: skip
def test_mistakes_are_one_line(attendo, tmp_path, arguments, code, words):
    files(tmp_path)
    write(tmp_path / "empty", [])
    write(tmp_path / "lost", spoilt(ENGLISH)[1:])
    ended, out, err = attendo(*arguments)
    assert (ended, out, err.count("\n")) == (code, "", 1), err
    assert words in err


def test_a_real_model_folder(tmp_path, monkeypatch, capfdbinary):
    """Weights that know nothing, by both engines: what must hold of lines and numbers holds all the same."""
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "cache"))
    folder = save_random(tmp_path / "model", ends=9.0)
    path = write_tsv(tmp_path / "t.tsv", CHINESE[:5], ENGLISH[:5])
    for engine in ("torch", "ct2"):
        arguments = ["--model", folder, "--to", "en", path, "--engine", engine, "--threads", "1", "--device", "cpu"]
        with pytest.raises(SystemExit) as end:
            main(["evaluate", *map(str, arguments), "--beam", "1", "--samples", "5", "--json"])
        sys.stdout.flush()
        (found,) = json.loads(capfdbinary.readouterr().out)
        assert (end.value.code or 0, found["sentences"], found["threads"]) == (0, 5, 1)
        assert found["engine"].startswith({"torch": "torch ", "ct2": "CTranslate2 "}[engine])
        assert found["source_tokens"] > 5
    assert Path(os.environ["ATTENDO_CACHE"]).is_dir()
