"""The words of a claim, in English and in Chinese.

Beside attention/l6_heads.py stand l6_heads.en.md and l6_heads.zh.md:

    # The claim, as the notes make it
    > [A12] The note's own sentence: verbatim in the Chinese file, translated in the English one.

    What is measured and how, with the equation.
    ## numbers
    | what it is | «name:.2f» |        a few rows; the first is the number that decides
    ## holds
    **The finding in a few words**

    Why, when the rule says so. «name» is the mean of that number, with its interval.
    ## does not hold
    ...
    ## picture
    What the picture shows.
    ## predict
    1. What would you expect?
    ## knobs
    - steps: what it means
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from attendo.errors import InputError
from attendo.lab.claim import Experiment, Numbers, Runs, Verdict
from attendo.lab.tools.measuring import interval, log_interval

Language = Literal["en", "zh"]
LAB = Path(__file__).parent.parent
SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
QUOTE = re.compile(r"^> \[([^\]]+)\] (.+)$")
FINDING = re.compile(r"^\*\*(.+?)\*\*(?:\n\s*\n|\Z)", re.DOTALL)
KNOB = re.compile(r"^- (\w+)[:：] *(.+)$", re.MULTILINE)
LINE_BREAK = re.compile(r"(\S)\n *(?=([^\s#|])(.?))")  # of a paragraph: the next line is no heading, no row of a table
HAN = re.compile("[\u4e00-\u9fff]")
CHINESE = re.compile("[\u2014\u2018-\u201d\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")  # with its signs
PLACEHOLDER = re.compile(r"«([\w{}]+)(~?)(?::([^»]*))?»")
END_OF_KNOB = re.compile(r"(\w+)_(least|most)")
# After a sentence, a paragraph, an item of a list, a row of a table.
PART_END = re.compile(r"((?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)\s+|(?<=[。！？])|\s*\n\s*\n|\n(?=- |\d\. |\|))")
OTHER_SECTIONS = ("numbers", "picture", "predict", "knobs")


@dataclass(frozen=True)
class Quote:
    place: str  # A12: line 12 of note A; or where else it comes from
    text: str


@dataclass(frozen=True)
class Reason:
    """For one verdict."""

    finding: str  # in a few words: the condition under which the claim holds, or what came out
    text: str


@dataclass(frozen=True)
class ClaimText:
    claim: str
    quotes: tuple[Quote, ...]
    method: str
    rows: tuple[tuple[str, str], ...]  # what a number is, and the number with its placeholders
    why: dict[Verdict, Reason]
    picture: str
    predict: str  # questions, as a list
    knobs: dict[str, str]  # name -> meaning


def read_text(experiment: Experiment, language: Language) -> ClaimText:
    path = LAB.joinpath(*experiment.module.split(".")[2:]).with_suffix(f".{language}.md")
    begin, *rest = SECTION.split(path.read_text(encoding="utf-8"))
    sections = {name.strip(): one_line_each(text) for name, text in zip(rest[::2], rest[1::2], strict=True)}
    claim, _, after = begin.strip().removeprefix("# ").partition("\n")
    quotes, method = split_quotes(after)
    verdicts = get_args(Verdict)
    unknown = sections.keys() - {*verdicts, *OTHER_SECTIONS}
    if unknown or not claim or not method or "picture" not in sections:
        raise InputError(f"{path}: expected '# claim', a text, verdicts and '## picture'; found {sorted(sections)}")
    why = {verdict: as_reason(sections[verdict]) for verdict in verdicts if verdict in sections}
    return ClaimText(
        claim.strip(), quotes, one_line_each(method), table_rows(sections.get("numbers", "")), why,
        sections["picture"], sections.get("predict", ""), dict(KNOB.findall(sections.get("knobs", ""))),
    )  # fmt: skip


def split_quotes(text: str) -> tuple[tuple[Quote, ...], str]:
    """The block quote at the top, and what follows it."""
    lines = text.strip().split("\n")
    quotes = []
    while lines and (found := QUOTE.match(lines[0])):
        quotes.append(Quote(found.group(1), found.group(2).strip()))
        del lines[0]
    return tuple(quotes), "\n".join(lines).strip()


def as_reason(section: str) -> Reason:
    found = FINDING.match(section)
    return Reason(found.group(1), section[found.end() :].strip()) if found else Reason("", section)


def table_rows(section: str) -> tuple[tuple[str, str], ...]:
    """| label | value | -> (label, value)"""
    cells = [[cell.strip() for cell in line.strip().strip("|").rsplit("|", 1)] for line in section.split("\n") if line]
    return tuple((label, value) for label, value in cells)


def one_line_each(paragraphs: str) -> str:
    """In Chinese a line break would be shown as a space, which belongs between a 字 and a Latin word alone."""

    def joint(line_break: re.Match[str]) -> str:
        before, after, next_one = line_break.groups()
        chinese = [bool(CHINESE.match(side)) for side in (before, after)]
        if not any(chinese) or after + next_one in ("- ", "1.", "2.", "3.", "4."):  # English, or an item of a list
            return line_break.group()
        return before if all(chinese) or not (HAN.match(before) or HAN.match(after)) else f"{before} "

    return LINE_BREAK.sub(joint, paragraphs.strip())


def fill_in(text: str, runs: Runs, turned: bool = False) -> str:
    """«error:.1e» -> 3.0e-16, and over several seeds the mean with its interval: 0.52 ± 0.03.

    «ratio~:.2f», a ratio or a loss whose logarithm is averaged: the geometric mean and its interval, 1.94 (1.78–2.11).
    «heads_most» is the largest value of the knob heads, «four_{heads_most}_right» the number with that in its name.
    `turned`: a knob has been turned, so a number may have another name or be none; sentences with it are left out.
    """
    if turned:
        text = told_by(text, runs)

    def value(match: re.Match[str]) -> str:
        name, logarithmic, form = match.group(1), match.group(2), match.group(3) or ".3g"
        values = [named(run, name) for run in runs]
        of_a_curve = [value for value in values if not isinstance(value, int | float)]
        if of_a_curve:
            raise InputError(f"«{name}» in a text is a row of numbers: expected one number")
        plain = [float(value) for value in values if isinstance(value, int | float)]
        if not all(map(math.isfinite, plain)):  # these have no interval
            return format(sum(plain) / len(plain), form)
        if logarithmic:
            mean, low, high = (format(one, form) for one in log_interval(plain))
            return mean if low == high else f"{mean} ({low}–{high})"
        around = interval(plain)
        number = format(around.mean, form)
        return number if around.half == 0 else f"{number} ± {format(around.half, form)}"

    return PLACEHOLDER.sub(value, text)


def named(run: Numbers, name: str) -> float | Sequence[float]:
    """A number of these, which must be there."""
    name = re.sub(r"\{(\w+)\}", lambda match: f"{named(run, match.group(1)):g}", name)
    if name not in run and (end := END_OF_KNOB.fullmatch(name)):
        values = run[end.group(1)]
        if isinstance(values, Sequence):
            return min(values) if end.group(2) == "least" else max(values)
    return run[name]


def filled_rows(text: ClaimText, runs: Runs, turned: bool = False) -> list[tuple[str, str]]:
    """`turned`: a knob has been turned; then the rows whose numbers are there."""
    rows = [row for row in text.rows if not turned or can_tell(" ".join(row), runs)]
    return [(fill_in(label, runs), fill_in(value, runs)) for label, value in rows]


def told_by(text: str, runs: Runs) -> str:
    """The text without the sentences that name numbers which these runs do not have."""
    pieces = PART_END.split(text)  # sentence, what stands after it, sentence, ...
    kept = ""
    for part, after in zip(pieces[::2], [*pieces[1::2], ""], strict=True):
        if can_tell(part, runs):
            kept += part + after
        elif after.count("\n") > 1:  # the last of a paragraph
            kept = kept.rstrip() + after
    return kept.strip()


def can_tell(text: str, runs: Runs) -> bool:
    """Whether all numbers that it names are there, and are numbers: of nothing there is no mean."""
    names = {match.group(1) for match in PLACEHOLDER.finditer(text)}
    try:
        values = [named(run, name) for name in names for run in runs]
    except LookupError:
        return False
    return all(isinstance(value, int | float) and math.isfinite(value) for value in values)
