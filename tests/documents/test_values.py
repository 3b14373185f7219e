"""JSON, ARB and YAML: the libraries read the same file with other texts, and nothing else is other."""

import json
import time

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attendo.documents.document import Writing
from attendo.documents.formats.json_values import HALF, find_json
from attendo.documents.formats.values import values_problem
from attendo.documents.formats.yaml_scalars import read_scalar, write_scalar
from attendo.documents.formats.yaml_values import PARTED, find_yaml
from attendo.errors import DataError
from attendo.translation.markup.collect import Passage
from attendo.translation.markup.passages import read_passages
from tests.documents.laws import samples

TO_GERMAN = Writing("de", "en")
FINDERS = {"json": find_json, "yaml": find_yaml}


def translated(document, say, *, around=False):
    changes = [
        change
        for index, segment in enumerate(document.segments)
        if not segment.kept
        for change in document.changes(index, say(segment.text), TO_GERMAN)
    ]
    return document.written([*changes, *(one.change for one in document.around(TO_GERMAN) if around)]).decode()


def leaves(value, path=()):
    match value:
        case dict():
            for key, inner in value.items():
                yield from leaves(inner, (*path, str(key)))
        case list():
            for at, inner in enumerate(value):
                yield from leaves(inner, (*path, at))
        case _:
            yield path, value


class Texts(yaml.SafeLoader):
    """With tags of anybody's as what they stand on."""


Texts.add_multi_constructor("!", lambda loader, _, node: loader.construct_scalar(node))


def read(key, data):
    if key == "json":
        return [json.loads(data.decode("utf-8-sig"))]
    loader = Texts(data.decode("utf-8-sig"))
    found = []
    while loader.check_data():
        found.append(loader.get_data())
    return found


@pytest.mark.parametrize("path", [*samples("json"), *samples("yaml")], ids=lambda path: path.name)
def test_the_library_reads_the_new_texts_and_the_old_rest(path):
    """Every string that is a segment has the new text, also where it needs quotes or escapes; all else is equal."""
    key, data = path.parent.name, path.read_bytes()
    document = FINDERS[key](data, path.name)
    texts = {segment.text for segment in document.segments if not segment.kept}
    signs = " : # \"'\\ü中 %"

    def say(text):
        return "\n".join(f"- {line}{signs}" for line in text.split("\n"))

    before, after = read(key, data), read(key, translated(document, say).encode())
    pairs = list(zip(leaves(before), leaves(after), strict=True))
    changed = 0
    for (where, old), (there, new) in pairs:
        assert where == there
        if old == new:
            assert not isinstance(old, str) or old.strip() not in texts or "@" in str(where) or old in ("", "42")
            continue
        changed += 1
        lines = [line.strip() for line in old.split("\n") if line.strip()]
        assert [line.strip() for line in new.split("\n") if line.strip()] == [say(line).strip() for line in lines]
    aliases = 2 if path.name == "anchors.yaml" else 0
    assert changed - aliases == sum(not segment.kept for segment in document.segments) + (1 if aliases else 0)


def test_letters_are_escaped_where_the_file_does_so():
    assert translated(find_json(b'{"a": "caf\\u00e9", "b": "x y"}', "x"), lambda _: "ü😀") == (
        '{"a": "\\u00fc\\ud83d\\ude00", "b": "\\u00fc\\ud83d\\ude00"}'
    )
    assert translated(find_json('{"a": "café", "b": "x\\u0001 y"}'.encode(), "x"), lambda _: 'ü"\n') == (
        '{"a": "ü\\"\\n", "b": "ü\\"\\n"}'
    )


def test_arb():
    [path] = [path for path in samples("json") if path.suffix == ".arb"]
    document = find_json(path.read_bytes(), path.name)
    assert [segment.place.split(", ")[1] for segment in document.segments] == ["hello", "files", "who"]
    assert '"@@locale": "de",' in translated(document, str, around=True)


def test_plurals_keep_their_frame():
    source = "{n, plural, one {# file} other {# files}} in {place}"
    assert values_problem(source, "{n, plural, one {# Datei} other {# Dateien}} in {place}") == ""
    assert values_problem(source, "{n, plural, one {# Datei} other {# Dateien}}")
    assert values_problem(source, "{n, plural, eins {# Datei} other {# Dateien}} in {place}")
    assert values_problem(source, "{n, Plural, one {# Datei} other {# Dateien}} in {place}")
    assert values_problem("{a, select, male{he} other{they}}", "{a, select, male{er} other{sie}}") == ""
    assert values_problem("Hello, {name}!", "Hallo, {Name}!")


def test_each_text_of_a_message_is_translated_on_its_own():
    document = find_json(b'{"a": "{n, plural, one {# file} other {# files}} in {place}"}', "x")
    [segment] = document.segments
    assert segment.text == '<message-part n="0"/># file<message-part n="1"/># files<message-part n="2"/> in {place}'
    passages = [part.text for part in read_passages(segment.text, segment.rules) if isinstance(part, Passage)]
    assert passages == ["# file", "# files", "in {place}"]
    answer = segment.text.replace("files", "Dateien").replace("file", "Datei")
    assert document.problem(0, answer) == ""
    assert translated(document, lambda _: answer) == '{"a": "{n, plural, one {# Datei} other {# Dateien}} in {place}"}'
    assert document.problem(0, answer.replace('n="1"', 'n="2"'))
    assert document.problem(0, answer.replace('<message-part n="2"/>', ""))


def test_words_for_programs():
    document = find_json(b'{"type": "button", "label": "button", "title": {"type": "Type of it"}}', "x")
    assert [(segment.text, bool(segment.kept)) for segment in document.segments] == [
        ("button", True), ("button", False), ("Type of it", False),
    ]  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(
    text=st.text(alphabet=" \t:#-?,[]{}&*!|>'\"%@`\\~=.ab1é中\u2028\x85\ufeff😀\n", max_size=10),
    raw=st.sampled_from(["plain words", "'single'", '"double"']),
    flow=st.booleans(),
)
@example(text="yes", raw="a", flow=False)
@example(text="1_000", raw="a", flow=False)
@example(text="2024-01-01", raw="a", flow=False)
@example(text="0x1f", raw="a", flow=False)
@example(text="1:30", raw="a", flow=False)
@example(text=".5", raw="a", flow=False)
@example(text="null", raw="a", flow=False)
@example(text="a: b", raw="a", flow=True)
@example(text="---", raw="a", flow=False)
def test_a_string_is_read_as_it_was_written(text, raw, flow):
    new = write_scalar(read_scalar(raw), text, in_flow=flow)
    file = f"[{new}, 1]" if flow else f"a: {new}\nb: 1\n"
    found = yaml.safe_load(file)
    assert found == ([text, 1] if flow else {"a": text, "b": 1}), file


BOMB = "a: &a [x, x]\n" + "".join(
    f"{chr(98 + at)}: &{chr(98 + at)} [*{chr(97 + at)}, *{chr(97 + at)}]\n" for at in range(20)
)


@pytest.mark.parametrize(
    ("key", "data"),
    [
        ("json", b"[" * 1_000_000), ("json", b'{"a":' * 300 + b"1" + b"}" * 300), ("json", b"{'a': 1}"),
        ("json", b'{"a": "b'), ("json", b'{"a": "\xff"}'), ("json", b'"' + b"\\" * 1_000_001 + b'"'),
        ("json", b"{} // a remark"), ("yaml", b"a: [" * 1_000), ("yaml", b"- " * 2_000 + b"a"), ("yaml", b"a: b: c"),
        ("yaml", b"a: *nothing\nb: \x01"), ("yaml", b"a: 'open"), ("yaml", b"x" * 4_000_000),
    ],
    ids=lambda value: str(value)[:12],
)  # fmt: skip
def test_hostile_files_are_refused_in_one_line(key, data):
    started = time.process_time()
    with pytest.raises(DataError) as caught:
        FINDERS[key](data, f"a.{key}")
    assert "\n" not in str(caught.value)
    assert time.process_time() - started < 3


def test_aliases_are_not_followed():
    started = time.process_time()
    assert find_yaml(BOMB.encode(), "x").written([]) == BOMB.encode()
    assert time.process_time() - started < 1


def test_a_notebook_is_no_file_of_texts():
    with pytest.raises(DataError, match="is a notebook"):
        find_json(b'{"cells": []}', "a.ipynb")


def test_what_is_not_translated_is_named():
    text = 'a: "one\n\n  two"\nb: plain text\n\n  goes on\nc: "a line \\\n  goes on"\nd: A fine text\n'
    text += "e: 'one\n\n  two'\n"
    assert set(yaml.safe_load(text)) == set("abcde")
    document = find_yaml(text.encode(), "x.yaml")
    assert [(one.place, one.kept) for one in document.segments if one.kept] == [
        (place, PARTED) for place in ("line 1, a", "line 4, b", "line 7, c", "line 10, e")
    ]
    assert yaml.safe_load(translated(document, str.upper)) == yaml.safe_load(text) | {"d": "A FINE TEXT"}


def test_half_a_pair_of_surrogates_is_named():
    text = r'{"a": "Hello \ud83d you", "b": "Hello \ud83d\ude00 you", "c": "\udc00"}'
    document = find_json(text.encode(), "x.json")
    assert [(one.place, one.kept) for one in document.segments if one.kept] == [("line 1, a", HALF)]
    assert json.loads(translated(document, str.upper)) == json.loads(text) | {"b": "HELLO \U0001f600 YOU"}
