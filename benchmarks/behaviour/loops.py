"""Does an answer go round in circles? Told from the texts alone, and not by the rules of attendo's own guard."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

WORD = re.compile(r"\w+")
MOST_WORDS, FEWEST_CHARACTERS, MOST_CHARACTERS = 8, 2, 16  # of what is repeated
TIMES = 4  # in a row are a loop


@dataclass(frozen=True)
class Repetition:
    unit: str
    times: int


def find_loop(answer: str, source: str) -> Repetition | None:
    """What is said four or more times in a row, and is not so in the source.

    A source that does so itself ("no no no no", 哈哈哈哈) excuses an answer that does it at most twice as often.
    """
    found = most_repeated(answer, FEWEST_CHARACTERS)
    if found is None or found.times < TIMES:
        return None
    in_source = most_repeated(source, fewest_characters=1)
    excused = 2 * in_source.times if in_source and in_source.times >= TIMES else 0
    return found if found.times > excused else None


def most_repeated(text: str, fewest_characters: int) -> Repetition | None:
    """Of words, whatever stands between them, and of characters; None if nothing comes twice in a row."""
    spaced = " ".join(text.casefold().split())
    found = [
        *repetitions(WORD.findall(spaced), range(1, MOST_WORDS + 1), " "),
        *repetitions(spaced, range(fewest_characters, MOST_CHARACTERS + 1), ""),
    ]
    return max(found, key=lambda repetition: repetition.times, default=None)


def repetitions(x: Sequence[str], lengths: Iterable[int], between: str) -> list[Repetition]:
    """For each length of a unit the longest run in which x equals itself moved by that length."""
    found: list[Repetition] = []
    for length in lengths:
        run = longest = end = 0
        for index in range(length, len(x)):
            run = run + 1 if x[index] == x[index - length] else 0
            if run > longest:
                longest, end = run, index + 1
        if longest >= length:
            found.append(Repetition(between.join(x[end - length : end]), longest // length + 1))
    return found
