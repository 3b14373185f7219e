"""Knobs that are turned: values near the smallest size of a claim, where a run takes no time; and all made of it."""

import math
from typing import get_args

from attendo.cli.lab_results import in_words, table
from attendo.errors import UsageError
from attendo.lab.claim import Verdict
from attendo.lab.page import page
from attendo.lab.report import front, picture
from attendo.lab.run import Wanted, run_experiment
from attendo.lab.verdicts import in_language


def other_values(knob):
    """As a user would type them. Of a list: one more element, one alone, the other way round, one twice."""
    now = knob.values["small"]
    least = math.ceil(knob.least) if knob.whole else knob.least
    if knob.several:
        found = [(*now, twice(max(now), knob)), now[:1], now[::-1], (now[0], now[0]), (least,)]
    else:
        found = [twice(now, knob), least]
    return [typed(value) for value in dict.fromkeys(found) if value != now]


def twice(value, knob):
    """Twice as much, or half where that is too much: what a width is split over divides it still."""
    if 2 * value <= knob.most:
        return 2 * value
    return value // 2 if knob.whole else value / 2


def typed(value):
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def turn(experiment, knob, value, drawn=("en", "zh")):
    """Measure, judge, draw, and write all words in both languages; False where the value is refused in one line."""
    try:
        result = run_experiment(experiment, Wanted("small", turned={knob.name: value}))
    except UsageError as error:
        refused = str(error)
        if " cannot be: " not in refused or "\n" in refused:
            raise
        return False
    assert result.verdict in get_args(Verdict)
    for language in drawn:
        assert picture(result, language).startswith(b"\x89PNG")
    for language in ("en", "zh"):
        tr = in_language(language)
        words = in_words(result, table(result, language), tr)
        for text in (page(result, language), front([result], language), words):
            assert "«" not in text
            assert f"{knob.name} = {value}" in text
    return True
