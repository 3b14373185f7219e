"""Where characters and tokens stand, by texts that were changed in known ways."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from attendo.text.normalize import for_model
from attendo.text.offsets import compare, token_spans
from tests.translation.fake_engine import fake_tokenizer

TOKENIZER = fake_tokenizer()
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


def spans(text, other):
    return [other[start:end] for start, end in compare(text, other).spans]


def test_the_same_text_is_where_it_is():
    assert compare("abc", "abc").spans == [(0, 1), (1, 2), (2, 3)]


def test_what_is_left_out_stands_nowhere():
    assert spans("a  b", "a b") in (["a", " ", "", "b"], ["a", "", " ", "b"])
    assert compare("a\tb", "ab").span(1, 2) is None


def test_characters_in_the_place_of_others():
    assert spans("后来我们", "後來我們") == ["後", "來", "我", "們"]
    assert spans("x\u00e9y", "xe\u0301y") == ["x", "e\u0301", "y"]


def test_one_after_the_other():
    both = compare("a  b", "a b").then(compare("a b", "ab"))
    assert both.span(0, 4) == (0, 2)
    assert both.span(3, 4) == (1, 2)


@given(TEXTS, TEXTS)
def test_spans_lie_inside(text, other):
    where = compare(text, other)
    assert len(where.spans) == len(text)
    assert all(0 <= start <= end <= len(other) for start, end in where.spans)
    starts = [start for start, _ in where.spans]
    assert starts == sorted(starts)


@given(TEXTS)
def test_a_word_is_found_again_in_what_the_model_reads(text):
    """A letter of the text that stays as it is stands where the same letter stands."""
    text = f"Wort {text} Ende"
    shown = for_model(unicodedata.normalize("NFC", text))
    where = compare(shown, text)
    assert where.span(0, 4) == (0, 4)
    assert where.span(len(shown) - 4, len(shown)) == (len(text) - 4, len(text))


@given(TEXTS)
def test_tokens_stand_where_they_are_spelt(text):
    ids = TOKENIZER.encode(text)
    spelled, found = token_spans(ids, TOKENIZER)
    assert spelled == TOKENIZER.decode(ids)
    covered = set()
    for token, (start, end) in zip(ids, found, strict=True):
        assert 0 <= start < end <= len(spelled)
        covered |= set(range(start, end))
        surface = TOKENIZER.surface(token)
        assert surface in spelled[start:end].encode()
    assert covered == set(range(len(spelled)))


@given(st.lists(st.integers(0, TOKENIZER.vocab_size - 1), max_size=20))
def test_any_ids_at_all(ids):
    """Also bytes that are no character, and control tokens, which stand nowhere."""
    spelled, found = token_spans(ids, TOKENIZER)
    assert spelled == TOKENIZER.decode(ids)
    assert all(0 <= start <= end <= len(spelled) for start, end in found)
    for token, (start, end) in zip(ids, found, strict=True):
        assert (start < end) == bool(TOKENIZER.surface(token)) or start == len(spelled)
