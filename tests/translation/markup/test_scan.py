"""The scanner's law: joined, the parts are the text. And what is what."""

import time

import pytest
from hypothesis import given

from attendo.translation.markup.collect import Passage
from attendo.translation.markup.passages import read_passages
from attendo.translation.markup.scan import scan
from tests.translation.markup.fake_translators import HTML, XML
from tests.translation.markup.soups import anything


@given(anything)
def test_joined_the_parts_are_the_text(text):
    for rules in (HTML, XML):
        assert "".join(part.text for part in scan(text, rules)) == text
        assert all(part.text for part in scan(text, rules))


@given(anything)
def test_joined_the_passages_are_the_text(text):
    for rules in (HTML, XML):
        parts = read_passages(text, rules)
        assert "".join(part.raw if isinstance(part, Passage) else part for part in parts) == text


def kinds(text, rules=HTML):
    return [(part.kind, part.text) for part in scan(text, rules)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('<a title="x > y">', [("open", '<a title="x > y">')]),
        ("<p title=it's>", [("open", "<p title=it's>")]),
        ("1 < 2 <b>", [("text", "1 < 2 "), ("open", "<b>")]),
        ("x <y and <b>", [("text", "x <y and "), ("open", "<b>")]),
        ("I <3 you", [("text", "I <3 you")]),
        ("<br>", [("single", "<br>")]),
        ("<x id='1'/>", [("single", "<x id='1'/>")]),
        ("<!-- <b> -->a", [("aside", "<!-- <b> -->"), ("text", "a")]),
        ("<!DOCTYPE html>", [("aside", "<!DOCTYPE html>")]),
        ("<!DOCTYPE a [<!ENTITY b 'c'>]>x", [("aside", "<!DOCTYPE a [<!ENTITY b 'c'>]>"), ("text", "x")]),
        ("&lt;b&amp", [("entity", "&lt;"), ("text", "b"), ("entity", "&amp")]),
        ("a&b=1&copy=2", [("text", "a&b=1&copy=2")]),
        (
            "<script>if (a<b) '<p>'</script>",
            [("open", "<script>"), ("aside", "if (a<b) '<p>'"), ("close", "</script>")],
        ),
        ('<a b="', [("text", '<a b="')]),
        ('<a b="><i>', [("open", '<a b=">'), ("open", "<i>")]),
    ],
)
def test_what_is_what(text, found):
    assert kinds(text) == found


def test_xml_has_names_of_its_own():
    assert [(part.kind, part.name) for part in scan("<w:R/><B></B><br></br>", XML)] == [
        ("single", "w:R"), ("open", "B"), ("close", "B"), ("open", "br"), ("close", "br"),
    ]  # fmt: skip


HOSTILE = [
    "<", "<a ", '<a b="', "<a b='", '<a b=">" ', "<!--", "<!", "<![CDATA[", "<?", "&", "&#", "<a b=\"'", "</",
    "<!DOCTYPE [", "<script>", "<b>", "</b>", "<b><i></b>", "<b>x ", "<br>", "<x/>", "&lt;", "<code>", "= \"",
    "<p translate=no>", "<b>.", "\n", "&nbsp;",
]  # fmt: skip


@pytest.mark.parametrize("sign", HOSTILE)
def test_time_is_linear(sign):
    text = sign * 20_000
    started = time.perf_counter()
    for rules in (HTML, XML):
        parts = read_passages(text, rules)
        assert "".join(part.raw if isinstance(part, Passage) else part for part in parts) == text
    assert time.perf_counter() - started < 5
