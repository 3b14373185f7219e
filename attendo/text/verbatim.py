"""What no language translates: addresses, tags, placeholders, and identifiers such as versions and article numbers.

    "Open {file} at https://a.org, v2.10.3"  ->  placeholder {file}, url https://a.org, identifier v2.10.3

In doubt it is a word or a number: 16GB, 10AM, 15.01.2026 and 1.234.567 are written differently elsewhere, and whether
a translation states them is for numbers.py to say. Every repetition has a bound, so the time is linear in the text.
"""

import re
from typing import Literal, NamedTuple

from attendo.text.scripts import HAN, HANGUL, KANA

VerbatimKind = Literal["url", "email", "tag", "placeholder", "identifier", "message"]

URL = re.compile(r"(?:https?|ftp)://[!-~]+|\bwww\.[!-~]+", re.IGNORECASE)
# Of Latin letters: Chinese writes the word before an address close to it. A match begins where a word begins.
EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,4}", re.ASCII)
TAG = re.compile(r"<(/?[A-Za-z][A-Za-z0-9:-]{0,30})(?:\s[^<>]{0,500})?/?>")
COMMENT = re.compile(r"<!--[^<>]{0,500}-->|<!\[CDATA\[|\]\]>")
PLACEHOLDER = re.compile(
    r"\{\{[#/^!>&]? {0,3}[\w.:$|\"'() -]{1,60}\}\}"  # {{ x }} {{#if x}} {{ x|title }}
    r"|[$%#@]?\{{1,2} {0,2}[\w.:$-]{0,60} {0,2}\}{1,2}"  # {0} { name } ${HOME} %{count}
    r"|\{\w{1,60}, ?(?:number|date|time)(?:, ?[^{}]{1,40})?\}|\{%[^{}]{1,80}%\}"  # {price, number} {% block %}
    r"|%\(\w{1,60}\)[sdf]|%%|(?<![\w$])\$[a-z_][a-z0-9_]{1,40}"  # %(name)s $name
    r"|(?<![\d%])%(?:\d{1,2}\$)?[-+0#]{0,2}\d{0,3}(?:\.\d{1,2})?(?:ll|l|z)?[sdifuxXgc@](?![A-Za-z0-9_])"  # %s, not 50%
    r"|&(?:[A-Za-z]{2,8}|#\d{1,7}|#x[0-9A-Fa-f]{1,6});"  # &nbsp;
)
ADDRESS_SIGN = re.compile(r"[@<{%&]|://|www\.", re.IGNORECASE)  # one of these is in each of them

# {count, plural, one {# file} other {# files}}: what stands in the inner braces is text, the rest is not.
MESSAGE = re.compile(r"\{\s{0,3}\w{1,60}\s{0,3},\s{0,3}(?:plural|select|selectordinal)\s{0,3},")
MESSAGE_PART = re.compile(r"[{}]")
DEEPEST_MESSAGE = 8

LETTER = rf"[^\W{HAN}{KANA}{HANGUL}]"  # or a digit: of a word in a script with spaces, where an identifier cannot end
BEFORE, AFTER = rf"(?<!{LETTER})(?<![.@-])", rf"(?![-.:/]?{LETTER})"
IDENTIFIERS = {
    "time": r"(?:\d{4}-\d\d-\d\d[T ])?\d{1,2}:\d\d:\d\d(?:[.,]\d{1,6})?(?:Z|[+-]\d\d:?\d\d)?|\d\d:\d\d[.,]\d{3}",
    "date_and_time": r"\d{4}-\d\d-\d\dT\d\d:\d\d(?:Z|[+-]\d\d:?\d\d)?",
    "uuid": r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}",
    "hardware": r"[0-9A-Fa-f]{2}(?:[:-][0-9A-Fa-f]{2}){5}",
    "internet_6": r"(?:[0-9A-Fa-f]{1,4}:){3,7}[0-9A-Fa-f]{1,4}|(?:[0-9A-Fa-f]{1,4}:){1,6}(?::[0-9A-Fa-f]{1,4}){1,6}",
    "internet_4": r"\d{1,3}(?:\.\d{1,3}){3}(?:(?::\d{1,5})|(?:/\d{1,2}))?",
    "version": r"[vV]\d{1,4}(?:\.\d{1,6}){1,4}(?:[-+.]?(?:rc|beta|alpha|dev|post|b|a)[.-]?\d{0,4})?"
    r"|\d{1,4}(?:\.\d{1,6}){2,4}(?:[-+.]?(?:rc|beta|alpha|dev|post|b|a)[.-]?\d{0,4})?",
    "account": r"[A-Z]{2}\d\d(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?",
    "telephone": r"\+\d{1,3}[ /.-]?(?:\(\d{1,5}\)[ /.-]?)?\d{1,5}(?:[ /.-]?\d{1,8}){1,6}"
    r"|\(0\d{1,5}\) ?\d{2,5}(?:[ /-]?\d{2,6}){1,4}|0\d{1,5}[/-]\d{3,9}(?:[ -]\d{1,6}){0,3}",
    "grouped": r"\d{1,7}(?:-\d{1,9}){1,6}",
    "number_sign": r"#\d{2,12}",
    "hash": r"0x[0-9A-Fa-f]{1,32}|(?=[a-f]{0,40}\d)(?=\d{0,40}[a-f])[0-9a-f]{7,64}"
    r"|(?=[A-Za-z]{0,40}\d)(?=\d{0,40}[A-Za-z])[A-Za-z0-9]{16,128}",
    "code": r"(?=[A-Z0-9/._-]{0,40}[A-Z])(?=[A-Z0-9/._-]{0,40}\d)"
    r"[A-Z0-9]{1,20}(?:[-/._][A-Z0-9]{1,20}){0,6}(?::\d{4})?",
    "snake_case": r"_{0,2}[A-Za-z][A-Za-z0-9]{0,40}(?:_{1,2}[A-Za-z0-9]{1,40}){1,10}_{0,2}(?:\(\))?",
    "camel_case": r"[a-z]{2,30}(?:[A-Z][a-z0-9]{1,30}){1,6}(?:\(\))?",
    "dotted": r"[a-z][a-z0-9]{1,30}(?:\.[a-z][a-z0-9]{1,30}){1,8}"
    r"\.(?:[a-z][a-z0-9]{1,30}|[A-Z][a-z]{1,30}[A-Z]\w{1,40})(?:\(\))?",
    "domain": r"[a-z0-9-]{1,40}(?:\.[a-z0-9-]{1,40}){0,3}\.(?:com|org|net|de|cn|eu|io|dev|info|edu|gov|co\.uk)",
    "call": r"[A-Za-z][A-Za-z0-9]{0,40}(?:\.[A-Za-z0-9]{1,40}){0,6}\(\)",
    "file": r"[A-Za-z0-9_-]{1,60}\.(?:txt|json|jsonl|xml|html?|pdf|docx?|xlsx?|pptx?|odt|csv|tsv|tmx|py|js|ts|java|cpp"
    r"|md|ya?ml|toml|ini|cfg|conf|log|zip|gz|xz|png|jpe?g|gif|svg|mp[34]|wav|exe|dll|sh|bat|srt|vtt|po|sql|db)",
}
IDENTIFIER = re.compile(
    f"{BEFORE}(?:{'|'.join(f'(?P<{name}>{pattern})' for name, pattern in IDENTIFIERS.items())}){AFTER}"
    r"|(?P<quoted>`[^`\n]{1,80}`)"
    r"|(?<![\w~./<:\\])(?P<path>(?:~|\.{1,2})?(?:/[A-Za-z0-9._@+-]{0,59}[A-Za-z0-9_@+-]){2,20}/?|[A-Za-z]:\\[^\s<>|?*\"，。；：]{1,200})"
    rf"|(?<!{LETTER})(?<!-)(?P<option>--[a-z][a-z0-9]{{1,30}}(?:-[a-z0-9]{{1,30}}){{0,5}}(?:=[A-Za-z0-9._/-]{{1,60}})?)(?!{LETTER}|-)"
)
# "Version 3.10" is no number; nor is the 3.10.24 of it a date.
AFTER_VERSION = re.compile(r"(?:[Vv]ersion(?:en|s)?|[Vv]er\.|版本号?|版)[ ]?(\d{1,4}(?:\.\d{1,6}){1,4})(?![\d.]*\d)")
DATE_OR_THOUSANDS = re.compile(
    r"(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.(?:\d{4}|\d\d)|\d{4}\.(?:0?[1-9]|1[0-2])\.(?:0?[1-9]|[12]\d|3[01])"
    r"|\d{1,3}(?:\.\d{3}){2,}"
)
DATE_OR_YEARS = re.compile(r"(?:1\d|20)\d\d(?:-(?:1\d|20)\d\d|(?:-\d{1,2}){1,2})|\d{1,2}-\d{1,2}-(?:1\d|20)\d\d")
HOUR = re.compile(r"(?<!\w)\d{1,2}:$")  # the 30AM of 10:30AM is no code
QUANTITY = re.compile(r"\d+[A-Z]{1,3}")  # 16GB, 10AM, 100KM
GENDER = re.compile(r"_in(?:nen)?$")  # of German: Student_innen
FEWEST_DIGITS = {"grouped": 7, "telephone": 6}
SHORTEST_CODE = 4
# One of these is in everything above: [0-9@<>{%&_/\#$`], --, (), .[A-Za-z], :[A-Fa-f]{2}:, [a-z][A-Z]. Every sentence
# is searched for them, and a pattern that begins with one class of characters passes by all others at the speed of C.
SIGN = re.compile(
    r"[0-9@<>{%&_/\\#$`(.:A-Z-]"
    r"(?:(?<=[0-9@<>{%&_/\\#$`])|(?<=-)-|(?<=\()\)|(?<=\.)[A-Za-z]|(?<=:)[A-Fa-f]{2}:|(?<=[a-z][A-Z]))"
)


class Verbatim(NamedTuple):
    """text[start:end] is not to be translated."""

    start: int
    end: int
    kind: VerbatimKind


def find_verbatim(text: str) -> list[Verbatim]:
    """From left to right; of several at one position the longest, and none inside another."""
    if not SIGN.search(text):
        return []
    found = [Verbatim(*message_part, "message") for message_part in message_parts(text)]
    found += [Verbatim(*span, "url") for span in url_spans(text)]
    found += [Verbatim(*match.span(), "email") for match in EMAIL.finditer(text)] if "@" in text else []
    if "<" in text or ">" in text:
        found += [Verbatim(*match.span(), "tag") for pattern in (TAG, COMMENT) for match in pattern.finditer(text)]
    found += [Verbatim(*match.span(), "placeholder") for match in PLACEHOLDER.finditer(text)]
    found += [Verbatim(*span, "identifier") for span in identifier_spans(text)]
    chosen: list[Verbatim] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if not chosen or one.start >= chosen[-1].end:
            chosen.append(one)
    return chosen


def url_spans(text: str) -> list[tuple[int, int]]:
    """Signs after an address are the sentence's: (see https://example.org/)."""
    return [(match.start(), match.start() + len(without_end(match.group()))) for match in URL.finditer(text)]


def without_end(url: str) -> str:
    """A slash stays: https://example.org/"""
    return re.sub(r"[.,;:!?'\"*_)\]}>]+$", "", re.split(r"[<>\"]", url)[0])


def identifier_spans(text: str) -> list[tuple[int, int]]:
    spans = [match.span(1) for match in AFTER_VERSION.finditer(text)]
    return spans + [match.span() for match in IDENTIFIER.finditer(text) if is_identifier(match)]


def is_identifier(match: re.Match[str]) -> bool:
    """Not what only looks like one: dates, years, thousands, quantities."""
    text, name = match.group(), match.lastgroup or ""
    digits = sum(map(str.isdigit, text))
    if digits < FEWEST_DIGITS.get(name, 0):
        return False
    if name == "version":
        return not DATE_OR_THOUSANDS.fullmatch(text)
    if name == "grouped":
        return not DATE_OR_YEARS.fullmatch(text)
    if name == "snake_case":
        return not GENDER.search(text)
    if name == "code":
        after_hour = HOUR.search(match.string, max(0, match.start() - 4), match.start())
        return len(text) >= SHORTEST_CODE and not (QUANTITY.fullmatch(text) or after_hour)
    return True


def message_parts(text: str) -> list[tuple[int, int]]:
    """The frame of an ICU message, in the parts between its texts; none where its braces do not close.

    "{n, plural, one {# file} other {# files}}"  ->  "{n, plural, one {"  "} other {"  "}}"
    """
    found: list[tuple[int, int]] = []
    end = 0
    for match in MESSAGE.finditer(text):
        if match.start() < end:
            continue
        parts, end = frame(text, match.start())
        found += parts
    return found


def frame(text: str, start: int) -> tuple[list[tuple[int, int]], int]:
    """Inside an odd number of braces there is frame, inside an even number there is text."""
    depth, begun = 0, start
    parts: list[tuple[int, int]] = []
    for brace in MESSAGE_PART.finditer(text, start):
        depth += 1 if brace.group() == "{" else -1
        if depth > DEEPEST_MESSAGE:
            break
        if depth % 2 == 1:  # "{n, plural, one {" begins, or "} other {" after a text
            begun = brace.start()
        else:
            parts.append((begun, brace.end()))
        if depth == 0:
            return parts, brace.end()
    return [], start + 1


def undivided(text: str) -> list[tuple[int, int]]:
    """What no sentence may end inside, in order: tags and placeholders, and messages with their texts."""
    if not ADDRESS_SIGN.search(text):
        return []
    found = [match.span() for pattern in (TAG, PLACEHOLDER) for match in pattern.finditer(text)]
    end = 0
    for match in MESSAGE.finditer(text):
        if match.start() >= end:
            parts, end = frame(text, match.start())
            found += [(match.start(), end)] if parts else []
    apart: list[tuple[int, int]] = []
    for span in sorted(found, key=lambda span: (span[0], -span[1])):
        if not apart or span[0] >= apart[-1][1]:
            apart.append(span)
    return apart


def without_addresses(text: str) -> str:
    """Digits in addresses, tags and placeholders are no numbers of the text."""
    if not ADDRESS_SIGN.search(text):
        return text
    for pattern in (URL, EMAIL, TAG, PLACEHOLDER):
        text = pattern.sub(" ", text)
    return text


def without_verbatim(text: str) -> str:
    """What there is to translate, with a space for everything else."""
    parts: list[str] = []
    end = 0
    for span in find_verbatim(text):
        parts.append(text[end : span.start])
        end = span.end
    return " ".join([*parts, text[end:]]) if end else text
