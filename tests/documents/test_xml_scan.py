"""XML with its bytes: lxml sees the same elements, texts and attributes, and what is hostile is refused."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from attendo.documents.xml_scan import attributes, decoded_xml, encoded_xml, scan_xml
from attendo.errors import DataError

SAMPLE = (
    b'\xef\xbb\xbf<?xml version="1.0" encoding="UTF-8"?>\r\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML//EN" "x.dtd">\n'
    b"<!-- a > b <c> --><w:p xmlns:w='u' a=\"1 > 2\" b='it&apos;s \"x\"'>Hi <b/> &amp; <![CDATA[<no> tag]]>"
    b"<i\n  lang = 'de' >gr\xc3\xbcn</i ></w:p>\n"
)


def events(data):
    """As the scanner sees them: the tags with their attributes, and the text between."""
    found, text = [], ""
    for part in scan_xml(data, "x.xml"):
        raw = data[part.start : part.end]
        if part.kind == "text":
            text += decoded_xml(raw.decode().lstrip("\ufeff"))
        elif part.kind == "data":
            text += raw[9:-3].decode()
        elif part.kind != "aside":
            found += [text] if text else []
            text = ""
            values = {name: one.value for name, one in attributes(data, part).items() if not name.startswith("xmlns")}
            found += [(part.name.split(":")[-1], values)] if part.kind != "close" else []
            found += [part.name.split(":")[-1]] if part.kind != "open" else []
    return [one for one in found if isinstance(one, tuple) or one.strip()]


def witness(data):
    found = []

    def walk(element):
        found.append((etree.QName(element).localname, dict(element.attrib)))
        found.append(element.text or "")
        for child in element:
            if isinstance(child.tag, str):
                walk(child)
                found.append(child.tail or "")
            else:
                found[-1] += child.tail or ""
        found.append(etree.QName(element).localname)

    walk(etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)))
    return [one for one in found if not (isinstance(one, str) and not one.strip())]


def test_lxml_sees_the_same():
    assert events(SAMPLE) == witness(SAMPLE)
    assert b"".join(SAMPLE[part.start : part.end] for part in scan_xml(SAMPLE, "x")) == SAMPLE


XML_TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=8).filter(lambda t: t == t.strip())


@st.composite
def trees(draw, depth=0):
    name = draw(st.sampled_from(["a", "w:b", "c-d", "é"]))
    values = draw(st.dictionaries(st.sampled_from(["x", "w:y"]), XML_TEXT, max_size=2))
    listed = "".join(f' {key}="{encoded_xml(value, quotes=True)}"' for key, value in values.items())
    inner = [
        encoded_xml(draw(XML_TEXT)) if draw(st.booleans()) else draw(trees(depth + 1))
        for _ in range(0 if depth > 3 else draw(st.integers(0, 3)))
    ]
    return f"<{name}{listed}>{'<!-- - -->'.join(inner)}</{name}>"


@given(trees())
@settings(max_examples=60, deadline=None)
def test_generated_xml(tree):
    data = f'<root xmlns:w="u">{tree}</root>'.encode()
    assert b"".join(data[part.start : part.end] for part in scan_xml(data, "x")) == data
    assert [without_prefix(one) for one in events(data)] == [without_prefix(one) for one in witness(data)]


def without_prefix(event):
    if isinstance(event, str):
        return event
    return event[0], {re.sub(r".*[:}]", "", key): value for key, value in event[1].items()}


LAUGHS = b'<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><l>&b;</l>'


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (LAUGHS, "a DTD"),
        (b'<!DOCTYPE l [<!ENTITY x SYSTEM "file:///etc/passwd">]><l>&x;</l>', "a DTD"),
        (b"<a>" * 300 + b"</a>" * 300, "deep"),
        (b"<a><b></a></b>", "line 1 is no XML: mismatched tag"),
        (b"<a>", "no XML"),
        (b"", "no XML"),
        (b"<a>\xff</a>", "no XML"),
        ("<a/>".encode("utf-16"), "UTF-16"),
        (b'<?xml version="1.0" encoding="GB18030"?><a/>', "GB18030"),
        (b"<a>&unknown;</a>", "undefined entity"),
    ],
)
def test_what_is_hostile_or_broken_is_refused(data, words):
    with pytest.raises(DataError, match=words) as found:
        scan_xml(data, "x.xml")
    assert "\n" not in str(found.value)
