"""Reading a corpus: once wholly, by the cheap checks of every line, and once more in stretches, for a closer look.

However large the corpus is, what stays in memory of the first reading is a fingerprint, two lengths and the numbers of
flagged lines; of the second, a sample: up to 200,000 pairs all are taken; of a larger corpus 100,000, in stretches of
lines in a row, evenly spread, because only neighbours show a shift.
"""

from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from attendo.data.corpus import Corpus
from attendo.data.hash_set import fingerprint
from attendo.data.lines import Problem, ignore
from attendo.doctor.checks import TestSentences, find_duplicates, find_length_outliers, is_empty, line_checks
from attendo.doctor.finding import Example, Lines

LONGEST = 2**16 - 1  # characters; a longer side counts as that long
Advance = Callable[[int], None]

MOST_PAIRS = 200_000
STRETCH = 5_000
LONGEST_TEXT = 2_000  # characters of a sampled side; the language of a book is clear from its first page


@dataclass
class Survey:
    """What the first reading found: line numbers by kind, in the order in which lines were read."""

    num_pairs: int = 0
    source_lengths: "array[int]" = field(default_factory=lambda: array("H"))
    target_lengths: "array[int]" = field(default_factory=lambda: array("H"))
    flagged: dict[str, "array[int]"] = field(default_factory=dict)
    duplicates: Lines = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def flag(self, kind: str, line: int) -> None:
        self.flagged.setdefault(kind, array("I")).append(line)

    def lines_by_kind(self) -> dict[str, Lines]:
        """Ascending line numbers of every kind that has any."""
        by_kind = {kind: np.unique(np.array(lines, dtype=np.int64)) for kind, lines in self.flagged.items()}
        outliers = find_length_outliers(as_array(self.source_lengths), as_array(self.target_lengths))
        by_kind |= {"duplicate": self.duplicates, "length_outlier": np.flatnonzero(outliers) + 1}
        return {kind: lines for kind, lines in by_kind.items() if len(lines)}


def survey(corpus: Corpus, languages: tuple[str, str], tests: TestSentences, advance: Advance) -> Survey:
    """Read the whole corpus once."""
    result = Survey()
    checks = line_checks(languages, tests)
    fingerprints = array("Q")

    def note(problem: Problem) -> None:
        if not problem.kind.startswith("empty_"):  # our own check says the same
            result.flag(problem.kind, problem.line)

    for pair in corpus.pairs(note):
        result.num_pairs += 1
        result.source_lengths.append(min(len(pair.source), LONGEST))
        result.target_lengths.append(min(len(pair.target), LONGEST))
        # A pair without text is empty, and not a duplicate of all the others; it must not be counted twice.
        fingerprints.append(fingerprint(f"{pair.source}\t{pair.target}" if not is_empty(pair) else f"\0{pair.line}"))
        for kind, check in checks:
            if check(pair):
                result.flag(kind, pair.line)
        advance(1)
    result.duplicates = find_duplicates(fingerprints) + 1
    return result


def as_array(lengths: "array[int]") -> np.ndarray:
    return np.frombuffer(lengths, dtype=np.uint16) if len(lengths) else np.zeros(0, dtype=np.uint16)


@dataclass(frozen=True)
class CorpusSample:
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


def read_sample(corpus: Corpus, lines: Lines, wanted: Iterable[int]) -> CorpusSample:
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
    return CorpusSample(lines, sources, targets, examples)
