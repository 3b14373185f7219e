"""Corpora: pairs of sentences from TSV, two aligned files, JSON lines or TMX, or plain text, in one streaming reader.

Nothing is dropped here. A broken line still gives a pair, maybe with an empty side, so that line n stays line n;
what was wrong with it is reported. Whether to keep it is for filters.py.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from attendo.data.lines import COMPRESSED, Problem, Report, clean, count_lines, naming_damage, open_bytes, read_lines
from attendo.errors import DataError
from attendo.text.scripts import base_language

TMX_CODES = {"bpt", "ept", "it", "ph", "ut"}
XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence and its translation. `line` counts from 1 (in TMX: the index of the translation unit).

    A line of plain text is a pair whose source is empty.
    """

    line: int
    source: str
    target: str


class Corpus(Protocol):
    """All that others need to know of a corpus, wherever its pairs come from."""

    def pairs(self, report: Report) -> Iterator[Pair]:
        """All pairs in order; `report` is called with every broken line."""

    def identity(self) -> object:
        """What decides its content, as JSON: equal for two corpora of the same pairs, whatever their files' names."""


@dataclass(frozen=True)
class CorpusFile:
    """Both sides in one file, whose name tells how. TMX needs to know which two languages are meant."""

    path: Path
    languages: tuple[str, str] | None = None

    def __str__(self) -> str:
        return str(self.path)

    def pairs(self, report: Report) -> Iterator[Pair]:
        """All pairs in order; `report` is called with every broken line."""
        name = self.path.with_suffix("") if self.path.suffix in COMPRESSED else self.path
        match name.suffix:
            case ".tsv" | ".txt":
                return read_tsv(self.path, report)
            case ".jsonl":
                return read_jsonl(self.path, self.languages, report)
            case ".tmx":
                return read_tmx(self.path, self.languages, report)
            case _:
                raise DataError(
                    f"{self.path}: cannot tell what this is; known are .tsv, .jsonl and .tmx, each also as "
                    f"{', '.join(COMPRESSED)}, or two aligned files"
                )

    def identity(self) -> object:
        read_as = None if self.languages is None else list(self.languages)
        return {"kind": "file", "text": [text_identity(self.path)], "read_as": read_as}


@dataclass(frozen=True)
class AlignedFiles:
    """A file a side: line n of one is the translation of line n of the other."""

    source: Path
    target: Path

    def __str__(self) -> str:
        return f"{self.source} and {self.target}"

    def pairs(self, report: Report) -> Iterator[Pair]:
        """All pairs in order; `report` is called with every broken line."""
        return read_two_files(self.source, self.target, report)

    def identity(self) -> object:
        return {"kind": "aligned", "text": [text_identity(self.source), text_identity(self.target)]}


@dataclass(frozen=True)
class TextFile:
    """Plain text, a text a line; or one column, counted from 1, of a file whose columns are parted by tabs."""

    path: Path
    column: int | None = None

    def __str__(self) -> str:
        return str(self.path) if self.column is None else f"{self.path}, column {self.column}"

    def pairs(self, report: Report) -> Iterator[Pair]:
        """All lines in order, without a source. An empty line is no fault of a text: the filter counts it."""
        for line_number, line in enumerate(read_lines(self.path, report), start=1):
            cells = [line] if self.column is None else line.split("\t", self.column)
            if len(cells) < (column := self.column or 1):
                detail = f"no column {column}: the line has {len(cells)}"
                report(Problem("missing_column", str(self.path), line_number, detail))
                cells = [""] * column
            yield Pair(line_number, "", cells[column - 1])

    def identity(self) -> object:
        return {"kind": "text", "text": [text_identity(self.path)], "column": self.column}


def text_identity(path: Path) -> list[str]:
    """The ends of a name tell how the file is read; its content is its hash."""
    read_by = [suffix for suffix in path.suffixes[-2:] if suffix in (*COMPRESSED, ".tsv", ".txt", ".jsonl", ".tmx")]
    try:
        with path.open("rb") as file:
            return ["".join(read_by), hashlib.file_digest(file, "sha256").hexdigest()]
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from error


def read_tsv(path: Path, report: Report) -> Iterator[Pair]:
    """source<TAB>target."""
    for line_number, line in enumerate(read_lines(path, report), start=1):
        source, tab, rest = line.partition("\t")
        target, more, _ = rest.partition("\t")
        if not tab:
            report(Problem("one_column", str(path), line_number, "no tab: expected source<TAB>target"))
        elif more:
            report(Problem("extra_column", str(path), line_number, "more than two columns; the first two are used"))
        yield report_empty(Pair(line_number, source, target), path, path, report)


def read_two_files(source: Path, target: Path, report: Report) -> Iterator[Pair]:
    """Line n of one is the translation of line n of the other; counts are compared before anything else is done."""
    num_source, num_target = count_lines(source), count_lines(target)
    if num_source != num_target:
        raise DataError(
            f"{source} has {num_source:,} lines and {target} has {num_target:,}: line n of one must be the translation "
            f"of line n of the other (the first line without a partner is {min(num_source, num_target) + 1:,})"
        )
    lines = zip(read_lines(source, report), read_lines(target, report), strict=True)
    for line_number, (ours, theirs) in enumerate(lines, start=1):
        yield report_empty(Pair(line_number, ours, theirs), source, target, report)


def read_jsonl(path: Path, languages: tuple[str, str] | None, report: Report) -> Iterator[Pair]:
    """An object a line: {"source": …, "target": …}, or languages as keys, maybe inside "translation"."""
    for line_number, line in enumerate(read_lines(path, report), start=1):
        try:
            record: Any = json.loads(line)
        except (ValueError, RecursionError):
            record = None
        pair = sides_of(record, languages)
        if pair is None:
            keys = " and ".join(languages or ("source", "target"))
            report(Problem("not_a_pair", str(path), line_number, f"expected a JSON object with texts {keys}"))
        source, target = (clean(side, path, line_number, report) for side in pair or ("", ""))
        yield report_empty(Pair(line_number, source, target), path, path, report)


def sides_of(record: Any, languages: tuple[str, str] | None) -> tuple[str, str] | None:
    if isinstance(record, dict) and isinstance(record.get("translation"), dict):
        record = record["translation"]
    if not isinstance(record, dict):
        return None
    for source, target in filter(None, (("source", "target"), languages)):
        if isinstance(record.get(source), str) and isinstance(record.get(target), str):
            return record[source], record[target]
    return None


def read_tmx(path: Path, languages: tuple[str, str] | None, report: Report) -> Iterator[Pair]:
    """Translation units with one <tuv> in each language; read as a stream, entities never expanded."""
    if languages is None:
        raise DataError(f"{path}: a TMX file can hold many languages; name two (for example zh,en)")
    from lxml import etree

    line_number = 0
    try:
        with open_bytes(path) as stream, naming_damage(path):
            # {*}: some writers name a namespace, most do not
            units = etree.iterparse(stream, tag="{*}tu", resolve_entities=False, no_network=True, load_dtd=False)
            for line_number, (_, unit) in enumerate(units, start=1):
                yield report_empty(read_unit(unit, line_number, languages, path, report), path, path, report)
                unit.clear()
                while unit.getprevious() is not None:  # or the finished units would pile up in memory
                    del unit.getparent()[0]
    except etree.XMLSyntaxError as error:
        raise DataError(f"{path} is not well-formed TMX: {error.msg}") from error
    if line_number == 0:
        raise DataError(f"{path} has no translation units: expected TMX with <tu> elements")


def read_unit(unit: Any, line_number: int, languages: tuple[str, str], path: Path, report: Report) -> Pair:
    sides: dict[str, str] = {}
    for variant in unit.iterfind("{*}tuv"):
        name = variant.get(XML_LANG) or variant.get("lang") or ""
        if base_language(name) in sides:
            detail = f"more than one text in {name}; the first is used"
            report(Problem("language_twice", str(path), line_number, detail))
        sides.setdefault(base_language(name), segment_text(variant.find("{*}seg")))
    wanted = [base_language(language) for language in languages]
    missing = [language for language in wanted if language not in sides]
    if missing:
        report(Problem("missing_language", str(path), line_number, f"no text in {' or '.join(missing)}"))
    return Pair(line_number, *(sides.get(language, "") for language in wanted))


def segment_text(segment: Any) -> str:
    """What a person reads; line breaks inside it are spaces."""
    return "" if segment is None else " ".join("".join(readable(segment)).split("\n")).strip()


def readable(element: Any) -> Iterator[str]:
    """Text without the codes of the program it came from, which TMX keeps inside <bpt>, <ept>, <it>, <ph> and <ut>."""
    yield element.text or ""
    for child in element:
        if isinstance(child.tag, str) and child.tag.rpartition("}")[2] not in TMX_CODES:
            yield from readable(child)
        yield child.tail or ""


def report_empty(pair: Pair, source_path: Path, target_path: Path, report: Report) -> Pair:
    for side, text, path in (("source", pair.source, source_path), ("target", pair.target, target_path)):
        if not text.strip():
            report(Problem(f"empty_{side}", str(path), pair.line, f"the {side} is empty"))
    return pair
