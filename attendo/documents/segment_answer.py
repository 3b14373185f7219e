"""What became of a segment's text: the answer of the translator as far as a document needs it, also as JSON."""

from dataclasses import asdict, dataclass, fields
from typing import Any

from attendo.translation.answer import Ledger, Translation
from attendo.translation.markup.result import MarkupTranslation


@dataclass(frozen=True)
class SegmentAnswer:
    text: str
    ledger: Ledger
    warnings: tuple[str, ...] = ()
    unplaced: tuple[str, ...] = ()  # tags and placeholders that found no word of their own

    @classmethod
    def of(cls, answer: Translation | MarkupTranslation) -> "SegmentAnswer":
        if isinstance(answer, Translation):
            return cls(answer.text, answer.ledger, answer.warnings)
        warnings = dict.fromkeys(warning for passage in answer.passages for warning in passage.warnings)
        return cls(answer.text, answer.ledger, tuple(warnings), tuple(note.tag for note in answer.unplaced))

    def to_dict(self) -> dict[str, Any]:
        counts = {name: count for name, count in asdict(self.ledger).items() if count}
        return {"text": self.text, "ledger": counts, "warnings": self.warnings, "unplaced": self.unplaced}


LEDGER_COUNTS = {one.name for one in fields(Ledger)}


def answer_from_dict(table: Any) -> SegmentAnswer:
    """A file is looked at before it is believed; what does not fit is a ValueError."""
    match table:
        case {"text": str(text), "ledger": dict(counts), "warnings": list(warnings), "unplaced": list(unplaced)}:
            known = LEDGER_COUNTS.issuperset(counts) and all(type(count) is int for count in counts.values())
            if known and all(isinstance(one, str) for one in (*warnings, *unplaced)):
                return SegmentAnswer(text, Ledger(**counts), tuple(warnings), tuple(unplaced))
    raise ValueError("no answer of a segment")
