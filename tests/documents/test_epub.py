"""Books: what is read of them, and that a reader (a small one of our own, and lxml) opens what is written."""

import io
import re
import zipfile
from posixpath import dirname, join, normpath
from urllib.parse import unquote

import pytest
from lxml import etree, html

from attendo.documents.document import Writing
from attendo.documents.formats.epub import find_epub
from attendo.errors import DataError
from tests.documents.book_samples import FONT, book, page
from tests.documents.book_samples import samples as built
from tests.documents.laws import parts_of, samples, swapped
from tests.documents.office_parts import zipped

SPACES = {
    "c": "urn:oasis:names:tc:opendocument:xmlns:container",
    "o": "http://www.idpf.org/2007/opf",
    "d": "http://purl.org/dc/elements/1.1/",
}
PARSER = etree.XMLParser(resolve_entities=False, no_network=True)


def check_book(data):
    """What every reader of books relies on: the first part, the list of contents, that all of it is there and whole."""
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        first = file.infolist()[0]
        assert (first.filename, first.compress_type, first.extra) == ("mimetype", zipfile.ZIP_STORED, b"")
        assert file.read("mimetype") == b"application/epub+zip"
        container = etree.fromstring(file.read("META-INF/container.xml"), PARSER)
        path = container.find(".//c:rootfile", SPACES).get("full-path")
        package = etree.fromstring(file.read(path), PARSER)
        items = {item.get("id"): item for item in package.iterfind(".//o:item", SPACES)}
        for item in items.values():
            part = normpath(join(dirname(path), unquote(item.get("href"))))
            if item.get("media-type") in ("application/xhtml+xml", "application/x-dtbncx+xml"):
                etree.fromstring(file.read(part), PARSER)
            else:
                assert file.getinfo(part)
        assert all(one.get("idref") in items for one in package.iterfind(".//o:itemref", SPACES))
        return package


def said(data, writing, say=lambda text: text):
    found = find_epub(data, "a.epub")
    changes = [one.change for one in found.around(writing)]
    for index, segment in enumerate(found.segments):
        assert not found.problem(index, say(segment.text))
        changes += found.changes(index, say(segment.text), writing)
    return found.written(changes)


def test_the_samples_are_those_of_the_script():
    assert {name: parts_of(data) for name, data in built()} == {
        path.stem: parts_of(path.read_bytes()) for path in samples("epub")
    }


@pytest.mark.parametrize("mode", ["none", "under", "over"])
def test_what_is_written_is_a_book(mode):
    for path in samples("epub"):
        data = path.read_bytes()
        check_book(data)
        new = said(data, Writing("de", "en", mode), swapped)
        package = check_book(new)
        if mode == "none":
            assert package.findtext(".//d:language", namespaces=SPACES) == "de"


def test_lxml_finds_the_same_text():
    compared = 0
    for path in samples("epub"):
        text = " ".join(re.sub(r"<[^<>]*>", "", one.text) for one in find_epub(path.read_bytes(), path.name).segments)
        text = re.sub(r"\s", "", html.fromstring(f"<p>{text}</p>").text_content())
        for name, data in parts_of(path.read_bytes()).items():
            if not name.endswith(".xhtml"):
                continue
            root = html.fromstring(data)
            for element in root.iter("script", "style", "code", "pre", "svg", etree.Comment):
                element.text = ""
                for inner in list(element):
                    element.remove(inner)
            for element in root.iter("p", "h1", "li", "td", "th", "figcaption", "title"):
                words = re.sub(r"\s", "", element.text_content())
                if element.get("translate") != "no" and not element.findall(".//code") and not element.findall(".//br"):
                    assert words in text, (path.name, words)
                    compared += bool(words)
    assert compared > 30


def test_both_languages_in_a_chapter_and_one_in_the_table_of_contents():
    data = next(path for path in samples("epub") if path.stem == "plain").read_bytes()
    parts = parts_of(said(data, Writing("de", "en", "over"), lambda text: text.replace("day", "Tag")))
    assert b'<h1>The first day<br/><span lang="de">The first Tag</span></h1>' in parts["OEBPS/one.xhtml"]
    assert b'<li><a href="one.xhtml">The first Tag</a></li>' in parts["OEBPS/nav.xhtml"]


def test_an_answer_that_would_break_a_chapter_is_refused():
    found = find_epub(book({"one.xhtml": page("<p>One <b>two</b></p>")}), "a.epub")
    index = next(index for index, one in enumerate(found.segments) if "two" in one.text)
    assert found.problem(index, "</b>Eins<b>")
    assert found.problem(index, "Eins & <b>zwei</b>")
    assert found.problem(index, "Eins")
    assert not found.problem(index, "<b>Zwei</b> &amp; eins")
    assert found.problem(0, "A < B")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (zipped({"mimetype": "application/epub+zip"}), "a.epub has no META-INF/container.xml: expected an EPUB book"),
        (
            book({}, meta=[("META-INF/encryption.xml", FONT.format("http://www.w3.org/2001/04/xmlenc#aes128-cbc"))]),
            r"a.epub is locked by its seller \(DRM\): expected a book that is free to read",
        ),
        (book({}, meta=[("META-INF/rights.xml", "<rights/>")]), "locked"),
        (
            book({}, meta=[("META-INF/container.xml", "<container/>")]),
            r"names no list of its contents \(.opf\)",
        ),
        (book({"one.xhtml": page("x").encode("utf-16")}), "UTF-8"),
        (book({}, title="<!DOCTYPE a>"), "no XML"),
    ],
)  # fmt: skip
def test_what_is_no_book_or_locked_is_refused(data, message):
    with pytest.raises(DataError, match=message) as error:
        find_epub(data, "a.epub")
    assert "\n" not in str(error.value)


def test_an_address_that_leads_out_of_the_book_is_no_part_of_it():
    data = book({"one.xhtml": page("<p>Inside</p>")})
    parts = parts_of(data)
    parts["OEBPS/content.opf"] = parts["OEBPS/content.opf"].replace(b'href="one.xhtml"', b'href="../../../etc/passwd"')
    stored = ("mimetype",)
    found = find_epub(zipped(parts, stored), "a.epub")
    assert [one.text for one in found.segments] == ["A small book"]
