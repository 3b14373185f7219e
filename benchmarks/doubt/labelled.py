"""Answers that a reader of both languages has labelled.

The sentences were written for this table and stand in no corpus: five kinds of text (product, news, talk, manual,
letter), one word to forty, 110 of each direction. Each answer is the default model's, by the fast engine with beam 4,
and was labelled without sight of its score: `good`, where a reader understands the meaning and is not misled, however
clumsy the words; `bad`, where the meaning is another, something that matters is missing, or it is nonsense. Every
second row is for finding the thresholds, the others for measuring them.
"""

from dataclasses import dataclass
from pathlib import Path

from attendo.errors import DataError

COLUMNS = ["part", "direction", "kind", "label", "source", "translation"]
TABLE = Path(__file__).with_name("labelled.tsv")


@dataclass(frozen=True)
class LabelledAnswer:
    calibrates: bool  # else it is held out
    direction: tuple[str, str]
    kind: str
    bad: bool
    source: str
    translation: str


def read_labelled(path: Path = TABLE) -> list[LabelledAnswer]:
    head, *lines = path.read_text(encoding="utf-8").rstrip("\n").split("\n")
    if head.split("\t") != COLUMNS:
        raise DataError(f"{path}: the columns are {head!r}, expected {', '.join(COLUMNS)}")
    found = []
    for number, line in enumerate(lines, start=2):
        match line.split("\t"):
            case [("calibrate" | "held out") as part, direction, kind, ("good" | "bad") as label, source, translation]:
                one, other = direction.split("-")
                found.append(
                    LabelledAnswer(part == "calibrate", (one, other), kind, label == "bad", source, translation)
                )
            case _:
                raise DataError(f"{path}, line {number}: no labelled answer")
    return found
