"""500 placeholders, put into the sentences by a program, and whether each comes back once, character for character."""

import random
import re
from collections.abc import Sequence

import attendo
from benchmarks.markup.sentences import DIRECTIONS, Tagged, read
from benchmarks.markup.ways import Way

COUNT = 500
FORMS = ("{{{0}}}", "%s", '<x id="{0}"/>', '<x id="{0}"></x>', "%({1})s", "<code>{1}_{0}</code>", "${{{1}}}")
NAMES = ("name", "count", "file", "user", "total")
TAG = re.compile(r"<[^<>]*>")
GAP = re.compile(r" |(?<=[\u4e00-\u9fff])(?=[\u4e00-\u9fff])")  # between two words, or Chinese characters


def with_placeholders() -> list[tuple[Tagged, list[str]]]:
    """Each plain sentence with two or three of them, at borders of words; the same every time."""
    generator = random.Random(7)
    sentences = [one for direction in DIRECTIONS for one in read(direction)]
    found: list[tuple[Tagged, list[str]]] = []
    left = COUNT
    for index, one in enumerate(sentences):
        text = TAG.sub("", one.text)
        number = min(left, 3 if index % 2 else 2) if index + 1 < len(sentences) else left
        forms = generator.sample(FORMS, number)
        placed = [form.format(index, generator.choice(NAMES)) for form in forms]
        gaps = [match.start() for match in GAP.finditer(text)]
        for at, placeholder in zip(sorted(generator.sample(gaps, number), reverse=True), placed, strict=True):
            text = (
                f"{text[:at]} {placeholder}{text[at:]}" if one.source != "zh" else text[:at] + placeholder + text[at:]
            )
        found.append((one._replace(text=text), placed))
        left -= number
    return found


def lost(translator: attendo.Translator, way: Way, asked: Sequence[tuple[Tagged, list[str]]]) -> int:
    count = 0
    for source, target in dict.fromkeys((one.source, one.target) for one, _ in asked):
        of_direction = [(one, placed) for one, placed in asked if (one.source, one.target) == (source, target)]
        answers = way(translator, [one.text for one, _ in of_direction], source, target)
        for (_, placed), answer in zip(of_direction, answers, strict=True):
            count += sum(answer.count(placeholder) != 1 for placeholder in placed)
    return count
