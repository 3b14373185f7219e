"""Terms from a file: found where they are words, longest first; every mistake names its line."""

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attendo.errors import DataError
from attendo.translation.glossary import Glossary, Term, read_glossary


def write(tmp_path, content):
    path = tmp_path / "terms.tsv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def found(glossary, text):
    return [(text[match.start : match.end], match.target) for match in glossary.matches(text)]


def test_a_file(tmp_path):
    content = "\ufeffattention\t注意力\r\nmulti-head attention\t多头注意力\nTatoeba\n\nAI\tAI\n注意力\tattention\n"
    glossary = read_glossary(write(tmp_path, content))
    assert len(glossary) == 5
    text = "Multi-head attention, Attention and inattention at Tatoeba; tatoeba, AI, Ai, PAID"
    assert found(glossary, text) == [
        ("Multi-head attention", "多头注意力"),
        ("Attention", "注意力"),
        ("Tatoeba", "Tatoeba"),
        ("AI", "AI"),
    ]
    assert found(glossary, "自注意力机制") == [("注意力", "attention")]
    assert found(glossary, "用AI做") == [("AI", "AI")]


def test_not_to_be_translated_keeps_the_case_of_the_text():
    glossary = Glossary([Term("linux", "linux")])
    assert found(glossary, "Linux and LINUX") == [("Linux", "Linux"), ("LINUX", "LINUX")]


def test_characters_that_grow_in_lower_case():
    assert found(Glossary([Term("ist", "is")]), "İİİ ist İ") == [("ist", "is")]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.text("abä我好 B", min_size=1, max_size=4), max_size=6), st.text("abä我好 .B", max_size=40))
def test_matches_are_in_order_and_are_terms(terms, text):
    glossary = Glossary([Term(term, "x") for term in dict.fromkeys(terms)])
    matches = glossary.matches(text)
    for match in matches:
        assert text[match.start : match.end] in terms or text[match.start : match.end].lower() in terms
    assert all(match.end <= after.start for match, after in pairwise(matches))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a\tb\nc\td\te\n", "line 2 has 3 columns: expected TERM or TERM<TAB>TRANSLATION"),
        ("\tb\n", "line 1: no term before the tab"),
        ("a\tb\n\na\t\n", "line 3: no translation after the tab"),
        ("a\tb\na\tc\n", "line 2: 'a' has another translation in line 1"),
        (b"a\tb\n\xff\tc\n", "line 2: byte 1 is not UTF-8"),
        ("a\x07b\tc\n", "holds a control or broken character"),
        ("a" * 201 + "\n", "has 201 characters: expected 200 at most"),
    ],
)
def test_mistakes_name_their_line(tmp_path, content, message):
    with pytest.raises(DataError, match=re.escape(message)):
        read_glossary(write(tmp_path, content))


def test_a_missing_file(tmp_path):
    with pytest.raises(DataError, match="cannot read the glossary"):
        read_glossary(tmp_path / "none.tsv")
    with pytest.raises(DataError, match="cannot read the glossary"):
        read_glossary(tmp_path)
