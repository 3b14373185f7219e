"""The corpora that people wrote: where each lies, and how the student learns it; and what no model may learn.

sources.toml says of each how it is learnt:

    everyday  what the teacher says to it, both ways round; its English also into the language that is not beside it
    talk      the same, but the Chinese is Taiwan's (数位, 软体, 透过): it is read and never said
    lifted    what the teacher says to it, both ways round: manuals of machine learning
    rest      what the teacher says to it, one way: other manuals, games, what institutions write
    itself    the pairs as they are: words and labels, what a better model than our teachers has translated, and what is
              too far from everyday language to spend a teacher's time on
    plain     no pairs: plain text (rounds.py)
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attendo.data.corpus import CorpusFile
from attendo.data.lines import ignore, open_bytes
from recipes.default.answers import Direction

HERE = Path(__file__).parent
CORPORA = HERE / "corpora.toml"  # of the teachers
KINDS = ("everyday", "talk", "lifted", "rest")  # that a teacher translates
ABROAD = ("everyday", "talk")  # whose English goes into every language
CLEANED = "cleaned"  # the folder of cleaned.py
NO_LETTER = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class Source:
    """One file of pairs."""

    name: str
    languages: Direction  # of its columns
    learnt: str
    file: Path

    @property
    def is_taught(self) -> bool:
        """Whether the student learns what the teacher says to it, and not the pairs themselves."""
        return self.learnt in KINDS

    def speaks(self, direction: Direction) -> bool:
        """Everyday English goes into every language, the rest only into the one that stands beside it."""
        beside = set(direction) == set(self.languages)
        return beside or (self.learnt in ABROAD and direction[0] in self.languages)


def origins_table() -> dict[str, Any]:
    return tomllib.loads((HERE / "sources.toml").read_text(encoding="utf-8"))


def sources(recipe: Path, folders: Sequence[Path]) -> list[Source]:
    """The corpora of a recipe that people wrote. A file is looked for in the folders in order, as the recipe does."""
    learnt = {name: entry["learnt"] for name, entry in origins_table().items()}
    found = []
    for corpus in tomllib.loads(recipe.read_text(encoding="utf-8"))["data"]["corpora"]:
        name = Path(corpus["file"]).name.partition(".")[0]
        # What was made up lies beside the recipe, and is no source.
        if Path(corpus["file"]).parent != Path() and name in learnt:
            found.append(Source(name, tuple(corpus["languages"]), learnt[name], found_in(folders, corpus["file"])))
    return found


def found_in(folders: Sequence[Path], file: str) -> Path:
    """Where it lies; where it will lie, in the first folder, if it does not yet."""
    places = [folder / file for folder in folders]
    return next((place for place in places if place.is_file()), places[0])


def held_out(folder: Path) -> set[str]:
    """Both sides of all that models are validated or tested with, as `fold` writes them.

    A sentence of one pair of languages may stand in the corpora of the other, so all are held out everywhere.
    """
    files = sorted(file for file in folder.glob("*/*.tsv*") if ".train." not in file.name)
    pairs = (pair for file in files for pair in CorpusFile(file).pairs(ignore))
    return {fold(side) for pair in pairs for side in (pair.source, pair.target)}


def fold(sentence: str) -> str:
    """Its letters and digits: two sentences that differ in marks, spaces or capitals are the same to a test."""
    whole = sentence if sentence.isascii() else unicodedata.normalize("NFKC", sentence)
    return NO_LETTER.sub("", whole).lower()


def new_ones(candidates: Iterable[str], held_out: set[str], longest: int) -> Iterator[str]:
    """No sentence twice, none that is held out, none that is long or empty."""
    seen = set()
    for sentence in candidates:
        if sentence not in seen and sentence.strip() and len(sentence) <= longest and fold(sentence) not in held_out:
            seen.add(sentence)
            yield sentence


def lines_of(path: Path) -> list[str]:
    """Of a file, maybe compressed. Split at line feeds alone: `splitlines` would also split inside a sentence."""
    with open_bytes(path) as file:
        return file.read().decode("utf-8").split("\n")[:-1]
