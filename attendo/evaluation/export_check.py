"""How far translations move when a model is exported: the same sentences through both forms of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from attendo.engines.ct2.conversion import Quantization
from attendo.model_folder.bundle import Bundle
from attendo.text.scripts import base_language
from attendo.translation.load import ct2_engine
from attendo.translation.translator import Translator


@dataclass(frozen=True)
class Agreement:
    sentences: int
    equal: int
    bleu: float | None  # of the new translations, with the old ones as references; None without sacrebleu

    def __str__(self) -> str:
        share = f"{self.equal:,} of {self.sentences:,} translations are the same ({self.equal / self.sentences:.1%})"
        return share if self.bleu is None else f"{share}, BLEU between the two is {self.bleu:.1f}"


def measure_agreement(
    bundle: Bundle, texts: Sequence[str], to: str, quantizations: tuple[Quantization, Quantization]
) -> Agreement:
    """Of CTranslate2's translations of the texts with the weights in the one form and in the other."""
    engines = [ct2_engine(bundle, quantization=quantization, full_vocabulary=True) for quantization in quantizations]
    translators = [Translator(bundle, bundle.tokenizer(), engine) for engine in engines]
    old, new = ([answer.text for answer in one.translate(list(texts), to=to)] for one in translators)
    return Agreement(len(texts), sum(map(str.__eq__, old, new)), bleu_between(new, old, to))


def bleu_between(hypotheses: Sequence[str], references: Sequence[str], language: str) -> float | None:
    try:
        from sacrebleu import corpus_bleu
    except ModuleNotFoundError:
        return None
    tokenize = "zh" if base_language(language) == "zh" else "13a"
    return float(corpus_bleu(hypotheses, [references], tokenize=tokenize).score)
