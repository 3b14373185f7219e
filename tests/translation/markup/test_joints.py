"""Joints: points where a sentence is parted and goes on, such as the next cue of a subtitle."""

from attendo.translation.markup.collect import Passage
from attendo.translation.markup.passages import read_passages
from attendo.translation.markup.rules import POINTS, MarkupRules

RULES = MarkupRules(points=POINTS | {"next"}, joints=frozenset({"next"}))


def test_a_joint_ends_no_sentence():
    """Where <br> would: the line after it begins with a capital."""
    text = "He went with all of his many friends and their children to<next/>Berlin, where they met an old and wise man"
    [passage] = read_passages(text, RULES)
    assert isinstance(passage, Passage)
    assert [(mark.kind, mark.raw) for mark in passage.marks] == [("line", "<next/>")]
    assert passage.text == text.replace("<next/>", " ")
    parted = read_passages(text.replace("<next/>", "<br/>"), RULES)
    assert len([part for part in parted if isinstance(part, Passage)]) == 2


def test_without_joints_it_is_a_point():
    [passage] = read_passages("one<next/> two", MarkupRules(points=POINTS | {"next"}))
    assert [mark.kind for mark in passage.marks] == ["point"]
