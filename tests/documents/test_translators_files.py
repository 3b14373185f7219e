"""TMX and XLIFF beside lxml: what was there is there, what was missing is there once, and nothing else is."""

import pytest
from lxml import etree

from attendo.documents.document import Writing
from attendo.documents.formats.tmx import find_tmx
from attendo.documents.formats.xliff import find_xliff
from attendo.documents.formats.xml_inline import NOT_READ, read_inline
from attendo.errors import DataError
from tests.documents.laws import samples

TO_GERMAN = Writing("de", "en")
LANG = "{http://www.w3.org/XML/1998/namespace}lang"
FINDERS = {"tmx": find_tmx, "xliff": find_xliff}
BOMB = b"""<?xml version="1.0"?><!DOCTYPE %s [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><%s>&b;</%s>"""


def shouted(text):
    """Capitals outside of tags and entities."""
    parts, inside = [], ""
    for sign in text:
        inside = sign if sign in "<&" else "" if sign in ">;" else inside
        parts.append(sign if inside else sign.upper())
    return "".join(parts)


def translated(document, writing=TO_GERMAN, say=shouted):
    document = document.aimed(writing)
    changes = [
        change
        for index, segment in enumerate(document.segments)
        if not segment.kept
        for change in document.changes(index, say(segment.text), writing)
    ]
    return document.written([*changes, *(one.change for one in document.around(writing))])


def name(element):
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


def plain(element):
    """The text without what codes hold."""
    if name(element) in ("bpt", "ept", "ph", "it", "ut"):
        return ""
    return (element.text or "") + "".join(plain(child) + (child.tail or "") for child in element)


@pytest.mark.parametrize("path", samples("tmx"), ids=lambda path: path.name)
def test_a_memory_gets_variants_and_loses_nothing(path):
    data = path.read_bytes()
    source = "zh" if path.name == "chinese.tmx" else "en"
    new = etree.fromstring(translated(find_tmx(data, path.name), Writing("de", source)))
    for before, after in zip(etree.fromstring(data).iter("tu"), new.iter("tu"), strict=True):
        old, now = ([etree.tostring(one, with_tail=False) for one in tu.iter("tuv")] for tu in (before, after))
        languages = [one.get(LANG) or one.get("lang") for one in before.iter("tuv")]
        assert now[: len(old)] == old
        sources = [
            one for one in before.iter("tuv") if (one.get(LANG) or one.get("lang") or "").lower().startswith(source)
        ]
        words = plain(sources[0].find("seg")) if sources else ""
        if "de" in languages or not any(map(str.isalnum, words)):
            assert len(now) == len(old)
            continue
        assert len(now) == len(old) + 1
        added = list(after.iter("tuv"))[-1]
        assert (added.get(LANG) or added.get("lang")) == "de"
        if "kept" not in words:  # what is in <![CDATA[…]]> stays
            assert plain(added.find("seg")).upper() == words.upper()
        assert sorted(child.tag for child in added.find("seg").iter()) == sorted(
            child.tag for child in sources[0].find("seg").iter()
        )


@pytest.mark.parametrize("path", samples("xliff"), ids=lambda path: path.name)
def test_an_xliff_gets_targets_and_loses_nothing(path):
    data = path.read_bytes()
    document = find_xliff(data, path.name)
    new = etree.fromstring(translated(document))
    units = [
        [one for one in root.iter() if name(one) in ("trans-unit", "segment")] for root in (etree.fromstring(data), new)
    ]
    filled = 0
    for before, after in zip(*units, strict=True):
        targets = [[child for child in unit if name(child) == "target"] for unit in (before, after)]
        had = targets[0] and (plain(targets[0][0]).strip() or len(targets[0][0]))
        if had:
            assert etree.tostring(targets[0][0], with_tail=False) == etree.tostring(targets[1][0], with_tail=False)
        elif targets[1]:
            filled += bool(plain(targets[1][0]).strip())
            source = next(child for child in after if name(child) == "source")
            assert plain(targets[1][0]).upper() == plain(source).upper()
            order = [name(child) for child in after]
            assert order.index("target") in (1, 2)
            if name(after) == "segment":
                assert after.get("state") in ("translated", "final")
            else:
                assert targets[1][0].get("state") in ("needs-review-translation", "new")
    assert filled == sum(not segment.kept for segment in document.segments)
    kept = {"note", "alt-trans", "header", "source", "seg-source"}
    both = [
        [etree.tostring(one, with_tail=False) for one in root.iter() if name(one) in kept]
        for root in (etree.fromstring(data), new)
    ]
    assert both[0] == both[1]


def test_what_is_not_to_be_translated():
    [path] = [path for path in samples("xliff") if path.name == "untranslated.xlf"]
    found = find_xliff(path.read_bytes(), path.name)
    assert [segment.text for segment in found.segments if not segment.kept] == ["Not me", "Translate me"]
    assert b'target-language="de"' in translated(found)


def test_a_file_for_another_language_is_refused():
    [path] = [path for path in samples("xliff") if path.name == "targets.xlf"]
    with pytest.raises(DataError, match="holds translations into 'de'"):
        find_xliff(path.read_bytes(), path.name).aimed(Writing("zh", "en"))


def test_codes_are_tags_where_they_nest():
    inside = read_inline('A <bpt i="1">&lt;b&gt;</bpt>b<ept i="1"/> <ph>x</ph>')
    assert inside.text == "A <g1>b</g1> <x5/>"
    assert inside.written("<x5/> B <g1>c</g1>") == '<ph>x</ph> B <bpt i="1">&lt;b&gt;</bpt>c<ept i="1"/>'
    assert inside.problem("<x5/> B <g1>c</g1>") == ""
    for answer in (
        "B <g1>c</g1>",
        "<x5/><x5/> <g1>c</g1>",
        "<x5/> <g1>c",
        "<x5/> <g1>c</g1> & d",
        "<x5/> <g1>c</g1> \x01",
    ):
        assert inside.problem(answer)
    crossing = read_inline('<bpt i="1"/>a<bpt i="2"/>b<ept i="1"/>c<ept i="2"/>')
    assert crossing.text == "<x0/>a<g2>b<x4/>c</g2>" or "<g" not in crossing.text.replace("<g2>", "")
    assert crossing.written(crossing.text) == '<bpt i="1"/>a<bpt i="2"/>b<ept i="1"/>c<ept i="2"/>'


@pytest.mark.parametrize("key", FINDERS)
@pytest.mark.parametrize(
    "make",
    [
        lambda root: BOMB % (root, root, root),
        lambda root: b"<%s>" % root * 1_000 + b"</%s>" % root * 1_000,
        lambda root: b"<" * 10_000_000,
        lambda root: b"<%s>" % root,
        lambda root: b"<other/>",
        lambda root: b'<?xml version="1.0" encoding="latin-1"?><%s/>' % root,
    ],
    ids=["bomb", "deep", "signs", "open", "other", "latin"],
)
def test_hostile_files_are_refused_in_one_line(key, make):
    with pytest.raises(DataError) as caught:
        FINDERS[key](make(key.encode()), f"a.{key}")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


def test_an_entity_of_a_file_elsewhere_is_not_read():
    data = b'<!DOCTYPE tmx SYSTEM "file:///etc/passwd"><tmx><tu><tuv xml:lang="en"><seg>A &x; b</seg></tuv></tu></tmx>'
    [segment] = find_tmx(data, "a.tmx").segments
    assert segment.text == "A &x; b"


@pytest.mark.parametrize(
    ("inside", "kept"),
    [
        ("Press " + '<x id="1"/>a ' * 3_000, NOT_READ),
        ("Press <g7>this</g7> now", NOT_READ),
        ("Press <g id='7'>this</g> now", ""),
    ],
)
@pytest.mark.parametrize("target", ["", "<target/>", "<target>Da</target>"])
def test_a_unit_with_too_many_codes_is_named(inside, kept, target):
    data = (
        '<xliff version="1.2"><file source-language="en" target-language="de"><body><trans-unit id="1">'
        f"<source>{inside}</source>{target}</trans-unit></body></file></xliff>"
    ).encode()
    document = find_xliff(data, "x.xlf")
    assert [one.kept for one in document.segments] == ["it has a translation" if "Da" in target else kept]
    if kept:
        assert translated(document) == data
