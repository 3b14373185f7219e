"""Tokenised lower-cased BLEU is what the commands of sacremoses and sacreBLEU give."""

import pytest

from attendo.evaluation.metrics import bleu, moses_tokenise, published_bleu, published_command
from tests.evaluation import sacrebleu_command
from tests.evaluation.texts import sentences, spoilt, write

TRICKY = ["“Don't!” – he said (again)…", "L'homme d'à côté: 1,5 % & <b>x</b> [1]", "A.B. Smith, e.g. No. 5.", "  ", ""]


@pytest.mark.parametrize("language", ["en", "fr"])
def test_it_is_what_the_two_commands_give(language, tmp_path):
    texts = [*sentences("en", 30), *TRICKY]
    outputs, second = [*spoilt(texts[:30]), *reversed(TRICKY)], [text.upper() for text in texts]
    for name, lines in (("hyp", outputs), ("ref 1", texts), ("ref2", second)):
        write(tmp_path / name, lines)
    command = published_command("hyp", ["'ref 1'", "ref2"], language, samples=20)
    theirs = sacrebleu_command.scores(command, tmp_path)["BLEU"]
    ours = published_bleu(outputs, [texts, second], language, samples=20)
    sacrebleu_command.same(ours.to_dict(), theirs)
    assert ours.signature.startswith("nrefs:2|bs:20|seed:12345|case:lc|eff:no|tok:none|smooth:exp|")


def test_case_and_the_look_of_punctuation_do_not_count():
    outputs, wanted = ["“Hello”, SAID the man – twice."] * 3, ['"hello", said the Man - twice.'] * 3
    assert bleu(outputs, [wanted]).score < 50
    assert published_bleu(outputs, [wanted], "en").score == pytest.approx(100)


def test_each_line_stays_one():
    hostile = ["", " ", "a\u2028b", "a\x85b\x0bc", "\ud7ff\u200b", "'" * 50, "x" * 5_000]
    assert len(moses_tokenise(hostile, "en")) == len(hostile)
    assert moses_tokenise(["It's 5 o'clock."], "en") == ["It &apos;s 5 o &apos;clock ."]


def test_without_sacremoses_it_is_one_line(monkeypatch, capsys, tmp_path):
    import sys

    from attendo.cli.main import run

    monkeypatch.setitem(sys.modules, "sacremoses", None)
    path = str(write(tmp_path / "x", ["a"]))
    assert run(["evaluate", "--hypotheses", path, "--references", path, "--published"], debug=False) == 1
    advice = "pip install 'attendo[train]' (in a clone: make install)"
    assert capsys.readouterr().err == f"attendo: this command needs sacremoses: {advice}\n"
