"""A step as it is written: its code once, cut into cells, and its prose twice, in English and in Chinese.

    docs/ten-steps/source/03-one-head.py       # %% NAME begins a cell; # %% NAME (kept) one that later steps use
    docs/ten-steps/source/03-one-head.en.md    {{NAME}} on a line of its own: here stands that cell, with its output
    docs/ten-steps/source/03-one-head.zh.md    {{so far}}: the set-up and all kept cells of the steps before

Between <details> and </details> stands the answer to an exercise. A kept cell takes the place of an earlier one of the
same name.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from attendo.report.language import LANGUAGES, Language
from benchmarks.machine import ROOT

FOLDER = ROOT / "docs" / "ten-steps"
SOURCE = FOLDER / "source"
SET_UP = "00-set-up"
SO_FAR = "so far"
CELL = re.compile(r"^# %% ([\w ]+?)( \(kept\))?\n", flags=re.MULTILINE)
PLACE = re.compile(r"^\{\{([\w ]+)\}\}$")


@dataclass(frozen=True)
class CodeCell:
    """Where it stands in a page: here is this cell."""

    name: str


@dataclass(frozen=True)
class FoldedAnswer:
    """The answer to an exercise: texts and cells, shown when they are asked for. `heading` is the <summary>."""

    heading: str
    parts: tuple["str | CodeCell", ...]


Part = str | CodeCell | FoldedAnswer


@dataclass(frozen=True)
class TenStep:
    file: str  # 03-one-head
    cells: Mapping[str, str]  # by their names, in the order in which they run; "so far" is the first
    kept: Mapping[str, str]  # the machine after this step: the kept cells of all steps up to here
    prose: Mapping[Language, tuple[Part, ...]]

    @property
    def number(self) -> int:
        return int(self.file[:2])

    def title(self, language: Language) -> str:
        first = self.prose[language][0]
        assert isinstance(first, str)
        return first.partition("\n")[0].removeprefix("# ")


def read_steps(folder: Path = SOURCE) -> list[TenStep]:
    """All of them, in order; each begins with what those before it have kept."""
    cells, kept = read_cells(folder / f"{SET_UP}.py")
    drawing = {name: code for name, code in cells.items() if name not in kept}
    steps = []
    for path in sorted(folder.glob("[0-9][0-9]-*.py")):
        if path.stem == SET_UP:
            continue
        so_far = joined([*kept.values(), *drawing.values()])
        cells, now_kept = read_cells(path)
        kept = {**kept, **now_kept}
        prose = {language: read_prose(folder / f"{path.stem}.{language}.md") for language in LANGUAGES}
        step = TenStep(path.stem, {SO_FAR: so_far, **cells}, dict(kept), prose)
        check_places(step)
        steps.append(step)
    return steps


def read_cells(path: Path) -> tuple[dict[str, str], dict[str, str]]:
    """The cells of a file, and those of them that are kept."""
    _, *found = CELL.split(path.read_text(encoding="utf-8"))
    names, marks, codes = found[0::3], found[1::3], [code.strip() for code in found[2::3]]
    if len(set(names)) < len(names):
        raise SystemExit(f"{path}: two cells have the same name")
    cells = dict(zip(names, codes, strict=True))
    return cells, {name: cells[name] for name, mark in zip(names, marks, strict=True) if mark}


def read_prose(path: Path) -> tuple[Part, ...]:
    text = path.read_text(encoding="utf-8")
    parts: list[Part] = []
    for index, block in enumerate(re.split(r"^</?details>$", text, flags=re.MULTILINE)):
        if index % 2 == 0:
            parts += texts_and_cells(block)
        else:
            heading, _, rest = block.strip().partition("\n")
            heading = heading.removeprefix("<summary>").removesuffix("</summary>")
            parts.append(FoldedAnswer(heading, tuple(texts_and_cells(rest))))
    return tuple(parts)


def texts_and_cells(block: str) -> list[str | CodeCell]:
    parts: list[str | CodeCell] = []
    lines: list[str] = []
    for line in [*block.split("\n"), None]:
        place = PLACE.match(line) if line is not None else None
        if line is None or place:
            if words := "\n".join(lines).strip():
                parts.append(words)
            lines = []
        else:
            lines.append(line)
        if place:
            parts.append(CodeCell(place[1]))
    return parts


def places(parts: Sequence[Part]) -> list[str]:
    names = []
    for part in parts:
        if isinstance(part, CodeCell):
            names.append(part.name)
        elif isinstance(part, FoldedAnswer):
            names += places(part.parts)
    return names


def check_places(step: TenStep) -> None:
    """A reader who goes from top to bottom runs every cell once, in the order in which we ran them."""
    for language, parts in step.prose.items():
        if (found := places(parts)) != list(step.cells):
            raise SystemExit(f"{step.file}.{language}.md shows the cells {found}: expected {list(step.cells)}")


def joined(codes: Sequence[str]) -> str:
    """Cells one after the other, as one file."""
    return "\n\n\n".join(codes)


def whole_machine(steps: Sequence[TenStep]) -> str:
    """All that is kept after the last step: the Transformer that the reader has written."""
    heading = '"""The Transformer that the ten steps write, whole. Made by `python -m benchmarks.ten_steps`."""\n\n'
    return heading + joined(list(steps[-1].kept.values())) + "\n"
