"""What became of a document, for people and programs: how much was found, translated and kept, and where to look.

{"document": "srt", "found": 212, "translated": 210, "from_memory": 0, "kept": 2, "around": [],
 "notes": [{"place": "cue 12", "kind": "cue", "outcome": "kept", "why": ["…"], "unplaced": []}, …]}
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from attendo.documents.pipeline import Account

# kept: there was a reason not to. refused: the translation would have broken something, so the segment stays.
DocumentOutcome = Literal["translated", "from memory", "kept", "refused"]


class SegmentNote(NamedTuple):
    """One segment that deserves a line in the report."""

    place: str
    kind: str
    outcome: DocumentOutcome
    why: tuple[str, ...] = ()
    unplaced: tuple[str, ...] = ()


@dataclass(frozen=True)
class DocumentReport:
    key: str  # of its kind
    outcomes: Sequence[DocumentOutcome]  # one for each segment
    notes: Sequence[SegmentNote]
    around: Sequence[tuple[str, str]]  # place and what was set there

    def to_dict(self) -> dict[str, Any]:
        count = Counter(self.outcomes)
        return {
            "document": self.key,
            "found": len(self.outcomes),
            "translated": count["translated"],
            "from_memory": count["from memory"],
            "kept": count["kept"] + count["refused"],
            "around": [{"place": place, "what": what} for place, what in self.around],
            "notes": [note._asdict() for note in self.notes],
        }

    def summary(self) -> str:
        count = Counter(self.outcomes)
        kept = count["kept"] + count["refused"]
        memory = f", {count['from memory']:,} from the memory" if count["from memory"] else ""
        return f"{len(self.outcomes):,} segments found, {count['translated']:,} translated{memory}, {kept:,} kept"


@dataclass(frozen=True)
class DocumentAccount(Account):
    """The account of a run that translated a document."""

    report: DocumentReport | None = None
