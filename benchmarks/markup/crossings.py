"""200 sentences in which elements cross, <b> <i> </b> </i>, with a tag without text among them, all put there by a
program: does each come back once, and those that cross in their order? On its words none can be put, so more is not
promised.
"""

import random

import attendo
from attendo.translation.markup.scan import scan
from benchmarks.markup.placeholders import GAP, TAG
from benchmarks.markup.sentences import DIRECTIONS, RULES, Tagged, read
from benchmarks.markup.ways import Way

IMAGE = '<img src="x.png"/>'
TAGS = ("<b>", "<i>", IMAGE, "</b>", "</i>")


def with_crossings() -> list[Tagged]:
    """The plain sentences with the five tags at borders of words; the same every time."""
    generator = random.Random(11)
    found = []
    for one in (one for direction in DIRECTIONS for one in read(direction)):
        text = TAG.sub("", one.text)
        gaps = [match.start() for match in GAP.finditer(text)]
        places = sorted(generator.choices(gaps, k=len(TAGS)))
        for at, tag in zip(reversed(places), reversed(TAGS), strict=True):
            text = text[:at] + tag + text[at:]
        found.append(one._replace(text=text))
    return found


def broken(translator: attendo.Translator, way: Way, asked: list[Tagged]) -> int:
    """Answers in which a tag is missing or doubled, or one of those that cross is out of order."""
    count, crossing = 0, [tag for tag in TAGS if tag != IMAGE]
    for source, target in dict.fromkeys((one.source, one.target) for one in asked):
        texts = [one.text for one in asked if (one.source, one.target) == (source, target)]
        for answer in way(translator, texts, source, target):
            tags = [part.text for part in scan(answer, RULES) if part.name]
            count += tags.count(IMAGE) != 1 or [tag for tag in tags if tag != IMAGE] != crossing
    return count
