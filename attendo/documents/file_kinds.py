"""What a file looks like, by its first bytes and its name: lines of text, a text with a structure, or no text at all.

Lines of any bytes can be translated, but a PDF or UTF-16 taken for lines gives nothing, and the structure of a text
such as subtitles may break when its lines are translated one by one. In doubt a file is lines of text.
"""

import csv
import json
import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePath

from attendo.files.packed import ENDINGS

MOST = 2**16  # bytes that are looked at
MOST_FRONT_MATTER = 100  # lines
UTF16_CHARACTERS = 8  # at least, to know UTF-16 without a mark by its zeros


@dataclass(frozen=True)
class FileKind:
    """What a file is, in words; `binary` is none that has lines, and `advice` what to do about it.

    `key` is for programs: formats/ has a finder for some of them.
    """

    name: str
    binary: bool = False
    advice: str = "take its text out first"
    key: str = ""


UNPACK = "unpack it, or give its name the ending"
UTF8 = "expected UTF-8"
OPEN_SLIDES = FileKind("an OpenDocument presentation", True, key="odt")
OPEN_TEXT = FileKind("an OpenDocument text", True, key="odt")
BINARY = (
    (rb"\xff\xfe\0\0|\0\0\xfe\xff", FileKind("UTF-32", True, f"{UTF8} (iconv -f UTF-32 -t UTF-8)")),
    (rb"\xff\xfe|\xfe\xff", FileKind("UTF-16", True, f"{UTF8} (iconv -f UTF-16 -t UTF-8)")),
    (rb"\x1f\x8b\x08", FileKind("a gzip file", True, f"{UNPACK} .gz")),
    (rb"\xfd7zXZ\0", FileKind("an xz file", True, f"{UNPACK} .xz")),
    (rb"\x28\xb5\x2f\xfd", FileKind("a Zstandard file", True, f"{UNPACK} .zst")),
    (rb"BZh[1-9](1AY&SY|\x17\x72\x45\x38\x50\x90)", FileKind("a bzip2 file", True, "unpack it")),
    (rb"7z\xbc\xaf\x27\x1c|Rar!\x1a\x07", FileKind("an archive", True, "unpack it")),
    (rb"(?s).{257}ustar[\0 ]", FileKind("a tar archive", True, "unpack it")),
    (rb"(?s)PK\x03\x04.{26}mimetypeapplication/epub", FileKind("an EPUB book", True, key="epub")),
    (rb"(?s)PK\x03\x04.{26}mimetypeapplication/vnd\.oasis\.opendocument\.text", OPEN_TEXT),
    (rb"(?s)PK\x03\x04.{26}mimetypeapplication/vnd\.oasis\.opendocument\.presentation", OPEN_SLIDES),
    (rb"(?s)PK\x03\x04.{26}mimetypeapplication/vnd\.oasis", FileKind("an OpenDocument file", True)),
    (rb"(?s)PK\x03\x04.{,4000}word/", FileKind("a Word document", True, key="docx")),
    (rb"(?s)PK\x03\x04.{,4000}ppt/", FileKind("a PowerPoint presentation", True, key="pptx")),
    (rb"(?s)PK\x03\x04.{,4000}xl/", FileKind("an Excel workbook", True)),
    (rb"PK(\x03\x04|\x05\x06)", FileKind("a zip archive", True, "unpack it, and take its text out")),
    (rb"%PDF-\d\.\d[ \t]*[\r\n]", FileKind("a PDF", True)),
    (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", FileKind("an old Office document", True)),
    (rb"\x89PNG\r\n\x1a\n|\xff\xd8\xff|(?s:GIF8[79]a.{,6}\0)", FileKind("an image", True)),
    (rb"(?s:RIFF.{4}WEBP)|II\*\0|MM\0\*", FileKind("an image", True)),
    (rb"ID3[\x02-\x04]|OggS\0|fLaC\0|(?s:RIFF.{4}WAVE)|(?s:\0\0\0.ftyp)", FileKind("sound or film", True)),
    (rb"\x7fELF|SQLite format 3\0|(?s:MZ.{,510}\0PE\0\0)", FileKind("a program or a database", True, "expected text")),
)  # fmt: skip
ENDINGS_OF = {
    "SubRip subtitles": ".srt", "WebVTT subtitles": ".vtt", "SubStation subtitles": ".ass .ssa",
    "a gettext catalogue": ".po .pot", "HTML": ".html .htm .xhtml", "XML": ".xml .svg .resx", "TMX": ".tmx",
    "XLIFF": ".xlf .xliff", "JSON": ".json .ipynb .arb", "JSON lines": ".jsonl .ndjson", "YAML": ".yaml .yml",
    "TOML": ".toml", "an INI file": ".ini", "a properties file": ".properties .strings", "TeX": ".tex", "RTF": ".rtf",
    "reStructuredText": ".rst",
}  # fmt: skip
KEYS = {
    "SubRip subtitles": "srt", "WebVTT subtitles": "vtt", "a gettext catalogue": "po", "HTML": "html", "TMX": "tmx",
    "XLIFF": "xliff", "JSON": "json", "YAML": "yaml", "Markdown": "md", "Markdown with front matter": "md",
}  # fmt: skip
BY_NAME = {ending: name for name, endings in ENDINGS_OF.items() for ending in endings.split()}
# A declaration and comments; + after a repetition: not tried in another way, which could take for ever.
PROLOGUE = r"(<\?xml[^>]*\?>\s*)?((?>(?s:<!--.*?-->))\s*+)*+"
TIME = r"(\d+:)?\d\d:\d\d[,.]\d{3}"
BY_BEGINNING = (
    (rf"\d+ *\r?\n{TIME} +--> +{TIME}", "SubRip subtitles"),
    (r"WEBVTT([ \t\r\n]|$)", "WebVTT subtitles"),
    (r"\[Script Info\]\s*\n", "SubStation subtitles"),
    (rf"(?i){PROLOGUE}<!doctype html", "HTML"),
    (rf"(?i){PROLOGUE}<html[\s>]", "HTML"),
    (rf"{PROLOGUE}(<!DOCTYPE tmx[^>]*>\s*)?<tmx[\s>]", "TMX"),
    (rf"{PROLOGUE}<([\w.-]+:)?xliff[\s>]", "XLIFF"),
    (r"<\?xml\s|<svg\s|<rss\s", "XML"),
    (r"\{\\rtf\d", "RTF"),
    (r"(%[^\n]*\n)*\s*\\documentclass\b", "TeX"),
    (r"%YAML \d", "YAML"),
)
MESSAGE = re.compile(r'^msgid "', re.MULTILINE), re.compile(r'^msgstr(\[0\])? "', re.MULTILINE)
# What begins JSON: a key and its colon, maybe in a list.
LONGEST_WORD = 6  # of JSON outside a string, or an escape in one: false, \\u12f3
JSON_BEGINS = re.compile(r'\s*(\{\s*"(?:[^"\\]|\\.)*"\s*:|\[\s*\{\s*"(?:[^"\\]|\\.)*"\s*:)')
KEY = re.compile(r"""( *)(?:- )?(?:[\w.-]+|"[^"\n]*"|'[^'\n]*')\s*:(\s+\S.*|\s*)$""")
FRONT_MATTER = re.compile(r"\s*[\w.-]+\s*:|\s+\S|\s*- |#|\s*$")  # a line of it
MARKDOWN = re.compile(
    r"^(#{1,6} \S|```|~~~|[-*+] \S|> |\|.+\||\d+\. |={3,}\s*$|</?[a-zA-Z][^<>\n]*>|<!--)"
    r"|\[[^\]\n]{1,300}\]\([^)\n]|\*\*\S",
    re.MULTILINE,
)


NUMBER = re.compile(r"[-+]?\d{1,3}(,\d{3})+")  # 1,000,000


def look(head: bytes, name: str = "") -> FileKind | None:
    """What the first bytes of a file and its name tell; None for lines of text.

    Of a packed file `head` is what is in it.
    """
    head = head[:MOST]
    for beginning, found in BINARY:
        if re.match(beginning, head):
            return found
    if is_utf16(head):
        return FileKind("UTF-16", True, f"{UTF8} (iconv -f UTF-16LE or UTF-16BE -t UTF-8)")
    text = head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="replace").lstrip()
    if not text:
        return None
    known = by_content(text) or by_ending(text, ending_of(name))
    return FileKind(known, key=KEYS.get(known, "")) if known else None


def ending_of(name: str) -> str:
    path = PurePath(name)
    return (PurePath(path.stem) if path.suffix.lower() in ENDINGS else path).suffix.lower()


def is_utf16(head: bytes) -> bool:
    """Without a mark at its beginning: in UTF-16 every second byte of a Western text is zero, and no other."""
    pairs = len(head) // 2
    zeros = [head[side : 2 * pairs : 2].count(0) for side in (0, 1)]
    return pairs >= UTF16_CHARACTERS and min(zeros) == 0 and max(zeros) >= 0.9 * pairs


def by_content(text: str) -> str:
    for beginning, name in BY_BEGINNING:
        if re.match(beginning, text):
            return name
    if all(sign.search(text) for sign in MESSAGE):
        return "a gettext catalogue"
    if has_front_matter(text.split("\n", MOST_FRONT_MATTER)[:-1]):
        return "Markdown with front matter"
    if name := json_name(text):
        return name
    lines = [line.rstrip("\r") for line in text.split("\n")[:-1] if line.strip()]  # the last may be cut
    return "YAML" if is_yaml(lines) else "CSV" if is_csv(lines) else ""


def by_ending(text: str, ending: str) -> str:
    """Two names say little alone: many a .md is plain text, and so is a .csv with one column."""
    if ending in (".md", ".markdown"):
        return "Markdown" if MARKDOWN.search(text) else ""
    if ending == ".csv":
        return "CSV" if any(has_columns(text, sign) for sign in ",;") else ""
    return BY_NAME.get(ending, "")


def has_front_matter(lines: list[str]) -> bool:
    """Keys between two lines of ---, at the beginning."""
    rules = [number for number, line in enumerate(lines) if line.rstrip() == "---"][:2]
    return len(rules) == 2 and rules[0] == 0 < rules[1] - 1 and all(map(FRONT_MATTER.match, lines[1 : rules[1]]))


def json_name(text: str) -> str:
    """JSON, one value or one a line. A line such as `[1]` or `{name}` is none that a program wrote."""
    if text[0] not in "{[":
        return ""
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) > 1 and all(line.lstrip()[0] == "{" and is_json(line) for line in lines[:2]):
        return "JSON lines"
    return "JSON" if is_json(text) else ""


def is_json(text: str) -> bool:
    """A value of several, or the beginning of one that was cut: then it is wrong at its very end and nowhere before."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        cut = error.pos >= len(text.rstrip()) - LONGEST_WORD or error.msg.startswith("Unterminated string")
        return bool(cut and JSON_BEGINS.match(text))
    except (ValueError, RecursionError):
        return bool(JSON_BEGINS.match(text))
    return bool(value) and (isinstance(value, dict) or any(isinstance(one, (dict, list, str)) for one in value))


def is_yaml(lines: list[str]) -> bool:
    """Keys on every line, some of them deeper than the key before: who writes a dialogue does not indent it so."""
    keys = [KEY.match(line) for line in lines if line.strip() != "---" and not line.lstrip().startswith("#")]
    if len(keys) < 3:
        return False
    depths = [len(key[1]) for key in keys if key]
    opens = any(not one[2].strip() and len(other[1]) > len(one[1]) for one, other in pairwise(keys) if one and other)
    return opens and len(depths) == len(keys)


def has_columns(text: str, sign: str) -> bool:
    try:
        return any(len(row) > 1 for row in csv.reader(text.split("\n")[:20], delimiter=sign))
    except csv.Error:
        return False


def is_csv(lines: list[str]) -> bool:
    """At least five rows of as many columns, three or more, and no space after a comma: people write lists with one."""
    if len(lines) < 5 or any(line.endswith((".", "。", "!", "?", "！", "？")) for line in lines):
        return False
    try:
        rows = list(csv.reader(lines, strict=True))
    except csv.Error:
        return False
    if all(map(NUMBER.fullmatch, lines)):
        return False
    same = len({len(row) for row in rows}) == 1 and len(rows[0]) >= 3
    return same and not any(field.startswith(" ") for row in rows for field in row[1:])
