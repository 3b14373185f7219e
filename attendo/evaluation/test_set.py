"""Test sets: sentences and what people made of them, from a TSV or from a file for each side.

A score is worth nothing if line n is not held against line n, so a missing side and unequal counts are errors that name
the line.
"""

import shlex
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from attendo.data.lines import COMPRESSED, LARGEST_TEST_SET, Problem, decode_line, raw_lines, within
from attendo.documents.line_reader import opened
from attendo.errors import DataError, UsageError
from attendo.files.arguments import as_list, as_texts, check_path, wrong_argument

STANDARD = Path("-")
UNPACK = {".gz": "gzip -dc", ".xz": "xz -dc", ".zst": "zstd -dc"}
# Sentences, or the path of a file with a sentence a line.
TextsOrPath = str | Path | Sequence[str]
COLUMNS = "source<TAB>reference, further references in further columns"


@dataclass(frozen=True)
class EvaluationSet:
    """The references are lists of sentences, one list for each reference."""

    name: str
    sources: tuple[str, ...] | None
    references: tuple[tuple[str, ...], ...]
    in_bash: tuple[str, ...]  # each reference as bash gives it to a command: ref.txt, or <(cut -f2 test.tsv)
    remarks: tuple[str, ...] = ()  # what was repaired

    def __len__(self) -> int:
        return len(self.references[0])


def read_test_set(path: Path, *, swapped: bool = False) -> EvaluationSet:
    """A TSV, plain or compressed; `swapped`: the reference stands first and the source second."""
    texts, remarks = read_texts(path)
    rows = [text.split("\t") for text in texts]
    for line, row in enumerate(rows, start=1):
        if len(row) == 1:
            raise DataError(f"{path}, line {line:,} has no tab: expected {COLUMNS}")
        if len(row) != len(rows[0]):
            counts = f"{len(row)} columns and line 1 has {len(rows[0])}"
            raise DataError(f"{path}, line {line:,} has {counts}: expected {COLUMNS}, as many on each line")
    if swapped and len(rows[0]) > 2:
        raise UsageError(f"{path} has {len(rows[0])} columns: --swap exchanges two")
    columns = [tuple(text.rstrip() for text in column) for column in zip(*rows, strict=True)]
    order = [1, 0] if swapped else list(range(len(columns)))
    sources, *references = (columns[index] for index in order)
    check_sides(str(path), sources, references)
    in_bash = tuple(column_in_bash(path, index + 1) for index in order[1:])
    return EvaluationSet(str(path), sources, tuple(references), in_bash, remarks)


def read_references(paths: Sequence[Path], source: Path | None = None) -> EvaluationSet:
    """A file for each reference, and maybe one for the source; or a test set, which has both."""
    tables = [path for path in paths if is_table(path)]
    if tables and (len(paths) > 1 or source):
        raise UsageError(f"{tables[0]} is a test set, {COLUMNS}: no other file may stand beside it")
    if tables:
        return read_test_set(tables[0])
    read = [read_texts(path) for path in ([*paths, source] if source else paths)]
    texts = [tuple(text.rstrip() for text in one) for one, _ in read]
    for path, one in zip([*paths, source], texts, strict=False):
        if len(one) != len(texts[0]):
            counts = f"{paths[0]} has {len(texts[0]):,} lines and {path} has {len(one):,}"
            raise DataError(f"{counts}: line n of one belongs to line n of the other")
    name = " and ".join(map(str, paths))
    sources, references = (texts[-1], texts[:-1]) if source else (None, texts)
    if sources:
        check_sides(name, sources, references)
    remarks = tuple(remark for _, repaired in read for remark in repaired)
    return EvaluationSet(name, sources, tuple(references), tuple(file_in_bash(path) for path in paths), remarks)


def gather_references(
    references: TextsOrPath | Sequence[TextsOrPath], sources: TextsOrPath | None = None
) -> EvaluationSet:
    """References, each given as a list of sentences or as a file, and perhaps their sources in the same way."""
    if isinstance(references, (str, Path)):
        check_path("references", references)
        references = [Path(references)]
    else:
        expected = "a list of str, the path of a file, or several of these"
        if isinstance(references, (Set, Mapping)):
            raise wrong_argument("references", references, expected)
        references = as_list("references", references, expected)
        if all(isinstance(one, str) for one in references):  # sentences
            references = [references]
        references = [as_texts("references", one) for one in references]
    if sources is not None:
        sources = as_texts("sources", sources)
    files = [Path(one) for one in references if isinstance(one, (str, Path))]
    if len(files) == len(references) and (sources is None or isinstance(sources, (str, Path))):
        return read_references(files, None if sources is None else Path(sources))
    texts = [read_texts(Path(one))[0] if isinstance(one, (str, Path)) else one for one in references]
    columns = [tuple(text.rstrip() for text in one) for one in texts]
    if not columns or not columns[0] or len({len(one) for one in columns}) > 1:
        counts = ", ".join(str(len(one)) for one in columns)
        raise DataError(f"the references have {counts} sentences: expected as many")
    of_sources = None
    if sources is not None:
        found = read_texts(Path(sources))[0] if isinstance(sources, (str, Path)) else sources
        of_sources = tuple(text.rstrip() for text in found)
        if len(of_sources) != len(columns[0]):
            raise DataError(f"{len(of_sources):,} sources and {len(columns[0]):,} references: expected as many")
        check_sides("the references", of_sources, columns)
    names = tuple(f"REFERENCES{index}" for index in range(1, len(columns) + 1)) if len(columns) > 1 else ("REFERENCES",)
    return EvaluationSet("the references", of_sources, tuple(columns), names)


def read_texts(path: Path) -> tuple[list[str], tuple[str, ...]]:
    """All lines of a file, and in words what was wrong with its bytes; - is stdin."""
    problems: list[Problem] = []
    name = Path("stdin") if path == STANDARD else path
    with opened(None if path == STANDARD else path) as stream:
        raw = enumerate(within(raw_lines(stream, name), name, LARGEST_TEST_SET), start=1)
        texts = [decode_line(line, name, line_number, problems.append) for line_number, line in raw]
    if not texts:
        raise DataError(f"{name} is empty: expected one line for each sentence")
    more = f" (and {len(problems) - 1:,} more)" if len(problems) > 1 else ""
    return texts, tuple(f"{problem}{more}" for problem in problems[:1])


def check_sides(name: str, sources: Sequence[str], references: Sequence[Sequence[str]]) -> None:
    """A blank line may stand opposite blank lines; opposite a sentence it is one that was lost."""
    wanted = [any(each) for each in zip(*references, strict=True)]
    pairs = list(enumerate(zip(sources, wanted, strict=True), start=1))
    for side, lines in (
        ("source", [line for line, (source, reference) in pairs if reference and not source.strip()]),
        ("reference", [line for line, (source, reference) in pairs if source.strip() and not reference]),
    ):
        if lines:
            more = f", and {len(lines) - 1:,} other lines" if len(lines) > 1 else ""
            raise DataError(f"{name}, line {lines[0]:,}{more}: the {side} is missing, expected {COLUMNS}")


def is_table(path: Path) -> bool:
    return (path.with_suffix("") if path.suffix in COMPRESSED else path).suffix == ".tsv"


def file_in_bash(path: Path) -> str:
    if path == STANDARD:
        return "STDIN"
    return f"<({UNPACK[path.suffix]} {shlex.quote(str(path))})" if path.suffix in UNPACK else shlex.quote(str(path))


def column_in_bash(path: Path, column: int) -> str:
    """<(cut -f2 test.tsv), <(xz -dc test.tsv.xz | cut -f2)"""
    file = shlex.quote(str(path))
    return f"<({UNPACK[path.suffix]} {file} | cut -f{column})" if path.suffix in UNPACK else f"<(cut -f{column} {file})"
