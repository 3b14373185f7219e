"""Lines as a document: the law, by any text at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attendo.documents.document import Writing
from attendo.documents.line_document import find_lines
from attendo.errors import DataError
from tests.documents.laws import written

TEXTS = st.text(st.sampled_from("ab \t\r\n我\ufeff\u3000\u2028\x85.😀"), max_size=40)


@given(TEXTS)
def test_the_texts_put_back_give_the_same_bytes(text):
    data = text.encode()
    document = find_lines(data, "a.txt")
    assert written(document, [segment.text for segment in document.segments]) == data
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    said = [(f"line {number}", line.strip(" \t\ufeff\u3000")) for number, line in enumerate(lines, start=1)]
    assert [(one.place, one.text) for one in document.segments] == [one for one in said if one[1]]


def test_a_line_stays_one_line():
    document = find_lines(b"one\r\n two \n", "a.txt")
    assert document.written(document.changes(1, "a\r\nb\nc", Writing("en", "de"))) == b"one\r\n a b c \n"
    with pytest.raises(DataError, match="zero bytes"):
        find_lines(b"a\0", "a.txt")
    with pytest.raises(DataError, match="line 2 is not UTF-8"):
        find_lines(b"a\n\xff", "a.txt")
