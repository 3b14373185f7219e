"""Planted answers: what is wrong with each is judged, counted, shown, and told by the exit code."""

import re
from dataclasses import replace

import pytest

from attendo.translation.answer import Ledger, Sentence, Translation
from benchmarks.behaviour import __main__ as command
from benchmarks.behaviour.counts import COUNTS, missed_goals
from benchmarks.behaviour.inputs import Input, read_inputs
from benchmarks.behaviour.judgement import Judgement, judge, longest_answer
from benchmarks.behaviour.page import escaped, page
from tests.inspection.small_models import save

NOTHING = Ledger()


def answered(text, answer, kind="number", ledger=NOTHING, attempt="first", remarks=()):
    sentence = Sentence(text, (answer,), attempt=attempt if text.strip() else None)
    translation = Translation(answer, ledger, 0.02, "none", "en", "de", (sentence,), remarks=remarks)
    return judge(Input("en", "de", kind, text), translation)


CLEAN = answered("Gate 22", "Flugsteig 22")


def test_a_clean_answer() -> None:
    assert CLEAN.remarks == ()
    assert CLEAN.numbers_kept is CLEAN.digits_kept is True
    assert CLEAN.addresses_kept is CLEAN.emoji_kept is CLEAN.blank_kept is None
    faults = (CLEAN.loop, CLEAN.loop_by_guard, CLEAN.too_long, CLEAN.cut, CLEAN.silent, CLEAN.untranslated)
    assert not any((*faults, CLEAN.lost_at_first))
    assert CLEAN.milliseconds == pytest.approx(20)
    assert missed_goals([CLEAN]) == []


def test_faults_are_seen() -> None:
    assert answered("Good", "gut gut gut gut").loop
    assert answered("Good", "gut", ledger=Ledger(repeated=1)).loop_by_guard
    assert answered("Good", "gut", ledger=Ledger(cut=2)).cut
    assert answered("Good", "Good", ledger=Ledger(untranslated=1)).untranslated
    assert answered("Good", "").silent
    assert answered("Gate 22", "Flugsteig 22", attempt="wider").lost_at_first
    assert answered("Gate 22", "Flugsteig").numbers_kept is False
    assert answered("4 tries", "vier Versuche").numbers_kept is True
    assert answered("4 tries", "vier Versuche").digits_kept is False
    assert answered("See www.a.example.", "Siehe www.b.example.").addresses_kept is False
    assert answered("See www.a.example.", "Siehe www.a.example!").addresses_kept is True
    assert answered("Mail to x.y@example.org", "Mail an x.z@example.org").addresses_kept is False
    assert answered("Great 🎸🤘", "Toll 🎸").emoji_kept is False
    assert answered("Great 🎸🤘", "🤘 Toll 🎸").emoji_kept is True


def test_nothing_in_nothing_out() -> None:
    assert answered("", "").blank_kept is True
    assert answered("", "").milliseconds is None
    assert answered("   ", "   ").blank_kept is True
    assert answered("   ", "Hallo").blank_kept is False
    assert not answered("   ", "   ").silent


@pytest.mark.parametrize(
    ("source", "target", "text", "longest"),
    [("zh", "en", "乡愁", 44), ("en", "zh", "sneeze", 26), ("de", "en", "doch", 28), ("en", "de", "whatever", 36)],
)
def test_how_long_an_answer_may_be(source: str, target: str, text: str, longest: int) -> None:
    assert longest_answer(Input(source, target, "one word", text)) == longest


def test_an_answer_that_is_too_long() -> None:
    assert not answered("whatever", "x" * 36).too_long
    assert answered("whatever", "was auch immer du willst und noch mehr").too_long


def test_every_goal_can_be_missed_and_says_so_in_one_line() -> None:
    planted = {
        "loops in what": replace(CLEAN, loop_by_guard=True),
        "loops in the": replace(CLEAN, loop=True),
        "numbers kept": replace(CLEAN, numbers_kept=False),
        "empty in": replace(CLEAN, blank_kept=False),
    }
    for name, judgement in planted.items():
        (line,) = missed_goals([CLEAN, judgement])
        assert line.startswith(name)
        assert "\n" not in line
    assert sum(1 for count in COUNTS if count.goal) == len(planted)


def test_two_numbers_of_a_hundred_may_be_lost() -> None:
    lost = replace(CLEAN, numbers_kept=False)
    assert missed_goals([CLEAN] * 98 + [lost] * 2) == []
    assert missed_goals([CLEAN] * 97 + [lost] * 3) == ["numbers kept: 97 of 100 (97.0%), and the goal is ≥ 98%"]


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def test_the_page_has_a_row_for_every_answer_whatever_is_in_it() -> None:
    judgements: list[Judgement] = [
        CLEAN,
        answered("a | b", "a | *b*\n`c`", "code"),
        answered("   ", "   ", "empty"),
        answered("Gate 22", "Tor", remarks=("'Gate 22': missing in the translation: the number '22'",)),
    ]
    lines = page(judgements, ["Made by a test_case."]).split("\n")
    assert "*Made by a test\\_case.*  " in lines
    table = lines[lines.index("| kind | input | answer | remarks |") + 2 :]
    assert [cells(line) for line in table if line] == [
        ["number", "Gate 22", "Flugsteig 22", ""],
        ["code", r"a \| b", r"a \| \*b\*<br>\`c\`", ""],
        ["empty", "␣␣␣", "␣␣␣", ""],
        ["number", "Gate 22", "Tor", "lost: 22; attendo: missing in the translation: the number '22'"],
    ]
    (numbers,) = [line for line in lines if line.startswith("| numbers kept |")]
    assert cells(numbers) == ["numbers kept", "1 of 2 (50.0%)", "1 of 2 (50.0%)", "≥ 98%, missed"]


def test_escaped() -> None:
    assert escaped("<b> & $x$ ~~a~~ [c](d)") == r"\<b\> \& \$x\$ \~\~a\~\~ \[c\](d)"


def test_the_command(tmp_path, monkeypatch, capsys) -> None:
    """With a small model that was never trained, and knows no German."""
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(command, "describe_machine", lambda: "today, here")
    monkeypatch.setattr(command, "read_inputs", lambda source, target: read_inputs(source, target)[::7])
    model, out = save("transformer", tmp_path / "model"), tmp_path / "page.md"
    monkeypatch.setattr("sys.argv", ["behaviour", "--model", str(model), "--out", str(out)])
    code = command.main()
    said, missed = capsys.readouterr()
    assert "16 answers written" in said
    assert "de-en, en-de left out" in said
    assert code == (1 if missed else 0)
    text = out.read_text(encoding="utf-8")
    assert "CTranslate2" in text
    assert "today, here" in text
    assert "## Chinese to English" in text
    assert "## English to Chinese" in text
    assert "## German" not in text
    assert text.count(", missed |") == missed.count("\n")
