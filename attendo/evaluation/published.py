"""Tokenised lower-cased BLEU, the score of many published tables (Multi30k, IWSLT 2014, older papers).

Of hypotheses and references alike the punctuation is normalised and the text tokenised by sacremoses, the Moses scripts
in Python; then comes sacreBLEU without a tokenisation of its own (tok:none) and without regard to case (case:lc). It is
another score than the BLEU that is quoted today, and never to be compared with it.
"""

import shlex
from collections.abc import Sequence

from attendo.evaluation.metrics import References, Score, Texts, confidence_options, scored
from attendo.text.scripts import base_language

NAME = "tokenised lower-cased BLEU"


def published_bleu(hypotheses: Texts, references: References, language: str, samples: int = 0) -> Score:
    from sacrebleu.metrics.bleu import BLEU

    metric = BLEU(tokenize="none", lowercase=True, force=True)
    return scored(metric, tokenised(hypotheses, language), [tokenised(one, language) for one in references], samples)


def tokenised(texts: Texts, language: str) -> list[str]:
    """As `sacremoses -l LANGUAGE normalize tokenize` does it."""
    from sacremoses import MosesPunctNormalizer, MosesTokenizer

    normalizer, tokenizer = MosesPunctNormalizer(base_language(language)), MosesTokenizer(base_language(language))
    return [str(tokenizer.tokenize(normalizer.normalize(text), return_str=True)) for text in texts]


def published_command(hypotheses: str, references: Sequence[str], language: str, samples: int) -> str:
    """The same by the commands of the two libraries, for bash; hypotheses and references as bash reads them."""

    def cut(text: str) -> str:
        return f"<(sacremoses -l {shlex.quote(base_language(language))} normalize tokenize < {text})"

    options = " ".join(["--tokenize", "none", "--lowercase", "--force", *confidence_options(samples)])
    return f"sacrebleu {' '.join(map(cut, references))} -i {cut(hypotheses)} {options}"
