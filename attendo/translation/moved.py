"""How far answers move when a model is converted: the same sentences through both forms."""

from collections.abc import Sequence
from dataclasses import dataclass

from attendo.text.scripts import base_language
from attendo.translation.translator import Translator


@dataclass(frozen=True)
class Moved:
    sentences: int
    equal: int
    bleu: float | None  # of the new answers, with the old ones as references; None without sacrebleu

    def __str__(self) -> str:
        share = f"{self.equal:,} of {self.sentences:,} translations are the same ({self.equal / self.sentences:.1%})"
        return share if self.bleu is None else f"{share}, BLEU between the two is {self.bleu:.1f}"


def moved(texts: Sequence[str], to: str, before: Translator, after: Translator) -> Moved:
    old, new = ([answer.text for answer in one.translate(list(texts), to=to)] for one in (before, after))
    equal = sum(one == other for one, other in zip(old, new, strict=True))
    return Moved(len(texts), equal, bleu(new, old, to))


def bleu(hypotheses: Sequence[str], references: Sequence[str], language: str) -> float | None:
    try:
        from sacrebleu import corpus_bleu
    except ModuleNotFoundError:
        return None
    tokenize = "zh" if base_language(language) == "zh" else "13a"
    return float(corpus_bleu(hypotheses, [references], tokenize=tokenize).score)
