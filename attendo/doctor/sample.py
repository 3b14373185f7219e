"""The second reading: the lines that the expensive checks look at, and those that are shown as examples.

Up to 200,000 pairs all are taken; of a larger corpus 100,000, in stretches of lines in a row, evenly spread, because
only neighbours show a shift.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from attendo.data.corpus import Corpus
from attendo.data.lines import ignore
from attendo.doctor.finding import Example, Lines

MOST_PAIRS = 200_000
STRETCH = 5_000
LONGEST_TEXT = 2_000  # characters of a sampled side; the language of a book is clear from its first page


@dataclass(frozen=True)
class Sample:
    """Pairs as texts, their lines in ascending order; and any other lines that were asked for."""

    lines: Lines
    sources: list[str]
    targets: list[str]
    examples: dict[int, Example]


def choose_lines(num_pairs: int, most: int = MOST_PAIRS, stretch: int = STRETCH) -> Lines:
    """Line numbers: all, or else half of the most, in evenly spread stretches."""
    if num_pairs <= most:
        return np.arange(1, num_pairs + 1)
    starts = np.linspace(1, num_pairs - stretch + 1, max(1, most // 2 // stretch)).astype(np.int64)
    return np.unique(starts[:, None] + np.arange(stretch))


def read_sample(corpus: Corpus, lines: Lines, wanted: Iterable[int]) -> Sample:
    """Read the corpus again, as far as the last line that is needed."""
    sources, targets, examples = [], [], {}
    wanted = set(wanted)
    last = max([int(lines[-1]) if len(lines) else 0, *wanted])
    asked = np.zeros(last + 1, dtype=bool)
    asked[lines] = True
    for pair in corpus.pairs(ignore):
        if pair.line > last:
            break
        if asked[pair.line]:
            sources.append(pair.source[:LONGEST_TEXT])
            targets.append(pair.target[:LONGEST_TEXT])
        if pair.line in wanted:
            examples[pair.line] = Example.of(pair.line, pair.source, pair.target)
    return Sample(lines, sources, targets, examples)
