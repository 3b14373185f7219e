"""BLEU, chrF and TER by sacreBLEU: each score with the signature that says how it came about, and how sure it is.

References are lists of sentences, one list for each reference, as sacreBLEU has them. The rules of each language, which
tokenisation to quote and how TER cuts words, are here and nowhere else.

Tokenised lower-cased BLEU is the score of many published tables (Multi30k, IWSLT 2014, older papers): of hypotheses and
references alike the punctuation is normalised and the text tokenised by sacremoses, the Moses scripts in Python; then
comes sacreBLEU without a tokenisation of its own (tok:none) and without regard to case (case:lc). It is another score
than the BLEU that is quoted today, and never to be compared with it.
"""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attendo.text.scripts import base_language, writes_han

SAMPLES = 1_000  # of the bootstrap, as sacreBLEU's own command has it
MOST_SAMPLES = 1_000_000
DEFAULT = "13a"
# The first that can be had is the one to quote; the others are for comparing with older tables. MeCab, which sacreBLEU
# recommends for Japanese and Korean, is a library of its own.
CHINESE = ("zh", "char", DEFAULT)
CHARACTERS = ("char", DEFAULT)
TOKENISATIONS = {
    "zh": CHINESE, "yue": CHINESE, "ja": ("ja-mecab", "char", DEFAULT), "ko": ("ko-mecab", "char", DEFAULT),
    "th": CHARACTERS, "lo": CHARACTERS, "km": CHARACTERS, "my": CHARACTERS,
}  # fmt: skip

Texts = Sequence[str]
References = Sequence[Texts]

PUBLISHED_NAME = "tokenised lower-cased BLEU"


@dataclass(frozen=True)
class Score:
    """0 to 100; of TER less is better, and more than 100 can be."""

    name: str  # as sacreBLEU writes it: BLEU, chrF2, TER
    score: float
    signature: str
    mean: float | None = None  # over the bootstrap's samples
    half_width: float | None = None  # 95 % of the samples, as sacreBLEU says it: mean ± half_width
    length_ratio: float | None = None  # of BLEU: tokens of the hypotheses by those of the references

    @property
    def interval(self) -> tuple[float, float] | None:
        """Low and high, mean ± half_width as far as a score can go: to 100, but for TER; None without a bootstrap."""
        if self.mean is None or self.half_width is None:
            return None
        low, high = around(self.mean, self.half_width)
        return low, high if self.name.startswith("TER") else min(high, 100.0)

    def to_dict(self) -> dict[str, Any]:
        """For `--json`."""
        interval = None if self.interval is None else list(self.interval)
        return {"score": self.score, "signature": self.signature, "interval": interval, "mean": self.mean}


def around(mean: float, half_width: float) -> tuple[float, float]:
    """No score is below 0, nor is an interval."""
    return max(0.0, mean - half_width), mean + half_width


def bleu_by(tokenisation: str) -> Any:
    from sacrebleu.metrics.bleu import BLEU

    return BLEU(tokenize=tokenisation, force=True)  # force: whether a text looks tokenised is asked in suspicions.py


def chrf_by_default() -> Any:
    from sacrebleu.metrics.chrf import CHRF

    return CHRF()


def ter_of(language: str) -> Any:
    from sacrebleu.metrics.ter import TER

    return TER(normalized=writes_han(language), asian_support=writes_han(language))


def bleu(hypotheses: Texts, references: References, tokenisation: str = DEFAULT, samples: int = 0) -> Score:
    return score_corpus(bleu_by(tokenisation), hypotheses, references, samples)


def chrf(hypotheses: Texts, references: References, samples: int = 0) -> Score:
    return score_corpus(chrf_by_default(), hypotheses, references, samples)


def ter(hypotheses: Texts, references: References, language: str, samples: int = 0) -> Score:
    return score_corpus(ter_of(language), hypotheses, references, samples)


def score_corpus(metric: Any, hypotheses: Texts, references: References, samples: int) -> Score:
    """By any of sacreBLEU's metrics, in the steps of its `corpus_score`.

    That one itself, in sacreBLEU 2.6, fails where a sample's chrF is 0. The seed of the bootstrap is sacreBLEU's own,
    12345, so the interval is the same every time.
    """
    from sacrebleu.significance import _bootstrap_resample, estimate_ci

    statistics = metric._extract_corpus_statistics(hypotheses, references)
    found = metric._aggregate_and_compute(statistics)
    mean = half_width = None
    if samples > 1:
        metric.n_bootstrap = samples  # for the signature
        metric.seed, drawn = _bootstrap_resample(statistics, metric, samples)
        mean, half_width = map(float, estimate_ci(np.array([float(one.score) for one in drawn])))
    ratio = getattr(found, "ratio", None)
    return Score(found.name, float(found.score), str(metric.get_signature()), mean, half_width, ratio)


def sentence_chrf(hypotheses: Texts, references: References) -> list[float]:
    """Of each sentence alone."""
    metric = chrf_by_default()
    each = zip(hypotheses, zip(*references, strict=True), strict=True)
    return [float(metric.sentence_score(text, list(wanted)).score) for text, wanted in each]


def tokenisations(language: str) -> list[str]:
    """The one to quote first, then those that others may have used; 13a alone where words have spaces."""
    return [name for name in TOKENISATIONS.get(base_language(language), (DEFAULT,)) if can_tokenise(name)]


def can_tokenise(name: str) -> bool:
    try:
        bleu_by(name)
    except RuntimeError:  # a library is not installed
        return False
    return True


def command_options(language: str, samples: int) -> list[str]:
    """What sacreBLEU's own command needs to give the same three scores."""
    tokenisation = tokenisations(language)[0]
    return [
        *("-m", "bleu", "chrf", "ter"),
        *(("--tokenize", tokenisation) if tokenisation != DEFAULT else ()),
        *(("--ter-normalized", "--ter-asian-support") if writes_han(language) else ()),
        *confidence_options(samples),
    ]


def confidence_options(samples: int) -> list[str]:
    if samples <= 1:
        return []
    return ["--confidence"] if samples == SAMPLES else ["--confidence", "--confidence-n", str(samples)]


def published_bleu(hypotheses: Texts, references: References, language: str, samples: int = 0) -> Score:
    from sacrebleu.metrics.bleu import BLEU

    metric = BLEU(tokenize="none", lowercase=True, force=True)
    texts, *wanted = (moses_tokenise(one, language) for one in (hypotheses, *references))
    return score_corpus(metric, texts, wanted, samples)


def moses_tokenise(texts: Texts, language: str) -> list[str]:
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
