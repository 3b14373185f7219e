"""Test sentences inside a training corpus: a score on that test then measures memory."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from attendo.data.corpus import Corpus, Pair
from attendo.data.hash_set import fingerprint
from attendo.data.lines import ignore

LONG_ENOUGH = 12  # letters, of which a Chinese character counts three: "thank you" alone is no leak
NOT_A_LETTER = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class TestSentences:
    """Fingerprints of what must not occur: sentences of either side, and short pairs as a whole."""

    __test__ = False  # pytest: this is no test class

    sentences: frozenset[int]
    pairs: frozenset[int]

    def leak_into(self, pair: Pair) -> bool:
        """Whether a side of the pair is a test sentence, or both sides together are a test pair."""
        source, target = bare(pair.source), bare(pair.target)
        if any(is_long(side) and fingerprint(side) in self.sentences for side in (source, target)):
            return True
        return bool(source and target) and pair_fingerprint(source, target) in self.pairs


def bare(text: str) -> str:
    """Lower case, letters and digits only: nobody is fooled by another full stop or a double space."""
    return NOT_A_LETTER.sub("", unicodedata.normalize("NFKC", text).lower())


def is_long(sentence: str) -> bool:
    return sum(3 if letter > "⺀" else 1 for letter in sentence[:LONG_ENOUGH]) >= LONG_ENOUGH


def pair_fingerprint(source: str, target: str) -> int:
    """The same for both directions."""
    return fingerprint("\t".join(sorted((source, target))))


def read_tests(corpora: Sequence[Corpus]) -> TestSentences:
    """All sentences of the test files; what is wrong with those is not the matter here."""
    sentences: set[int] = set()
    pairs: set[int] = set()
    for corpus in corpora:
        for pair in corpus.pairs(ignore):
            source, target = bare(pair.source), bare(pair.target)
            sentences.update(fingerprint(side) for side in (source, target) if is_long(side))
            if source and target:
                pairs.add(pair_fingerprint(source, target))
    return TestSentences(frozenset(sentences), frozenset(pairs))
