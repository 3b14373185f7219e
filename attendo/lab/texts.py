"""The words of a claim, in English and in Chinese.

Beside attention/scale.py stand scale.en.md and scale.zh.md:

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
from attendo.lab.statistics import interval

Language = Literal["en", "zh"]
LAB = Path(__file__).parent
SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
CHINESE_LINE_END = re.compile("(?<=[\u2014-\uffef])\n(?=[^\n#|])|(?<=[^\n])\n(?=[\u2014-\uffef])")
PLACE = re.compile(r"«(\w+)(?::([^»]*))?»")


@dataclass(frozen=True)
class Text:
    claim: str
    method: str
    picture: str
    why: dict[Verdict, str]


def read_text(experiment: Experiment, language: Language) -> Text:
    path = LAB.joinpath(*experiment.module.split(".")[2:]).with_suffix(f".{language}.md")
    begin, *rest = SECTION.split(path.read_text(encoding="utf-8"))
    sections = {name.strip(): one_line_each(text) for name, text in zip(rest[::2], rest[1::2], strict=True)}
    claim, _, method = begin.strip().removeprefix("# ").partition("\n")
    verdicts = get_args(Verdict)
    unknown = sections.keys() - {*verdicts, "picture"}
    if unknown or not claim or not method.strip() or "picture" not in sections:
        raise InputError(f"{path}: expected '# claim', a text, verdicts and '## picture'; found {sorted(sections)}")
    why = {verdict: sections[verdict] for verdict in verdicts if verdict in sections}
    return Text(claim.strip(), one_line_each(method), sections["picture"], why)


def one_line_each(paragraphs: str) -> str:
    """In Chinese a line break inside a paragraph would be shown as a space."""
    return CHINESE_LINE_END.sub("", paragraphs.strip())


def filled(text: str, runs: Runs) -> str:
    """«error:.1e» -> 3.0e-16, and over several seeds the mean with its interval: 0.52 ± 0.03."""

    def value(place: re.Match[str]) -> str:
        name, form = place.group(1), place.group(2) or ".3g"
        values = [run[name] for run in runs]
        of_a_curve = [value for value in values if not isinstance(value, int | float)]
        if of_a_curve:
            raise InputError(f"«{name}» in a text is a row of numbers: expected one number")
        around = interval([float(value) for value in values if isinstance(value, int | float)])
        shown = format(around.mean, form)
        return shown if around.half == 0 else f"{shown} ± {format(around.half, form)}"

    return PLACE.sub(value, text)
