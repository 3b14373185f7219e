"""Word documents: what is text (python-docx is the witness), and what is written around a translation."""

import re
from io import BytesIO

import docx
import pytest
from docx.text.paragraph import Paragraph

from attendo.documents.document import Writing
from attendo.documents.formats.docx import find_docx
from attendo.errors import DataError
from tests.documents.laws import SAMPLES, parts_of, samples
from tests.documents.office_parts import WORD_SPACES, word_file, zipped
from tests.documents.word_samples import BOLD, ITALIC, LANG, field, paragraph, run
from tests.documents.word_samples import samples as built

WITNESSED = re.compile("fldChar|fldSimple|w:ins |smartTag|w:sdt|AlternateContent|oMath|moveFrom")


GERMAN = Writing("de", "en")


def document(*paragraphs, **more):
    return find_docx(word_file("".join(paragraphs), **more), "a.docx")


def body(found, *answers, writing=GERMAN):
    """What stands in the text with these answers, one for each segment."""
    changes = [change for index, answer in enumerate(answers) for change in found.changes(index, answer, writing)]
    text = parts_of(found.written(changes))["word/document.xml"].decode()
    return text[text.index("<w:body>") + 8 : text.index("<w:sectPr>")]


def plain(text):
    return re.sub(r"\s", "", re.sub(r"<[^<>]*>", "", text).replace("&lt;", "<").replace("&gt;", ">"))


def test_the_samples_are_those_of_the_script():
    assert {name: parts_of(data) for name, data in built()} == {
        path.stem: parts_of(path.read_bytes()) for path in samples("docx")
    }


def test_python_docx_finds_the_same_text():
    compared = 0
    for path in samples("docx"):
        found = {plain(one.text) for one in find_docx(path.read_bytes(), path.name).segments}
        root = docx.Document(path).element
        for element in root.iter(f"{{{root.nsmap['w']}}}p"):
            said = re.sub(r"\s", "", Paragraph(element, None).text)
            if said and not WITNESSED.search(docx.oxml.xmlchemy.serialize_for_reading(element)):
                assert said in found, path.name
                compared += 1
    assert compared > 25


def test_runs_that_look_the_same_are_one_text_and_the_rest_are_tags():
    found = find_docx((SAMPLES / "docx" / "many_runs.docx").read_bytes(), "a.docx")
    assert [one.text for one in found.segments] == [
        "One sentence, many runs",
        'The committee <g id="0">has not</g> decided anything yet.',
        "A report &amp; more",
    ]


def test_a_translation_is_one_run_a_look_in_its_own_order():
    found = document(paragraph(run("The "), run("red", BOLD), run(" big "), run("house", ITALIC), run(".")))
    new = body(found, 'Das <g id="1">Haus</g>, <g id="0">rot</g>')
    assert new == paragraph(run("Das "), run("Haus", ITALIC), run(", "), run("rot", BOLD))


def test_white_space_at_an_edge_is_kept_by_an_attribute():
    found = document("<w:p><w:r><w:t>One</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>two</w:t></w:r></w:p>")
    new = body(found, 'Eins <g id="0">zwei</g>')
    assert new.startswith('<w:p><w:r><w:t xml:space="preserve">Eins </w:t></w:r>')
    assert "<w:t>zwei</w:t>" in new
    inside = "<w:p><w:r><w:t>Two  spaces</w:t></w:r></w:p>"  # as LibreOffice writes them
    assert body(document(inside), "Two  spaces") == inside


def test_a_run_names_the_language_of_its_translation_and_keeps_it_where_nothing_changed():
    found = document(paragraph(run("colour", LANG)))
    assert '<w:lang w:val="de-DE"/>' in body(found, "Farbe")
    assert LANG in body(found, "colour")


def test_language_and_a_font_for_chinese_are_set_in_the_styles():
    found = document(paragraph(run("Hello")))
    said = [(one.place, one.what) for one in found.around(Writing("zh", "en"))]
    assert said == [("word/styles.xml", "w:eastAsia SimSun"), ("word/styles.xml", "w:eastAsia zh-CN")]
    changed = parts_of(found.written([one.change for one in found.around(Writing("de", "en"))]))["word/styles.xml"]
    assert b'<w:lang w:val="de-DE" w:bidi="ar-SA"/>' in changed


def test_marks_of_a_field_never_change_places():
    runs = "".join(
        f'<w:fldChar w:fldCharType="{kind}"/>' if kind in ("begin", "separate", "end") else f"<w:t>{kind}</w:t>"
        for kind in ("See", "begin", "separate", "today", "end", "please")
    )
    found = document(f"<w:p><w:r>{runs}</w:r></w:p>")
    assert found.segments[0].text == 'See<p id="0"/><p id="1"/>today<p id="2"/>please'
    new = body(found, '<p id="2"/>Bitte<p id="1"/>heute<p id="0"/>')
    assert re.findall('fldCharType="([a-z]+)"', new) == ["begin", "separate", "end"]


def test_a_number_of_a_page_is_one_thing_and_goes_with_its_word():
    found = document(paragraph(run("See page "), field("PAGE", "3"), run(" first.")))
    assert found.segments[0].text == 'See page <x id="0"/> first.'
    assert body(found, 'Zuerst Seite <x id="0"/>') == paragraph(run("Zuerst Seite "), field("PAGE", "3"))


@pytest.mark.parametrize(
    "answer",
    [
        "One",
        'One <g id="0">two</g> <g id="0">two</g>',
        '</g>x<g id="0">',
        'a < b <g id="0">c</g>',
        '\x01<g id="0">c</g>',
    ],
)
def test_an_answer_that_would_break_the_file_is_refused(answer):
    assert document(paragraph(run("One "), run("two", BOLD))).problem(0, answer)


def test_a_text_box_is_a_segment_of_its_own_inside_its_paragraph():
    found = find_docx((SAMPLES / "docx" / "text_boxes.docx").read_bytes(), "a.docx")
    answers = [re.sub("[a-zA-Z]+(?![^<]*>)", "Wort", one.text) for one in found.segments]
    new = body(found, *answers)
    before = body(found)
    assert re.findall("<w:t[ >][^<]*", new) == [
        re.sub("(?<=[ >])(?<!<w:t )[a-zA-Z]+", "Wort", one) for one in re.findall("<w:t[ >][^<]*", before)
    ]
    assert re.sub("(<w:t[ >])[^<]*", r"\1", new) == re.sub("(<w:t[ >])[^<]*", r"\1", before)


@pytest.mark.parametrize("mode", ["under", "over"])
def test_both_languages(mode):
    found = document(
        f'<w:p w14:paraId="1A"><w:pPr><w:jc w:val="center"/></w:pPr>{run("Good ")}{run("day", BOLD)}</w:p>',
        paragraph(run("One"), properties='<w:numPr><w:numId w:val="1"/></w:numPr>'),
    )
    new = body(found, 'Guten <g id="0">Tag</g>', "Eins", writing=Writing("de", "en", mode))
    texts = [element.text for element in docx.Document(BytesIO(word_file(new))).paragraphs]
    pairs = [("Guten Tag", "Good day"), ("Eins", "One")]
    first, second = (pair if mode == "under" else pair[::-1] for pair in pairs)
    assert texts == [*first, "\n".join(second)]
    assert new.count("w14:paraId") == 1
    assert new.count('<w:jc w:val="center"/>') == 2


def test_neither_a_new_page_nor_a_text_that_stays_comes_twice():
    found = document(paragraph(run("One"), run('<w:br w:type="page"/>'), run("two")), paragraph(run("A4")))
    new = body(found, 'Eins<tab id="0"/>zwei', "A4", writing=Writing("de", "en", "over"))
    assert new.count('w:type="page"') == 1
    assert new.count("A4") == 1
    assert new.count("zwei") == 1


def test_other_prefixes_mean_the_same():
    data = word_file(paragraph(run("Hello "), run("you", BOLD)))
    parts = parts_of(data)
    parts["word/document.xml"] = re.sub(rb"(</?|\s|xmlns:)w:", rb"\1ns0:", parts["word/document.xml"]).replace(
        b"xmlns:w=", b"xmlns:ns0="
    )
    found = find_docx(zipped(parts), "a.docx")
    assert [one.text for one in found.segments] == ['Hello <g id="0">you</g>']


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"a.xml": "<a/>"}, r"a.docx has no \[Content_Types\].xml: expected an Office document"),
        ({"[Content_Types].xml": "<Types/>"}, "a.docx has no text of a Word document"),
        ({"[Content_Types].xml": "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"}, "entities"),
        ({"[Content_Types].xml": "<a>" * 300 + "</a>" * 300}, "deep"),
    ],
)
def test_what_is_no_word_document_is_refused(parts, message):
    with pytest.raises(DataError, match=message):
        find_docx(zipped(parts), "a.docx")


def test_many_marks_in_one_paragraph_take_little_time():
    starts = "".join(f'<w:bookmarkStart w:id="{number}" w:name="b"/>' for number in range(3000))
    ends = "".join(f'<w:bookmarkEnd w:id="{number}"/>' for number in range(3000))
    fields = run('<w:fldChar w:fldCharType="begin"/>') * 3000
    found = document(f"<w:p>{starts}{fields}{run('word')}{ends}</w:p>")
    assert len(found.segments) == 1
    assert WORD_SPACES in parts_of(found.written(found.changes(0, found.segments[0].text, Writing("en", "en"))))[
        "word/document.xml"
    ].decode()  # fmt: skip
