"""Texts with all kinds of markup in them, right and wrong, for hypothesis."""

from hypothesis import strategies as st

NAMES = ["b", "i", "p", "a", "x", "code", "script", "br", "span", "B", "li", "style"]
TAGS = [
    *(f"<{name}>" for name in NAMES),
    *(f"</{name}>" for name in NAMES),
    '<a href="x>y">', "<x id='3'/>", '<x id="3"></x>', "<br />", '<img src="a.png" alt="a > b">', "<i></i>",
    '<span translate="no">', '<span class="a notranslate b">', "<pre>", "</pre>",
]  # fmt: skip
ODD = [
    "<!-- a <b> -->", "<!--", "-->", "<!DOCTYPE html>", "<![CDATA[ x ]]>", "<?xml version='1.0'?>", "<?", "<", ">",
    "<<", "&", "&lt;", "&gt;b", "&amp;", "&nbsp;", "&#10;", "&#x3c;", "&foo;", "&shy;", "&copy 1", "\xa0", "<3", "a<b",
    "</", '"', "'", '="', "='", "<a b=\"", "<x1/>", "&lt;x1/&gt;", "{1}", "{0}", "%s",
]  # fmt: skip
WORDS = [
    "one",
    "two",
    "三",
    "四五",
    "é",
    "Berlin",
    "1.5",
    ",",
    ".",
    "。",
    " ",
    "  ",
    "\n",
    "\n  ",
    "\t",
    "Hello, world. Yes!",
]

soups = st.lists(st.sampled_from([*TAGS, *ODD, *WORDS, *WORDS]), max_size=25).map("".join)
anything = st.one_of(soups, st.text(max_size=80), st.text(alphabet="<>&;/!-b=\"' x1", max_size=60))
