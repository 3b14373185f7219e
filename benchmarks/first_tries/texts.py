"""The texts that are tried: 400, over four directions and five kinds.

    label           a word or a few, as on a button, a shelf or a sign: Wet paint
    shop            shop and service texts: The charger is not included in the box.
    letter          letters and mails: Ich freue mich auf Ihre Rückmeldung.
    news            a sentence of a newspaper
    encyclopaedia   a sentence of an encyclopaedia

The first three are together the 200 *product* texts, the last two the 200 of *prose*.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from attendo.errors import DataError

FOLDER = Path(__file__).parent
DIRECTIONS = ("zh-en", "en-zh", "de-en", "en-de")
GROUPS = {"product": ("label", "shop", "letter"), "prose": ("news", "encyclopaedia")}
KINDS = tuple(kind for kinds in GROUPS.values() for kind in kinds)


@dataclass(frozen=True)
class Text:
    direction: str
    kind: str
    text: str

    @property
    def languages(self) -> tuple[str, str]:
        source, _, target = self.direction.partition("-")
        return source, target


def read_texts(folder: Path = FOLDER) -> list[Text]:
    return [one for direction in DIRECTIONS for one in rows(folder / f"{direction}.tsv", direction)]


def rows(path: Path, direction: str) -> Iterator[Text]:
    for number, line in enumerate(path.read_text(encoding="utf-8").removesuffix("\n").split("\n"), 1):
        match line.split("\t"):
            case [kind, text] if kind in KINDS and text.strip():
                yield Text(direction, kind, text)
            case _:
                raise DataError(f"{path}, line {number}: expected KIND, tab, TEXT; the kinds are {', '.join(KINDS)}")
