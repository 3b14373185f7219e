"""Subtitles and catalogues made to be slow are read and written in time that grows no faster than their length."""

import time

import pytest

from attendo.documents.formats.po import find_po
from attendo.documents.formats.srt import find_srt
from attendo.documents.formats.vtt import find_vtt
from tests.documents.laws import check_put_back

SIZE = 20_000
SECONDS = 5.0  # on a busy machine; what is quadratic takes minutes
TIMES = "1\n00:00:01,000 --> 00:00:02,000\n"
TEXTS = {
    "open tags": "<" * SIZE,
    "begun tags": "<a" * SIZE,
    "braces": "{\\" * SIZE,
    "dots": "." * SIZE,
    "dots and tags": ".<a>" * SIZE,
    "tags": "." + "<a>" * SIZE + "x",
    "numbers": "1\n" * SIZE,
    "spaces": " " * SIZE + "x",
    "lines": "a\n" * SIZE,
    "quotes": "\"'" * SIZE,
    "speakers": "- a\n" * SIZE,
    "music": "♪" * SIZE,
    "returns": "a\r" * SIZE,
    "arrows": "-->\n" * SIZE,
    "voices": "<v a>" * SIZE + "x",
    "our own tags": '<keep-sign n="0"/><next-cue/>hello',
}
CATALOGUES = {
    "backslashes": 'msgid "' + "\\\\" * SIZE + 'a"\nmsgstr ""\n',
    "strings": 'msgid ""\n' + '"a"\n' * SIZE + 'msgstr ""\n',
    "entries": 'msgid "a %s {b}"\nmsgstr ""\n\n' * (SIZE // 5),
    "flags": "#, fuzzy\n" * SIZE + 'msgid "a"\nmsgstr ""\n',
    "header": 'msgid ""\nmsgstr "Language: ' + "\\\\" * SIZE + '"\n\nmsgid "a"\nmsgstr ""\n',
    "brackets": 'msgid "' + "{" * SIZE + 'a"\nmsgstr ""\n',
    "percents": 'msgid "' + "%-0" * SIZE + 'a"\nmsgstr ""\n',
    "tags": 'msgid "' + "<a " * SIZE + '"\nmsgstr ""\n',
}
FILES = [
    *((find_srt, TIMES + text + "\n", f"srt {name}") for name, text in TEXTS.items()),
    *((find_vtt, f"WEBVTT\n\n00:01.000 --> 00:02.000\n{text}\n", f"vtt {name}") for name, text in TEXTS.items()),
    *((find_po, text, f"po {name}") for name, text in CATALOGUES.items()),
    (find_srt, "".join(f"{TIMES}größe {number}\n\n" for number in range(SIZE // 4)), "srt many cues"),
    (find_vtt, "WEBVTT\n" + "a\n" * SIZE, "vtt long head"),
]


@pytest.mark.parametrize(("finder", "text", "name"), FILES, ids=[name for _, _, name in FILES])
def test_the_time_is_bounded(finder, text, name):
    data = text.encode()
    started = time.perf_counter()
    check_put_back(finder(data, name), data)
    assert time.perf_counter() - started < SECONDS
