"""Pages: what is text and what is not, attributes inside paragraphs, the language, both languages side by side."""

import re

import pytest
from lxml import html as lxml_html

from attendo.documents.document import Writing
from attendo.documents.formats.html import RULES, find_html
from attendo.documents.prose import is_prose
from attendo.errors import DataError
from attendo.translation.markup.collect import Passage
from attendo.translation.markup.passages import read_passages
from attendo.translation.markup.rules import UNTOUCHED
from attendo.translation.markup.scan import scan
from tests.documents.laws import samples

LETTERS = re.compile(r"[^\W\d_]")
TO_GERMAN = Writing("de", "en")


def upper(text):
    return "".join(part.text.upper() if part.kind == "text" else part.text for part in scan(text, RULES))


def translated(page, writing=TO_GERMAN, say=upper, around=True):
    document = find_html(page.encode(), "page.html")
    changes = [
        change
        for index, segment in enumerate(document.segments)
        for change in document.changes(index, say(segment.text), writing)
    ]
    changes += [one.change for one in document.around(writing)] if around else []
    return document.written(changes).decode()


def seen_by_lxml(element):
    """Letters of the text nodes outside of what is left as it is."""
    if not isinstance(element.tag, str) or element.tag in UNTOUCHED:
        return
    if element.get("translate") == "no" or "notranslate" in (element.get("class") or ""):
        return
    yield from LETTERS.findall(element.text or "")
    for child in element:
        yield from seen_by_lxml(child)
        yield from LETTERS.findall(child.tail or "")


@pytest.mark.parametrize("path", samples("html"), ids=lambda path: path.name)
def test_lxml_sees_the_same_text(path):
    data = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    document = find_html(data, path.name)
    parts = [
        part.text
        for segment in document.segments
        if segment.kind != "attribute"
        for part in read_passages(segment.text, RULES)
        if isinstance(part, Passage)
    ]
    ours = LETTERS.findall("".join(re.sub(r"<x\d+/>", " ", text) for text in parts))
    text = re.sub(r"^<\?xml.*?\?>|<!\[CDATA\[.*?\]\]>|&unknown;", "", data.decode())  # lxml makes text of the last two
    text = text.replace("&shy;", "").replace('<script src="a.js"/>', "")  # and takes all after this for the script
    assert "".join(ours) == "".join(seen_by_lxml(lxml_html.document_fromstring(text)))


def test_attributes_inside_a_paragraph_are_written_with_it():
    page = '<p>See <a href="Go" title="The rest">this</a> or <img alt="A cat"><img alt="A cat"> now.</p>'
    assert translated(page, around=False) == (
        '<p>SEE <a href="Go" title="THE REST">THIS</a> OR <img alt="A CAT"><img alt="A CAT"> NOW.</p>'
    )
    document = find_html(page.encode(), "x")
    numbered = [f"{segment.text} {index}" for index, segment in enumerate(document.segments)]
    changes = [change for index, text in enumerate(numbered) for change in document.changes(index, text, TO_GERMAN)]
    assert document.written(changes).decode() == (
        '<p>See <a href="Go" title="The rest 1">this</a> or <img alt="A cat 2"><img alt="A cat 3"> now. 0</p>'
    )
    only = document.changes(1, "Der Rest", TO_GERMAN)  # where the paragraph stays as it is
    assert document.written(only).decode() == page.replace("The rest", "Der Rest")


def test_an_attribute_keeps_its_quotes_whole():
    assert translated("<p title=Cat>", say=lambda _: 'Die "Katze"') == '<p title="Die &quot;Katze&quot;">'
    assert translated("<p title='Cat'>", say=lambda _: "Die 'Katze'") == "<p title='Die &#39;Katze&#39;'>"
    assert translated("<p title=Cat>", say=lambda _: "Katze") == "<p title=Katze>"


def test_the_language_is_said_where_it_was_and_where_it_was_not():
    page = '<html lang="en-US"><p lang=en>One <b xml:lang="en">two</b></p><p lang="fr">Un</p></html>'
    assert translated(page, say=str) == (
        '<html lang="de"><p lang=de>One <b xml:lang="de">two</b></p><p lang="fr">Un</p></html>'
    )
    assert translated("<html><p>One</p>", say=str) == '<html lang="de"><p>One</p>'
    document = find_html(page.encode(), "x")
    assert [(one.place, one.what) for one in document.around(TO_GERMAN)] == [("line 1", 'lang="de"')] * 3


def test_both_languages():
    page = '<title>A cat</title><p id="a">One <b id="b">two</b>.</p><p>An <i>open one'
    assert translated(page, Writing("de", "en", "over")) == (
        '<title>A cat / A CAT</title><p id="a">One <b id="b">two</b>.<br/><span lang="de">ONE <b>TWO</b>.</span></p>'
        "<p>An <i>open one<br/>AN <i>OPEN ONE"
    )
    assert translated("<p>One</p>", Writing("de", "en", "under")) == '<p><span lang="de">ONE</span><br/>One</p>'


def test_a_paragraph_without_an_end_may_be_kept_too():
    page = '<p translate=no>Blue <b title="Fish">Fish</b><p>Red fish<ul><li translate="no">One<li>Two</ul>'
    assert [segment.text for segment in find_html(page.encode(), "x").segments] == ["Red fish", "Two"]


def test_a_lost_or_new_tag_is_a_problem():
    document = find_html(b"<p>One <b>two</b></p>", "x")
    assert document.problem(0, "<b>Zwei</b> eins") == ""
    for answer in ("Eins zwei", "Eins <b>zwei</b> <b>zwei</b>", "Eins <b>zwei</b><script>", "<i>Eins</i> <b>zwei</b>"):
        assert document.problem(0, answer)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'<meta charset="iso-8859-1"><p>x', "iso-8859-1"),
        (b'<meta http-equiv="Content-Type" content="text/html; charset=gb2312">', "gb2312"),
        (b'<?xml version="1.0" encoding="windows-1252"?><html/>', "windows-1252"),
        ("<p>Grün".encode("latin-1"), "is not UTF-8"),
        (b"<" * 10_000_000, "10,000,000 tags"),
    ],
)
def test_what_is_refused(data, words):
    with pytest.raises(DataError, match=words) as caught:
        find_html(data, "page.html")
    assert "\n" not in str(caught.value)


def test_a_paragraph_that_nobody_wrote_is_kept():
    [segment] = find_html(b"<p>" + b"<b>x" * 5_000, "x").segments
    assert segment.kept
    assert find_html(b"<div>" * 20_000 + b"one", "x").segments[0].text == "one"


def test_what_is_prose():
    for text in ("Save", "Save changes", "保存", "It's 5 o'clock", "New-York", "A", "e.g. this", "and/or this"):
        assert is_prose(text), text
    for text in (
        "", "12", "#fff", "#A0B1C2", "https://a.b/c", "mailto:x", "img/a.png", "/usr/lib", "./a", "a.png", "en-US",
        "user_name", "camelCase", "SHA256", "2024-05-01", "2024-05-01T10:00:00Z", "12px", "%s", "{name}", "v1.2.3",
        "a@b.org", "com.example.app", "d41d8cd98f00b204e9800998ecf8427e", "C:\\Users", "btn-primary-large",
    ):  # fmt: skip
        assert not is_prose(text), text
