"""Pairs of sentences whose words were linked by hand.

The sentences were written for this table and stand in no corpus: everyday ones and such as stand in manuals, 50 of
Chinese and English, 50 of German and English. `links` are groups, and in each every word of the one side is linked to
every word of the other: `/` is sure, `~` is possible (an article that Chinese has not, a particle of a verb).

    睡/sleeping 睡~is 沙发/sofa 在_下面/under    a_b: both words;    the#2: the second of them in the sentence

German and English are linked by words, Chinese by characters, for its words are a matter of opinion. Signs are not.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from attendo.errors import DataError
from attendo.text.scripts import writes_han

COLUMNS = ["pair", "source", "target", "links"]
TABLE = Path(__file__).with_name("aligned.tsv")
WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
CHARACTER = re.compile(r"[^\W_]")
GROUP = re.compile(r"(?P<source>[^/~]+)(?P<kind>[/~])(?P<target>[^/~]+)")

Link = tuple[int, int]  # where the two words, or characters, begin


@dataclass(frozen=True)
class AlignedPair:
    languages: tuple[str, str]
    source: str
    target: str
    sure: frozenset[Link]
    possible: frozenset[Link]  # the sure ones, too

    def turned(self) -> "AlignedPair":
        sure, possible = (frozenset((b, a) for a, b in links) for links in (self.sure, self.possible))
        return AlignedPair((self.languages[1], self.languages[0]), self.target, self.source, sure, possible)

    def atoms(self, start: int, end: int, *, of_target: bool) -> list[int]:
        """The words, or characters, that begin in a span."""
        text = self.target if of_target else self.source
        return [match.start() for match in atom(self.languages[of_target]).finditer(text, start, end)]


def atom(language: str) -> re.Pattern[str]:
    return CHARACTER if writes_han(language) else WORD


def read_aligned(path: Path = TABLE) -> list[AlignedPair]:
    head, *lines = path.read_text(encoding="utf-8").rstrip("\n").split("\n")
    if head.split("\t") != COLUMNS:
        raise DataError(f"{path}: the columns are {head!r}, expected {', '.join(COLUMNS)}")
    found = []
    for number, line in enumerate(lines, start=2):
        pair, source, target, groups = line.split("\t")
        one, other = pair.split("-")
        sure: set[Link] = set()
        possible: set[Link] = set()
        for group in groups.split():
            match = GROUP.fullmatch(group)
            if not match:
                raise DataError(f"{path}, line {number}: no link: {group!r}")
            try:
                links = {
                    (a, b) for a in begins(match["source"], source, one) for b in begins(match["target"], target, other)
                }
            except ValueError as error:
                raise DataError(f"{path}, line {number}: {group!r}: {error}") from error
            possible |= links
            sure |= links if match["kind"] == "/" else set()
        found.append(AlignedPair((one, other), source, target, frozenset(sure), frozenset(possible)))
    return found


def begins(names: str, text: str, language: str) -> list[int]:
    """Where the words of a group stand; of Chinese, each of its characters."""
    found: list[int] = []
    for name in names.split("_"):
        word, _, count = name.partition("#")
        if writes_han(language):
            matches = list(re.finditer(re.escape(word), text))
        else:
            matches = [match for match in WORD.finditer(text) if match.group() == word]
        if len(matches) < int(count or 1):
            raise ValueError(f"{name!r} is not in {text!r}")
        match = matches[int(count or 1) - 1]
        found += range(match.start(), match.end()) if writes_han(language) else [match.start()]
    return found
