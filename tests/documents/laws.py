"""What holds for every format of a document. A format joins by samples: tests/documents/samples/FORMAT/*.

FORMAT is the key of a kind of file (file_kinds.py). A format may add rules of its own in its own tests; the
laws are the same for all.
"""

import random
import re
import time
import zipfile
from io import BytesIO
from itertools import pairwise
from pathlib import Path

from attendo.documents.document import Writing
from attendo.documents.document_run import put_together
from attendo.documents.file_kinds import MOST, look
from attendo.documents.find import finder_for
from attendo.documents.segment_answer import SegmentAnswer
from attendo.errors import AttendoError
from attendo.translation.answer import Ledger

SAMPLES = Path(__file__).parent / "samples"
# What stands in the place of a translation is another text than the source: these are written once, not there and back.
IN_TWO_LANGUAGES = {"po", "tmx", "xliff"}
SAME = Writing("en", "en")
KEPT = re.compile(
    r"<[^<>]*>|&[^;\s]{1,32};|\{[^{}]*\}|\$\{[^{}]*\}|%\([^)]*\)[a-z]|%[-+ #0-9.$*]*[a-zA-Z]|https?://\S+|\\[a-z]|`[^`]*`"
)
SECONDS = 5.0  # that reading and writing a small file may take at most, on a busy machine


def samples(key="*"):
    return sorted(path for path in SAMPLES.glob(f"{key}/*") if path.is_file())


def name_of(path):
    return f"{path.parent.name}/{path.name}"


def kind_of(data, name):
    found = look(data[:MOST], name)
    return found.key if found else ""


def find(data, path):
    return finder_for(path.parent.name)(data, path.name)


def written(document, texts, writing=SAME):
    """The bytes with these texts, without what is said around them; None leaves a segment as it is."""
    changes = [
        change
        for index, text in enumerate(texts)
        if text is not None
        for change in document.changes(index, text, writing)
    ]
    return document.written(changes)


def texts_of(document, say=lambda text: text):
    return [None if segment.kept else say(segment.text) for segment in document.segments]


def standing(document):
    """What stands in the spans now."""
    return [
        None if one.kept else one.text if one.standing is None else one.standing for one in document.segments
    ]  # fmt: skip


def swapped(text):
    """Letters for their neighbours, a for b and b for a, outside tags and placeholders: twice it is the same text."""

    def neighbour(sign):
        code = ord(sign)
        if sign.isascii() and sign.isalpha():
            return chr(((code - (65 if code < 97 else 97)) ^ 1) + (65 if code < 97 else 97))
        return chr(code ^ 1) if 0x4E00 <= code < 0x9FA0 else sign

    end, parts = 0, []
    for kept in KEPT.finditer(text):
        parts += [*map(neighbour, text[end : kept.start()]), kept.group()]
        end = kept.end()
    return "".join([*parts, *map(neighbour, text[end:])])


def parts_of(data):
    """The parts of an archive, or the file as its one part."""
    if not data.startswith(b"PK"):
        return {"": data}
    with zipfile.ZipFile(BytesIO(data)) as file:
        return {name: file.read(name) for name in file.namelist()}


# --- the laws


def check_put_back(document, data):
    """The source texts put back give the same bytes."""
    for index, segment in enumerate(document.segments):
        assert segment.kept or document.problem(index, segment.text) == "", segment.place
    assert written(document, standing(document)) == data


def check_spans(document):
    """They are apart, in order inside a segment, and inside the data."""
    parts = parts_of(document.data)
    every = sorted(span for segment in document.segments for span in segment.spans)
    for span in every:
        assert 0 <= span.start <= span.end <= len(parts[span.part])
    for one, other in pairwise(every):
        assert one.part != other.part or one.end <= other.start


def check_swapped(document, data, path):
    """An involution changes bytes inside the spans alone; and where it is undone, all is as before."""
    new = written(document, texts_of(document, swapped))
    before, after = parts_of(data), parts_of(new)
    assert list(before) == list(after)
    if any(swapped(segment.text) != segment.text for segment in document.segments if not segment.kept):
        assert new != data
    if path.parent.name in IN_TWO_LANGUAGES:
        return
    for name, old in before.items():
        assert len(after[name]) == len(old), name
        spans = [span for segment in document.segments for span in segment.spans if span.part == name]
        blank_old, blank_new = bytearray(old), bytearray(after[name])
        for span in spans:
            for one in (blank_old, blank_new):
                one[span.start : span.end] = b" " * (span.end - span.start)
        assert blank_old == blank_new, name
    again = find(new, path)
    assert parts_of(written(again, texts_of(again, swapped))) == before


def check_each_once(document, path):
    """Every segment that is not kept gets its number once, and no other."""
    answers = [
        None if segment.kept else SegmentAnswer(f"{segment.text} Nr{index}Rn", Ledger())
        for index, segment in enumerate(document.segments)
    ]
    whole = put_together(path.parent.name, document, answers, SAME)
    data = b"\n".join(parts_of(document.written(whole.changes)).values()).decode(errors="replace")
    expected = sorted(index for index, segment in enumerate(document.segments) if not segment.kept)
    assert sorted(map(int, re.findall(r"Nr(\d+)Rn", data))) == expected
    assert [outcome for outcome in whole.report.outcomes if outcome == "refused"] == []


NASTY = [
    b"",
    b"\0",
    b"\xff",
    b"\n",
    b"\r",
    b"\r\n\r\n",
    b"-->",
    b"<",
    b">",
    b"&",
    b'"',
    b"\\",
    b"{",
    b"}",
    b"]]>",
    b"<i>",
]


def mutated(data, random_):
    """The data with a few accidents."""
    for _ in range(random_.randint(1, 4)):
        at, end = sorted(random_.randrange(len(data) + 1) for _ in range(2))
        end = min(end, at + random_.choice([1, 2, 8, 64]))
        match random_.randrange(4):
            case 0:
                data = data[:at] + data[end:]
            case 1:
                data = data[:at] + data[at:end] * random_.choice([2, 3]) + data[end:]
            case 2:
                data = data[:at] + random_.choice(NASTY) + data[end:]
            case _:
                data = data[:at] + bytes([random_.randrange(256)]) + data[at + 1 :]
    return data


def check_mutations(path, count, seed=0):
    """A damaged file is refused in one line, or its law holds."""
    data, random_ = path.read_bytes(), random.Random(f"{seed} {path.name}")
    refused = 0
    for _ in range(count):
        damaged = mutated(data, random_)
        started = time.perf_counter()
        try:
            document = find(damaged, path)
        except AttendoError as error:
            refused += 1
            document, line = None, str(error)
        assert document or "\n" not in line
        if document:
            check_put_back(document, damaged)
        assert time.perf_counter() - started < SECONDS
    return refused
