"""What a translator gives back: the text, and all that one may want to know about how it came about."""

from dataclasses import dataclass, field
from typing import Any

from attendo.decoding.hypothesis import Hypothesis
from attendo.translation.ledger import Ledger, Outcome


@dataclass(frozen=True, slots=True)
class Sentence:
    """One segment of the text and what became of it."""

    source: str
    text: str
    outcome: Outcome
    engine: str = ""  # that answered
    hypothesis: Hypothesis | None = None  # of the model; None where it was not asked, or was not believed
    alternatives: tuple[str, ...] = ()
    repeated: bool = False  # a loop was found in what the model said first
    flagged: bool = False  # something of the source is missing
    mended: bool = False  # something was missing at first, and a second look found it
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Translation:
    """The answer to one text; as a string it is the translation."""

    text: str
    ledger: Ledger
    seconds: float  # from the call to this answer; texts of one call are decoded together
    engine: str  # that answered; several, where one alone could not
    source_language: str
    target_language: str
    sentences: tuple[Sentence, ...] = field(repr=False, default=())
    alternatives: tuple[str, ...] = ()  # other translations of the text, the best first
    remarks: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text

    @property
    def tokens(self) -> int:
        """That the model said, </s> of each sentence included."""
        return sum(len(sentence.hypothesis.ids) for sentence in self.sentences if sentence.hypothesis)

    @property
    def mended(self) -> bool:
        """Whether something was missing at first, and a second look found it."""
        return any(sentence.mended for sentence in self.sentences)

    @property
    def score(self) -> float | None:
        """The mean log-probability of a token; None where the model said nothing."""
        log_prob = sum(sentence.hypothesis.log_prob for sentence in self.sentences if sentence.hypothesis)
        return log_prob / self.tokens if self.tokens else None

    def to_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "text": self.text,
            "from": self.source_language,
            "to": self.target_language,
            "score": self.score,
            "tokens": self.tokens,
            "alternatives": list(self.alternatives),
            "seconds": round(self.seconds, 4),
            "engine": self.engine,
            "remarks": list(self.remarks),
            "ledger": self.ledger.to_dict(),
        }
