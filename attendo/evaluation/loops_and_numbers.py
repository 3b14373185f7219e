"""What can be wrong with translations whatever the references say: loops, and numbers that are lost."""

from collections.abc import Sequence
from dataclasses import dataclass

from attendo.text.numbers import asked_numbers, missing_numbers
from attendo.translation.checks import find_loop


@dataclass(frozen=True)
class NumberCounts:
    """Numbers of the sources, and those that the translations state in any way we know."""

    asked: int
    kept: int

    @property
    def share(self) -> float | None:
        return self.kept / self.asked if self.asked else None


def find_loops(hypotheses: Sequence[str], sources: Sequence[str] | None) -> list[int]:
    """Indices of the translations that repeat themselves in a loop, and whose sources do not."""
    beside = sources or [""] * len(hypotheses)
    return [index for index, pair in enumerate(zip(hypotheses, beside, strict=True)) if find_loop(*pair)]


def count_numbers_kept(
    translations: Sequence[str], sources: Sequence[str], source_language: str, target_language: str
) -> NumberCounts:
    """By the rules with which a translator's ledger flags them: 1,234.5 may be 1.234,5, and twelve may be 12."""
    asked = lost = 0
    for source, translation in zip(sources, translations, strict=True):
        asked += len(asked_numbers(source, source_language))
        lost += len(missing_numbers(source, translation, source_language, target_language))
    return NumberCounts(asked, asked - lost)
