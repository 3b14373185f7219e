"""Two runs are the same if their logs are, but for the speed."""

import json
import sys

import pytest

from recipes.default.repeated import first_difference, main

STEPS = [{"step": number, "loss": 1 / number, "target_tokens_per_second": 1.0} for number in (1, 2, 3)]


def test_speed_does_not_count():
    assert first_difference(STEPS, [step | {"target_tokens_per_second": 2.0} for step in STEPS]) is None


def test_the_last_digit_counts():
    other = [*STEPS[:2], STEPS[2] | {"loss": STEPS[2]["loss"] + 1e-16}]
    assert first_difference(STEPS, other) == 2


@pytest.mark.parametrize("other", [STEPS[:2], [*STEPS, STEPS[0]]])
def test_what_one_alone_has_is_a_difference(other):
    assert first_difference(STEPS, other) == min(len(STEPS), len(other))


def test_the_first_difference_is_shown(tmp_path, monkeypatch, capsys):
    for name, steps in (("one", STEPS), ("other", STEPS[:2])):
        (tmp_path / name).write_text("".join(f"{json.dumps(step)}\n" for step in steps), encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["repeated", str(tmp_path / "one"), str(tmp_path / "one")])
    main()
    assert capsys.readouterr().out == "all 3 records are the same\n"
    monkeypatch.setattr(sys, "argv", ["repeated", str(tmp_path / "one"), str(tmp_path / "other")])
    with pytest.raises(SystemExit, match="1"):
        main()
    assert "first 2 of 3 and 2 records" in capsys.readouterr().out


def test_two_files_of_nothing_are_not_the_same(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["repeated", str(tmp_path / "none"), str(tmp_path / "none")])
    with pytest.raises(SystemExit, match="2"):
        main()
    assert "none has no records" in capsys.readouterr().err
