"""Gettext catalogues (.po, .pot): what has no translation gets one, marked as fuzzy for a person to look at.

An entry is one segment, its plural with it; a translation that is there is kept. A fuzzy one is a guess of a program at
another text, and is made anew. A message must have the same placeholders in the translation, or it stays empty.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from attendo.documents.document import (
    AroundChange,
    Change,
    Document,
    DocumentSegment,
    Offsets,
    Writing,
    utf8,
)
from attendo.documents.formats.po_entries import PoEntry, PoField, encoded_po, read_entries
from attendo.documents.formats.po_formats import placeholder_problem
from attendo.documents.formats.po_plurals import count_of, plural_forms
from attendo.errors import DataError
from attendo.text.normalize import WORD
from attendo.text.scripts import base_language
from attendo.translation.markup.rules import BORDERS, MarkupRules

PLURAL = "<plural-form/>"
RULES = MarkupRules(borders=BORDERS | {"plural-form"}, newlines=True)
TAG = re.compile(r"</?[A-Za-z][^<>]*>")
HEADER_LINE = '"{name}:[ \\t]*((?:[^"\\\\]|\\\\.)*?)\\\\n"'
CHARSET = re.compile(r"charset=([\w-]+)")
KNOWN_CHARSETS = {"utf-8", "utf8", "us-ascii", "ascii", "charset"}  # the last is what a template says
FUZZY = "fuzzy"


@dataclass(frozen=True)
class Catalogue(Document):
    text: str = ""
    entries: Sequence[PoEntry] = ()  # one for each segment
    header: PoField | None = None
    offsets: Offsets = field(default_factory=lambda: Offsets(""))

    @cached_property
    def line_break(self) -> str:
        return "\r\n" if "\r\n" in self.text else "\n"

    def change(self, start: int, end: int, new: str) -> Change:
        return Change(self.offsets.span(start, end), new.encode())

    def changes(self, index: int, answer: str, writing: Writing) -> list[Change]:
        entry = self.entries[index]
        standing = [one.value for one in entry.translations]
        if entry.value("msgid_plural") is None:
            values = [answer and with_newlines(answer, entry.value("msgid") or "")]
        else:
            values = self.plural_values(entry, answer, writing)
        if standing in (values, [answer]) or not any(values):
            return []
        new = self.fields_with(entry, values)
        return [*new, *([] if FUZZY in entry.flags else [self.fuzzy(entry)])]

    def plural_values(self, entry: PoEntry, answer: str, writing: Writing) -> list[str]:
        """As many as the target language has; where it has one, that of many."""
        if not answer:
            return [one.value for one in entry.translations]
        one, _, many = answer.partition(PLURAL)
        one, many = (
            with_newlines(one, entry.value("msgid") or ""),
            with_newlines(many, entry.value("msgid_plural") or ""),
        )
        count = count_of(plural_forms(writing.to, self.header_value("Plural-Forms")))
        return [many] if count == 1 else [one, *[many] * (count - 1)]

    def fields_with(self, entry: PoEntry, values: Sequence[str]) -> list[Change]:
        """Every field keeps its place; forms that are missing come after the last, and those too many go."""
        found = entry.translations
        plural = entry.value("msgid_plural") is not None
        changes = [
            self.change(one.start, one.end, encoded_po(value, self.line_break))
            for one, value in zip(found, values, strict=False)
        ]
        if len(values) > len(found):
            end = found[-1].end
            lines = [
                f"{self.line_break}msgstr[{form}] {encoded_po(values[form], self.line_break)}"
                for form in range(len(found), len(values))
            ]
            changes.append(self.change(end, end, "".join(lines)))
        if plural and len(values) < len(found):
            changes.append(self.change(found[len(values) - 1].end, found[-1].end, ""))
        return changes

    def fuzzy(self, entry: PoEntry) -> Change:
        if entry.flags_at is not None:
            return self.change(entry.flags_at, entry.flags_at, " fuzzy,")
        at = entry.start if entry.previous_at is None else entry.previous_at
        return self.change(at, at, f"#, fuzzy{self.line_break}")

    def problem(self, index: int, answer: str) -> str:
        entry = self.entries[index]
        one, many = entry.value("msgid") or "", entry.value("msgid_plural")
        if many is None:
            return placeholder_problem(one, answer)
        if answer.count(PLURAL) != 1:
            return "singular and plural did not come back apart"
        first, _, second = answer.partition(PLURAL)
        return placeholder_problem(one, first) or placeholder_problem(many, second)

    def header_value(self, name: str) -> str:
        found = re.search(rf"^{name}:[ \t]*(.*)$", self.header.value, re.MULTILINE) if self.header else None
        return found[1].strip() if found else ""

    def around(self, writing: Writing) -> list[AroundChange]:
        """The header: which language the translations are in, and how many plural forms it has."""
        if self.header is None:
            return []
        wanted = {}
        if base_language(self.header_value("Language").replace("_", "-")) != base_language(writing.to):
            wanted["Language"] = writing.to.replace("-", "_")
        forms = plural_forms(writing.to, self.header_value("Plural-Forms"))
        if forms and forms != self.header_value("Plural-Forms"):
            wanted["Plural-Forms"] = forms
        return [self.header_change(self.header, name, value) for name, value in wanted.items()]

    def header_change(self, header: PoField, name: str, value: str) -> AroundChange:
        raw = self.text[header.start : header.end]
        found = re.search(HEADER_LINE.format(name=name), raw)
        if found:
            change = self.change(header.start + found.start(1), header.start + found.end(1), value)
        else:
            change = self.change(header.end, header.end, f'{self.line_break}"{name}: {value}\\n"')
        return AroundChange(change, "header", f"{name}: {value}")


def with_newlines(answer: str, source: str) -> str:
    """Line breaks at the edges as the source has them: msgfmt refuses others."""
    before, after = len(source) - len(source.lstrip("\n")), len(source) - len(source.rstrip("\n"))
    return "\n" * before + answer.strip("\n") + "\n" * after if source.strip("\n") else answer


def find_po(data: bytes, name: str) -> Catalogue:
    if (charset := CHARSET.search(data[:5_000].decode("latin-1"))) and charset[1].lower() not in KNOWN_CHARSETS:
        raise DataError(f"{name} is in {charset[1][:40]}: expected UTF-8")
    text = utf8(data, name)
    offsets = Offsets(text)
    entries, segments = [], []
    header = None
    for entry in read_entries(text, name):
        source, plural = entry.value("msgid"), entry.value("msgid_plural")
        if source is None or not entry.translations:
            raise DataError(f"{name}, line {entry.line}: an entry without msgid or msgstr")
        if len({(one.keyword, one.form) for one in entry.fields}) < len(entry.fields):
            raise DataError(f"{name}, line {entry.line}: an entry that says the same thing twice")
        if source == "" and entry.value("msgctxt") is None:
            header = header or entry.translations[0]
        elif WORD.search(source) or WORD.search(plural or ""):
            entries.append(entry)
            segments.append(segment_of(entry, source, plural, offsets))
    return Catalogue(data=data, segments=segments, text=text, entries=entries, header=header, offsets=offsets)


def segment_of(entry: PoEntry, source: str, plural: str | None, offsets: Offsets) -> DocumentSegment:
    done = all(one.value for one in entry.translations) and FUZZY not in entry.flags
    text = source if plural is None else f"{source}{PLURAL}{plural}"
    flags = entry.flags_at if entry.flags_at is not None else entry.start
    marked = flags if entry.previous_at is None or entry.flags_at is not None else entry.previous_at
    span = offsets.span(entry.translations[0].start, entry.translations[-1].end)
    return DocumentSegment(
        text=text,
        spans=(offsets.span(marked, marked), span),
        kind="message",
        place=f"line {entry.line}",
        rules=RULES if plural is not None or TAG.search(source) else None,
        kept="already translated" if done else "",
        standing="" if plural is not None else entry.translations[0].value,
    )
