"""OpenDocument and PowerPoint: what is text (a plain walk by lxml is the witness), and what is written around it."""

import re

import pytest
from lxml import etree

from attendo.documents.document import Writing
from attendo.documents.find import finder_for
from attendo.documents.formats.odt import find_odt
from attendo.documents.formats.pptx import find_pptx
from attendo.errors import DataError
from tests.documents.laws import find, parts_of, samples
from tests.documents.office_parts import content_types, zipped
from tests.documents.open_samples import BASE, note, open_file, p, span
from tests.documents.open_samples import samples as open_samples
from tests.documents.slide_samples import BOLD, paragraph, run, shape, slides
from tests.documents.slide_samples import samples as slide_samples

GERMAN = Writing("de", "en")
DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"


def part_with(found, part, *answers, writing=GERMAN):
    changes = [change for index, answer in enumerate(answers) for change in found.changes(index, answer, writing)]
    return parts_of(found.written(changes))[part].decode()


def plain(text):
    return re.sub(r"\s|<[^<>]*>", "", text)


def test_the_samples_are_those_of_the_scripts():
    for key, made in (("odt", open_samples()), ("pptx", slide_samples())):
        found = {path.name.removesuffix(f".{key}"): parts_of(path.read_bytes()) for path in samples(key)}
        assert {name: parts_of(data) for name, data in made} == found


def test_the_text_of_slides_is_that_of_all_a_t_but_fields():
    for path in samples("pptx"):
        said = "".join(plain(one.text) for one in find(path.read_bytes(), path).segments)
        for name, data in parts_of(path.read_bytes()).items():
            if not re.search(r"(slides|notesSlides|charts|diagrams)/[^/]+\.xml$", name):
                continue
            for element in etree.fromstring(data).iter(f"{DRAWING}r"):
                text = element.findtext(f"{DRAWING}t")
                assert plain(text.replace("<", "&lt;").replace(">", "&gt;")) in said, path.name


def test_the_text_of_an_open_document_is_that_of_its_paragraphs():
    text = f"{{{BASE}text:1.0}}"
    for path in samples("odt"):
        said = {plain(one.text) for one in find(path.read_bytes(), path).segments}
        for element in etree.fromstring(parts_of(path.read_bytes())["content.xml"]).iter(f"{text}p", f"{text}h"):
            inner = "".join(element.itertext())
            simple = all(child.tag in (f"{text}span", f"{text}a") for child in element.iterdescendants())
            deleted = any(one.tag == f"{text}tracked-changes" for one in element.iterancestors())
            if simple and inner and not deleted:
                assert plain(inner.replace("<", "&lt;").replace(">", "&gt;")) in said, path.name
            assert not (deleted and plain(inner) in said)


def test_spans_that_look_the_same_are_one_text():
    found = find_odt(open_file(p("One ", span("T2", "bo"), span("T3", "ld"), span("T1", " word"))), "a.odt")
    assert found.segments[0].text == 'One <g id="0">bold</g> word'
    new = part_with(found, "content.xml", 'Ein <g id="0">fettes</g> Wort mehr')
    assert p("Ein ", span("T2", "fettes"), span("T1", " Wort mehr")) in new


def test_a_note_stays_a_note_in_its_place_and_is_translated():
    found = find_odt(open_file(p("The river", note("It is long."), " sleeps.")), "a.odt")
    new = part_with(found, "content.xml", 'Es schläft der Fluss<p id="0"/>.', "Er ist lang.")
    assert p("Es schläft der Fluss", note("Er ist lang."), ".") in new


def test_the_languages_of_styles():
    found = find_odt(open_file(p("Hello")), "a.odt")
    assert [one.what for one in found.around(GERMAN)] == [
        "fo:language de", "fo:country DE", "fo:language de", "fo:country DE",
    ]  # fmt: skip
    assert [one.what for one in found.around(Writing("zh", "en"))] == [
        "style:language-asian zh", "style:country-asian CN",
    ]  # fmt: skip


def test_a_run_of_a_slide_names_its_language_and_the_end_of_a_paragraph_stays_its_end():
    found = find_pptx(slides(shape(paragraph(run("Good "), run("day", BOLD)))), "a.pptx")
    new = part_with(found, "ppt/slides/slide1.xml", '<g id="0">Tag</g>, guter')
    german = paragraph(run("Tag", BOLD), run(", guter")).replace('lang="en-US"', 'lang="de-DE"')
    assert german.replace('<a:endParaRPr lang="de-DE"/>', '<a:endParaRPr lang="en-US"/>') in new


def test_prompts_of_layouts_stay():
    found = find_pptx(slides(shape(paragraph(run("Hello")))), "a.pptx")
    assert [one.text for one in found.segments] == ["Hello"]


@pytest.mark.parametrize(
    ("key", "parts", "message"),
    [
        ("odt", {"mimetype": "x"}, "a has no content.xml: expected an OpenDocument text"),
        ("odt", {"content.xml": "<a/>", "META-INF/manifest.xml": "<m:encryption-data/>"}, "locked by a password"),
        ("odt", {"content.xml": "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"}, "entities"),
        ("odt", {"content.xml": "<a>" * 250 + "</a>" * 250}, "deep"),
        ("pptx", {"[Content_Types].xml": content_types({})}, "a has no slides of a PowerPoint presentation"),
        ("pptx", {"[Content_Types].xml": "<a"}, "no XML"),
    ],
)
def test_what_is_none_is_refused(key, parts, message):
    with pytest.raises(DataError, match=message) as error:
        finder_for(key)(zipped(parts), "a")
    assert "\n" not in str(error.value)
