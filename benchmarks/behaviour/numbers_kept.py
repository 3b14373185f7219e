"""Are the numbers of a source in its answer? First digit by digit, then by what they say.

Digit by digit, every run of digits must be there; thousands separators and the decimal comma or point are not looked
at, so 1,234.5 and 1.234,5 are the same. But a good translator also says December for 12月, 52,000 for 5.2万 and 3:30 pm
for 15.30 Uhr: so a number that is not there in its digits may be there by its value.
"""

import re

from attendo.text.numbers import Number, numbers_of, values_of, western

SEPARATOR = re.compile(r"(?<=\d)[.,](?=\d)|(?<=\d)[ '’\u00a0\u202f\u2009](?=\d{3}(?!\d))")
RUN = re.compile(r"[0-9]+")
TIME = re.compile(
    r"(\d{1,2})[:：](\d\d)(?!\d)|(\d{1,2})\.(\d\d)(?= Uhr)|(\d{1,2})(?=\s?Uhr|\s?[ap]\.?m\b)"
    r"|(\d{1,2})[点點](?:(\d{1,2})分)?"
)
# On the way to the next hour: halb acht, ten to eight, 差十分八点.
TOWARDS = re.compile(r"\b(?:halb|vor|to)\b|差", re.IGNORECASE)


def runs_of_digits(text: str) -> list[str]:
    """1,234.5 kg in 2 boxes -> 12345, 2. Chinese numerals are no digits; ３ is 3."""
    return RUN.findall(SEPARATOR.sub("", "".join(map(western, text))))


def lost_runs(source: str, answer: str) -> list[str]:
    """Runs of digits that the answer does not have, as digits."""
    there = set(runs_of_digits(answer))
    return [run for run in dict.fromkeys(runs_of_digits(source)) if run not in there]


def lost_numbers(source: str, answer: str, target: str) -> list[str]:
    """Numbers that are there neither in their digits nor by their value; `target` is the language of the answer.

    Where a scale is beside them the digits do not count: 5.2 million is not 5.2万.
    """
    values = values_of(answer, target)
    if not lost_runs(source, answer):
        return [one.text for number in numbers_of(source) if (one := number.scaled) and values.isdisjoint(one.readings)]
    times = [match for match in TIME.finditer(source) if not is_told(match, answer, values)]
    numbers = [number for number in numbers_of(TIME.sub(" ", source)) if not is_stated(number.asked_for, values)]
    return [*(match.group() for match in times), *(number.text for number in numbers)]


def is_stated(number: Number, values: set[str]) -> bool:
    """As one number, or part by part: 24.12.2025 is 24 and 12 (or December) and 2025."""
    return not values.isdisjoint(number.readings) or (len(number.parts) > 1 and values.issuperset(number.parts))


def is_told(time: re.Match[str], answer: str, values: set[str]) -> bool:
    """By twelve hours or by twenty-four; minutes that are 0 need not be said."""
    hour, *rest = (int(part) for part in time.groups() if part)
    minute = rest[0] if rest else 0
    ways = [(hour, minute)]
    if minute and TOWARDS.search(answer):
        ways.append((hour + 1, 60 - minute))
    return any(
        any(str(same) in values for same in (hour, hour + 12, hour - 12)) and (not minute or str(minute) in values)
        for hour, minute in ways
    )
