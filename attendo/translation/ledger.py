"""The account of a translation: what came in, what became of it, and that the two add up.

Two independent counts meet here: the text as it came, and each segment when it is done with. A character that is lost
in between, by whatever mistake, makes the two differ.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from operator import attrgetter
from typing import Literal, Protocol

from attendo.text.sentences import Segment

# silent: nothing to say, the model was not asked. copied: there was, but it was left as it is.
Outcome = Literal["translated", "copied", "silent"]
REPORTED = (
    "lines_in", "lines_out", "characters_in", "characters_accounted_for", "segments", "cut", "repeated", "flagged",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Ledger:
    """Counts; those of two texts are added by +."""

    lines_in: int = 0
    lines_out: int = 0
    characters_in: int = 0
    characters_translated: int = 0
    characters_copied: int = 0
    characters_of_space: int = 0  # white space and controls at the edges, and what has nothing to translate
    segments: int = 0
    split: int = 0  # lines that became more than one segment
    cut: int = 0  # sentences cut because they were too long
    repeated: int = 0  # segments in whose translation a loop was found
    untranslated: int = 0  # segments left as they were although they have words
    flagged: int = 0  # segments with something missing: a number, an address, an emoji
    repaired: int = 0  # characters that are none, replaced by U+FFFD

    def __add__(self, other: "Ledger") -> "Ledger":
        return total([self, other])

    @property
    def characters_accounted_for(self) -> int:
        return self.characters_translated + self.characters_copied + self.characters_of_space

    @property
    def adds_up(self) -> bool:
        return self.lines_in == self.lines_out and self.characters_in == self.characters_accounted_for

    @property
    def is_clean(self) -> bool:
        """Nothing lost and nothing to look at again."""
        return self.adds_up and not (self.cut or self.repeated or self.untranslated or self.flagged or self.repaired)

    def to_dict(self) -> dict[str, int]:
        """For `--report`: what the contract names first, then the rest."""
        every = asdict(self) | {"characters_accounted_for": self.characters_accounted_for}
        return {key: every[key] for key in (*REPORTED, *(key for key in every if key not in REPORTED))}

    def remarks(self) -> list[str]:
        """In words, what a user should know; nothing if the ledger is clean."""
        found: list[str] = []
        if self.lines_in != self.lines_out:
            found.append(f"{self.lines_in} lines came in and {self.lines_out} went out")
        if self.characters_in != self.characters_accounted_for:
            found.append(f"of {self.characters_in} characters {self.characters_accounted_for} are accounted for")
        said = {
            "cut": "cut in a sentence that was too long",
            "repeated": "repetition found in a translation",
            "untranslated": "segment left untranslated",
            "flagged": "segment with something missing in its translation",
            "repaired": "broken character replaced by U+FFFD",
        }
        found.extend(f"{count} × {words}" for key, words in said.items() if (count := getattr(self, key)))
        return found


class Fate(Protocol):
    """What became of a segment."""

    @property
    def outcome(self) -> Outcome: ...
    @property
    def repeated(self) -> bool: ...
    @property
    def flagged(self) -> bool: ...


def account(text: str, repaired: int, done: Iterable[tuple[Segment, Fate]]) -> Ledger:
    """Of a line or text: as it came in, before anything was done to it, and each of its segments that is done with."""
    characters: dict[Outcome, int] = {"translated": 0, "copied": 0, "silent": 0}
    segments = edges = cut = repeated = untranslated = flagged = 0
    for segment, fate in done:
        outcome = fate.outcome
        characters[outcome] += len(segment.text)
        edges += len(segment.before) + len(segment.after)
        segments += 1
        cut += segment.cut
        repeated += fate.repeated
        untranslated += outcome == "copied"
        flagged += fate.flagged
    return Ledger(
        lines_in=1,
        lines_out=1,
        characters_in=len(text),
        characters_translated=characters["translated"],
        characters_copied=characters["copied"],
        characters_of_space=characters["silent"] + edges,
        segments=segments,
        split=int(segments > 1),
        cut=cut,
        repeated=repeated,
        untranslated=untranslated,
        flagged=flagged,
        repaired=repaired,
    )


def total(ledgers: Iterable[Ledger]) -> Ledger:
    """The sum of many; of none, an empty one."""
    return Ledger(**dict(zip(COUNTS, map(sum, zip(*map(counts, ledgers), strict=True)), strict=False)))


COUNTS = [field.name for field in fields(Ledger)]
counts = attrgetter(*COUNTS)
