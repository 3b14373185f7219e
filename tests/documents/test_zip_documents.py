"""What holds for all zip formats: accidents inside of their XML, hostile files; and LibreOffice opens the results."""

import copy
import random
import re
import shutil
import subprocess
import time
import zipfile
from io import BytesIO

import pytest
from lxml import etree

from attendo.documents.document import Writing
from attendo.documents.find import finder_for
from attendo.errors import AttendoError, DataError
from tests.documents.laws import (
    SECONDS,
    check_each_once,
    check_put_back,
    check_spans,
    find,
    mutated,
    parts_of,
    samples,
    swapped,
)
from tests.documents.office_parts import WORD_SPACES, content_types, zipped

KEYS = ("docx", "epub", "odt", "pptx")
EVERY = [path for key in KEYS for path in samples(key)]
TEXT = re.compile(r"(document|content|slide1|one)\.x(ht)?ml$|\.opf$|\.ncx$|foot\w+\.xml$|comments.xml$")
OFFICE = shutil.which("soffice")
TABLE = {"word/document.xml": "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"}


def shuffled(data, chance):
    """XML whose tags are those of the file, some of them gone, doubled or in another place."""
    pieces = re.findall(rb"<[^<>]*>|[^<>]+", data)
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(1, len(pieces))
        match chance.randrange(3):
            case 0:
                del pieces[at]
            case 1:
                pieces.insert(chance.randrange(1, len(pieces)), pieces[at])
            case _:
                end = min(len(pieces), at + chance.randint(1, 12))  # a whole piece of the tree, now and then
                pieces[at:at] = pieces[at:end]
        if len(pieces) < 3:
            break
    return b"".join(pieces)


def replanted(data, chance):
    """XML that is well-formed, with elements gone, doubled, or in a place where none is expected."""
    try:
        root = etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError:  # a page of a book with named entities
        return shuffled(data, chance)
    for _ in range(chance.randint(1, 4)):
        every = [one for one in root.iter() if one is not root]
        if not every:
            break
        one = chance.choice(every)
        if chance.randrange(3):
            other = copy.deepcopy(one)
            beside = chance.choice([place for place in [root, *every] if isinstance(place.tag, str)])
            beside.insert(chance.randint(0, len(beside)), other)
        if chance.randrange(3) and one.getparent() is not None:
            one.getparent().remove(one)
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)


def check_accidents(path, count):
    chance = random.Random(path.name)
    parts = parts_of(path.read_bytes())
    names = [name for name in parts if TEXT.search(name)]
    read = 0
    for number in range(count):
        name = chance.choice(names)
        accident = (mutated, shuffled, replanted)[number % 3]
        data = zipped({**parts, name: accident(parts[name], chance)}, stored=("mimetype",))
        started = time.perf_counter()
        try:
            document = find(data, path)
        except AttendoError as error:
            line, document = str(error), None
        assert document or "\n" not in line
        if document:
            check_put_back(document, data)
            check_spans(document)
            if accident is replanted:  # else a tag may be open at the end of a text, and what follows is refused
                check_each_once(document, path)
            read += 1
        assert time.perf_counter() - started < SECONDS
    return read


def test_a_few_accidents_in_the_xml():
    assert sum(check_accidents(path, 4) for path in EVERY) > 5


@pytest.mark.slow
@pytest.mark.parametrize("path", EVERY, ids=lambda path: path.name)
def test_many_accidents_in_the_xml(path):
    check_accidents(path, 200)


def word(text):
    return zipped({"[Content_Types].xml": content_types(TABLE), "word/document.xml": text})


HOSTILE = {
    "laughs": (lambda: word('<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;">]><a>&c;</a>'), "entities", ("docx",)),
    "deep": (lambda: word("<a>" * 100_000 + "</a>" * 100_000), "deep", ("docx",)),
    "bomb": (lambda: zipped({"content.xml": b" " * 5_000_000}), "too large", KEYS),
    "parts": (lambda: zipped({f"word/{number}.xml": "" for number in range(3_000)}), "parts", KEYS),
    "path": (lambda: zipped({"../../etc/passwd": "x"}), "leads elsewhere", KEYS),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_in_one_line_and_little_time(name):
    made, message, keys = HOSTILE[name]
    data = made()
    started = time.perf_counter()
    for key in keys:
        with pytest.raises(DataError, match=message) as error:
            finder_for(key)(data, "a")
        assert "\n" not in str(error.value)
    assert time.perf_counter() - started < SECONDS


def test_boxes_in_boxes_and_a_paragraph_of_many_runs_take_little_time():
    started = time.perf_counter()
    depth = 37
    box = "<w:p><w:r><w:pict><w:txbxContent>" * depth + "<w:p/>" + "</w:txbxContent></w:pict></w:r></w:p>" * depth
    runs = "".join(f"<w:r><w:rPr><w:sz w:val='{at % 7}'/></w:rPr><w:t>word{at}</w:t></w:r>" for at in range(5_000))
    data = word(f"<w:document {WORD_SPACES}><w:body>{box}<w:p>{runs}</w:p></w:body></w:document>")
    check_put_back(finder_for("docx")(data, "a"), data)
    assert time.perf_counter() - started < 2 * SECONDS


@pytest.mark.slow
@pytest.mark.skipif(OFFICE is None, reason="LibreOffice (soffice) is not installed")
@pytest.mark.parametrize("mode", ["none", "over"])
def test_libreoffice_opens_what_is_written_and_shows_the_new_words(tmp_path, mode):
    wanted = {}
    for path in EVERY:
        if path.parent.name == "epub" or (mode == "over" and path.parent.name != "docx"):
            continue
        document = find(path.read_bytes(), path)
        texts = [swapped(one.text) for one in document.segments]
        writing = Writing("en", "en", mode)
        changes = [one for at, text in enumerate(texts) for one in document.changes(at, text, writing)]
        name = f"{path.parent.name}-{path.name}"
        (tmp_path / name).write_bytes(document.written(changes))
        shown = [text for text, one in zip(texts, document.segments, strict=True) if is_in_the_text(one)]
        wanted[name] = [re.sub(r"\s", "", text) for text in shown]
    for kind in ("docx", "odt", "odp", "pptx"):
        files = sorted(tmp_path.glob(f"*.{kind}"))
        target = "pdf" if kind in ("odp", "pptx") else "txt:Text (encoded):UTF8"
        command = [OFFICE, f"-env:UserInstallation=file://{tmp_path}/profile", "--headless", "--convert-to", target]
        if files:
            subprocess.run(
                [*command, "--outdir", tmp_path / "out", *files], check=True, capture_output=True, timeout=300
            )
    compared = 0
    for name, texts in wanted.items():
        made = tmp_path / "out" / re.sub(r"(odp|pptx)$", "pdf", re.sub(r"(docx|odt)$", "txt", name))
        assert made.stat().st_size > 0, name
        if made.suffix == ".txt":
            shown = re.sub(r"\s", "", made.read_text(encoding="utf-8"))
            assert [text for text in texts if text not in shown] == [], name
            compared += len(texts)
    assert compared >= 10


def is_in_the_text(segment):
    """Not in a box, a note, a header or a remark, and without tags: what a file of plain text shows as it is."""
    return (
        segment.kind == "paragraph"
        and re.search(r"(document|content)\.xml$", segment.place)
        and re.fullmatch(r"[\w\s.,]+", segment.text)
        and not re.search("box|Alone|true|mountains|measured", segment.text)
    )


def test_every_part_that_is_not_touched_is_as_it_was_with_its_compression():
    for path in EVERY:
        document = find(path.read_bytes(), path)
        texts = [swapped(one.text) for one in document.segments]
        changes = [one for at, text in enumerate(texts) for one in document.changes(at, text, Writing("en", "en"))]
        touched = {change.span.part for change in changes}
        with zipfile.ZipFile(path) as before, zipfile.ZipFile(BytesIO(document.written(changes))) as after:
            for one, other in zip(before.infolist(), after.infolist(), strict=True):
                assert (one.filename, one.compress_type, one.date_time) == (
                    other.filename,
                    other.compress_type,
                    other.date_time,
                )
                if one.filename not in touched:
                    assert before.read(one) == after.read(other)
                    assert one.compress_size == other.compress_size
