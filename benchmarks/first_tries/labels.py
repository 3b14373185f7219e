"""Labels that a reader of both languages gave, by the rule of README.md, and the answers that they are looked up for.

A label belongs to a text *and* its answer: another answer to the same text has none until somebody has read it, and an
answer that two models give is read once. Tables are tab-separated with a line of column names.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from attendo.errors import DataError
from attendo.files.durable import write_file
from benchmarks.first_tries.texts import FOLDER, Text

LABELS, ANSWERS = FOLDER / "labels.tsv", FOLDER / "answers.tsv"
LABEL_COLUMNS = ("label", "direction", "text", "answer")
ANSWER_COLUMNS = ("direction", "text", "answer")
WORDS = {"acceptable": True, "not acceptable": False}
UNREAD = "?"  # in the place of a label

Key = tuple[str, str, str]  # direction, text, answer


@dataclass(frozen=True)
class Answer:
    text: Text
    answer: str

    @property
    def key(self) -> Key:
        return self.text.direction, self.text.text, self.answer


def read_labels(path: Path = LABELS) -> dict[Key, bool]:
    """Whether an answer is acceptable, for each that was read."""
    found: dict[Key, bool] = {}
    for number, (label, direction, text, answer) in enumerate(read_table(path, LABEL_COLUMNS), start=2):
        if label not in WORDS:
            raise DataError(f"{path}, line {number}: the label is {label!r}, expected {' or '.join(WORDS)}")
        if found.setdefault((direction, text, answer), WORDS[label]) != WORDS[label]:
            raise DataError(f"{path}, line {number}: {text!r} has both labels for the same answer")
    return found


def read_answers(texts: Sequence[Text], path: Path = ANSWERS) -> list[Answer]:
    """One for each text, in their order; an error where the table is of other texts."""
    found = {(direction, text): answer for direction, text, answer in read_table(path, ANSWER_COLUMNS)}
    if set(found) != {(one.direction, one.text) for one in texts}:
        raise DataError(f"{path} has answers to other texts than are tried: --model MODEL --write makes them anew")
    return [Answer(one, found[one.direction, one.text]) for one in texts]


def write_answers(answers: Iterable[Answer], path: Path = ANSWERS) -> None:
    write_table(path, ANSWER_COLUMNS, [one.key for one in answers])


def write_unread(answers: Iterable[Answer], labels: dict[Key, bool], path: Path) -> int:
    """The answers that nobody has read yet, as rows of labels.tsv with a question mark; how many they are.

    Their order is that of their hashes, so that nobody judges kind by kind. Without a line of column names the file can
    be appended to labels.tsv as it is, once it is filled in.
    """
    unread = {one.key for one in answers if one.key not in labels}
    ordered = sorted(unread, key=lambda key: hashlib.sha256("\t".join(key).encode()).digest())
    write_table(path, None, [(UNREAD, *key) for key in ordered])
    return len(ordered)


def read_table(path: Path, columns: Sequence[str]) -> list[list[str]]:
    head, *lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    if head.split("\t") != list(columns):
        raise DataError(f"{path}: the columns are {head!r}, expected {', '.join(columns)}")
    found = [line.split("\t") for line in lines]
    for number, row in enumerate(found, start=2):
        if len(row) != len(columns):
            raise DataError(f"{path}, line {number}: {len(row)} columns, expected {len(columns)}")
    return found


def write_table(path: Path, columns: Sequence[str] | None, lines: Iterable[Sequence[str]]) -> None:
    """An answer that has a tab or ends a line would break the table."""
    every = [*([columns] if columns else []), *lines]
    for row in every:
        if any(sign in cell for cell in row for sign in "\t\n"):
            raise DataError(f"{path}: a tab or an end of line in {row!r} cannot stand in a table")
    write_file(path, "".join("\t".join(row) + "\n" for row in every).encode())
