"""The page: how it was made, the counts beside their goals, and every answer."""

import re
import statistics
from collections.abc import Sequence

from benchmarks.behaviour.counts import COUNTS
from benchmarks.behaviour.inputs import DIRECTIONS, Input
from benchmarks.behaviour.judgement import LONGEST, Judgement

LANGUAGES = {"zh": "Chinese", "en": "English", "de": "German"}
MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~$&])")

ABOUT = """\
How a model answers to what corpora have little of: single words, names, numbers, prices, emoji, code, nonsense, nothing
at all. The inputs were written by hand and stand in [benchmarks/behaviour](../benchmarks/behaviour/inputs.py); none is
made by the generator whose text the default model learns from, and a test checks it."""

MEANING = """\
- *Loops in what the model said first* are those that attendo's guard found; it decodes such a sentence again. *Loops in
  the answers* are looked for by other rules: up to 8 words, or 2 to 16 characters, four or more times in a row, where
  the source does not do so.
- *Too long* is an answer of more characters than {bounds}. Of 47,010 translations by people 9 are longer, all from
  Chinese.
- *Lost at first*: a number, address or emoji was missing in what the model said first, and attendo found an answer
  with it (or with more of them) in a wider beam.
- *Numbers kept*: of the inputs with digits, how many have all of their numbers in the answer. A number may change its
  form: 1.234,5 for 1,234.5, December for 12月, 3:30 pm for 15.30 Uhr, 52,000 for 5.2万, two for 2. *Digit by digit*
  nothing but the separators may change; a good translation need not have all.
- *Milliseconds a sentence*: one input a call, on one thread, the median of those on which the model was asked;
  punctuation, emoji and addresses alone never reach it."""


def page(judgements: Sequence[Judgement], made: Sequence[str]) -> str:
    """`made` are the lines that say how."""
    lines = ["# Short and odd input", "", ABOUT, "", *(f"*{escaped(line)}*  " for line in made), ""]
    lines += ["## Counts", "", *counts_table(judgements), "", MEANING.format(bounds=bounds())]
    for source, target in DIRECTIONS:
        if of_direction := [one for one in judgements if (one.input.source, one.input.target) == (source, target)]:
            lines += ["", f"## {LANGUAGES[source]} to {LANGUAGES[target]}", ""]
            lines += ["| kind | input | answer | remarks |", "|---|---|---|---|", *map(row, of_direction)]
    return "\n".join(lines) + "\n"


def counts_table(judgements: Sequence[Judgement]) -> list[str]:
    directions = list(dict.fromkeys((one.input.source, one.input.target) for one in judgements))
    groups = [[one for one in judgements if (one.input.source, one.input.target) == each] for each in directions]
    groups.append(list(judgements))
    lines = [
        f"| | {' | '.join('-'.join(each) for each in directions)} | all | goal |",
        f"|---|{'---:|' * len(groups)}---:|",
        f"| inputs | {' | '.join(str(len(group)) for group in groups)} | |",
    ]
    for count in COUNTS:
        goal = f"{count.goal}{', missed' * count.is_missed(judgements)}"
        lines.append(f"| {count.name} | {' | '.join(count.shown(group) for group in groups)} | {goal} |")
    lines.append(f"| milliseconds a sentence | {' | '.join(map(speed, groups))} | |")
    return lines


def speed(judgements: Sequence[Judgement]) -> str:
    took = [one.milliseconds for one in judgements if one.milliseconds is not None]
    return f"{statistics.median(took):.0f}" if took else ""


def bounds() -> str:
    """6 × source + 32 from Chinese to English, …"""
    return ", ".join(
        f"{times} × source + {more} from {LANGUAGES[source]} to {LANGUAGES[target]}"
        for (source, target), (times, more) in LONGEST.items()
    )


def row(one: Judgement) -> str:
    remarks = escaped("; ".join(one.remarks))
    return f"| {one.input.kind} | {cell(one.input)} | {escaped(visible(one.answer))} | {remarks} |"


def cell(asked: Input) -> str:
    return escaped(visible(asked.text))


def visible(text: str) -> str:
    """Nothing at all stays so; spaces alone become signs."""
    return text if text.strip() else re.sub(r"\s", "␣", text)


def escaped(text: str) -> str:
    r"""As it is to be read: a | b -> a \| b. The end of a line within a cell is <br>."""
    return "<br>".join(MARKUP.sub(r"\\\1", text).removesuffix("\n").split("\n"))
