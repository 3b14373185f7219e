"""What can be wrong with a translation: it is empty, repeats itself, does not end, lacks something of the source, or
has letters that nobody asked for.

Only decisions are made here, from ids and texts; what is done about them is in retries.py.

A translator may write 1.234,5 for 1,234.5, twelve for 12 and 7 for 19 o'clock, so only what is answered in no way we
know counts as missing: of numbers, addresses, emoji, placeholders, tags and identifiers. Numbers and emoji are asked
for once, all else as often as it comes.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import eq
from typing import Literal, NamedTuple

from attendo.decoding.hypothesis import Hypothesis
from attendo.engines.engine import Request
from attendo.text.number_words import CHINESE
from attendo.text.numbers import missing_numbers
from attendo.text.scripts import HAN, HANGUL, KANA
from attendo.text.verbatim import AFTER, BEFORE, SIGN, TAG, VerbatimKind, find_verbatim, without_verbatim
from attendo.text.written_language import script_of_language


class Thresholds:
    """So often must a unit of that many tokens, or characters, come in a row: (longest unit, times).

    `fewest` pairs of neighbours must have come before, even in the least repetition: all rounds but the first.
    ((1, 8), (4, 5)): 7 of a unit of one, 8 of a unit of two  ->  7
    """

    def __init__(self, *steps: tuple[int, int]) -> None:
        self.steps = steps
        shortest = (1, *(longest + 1 for longest, _ in steps))
        self.fewest = min(unit * (times - 1) for unit, (_, times) in zip(shortest, steps, strict=False))


# People repeat short things, "no, no, no, no", and rarely say a long one three times.
TIMES_OF_TOKENS = Thresholds((1, 8), (4, 5), (8, 4), (40, 3))
LONGEST_UNIT = 80
TIMES_OF_CHARACTERS = Thresholds((1, 12), (3, 8), (7, 5), (15, 4), (LONGEST_UNIT, 3))
TIMES_OF_A_WORD = Thresholds((1, 5))  # of two letters or more: nobody does so in 480,000 translations of our corpora
TWICE = {longest_unit: Thresholds((longest_unit, 2)) for longest_unit in (4, 8, 16)}
STRETCH = 6  # characters; see comes_again
WORD = re.compile(r"[^\W\d_]+")
ASCII_WORD = re.compile("[a-z]+")  # the same of a text in lower case and ASCII, in half the time
# Beside a source that repeats itself so often as `times`, a translation may do so 1.25 * times + 2 times.
MORE_THAN_SOURCE = (1.25, 2)

STRANGE = re.compile(
    f"[{HAN}{KANA}{HANGUL}\u0370-\u052f\u0590-\u06ff\u0900-\u0dff\u0e00-\u0eff]{{2,}}|[{HAN}{KANA}{HANGUL}]"
)
ATTRIBUTE = re.compile(r"([\w:-]{1,60})\s{0,3}=")
AFTER_NAME = r"(?![A-Za-z0-9_])"  # %s is not %sd

MissKind = VerbatimKind | Literal["number", "emoji", "term"]

PICTURES = (
    "\u231a\u231b\u23e9-\u23f3\u25fd\u25fe\u2600-\u2668\u2670-\u27bf\u2b50\u2b55"
    "\U0001f300-\U0001f3fa\U0001f400-\U0001faff"
)
PICTURE = f"[{PICTURES}]"
EMOJI = re.compile(f"[\U0001f1e6-\U0001f1ff]{{2}}|{PICTURE}(?:\ufe0f?[\U0001f3fb-\U0001f3ff]?\u200d{PICTURE})*")
# Numerals in a row, flags, pictures, none of them ASCII; whatever else can be lost has a sign of verbatim.py.
MORE_SIGNS = re.compile(rf"[\d\U0001f1e6-\U0001f1ff{PICTURES}]|[{CHINESE}]{{2}}")


class DecodingProblem(NamedTuple):
    """Why an answer is none: an engine gave nothing, or the decoder ran wild."""

    kind: Literal["empty", "repetition", "endless"]
    times: int = 0  # of the repetition, if there is one
    longest: int = 0  # tokens that it had and did not end within


def find_problem(hypothesis: Hypothesis | None, text: str, request: Request) -> DecodingProblem | None:
    """What is wrong with an answer whose tokens spell `text`; None if nothing is."""
    if hypothesis is None:
        return DecodingProblem("empty")
    ids = hypothesis.ids[:-1] if hypothesis.ended else hypothesis.ids
    found = find_repetition(ids, request.ids[1:-1]) or find_loop(text, request.text)
    times = found.times if found else 0
    if not text:
        return DecodingProblem("empty", times)
    if found:
        return DecodingProblem("repetition", times)
    return None if hypothesis.ended else DecodingProblem("endless", longest=request.max_length)


@dataclass(frozen=True)
class Repetition:
    """x[start : start + period] comes `times` times in a row (the last may be broken off)."""

    start: int
    period: int
    times: int

    @property
    def end(self) -> int:
        return self.start + self.period * self.times


def find_repetition(output: Sequence[int] | str, source: Sequence[int] | str | None = None) -> Repetition | None:
    """The longest in ids or in a text, anywhere in it; None if there is none, or the source repeats itself as often.

    Of a unit the shortest form is found: "ha ha ha ha " has period 3.
    """
    if isinstance(output, str):
        loops = repetitions(output, TIMES_OF_CHARACTERS) if comes_again(output) else []
    else:
        loops = repetitions(output, TIMES_OF_TOKENS)
    if not loops:
        return None
    times = times_repeated(source) if source else 1
    # What comes twice, such as 缓缓 or the l of "all", is no habit of the source.
    allowed = MORE_THAN_SOURCE[0] * times + MORE_THAN_SOURCE[1] if times > 2 else 0
    loops = [loop for loop in loops if loop.times > allowed]
    return max(loops, key=lambda loop: (loop.end - loop.start, -loop.period), default=None)


def find_loop(text: str, source: str) -> Repetition | None:
    """In a text: of characters, or of a word that comes again and again, whatever stands between: to to to to to."""
    if found := find_repetition(text, source):
        return found
    folded = text.casefold()
    words = (ASCII_WORD if folded.isascii() else WORD).findall(folded)
    if len(words) - len(set(words)) < TIMES_OF_A_WORD.fewest:
        return None
    loops = [loop for loop in repetitions(words, TIMES_OF_A_WORD) if len(words[loop.start]) > 1]
    if not loops:
        return None
    in_source = repetitions(WORD.findall(source.casefold()), TWICE[4])
    times = max(times_repeated(source), *(loop.times for loop in in_source), 1)
    allowed = MORE_THAN_SOURCE[0] * times + MORE_THAN_SOURCE[1] if times > 2 else 0
    return next((loop for loop in loops if loop.times > allowed), None)


def comes_again(text: str) -> bool:
    """A quick look that spares most texts the rest: some of its characters, taken at equal distances, come again later.

    In a loop of TIMES_OF_CHARACTERS at least 11 characters in a row do, wherever it begins: 6 of them begin at a
    multiple of 6.
    """
    for at in range(0, len(text) - STRETCH, STRETCH):  # `any` would take half as long again
        if text.find(text[at : at + STRETCH], at + 1, at + STRETCH + LONGEST_UNIT) >= 0:
            return True
    return False


def times_repeated(text: Sequence[int] | str) -> int:
    """How often the most repeated unit of a text comes in a row; 1 if nothing is repeated."""
    return max((loop.times for loop in repetitions(text, TWICE[16 if isinstance(text, str) else 8])), default=1)


def repetitions(x: Sequence[int] | Sequence[str], thresholds: Thresholds) -> list[Repetition]:
    """For each period the longest stretch in which x equals itself moved by the period, where it is long enough."""
    found: list[Repetition] = []
    if len(x) - len(set(x)) + 1 < thresholds.fewest:  # of different pairs there are as many as elements, less one
        return found
    seen_before = len(x) - len(set(pairwise(x)))  # a repetition has no more different pairs than its unit has elements
    if seen_before < thresholds.fewest:
        return found
    shortest = 1
    for longest, times in thresholds.steps:
        # All rounds must find room, and all but the first were seen before.
        for period in range(shortest, min(longest, len(x) // times, seen_before // (times - 1)) + 1):
            # One byte an element, 1 where x[i] == x[i + period]: the runs of ones are found at the speed of C.
            same = bytes(map(eq, x[period:], x))
            if (run := longest_run(same, period * (times - 1))) is not None:
                start, length = run
                found.append(Repetition(start, period, length // period + 1))
        shortest = longest + 1
    return found


def longest_run(same: bytes, at_least: int) -> tuple[int, int] | None:
    """Where the longest run of ones begins, and its length, if it has `at_least` so many."""
    best: tuple[int, int] | None = None
    start = same.find(b"\1" * at_least)
    while start >= 0:
        end = same.find(b"\0", start)
        end = len(same) if end < 0 else end
        if best is None or end - start > best[1]:
            best = start, end - start
        start = same.find(b"\1" * at_least, end)
    return best


@dataclass(frozen=True)
class Miss:
    """Something of the source that its translation lacks, as the source has it."""

    kind: MissKind
    text: str


def strange_letters(source: str, translation: str, target_language: str) -> tuple[str, ...]:
    """Letters that neither the source nor the target's script has: "Green tea contains 咖啡"."""
    if translation.isascii() or script_of_language(target_language) != "Latin":
        return ()
    found = STRANGE.findall(translation)
    return tuple([letters for letters in dict.fromkeys(found) if not set(letters) <= set(source)])


def missing(source: str, translation: str, source_language: str, target_language: str) -> list[Miss]:
    """All misses, numbers first; none if all is kept."""
    if not (SIGN.search(source) or (not source.isascii() and MORE_SIGNS.search(source))):
        return []  # most sentences have nothing to lose, and need no more than this look
    numbers = missing_numbers(without_verbatim(source), translation, source_language, target_language)
    found = [Miss("number", number) for number in numbers]
    asked = Counter((kind, source[start:end]) for start, end, kind in find_verbatim(source))
    for (kind, text), times in asked.items():
        if times_said(text, kind, translation) < times:
            found.append(Miss(kind, text))
    found += [Miss("emoji", emoji) for emoji in dict.fromkeys(EMOJI.findall(source)) if emoji not in translation]
    return found


def times_said(text: str, kind: VerbatimKind, translation: str) -> int:
    """How often a translation has it, exactly and not as a part of something longer; addresses in any case."""
    if kind == "tag" and (tag := TAG.fullmatch(text)):
        return sum(shape(other) == shape(tag) for other in TAG.finditer(translation))
    if kind in ("tag", "message") or text[0] == "`":  # quoted, it ends wherever it stands
        return translation.count(text)
    if kind == "placeholder":
        return len(re.findall(re.escape(text) + (AFTER_NAME if text[-1].isalnum() else ""), translation))
    if kind == "url":
        return len(re.findall(re.escape(text.rstrip("/")), translation, re.IGNORECASE))
    flags = re.IGNORECASE if kind == "email" else 0
    return len(re.findall(f"{BEFORE}{re.escape(text)}{AFTER}", translation, flags))


def shape(tag: re.Match[str]) -> tuple[str, list[str]]:
    """By which a tag is known: its name, and those of its attributes; what they say may be translated."""
    return tag.group(1).lower(), sorted(ATTRIBUTE.findall(tag.group()))
