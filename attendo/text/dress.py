"""What a sentence wears: a bullet before it, capitals alone, a row of marks after it. The model reads it without.

    - WHERE ARE YOU???   ->  Where are you?  ->  Wo bist du?  ->  - WO BIST DU???

None of it has to be translated, and all of it leads a model astray that has seen little of it. It is put on the
translation again, the marks in the width of its script.
"""

import re
from typing import NamedTuple

from attendo.text.capitals import in_capitals, is_in_capitals
from attendo.text.scripts import writes_han

WEARS = re.compile(r"^[^\w\s]|[!?！？]{3}$")  # a bullet or marks, perhaps
BULLET = re.compile(r"(?:[-–—•‣▪●○◦■□*·►▶→✓✔✗>]{1,3}|#{1,6}) +(?=[^\s\d])")  # - 5 is a number, > 5 more than five
MARKS = "!?！？"
FEWEST_MARKS = 3  # two are said as they are
# A stop that gives way to marks: one alone, and not the last of an ellipsis or of U.S.A.
STOP = re.compile(r"(?<![.。])(?<!\b[^\W\d_]\.[^\W\d_])[.。]$")
WIDE, NARROW = str.maketrans("!?", "！？"), str.maketrans("！？", "!?")


class Dress(NamedTuple):
    bullet: str = ""
    capitals: bool = False
    marks: str = ""  # all of them, also the one that the model is shown

    def put_on(self, translation: str, language: str) -> str:
        if self.capitals:
            translation = in_capitals(translation, language)
        if self.marks:
            marks = self.marks.translate(WIDE if writes_han(language) else NARROW)
            bare = translation.rstrip(MARKS)
            translation = (bare if bare != translation else STOP.sub("", translation)) + marks
        return self.bullet + translation


PLAIN = Dress()


def undress(text: str, language: str) -> tuple[str, Dress]:
    """A sentence without bullet and marks, and all that it wore. Capitals are taken off when it was seen as it is
    written, as a glossary's terms have to be."""
    bullet = ""
    if match := BULLET.match(text):
        bullet, text = match.group(), text[match.end() :]
    bare = text.rstrip(MARKS)
    marks = text[len(bare) :] if bare and len(text) - len(bare) >= FEWEST_MARKS else ""
    if marks:
        text = text[: len(bare) + 1]
    capitals = is_in_capitals(text, language)
    return (text, Dress(bullet, capitals, marks)) if bullet or capitals or marks else (text, PLAIN)
