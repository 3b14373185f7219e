"""What must hold of any text with markup, whatever a model makes of it."""

import re
import time
from collections import Counter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attendo.translation.answer import AlignedWord
from attendo.translation.markup.scan import scan
from tests.translation.markup.fake_translators import HTML, XML, put, same, without_alignment
from tests.translation.markup.soups import anything


@settings(max_examples=400, deadline=None)
@given(anything)
@example("foo <b> bar</b>")
@example("<b>Hello </b>world<i> you</i>")
@example("a<br>b")
@example("un<b>believ</b>able")
@example('&lt;b&gt; &amp; &quot;x&quot; " é &eacute; é')
@example("one&nbsp;two &nbsp; three\n  four")
@example("x <y and <b>z</b> & a&b")
@example("<b><i>x</b></i>")
@example("one<i>&nbsp;</i>--")
@example("one<i> \n </i>two")
def test_the_source_put_back_is_the_source(text):
    """A translator that says the same again gives the same bytes."""
    for rules in (HTML, XML):
        assert put(text, same, rules).text == text
        assert put(text, same, rules).unplaced == ()


@settings(max_examples=200, deadline=None)
@given(anything)
def test_so_it_is_with_stand_ins(text):
    """But for spaces between tags, which a stand-in may take with it."""
    for rules in (HTML, XML):
        answer = put(text, without_alignment, rules).text
        assert re.sub(r"\s|&nbsp;?|&#10;", "", answer) == re.sub(r"\s|&nbsp;?|&#10;", "", text)


def shuffled(draw_words):
    """A model that says the words in some order, leaves out some, says some twice, and aligns at random."""

    def say(text):
        pieces = re.findall(r"<x+\d+/>|</?x+t\d+/?>|\w+|[^\w\s]", text)
        order = draw_words(len(pieces))
        parts, words, at = [], [], 0
        for index, sources in order:
            piece = pieces[index]
            spans = [(m.start(), m.end()) for m in re.finditer(re.escape(pieces[sources]), text)][:1]
            words.append(AlignedWord(at, at + len(piece), tuple((*span, 1.0) for span in spans)))
            parts.append(piece)
            at += len(piece) + 1
        return " ".join(parts), tuple(words)

    return say


@st.composite
def models(draw):
    seed = draw(st.randoms(use_true_random=False))

    def draw_words(count):
        if not count:
            return []
        return [(seed.randrange(count), seed.randrange(count)) for _ in range(seed.randrange(count + 3))]

    return shuffled(draw_words)


def tags_of(text, rules):
    return [part for part in scan(text, rules) if part.kind not in ("text", "entity")]


def nests(text, rules):
    opened = []
    for part in scan(text, rules):
        if part.kind == "open":
            opened.append(part.name)
        elif part.kind == "close" and (not opened or opened.pop() != part.name):
            return False
    return not opened


@settings(max_examples=400, deadline=None)
@given(anything, models())
def test_whatever_a_model_says_each_tag_comes_back_once_and_nests(text, model):
    for rules in (HTML, XML):
        answer = put(text, model, rules).text
        assert Counter(part.text for part in tags_of(answer, rules)) == Counter(
            part.text for part in tags_of(text, rules)
        )
        if nests(text, rules):
            assert nests(answer, rules)


well_formed = st.recursive(
    st.sampled_from(["one ", "two", " three", "四", ", ", "<x id='1'/>", "<img>", "<b></b>"]),
    lambda inner: st.tuples(st.sampled_from("abi"), st.lists(inner, max_size=4)).map(
        lambda pair: f"<{pair[0]}>{''.join(pair[1])}</{pair[0]}>"
    ),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(st.lists(well_formed, min_size=1, max_size=5).map("".join), models())
def test_nesting_is_never_broken(text, model):
    assert nests(text, HTML)
    assert nests(put(text, model).text, HTML)


@pytest.mark.parametrize(
    "tag", ["<b>", "<b>x ", "</b>", "<b><i></b>", "<img>", "<x/>", "x <b>y</b> ", "&lt;", "<br>", "<b>."]
)
def test_thousands_of_tags_take_seconds(tag):
    """In time that grows with their square, minutes."""
    text = "one " + tag * 5_000 + " two" + "</b>" * 5_000
    started = time.perf_counter()
    answer = put(text)
    assert answer.text == text
    assert time.perf_counter() - started < 20


def test_deep_nesting():
    text = "<b>" * 50_000 + "one two" + "</b>" * 50_000
    assert put(text).text == text
