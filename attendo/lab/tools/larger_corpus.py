"""A corpus thirteen times the size of Multi30k, of long and of short sentences: speeches and everyday sentences.

Speeches of the European Parliament (180,000 pairs of some 25 words) and Tatoeba (191,507 of some 7), English to German.
Half of the validation and test sentences are of each: Tatoeba's own, and speeches of another sample (europarl20k).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from attendo.data.corpus import Corpus, CorpusFile, Pair
from attendo.data.lines import Report
from attendo.lab.knobs import Size
from attendo.lab.tools.data_files import data_file
from attendo.lab.tools.real_training import MADE_UP, RealData, data_of
from attendo.text.train_tokenizer import TokenizerConfig

SPEECHES, HELD_OUT = "de-en/europarl.train.tsv.xz", "de-en/europarl20k.train.tsv.xz"
EVERYDAY = [f"de-en/tatoeba.{part}" for part in ("train.tsv.xz", "dev.tsv", "test.tsv")]
LARGER_FILES = (SPEECHES, HELD_OUT, *EVERYDAY)
HELD_OUT_PAIRS = 1_000  # of speeches, for each of validation and test


def larger_data(size: Size) -> RealData:
    if size == "small":
        return data_of([Joined([MADE_UP[0], MADE_UP[2]]), *MADE_UP[1:]], TokenizerConfig(300, "char"))
    speeches, held_out, train, valid, test = (Swapped(CorpusFile(data_file(name))) for name in LARGER_FILES)
    for_validation, for_test = (Lines(held_out, start, start + HELD_OUT_PAIRS) for start in (0, HELD_OUT_PAIRS))
    parts = [Joined([speeches, train]), Joined([for_validation, valid]), Joined([for_test, test])]
    return data_of(parts, TokenizerConfig(8_000))


@dataclass(frozen=True)
class Joined:
    """One corpus after the other."""

    corpora: Sequence[Corpus]

    def pairs(self, report: Report) -> Iterator[Pair]:
        for corpus in self.corpora:
            yield from corpus.pairs(report)

    def identity(self) -> object:
        return {"kind": "joined", "of": [corpus.identity() for corpus in self.corpora]}


@dataclass(frozen=True)
class Swapped:
    """Target to source."""

    corpus: Corpus

    def pairs(self, report: Report) -> Iterator[Pair]:
        return (Pair(pair.line, pair.target, pair.source) for pair in self.corpus.pairs(report))

    def identity(self) -> object:
        return {"kind": "swapped", "of": self.corpus.identity()}


@dataclass(frozen=True)
class Lines:
    """Those from `start` on, up to the one before `end`."""

    corpus: Corpus
    start: int
    end: int

    def pairs(self, report: Report) -> Iterator[Pair]:
        return islice(self.corpus.pairs(report), self.start, self.end)

    def identity(self) -> object:
        return {"kind": "lines", "of": self.corpus.identity(), "start": self.start, "end": self.end}
