"""The 200 inputs: every kind in every direction, and nothing that the default model could have learnt by heart."""

from collections import Counter

import pytest

from attendo.text.scripts import HAN_CHARACTER
from benchmarks.behaviour.inputs import DIRECTIONS, KINDS, read_inputs, rows
from recipes.default.made_up import FORBIDDEN, pairs

INPUTS = {each: read_inputs(*each) for each in DIRECTIONS}
EVERY = [one for inputs in INPUTS.values() for one in inputs]
STOPS = "。！？…，、；：.!?,;: "


def bare(text: str) -> str:
    """Without its final punctuation, in lower case."""
    return text.strip().rstrip(STOPS).casefold()


def test_there_are_two_hundred() -> None:
    assert len(EVERY) == 200
    assert Counter((one.source, one.target) for one in EVERY) == dict.fromkeys(DIRECTIONS, 50)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_every_direction_has_every_kind(direction: tuple[str, str]) -> None:
    kinds = Counter(one.kind for one in INPUTS[direction])
    assert set(kinds) == set(KINDS)
    assert min(kinds.values()) >= 2


def test_no_input_comes_twice() -> None:
    texts = Counter(one.text for one in EVERY if one.text)
    assert max(texts.values()) == 1


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_kinds_are_what_they_say(direction: tuple[str, str]) -> None:
    for one in INPUTS[direction]:
        assert one.is_blank == (one.kind == "empty"), one
        if one.kind in ("number", "price", "date", "time"):
            assert any(sign.isdigit() for sign in one.text), one
        if one.kind == "punctuation only":
            assert not any(sign.isalnum() for sign in one.text), one
        if one.kind == "no final stop":
            assert one.text[-1].isalnum(), one
        if one.kind == "one word":
            assert one.text.isalpha(), one
        if one.kind == "paragraph":
            assert sum(one.text.count(stop) for stop in "。！.!") >= 4, one
    # One has nothing at all, another nothing but spaces: an editor that trims lines would make them equal.
    assert sorted(len(one.text) > 0 for one in INPUTS[direction] if one.kind == "empty") == [False, True]


def test_the_language_is_the_one_of_the_direction() -> None:
    for one in EVERY:
        letters = [sign for sign in one.text if sign.isalpha()]
        if letters and one.kind not in ("address", "code", "mixed languages"):
            assert (len(HAN_CHARACTER.findall(one.text)) > len(letters) / 2) == (one.source == "zh"), one


@pytest.mark.parametrize("languages", [("zh", "en"), ("de", "en")])
def test_the_generator_makes_none_of_them(languages: tuple[str, str]) -> None:
    made = {bare(text) for pair in pairs(languages, 20_000, 1) for text in pair}
    assert len(made) > 20_000
    assert [one.text for one in EVERY if bare(one.text) and bare(one.text) in made] == []
    assert not made.intersection(FORBIDDEN)


def test_what_the_demonstrations_ask_for_is_in_none_of_them() -> None:
    assert {"我爱机器学习", "机器学习很有趣"} < set(FORBIDDEN)
    assert not [one for one in EVERY for words in FORBIDDEN if words in one.text.casefold()]


def test_a_line_that_is_no_row_is_an_error(tmp_path) -> None:
    table = tmp_path / "zh-en.tsv"
    for line in ("one word", "sonnet\tShall I", "code\ta\tb"):
        table.write_text(f"empty\t\n{line}\n", encoding="utf-8")
        with pytest.raises(ValueError, match="line 2"):
            list(rows(table, "zh", "en"))
