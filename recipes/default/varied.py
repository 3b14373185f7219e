"""The teacher's everyday pairs once more: as people type, shout, with emoji, and with other numbers.

made_up.py has all the odd things, but few words; here the words are those of real sentences. A pair goes one way: its
source is as people type, its target as it should be.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

from recipes.default.distil import Pair, everyday_pairs
from recipes.default.made_up_kinds.copies import emoji
from recipes.default.made_up_kinds.roughness import rough
from recipes.default.made_up_kinds.shouting import shout
from recipes.default.made_up_kinds.trilingual import STOPS

NUMBER = re.compile(r"\d+")
ORDINAL = re.compile(r"\d(?:st|nd|rd|th)\b")
# A number stays among its like, so that a day stays a day and an hour an hour; 1 stays, for what it counts is singular.
LIKE = (range(2, 13), range(13, 32), range(32, 60), range(60, 100), range(1_800, 2_100))
LONGEST_NUMBER = 9  # digits


def vary(pairs: Sequence[Pair], languages: tuple[str, str], seed: int) -> Iterator[Pair]:
    """Each pair once, in one way: numbers where it has some, else what the dice say."""
    rng = Random(f"{'-'.join(languages)}/{seed}")
    for source, target in rng.sample(pairs, len(pairs)):
        if other := renumber(rng, source, target):
            yield other
            continue
        way = rng.random()
        if way < 0.75:
            yield rough(rng, source), target
        elif way < 0.9:
            loud_source, loud_target = shout(rng, (source, target), languages)
            yield loud_source, loud_target
        else:
            yield with_emoji(rng, source, target)


def renumber(rng: Random, source: str, target: str) -> Pair | None:
    """The same with other numbers, where both sides have the same ones, each once."""
    numbers = NUMBER.findall(source)
    if not numbers or sorted(numbers) != sorted(NUMBER.findall(target)) or len(set(numbers)) < len(numbers):
        return None
    if ORDINAL.search(source) or ORDINAL.search(target) or max(map(len, numbers)) > LONGEST_NUMBER:
        return None
    others = {number: another(rng, number) for number in numbers}
    if len(set(others.values())) < len(others):
        return None

    def replaced(text: str) -> str:
        return NUMBER.sub(lambda match: others[match.group()], text)

    return replaced(source), replaced(target)


def another(rng: Random, number: str) -> str:
    if number.startswith("0") or number == "1":
        return number
    for alike in LIKE:
        if int(number) in alike:
            return str(rng.choice(alike))
    return str(rng.randrange(10 ** (len(number) - 1), 10 ** len(number)))


def with_emoji(rng: Random, source: str, target: str) -> Pair:
    """At the end, instead of the full stop or after it."""
    sign = emoji(rng)
    if rng.random() < 0.5:
        source, target = source.rstrip(STOPS[:1] + "."), target.rstrip(STOPS[:1] + ".")
    gap = rng.choice(("", " "))
    return f"{source}{gap}{sign}", f"{target}{gap}{sign}"


def write_varied(distilled: Path, languages: tuple[str, str], most: int, seed: int, out: Path) -> None:
    """From what distil.py wrote."""
    pairs = everyday_pairs(distilled, languages)
    with out.open("w", encoding="utf-8") as file:
        for number, (source, target) in enumerate(vary(pairs, languages, seed)):
            if number == most:
                break
            file.write(f"{source}\t{target}\n")
