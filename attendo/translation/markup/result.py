"""What comes of a text with markup: the text, what became of its passages, and of tags that found no place."""

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from attendo.translation.answer import Ledger, Translation

NoteKind = Literal["tag", "placeholder"]


class TagNote(NamedTuple):
    """A tag that found no word of its own, and stands empty beside the nearest one; or a placeholder that the model
    lost, and that was put back."""

    kind: NoteKind
    tag: str  # as the source has it
    passage: int  # its index among the passages


@dataclass(frozen=True, slots=True)
class MarkupTranslation:
    """The answer to one text with markup."""

    text: str
    source_language: str
    target_language: str
    ledger: Ledger  # of all passages together
    passages: tuple[Translation, ...] = field(repr=False, default=())  # plain: without tags, but with tokens of ours
    unplaced: tuple[TagNote, ...] = ()
    # Other translations of the whole; none where there are tags to be placed, which only the best is aligned for.
    alternatives: tuple[str, ...] = ()
    seconds: float = 0.0

    def __str__(self) -> str:
        return self.text

    @property
    def remarks(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(remark for passage in self.passages for remark in passage.remarks))

    def to_dict(self) -> dict[str, Any]:
        return {
            "text": self.text,
            "from": self.source_language,
            "to": self.target_language,
            "alternatives": list(self.alternatives),
            "unplaced": [note._asdict() for note in self.unplaced],
            "remarks": list(self.remarks),
            "ledger": self.ledger.to_dict(),
        }
