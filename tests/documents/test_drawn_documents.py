"""The law over files that nobody wrote: pieces of a format in any order, with anything between them."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attendo.documents.find import finder_for
from attendo.errors import AttendoError
from tests.documents.laws import check_put_back, check_spans, swapped, texts_of, written

PIECES = {
    "html": [
        "<p>", "</p>", "<b>", "</b>", "<i title='A cat'>", "</i>", "<br>", '<img alt="A dog">', "<img alt=Bird>",
        "<!--", "-->", "<script>", "</script>", "<p translate=no>", "<code>", "</code>", "&amp;", "&nbsp;", " & ",
        " < ", "one ", "Two words", "\n", "中文", "😀", "<html lang=en>", "<a href='>' title='more > less'>", "</a>",
        "<", ">", "'", '"', "<title>", "</title>", "<td>", "<li>", "<![CDATA[x]]>", "<textarea placeholder='Say it'>",
    ],
    "md": [
        "# ", "\n", "\n\n", "- ", "> ", "1. ", "    ", "* ", "**", "*", "_", "`", "```\n", "[", "](a.md)", "![", "]",
        "[1]: b\n", "[^1]: ", "[^1]", "|", "| --- |", "---\n", "===\n", "one ", "Two words", "中文", "😀", "\\*",
        "\\", "&amp;", " & ", "<b>", "</b>", "<div>\n", "</div>\n", "$x$", "$", "https://a.b/c_d", ":::\n", "  \n",
        "\t", "title: A walk\n", "\r\n", "~~",
    ],
    "yaml": [
        "a: ", "b: ", "\n", "  ", "- ", "'", '"', "one two", "中文", "😀", "# c", "|\n", ">-\n", "[", "]", "{", "}",
        ", ", "&x ", "*x", "!t ", "---\n", "\\n", "''", ": ", "? ", "a word: More words\n", "  c: 'it''s so'\n",
        "\r\n", "~",
    ],
}  # fmt: skip
EXAMPLES = 60


def drawn(key):
    return st.lists(st.sampled_from(PIECES[key]), max_size=30).map("".join)


@pytest.mark.parametrize("key", PIECES)
@settings(max_examples=EXAMPLES, deadline=None)
@given(data=st.data())
def test_pieces_in_any_order(key, data):
    check_law(key, data.draw(drawn(key)).encode())


def test_what_is_plain_where_it_stands_stays_plain():
    check_law("yaml", b"&x ---\n&x ")


def check_law(key, content):
    try:
        document = finder_for(key)(content, f"a.{key}")
    except AttendoError:
        return
    check_spans(document)
    check_put_back(document, content)
    new = written(document, texts_of(document, swapped))
    assert len(new) == len(content)


VALUES = st.recursive(
    st.text(max_size=12)
    | st.integers()
    | st.booleans()
    | st.none()
    | st.sampled_from(["Two words", "{n, plural, one {a b}}"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=EXAMPLES, deadline=None)
@given(value=VALUES, ascii_only=st.booleans(), indent=st.sampled_from([None, 2]))
def test_any_json(value, ascii_only, indent):
    content = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode("utf-8", "replace")
    document = finder_for("json")(content, "a.json")
    check_spans(document)
    check_put_back(document, content)
    marked = written(document, texts_of(document, lambda text: f'{text}"\\ü\n'))
    assert isinstance(json.loads(marked), type(value))
