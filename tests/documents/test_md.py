"""Markdown: markdown-it sees the same things before and after, and no translation becomes Markdown by accident."""

import re
import time

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from attendo.documents.document import Writing
from attendo.documents.formats.md import find_md
from attendo.documents.formats.md_blocks import masked
from attendo.documents.formats.md_inline import InlineScanner
from attendo.documents.formats.md_left import BOX_TITLE, INDENTED, LINK_TITLE
from attendo.errors import DataError
from tests.documents.laws import samples, swapped

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
WORDS = re.compile(r"[^\W\d_]+")
TO_GERMAN = Writing("de", "en")


def shape(text):
    """What a reader sees of it but for its letters."""
    return [
        (token.type, token.tag, token.attrs if token.type != "image" else token.attrs.get("src"))
        for block in PARSER.parse(text.replace("[^", "(^"))  # footnotes are nothing that it knows
        for token in (block, *(block.children or ()))
        if token.type not in ("text", "softbreak")
    ]


def translated(text, say, writing=TO_GERMAN):
    document = find_md(text.encode(), "x.md")
    return document.written(
        change
        for index, segment in enumerate(document.segments)
        if not segment.kept
        for change in document.changes(index, say(segment.text), writing)
    ).decode()


@pytest.mark.parametrize("path", samples("md"), ids=lambda path: path.name)
def test_the_shape_stays(path):
    text = path.read_bytes().decode()
    assert shape(translated(text, swapped)) == shape(text)
    left = {LINK_TITLE, BOX_TITLE, INDENTED}
    assert {segment.kept for segment in find_md(path.read_bytes(), "x").segments} - left == {""}


@pytest.mark.parametrize("path", samples("md"), ids=lambda path: path.name)
def test_markdown_it_sees_the_same_letters(path):
    """But for mathematics, templates, addresses, and names of emoji, which it takes for text."""
    source = path.read_bytes().decode()
    spans = [span for segment in find_md(source.encode(), "x").segments for span in segment.spans]
    ours = " ".join(source.encode()[span.start : span.end].decode() for span in spans)
    theirs = " ".join(
        child.content
        for block in PARSER.parse(masked(source)[0])
        for child in block.children or ()
        if child.type in ("text", "text_special")
    )
    lost = set(WORDS.findall(theirs)) - set(WORDS.findall(ours))
    assert lost <= {"TOC", "x", "xx", "NOTE", "WARNING", "old"} | {"x" * length for length in range(20)}, lost


SIGNS = st.text(alphabet="#-+*_`~|>=.:$\\[](){}!<&1 aä中\"'", min_size=1, max_size=12)


@settings(max_examples=300, deadline=None)
@given(answer=SIGNS)
@example("# x")
@example("- x")
@example("1. x")
@example("1) x")
@example("> x")
@example("---")
@example("===")
@example("```")
@example("| a | b |")
@example("*a*")
@example("[a](b)")
@example("<b>")
@example("&amp;")
@example("\\")
def test_a_translation_is_text_whatever_it_looks_like(answer):
    answer = " ".join(answer.split())
    if not answer:
        return
    coded = answer.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")  # as the writer of markup does
    for before in ("Word\n", "> Word\n", "- Word\n", "One\nword\n", "Word\n===\n"):
        new = translated(before, lambda _: coded)
        blocks = PARSER.parse(new)
        assert [block.type for block in blocks] == [block.type for block in PARSER.parse(before)], new
        [inline] = [block for block in blocks if block.type == "inline"]
        assert {child.type for child in inline.children} == {"text"}, new
        assert "".join(child.content for child in inline.children) == answer


@settings(max_examples=500, deadline=None)
@given(text=st.text(alphabet="*_~`[]()!\\ab .,\n", max_size=24))
def test_markdown_it_pairs_the_same_signs(text):
    content = "\n".join(line.strip() for line in text.strip().split("\n"))
    assume("~~~" not in content)  # which we take for text
    ours = [
        part for part in InlineScanner(content, frozenset()).scan() if part.kind in ("open", "word", "image", "line")
    ]
    kinds = {"em_open", "strong_open", "s_open", "link_open", "code_inline", "image", "hardbreak"}
    theirs = [child for child in PARSER.parseInline(content)[0].children if child.type in kinds]
    assert len(ours) == len(theirs), (content, theirs)


def test_a_link_by_its_own_text_keeps_its_meaning():
    text = "See [the docs] and [this one][].\n\n[the docs]: a.md\n[this one]: b.md\n"
    say = {"the docs": "die Anleitung", "this one": "diese"}
    new = translated(text, lambda one: one.replace("the docs", say["the docs"]).replace("this one", say["this one"]))
    assert new.startswith("See [die Anleitung][the docs] and [diese][this one].\n")
    assert shape(new) == shape(text)


def test_emphasis_beside_chinese_is_seen():
    new = translated("**Note:** a text\n", lambda _: "<e0>注意：</e0>文本")
    assert new == "**注意：** 文本\n"
    assert ("strong_open", "strong", {}) in shape(new)
    assert translated("A _word_ here\n", lambda _: "一个<e0>词</e0>在") == "一个*词*在\n"


def test_both_languages():
    text = "# One\n\n> - two\n\nA | B\n--- | ---\n"
    assert translated(text, str.upper, Writing("de", "en", "over")) == (
        "# One / ONE\n\n> - two\\\n>   TWO\n\nA / A | B / B\n--- | ---\n"
    )


def test_front_matter_has_few_words():
    text = "---\ntitle: A walk\nlayout: Some page\ndescription: 'It''s nice'\n---\n\nText\n"
    assert translated(text, lambda one: f"{one}: #1") == (
        "---\ntitle: \"A walk: #1\"\nlayout: Some page\ndescription: 'It''s nice: #1'\n---\n\nText: #1\n"
    )


def test_front_matter_over_several_lines():
    text = "---\ndescription: >-\n  A walk\n  near here\nseo:\n  title: Deep\nsummary: goes\n  on\n---\n\nText\n"
    assert translated(text, str.swapcase) == (
        "---\ndescription: >-\n  a WALK\n  NEAR HERE\nseo:\n  title: Deep\nsummary: GOES\n  ON\n---\n\ntEXT\n"
    )
    assert translated('+++\ntitle = "A walk"\n+++\n', str.swapcase) == '+++\ntitle = "a WALK"\n+++\n'


def test_a_lost_sign_is_a_problem():
    document = find_md(b"Press **Save** in `vi`.\n", "x")
    assert document.problem(0, "In <k5/> <e0>sichern</e0>") == ""
    assert document.problem(0, "In vi <e0>sichern</e0>")
    assert document.problem(0, "In <k5/> sichern")


@pytest.mark.parametrize(
    "text",
    ["[" * 50_000, "*a " * 30_000, "`a" * 30_000, "> " * 30_000 + "a", "- " * 30_000, "![a](" * 4_000, "<a b='" * 3_000,
     "| a " * 3_000 + "\n" + "|---" * 3_000 + "\n", "[a]: b\n" * 5_000, "$$\n" * 30_000],
    ids=lambda text: text[:6],
)  # fmt: skip
def test_hostile_texts_are_read_in_time(text):
    started = time.process_time()
    document = find_md(text.encode(), "x")
    assert document.written([]) == text.encode()
    assert time.process_time() - started < 3
    with pytest.raises(DataError, match="expected at most"):
        find_md(b"x" * 6_000_000, "x")


LEFT = {
    '[a](b.md "Some title")': [("line 1", LINK_TITLE)],
    "![alt words](p.png 'Some title') and [a](b 'b.md')": [("line 1", LINK_TITLE)],
    "[a](b.md) and [c]\n\n[c]: d.md (Some title)\n": [("line 3", LINK_TITLE)],
    "> A [link\n> that goes on](b.md 'A title')": [("line 2", LINK_TITLE)],
    "Text[^1]\n\n[^1]: A note.\n\n    Goes on\n    here.\n\n        code here\n\n    Ends.\n": [
        ("line 5", INDENTED),
        ("line 10", INDENTED),
    ],
    "Text\n\n    some code\n": [],
    "[^1]: A note.\n\nText\n\n    some code\n": [],
    '!!! note "A title"\n    Inside of it.\n': [("line 1", BOX_TITLE), ("line 2", INDENTED)],
    "::: tip A title\nText\n:::\n": [("line 1", BOX_TITLE)],
    ":::tip[A title]\nText\n:::\n": [("line 1", BOX_TITLE)],
    "::: {.note}\nText\n:::\n": [],
    "```\n::: tip A title\n```\n\nText\n": [],
    "---\ndescription: |\n  Two lines\n  of text\n---\n\nText\n": [("line 2", "it has several lines or paragraphs")],
}


@pytest.mark.parametrize("text", LEFT)
def test_what_is_not_translated_is_named(text):
    found = [(one.place, one.kept) for one in find_md(text.encode(), "x.md").segments if one.kept]
    assert found == LEFT[text]


def test_titles_take_time_that_grows_with_their_length():
    started = time.perf_counter()
    for text in ("[a](b " * 20_000, "[^1]: a\n\n" + "    b c\n\n" * 20_000, '[a](b "c d") ' * 1_500, "!!! " * 50_000):
        find_md(text.encode(), "x.md")
    assert time.perf_counter() - started < 10.0
