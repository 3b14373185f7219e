"""Loops that were planted are found; what people say is none."""

import pytest

from benchmarks.behaviour.loops import Repetition, find_loop


@pytest.mark.parametrize(
    ("answer", "unit", "times"),
    [
        ("the cat the cat the cat the cat", "the cat", 4),
        ("No, no, no, no!", "no", 4),
        ("I am the one, and I am the one, and I am the one, and I am the one, and", "the one and i am", 4),
        ("so it is said by all of us so it is said by all of us " * 2, "so it is said by all of us", 4),
        ("我们我们我们我们我们", "我们", 5),
        ("他说的是这样的，他说的是这样的，他说的是这样的，他说的是这样的，", "他说的是这样的", 4),
        ("Bitte bitte bitte bitte warten", "bitte", 4),
        ("It is hahahahahahaha", "ha", 7),
        ("1.000.000.000.000.000", "000", 5),
    ],
)
def test_a_loop_is_found(answer: str, unit: str, times: int) -> None:
    found = find_loop(answer, "天气很好。")
    assert found is not None
    assert found.times == times
    assert sorted(found.unit.replace(" ", "")) == sorted(unit.replace(" ", ""))  # wherever the round begins


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "No, no, no!",
        "Really?!!!",
        "10,000,000",
        "哈哈哈",
        "She said that that was that.",
        "Mississippi, Mississippi",
    ],
)
def test_what_people_say_is_no_loop(answer: str) -> None:
    assert find_loop(answer, "天气很好。") is None


def test_a_source_that_repeats_itself_is_an_excuse_up_to_twice_as_often() -> None:
    assert find_loop("no no no no no", "nein nein nein nein nein") is None
    assert find_loop("hahahaha", "哈哈哈哈") is None
    assert find_loop("no " * 40, "nein nein nein nein nein") == Repetition("no", 40)
    assert find_loop("no no no no", "nein nein nein") == Repetition("no", 4)
