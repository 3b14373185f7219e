"""The words of a claim, in English and in Chinese.

Beside attention/l5_scale.py stand l5_scale.en.md and l5_scale.zh.md:

    # The claim, as the notes make it
    What is measured and how, with the equation.
    ## holds
    Why, when the rule says so. «name» is the mean of that number, with its interval.
    ## does not hold
    ...
    ## picture
    What the picture shows.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from attendo.errors import InputError
from attendo.lab.claim import Experiment, Runs, Verdict
from attendo.lab.tools.measuring import interval

Language = Literal["en", "zh"]
LAB = Path(__file__).parent.parent
SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
LINE_BREAK = re.compile(r"(\S)\n *(?=([^\s#|])(.?))")  # of a paragraph: the next line is no heading, no row of a table
HAN = re.compile("[\u4e00-\u9fff]")
CHINESE = re.compile("[\u2014\u2018-\u201d\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")  # with its signs
PLACEHOLDER = re.compile(r"«(\w+)(?::([^»]*))?»")


@dataclass(frozen=True)
class ClaimText:
    claim: str
    method: str
    picture: str
    why: dict[Verdict, str]


def read_text(experiment: Experiment, language: Language) -> ClaimText:
    path = LAB.joinpath(*experiment.module.split(".")[2:]).with_suffix(f".{language}.md")
    begin, *rest = SECTION.split(path.read_text(encoding="utf-8"))
    sections = {name.strip(): one_line_each(text) for name, text in zip(rest[::2], rest[1::2], strict=True)}
    claim, _, method = begin.strip().removeprefix("# ").partition("\n")
    verdicts = get_args(Verdict)
    unknown = sections.keys() - {*verdicts, "picture"}
    if unknown or not claim or not method.strip() or "picture" not in sections:
        raise InputError(f"{path}: expected '# claim', a text, verdicts and '## picture'; found {sorted(sections)}")
    why = {verdict: sections[verdict] for verdict in verdicts if verdict in sections}
    return ClaimText(claim.strip(), one_line_each(method), sections["picture"], why)


def one_line_each(paragraphs: str) -> str:
    """In Chinese a line break would be shown as a space, which belongs between a 字 and a Latin word alone."""

    def joint(line_break: re.Match[str]) -> str:
        before, after, next_one = line_break.groups()
        chinese = [bool(CHINESE.match(side)) for side in (before, after)]
        if not any(chinese) or after + next_one == "- ":  # English, or an item of a list
            return line_break.group()
        return before if all(chinese) or not (HAN.match(before) or HAN.match(after)) else f"{before} "

    return LINE_BREAK.sub(joint, paragraphs.strip())


def fill_in(text: str, runs: Runs) -> str:
    """«error:.1e» -> 3.0e-16, and over several seeds the mean with its interval: 0.52 ± 0.03."""

    def value(match: re.Match[str]) -> str:
        name, form = match.group(1), match.group(2) or ".3g"
        values = [run[name] for run in runs]
        of_a_curve = [value for value in values if not isinstance(value, int | float)]
        if of_a_curve:
            raise InputError(f"«{name}» in a text is a row of numbers: expected one number")
        around = interval([float(value) for value in values if isinstance(value, int | float)])
        number = format(around.mean, form)
        return number if around.half == 0 else f"{number} ± {format(around.half, form)}"

    return PLACEHOLDER.sub(value, text)
