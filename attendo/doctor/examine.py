"""The whole examination of a corpus: guess its languages, read all of it lightly, look closely at a sample."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from attendo.data.corpus import Corpus
from attendo.data.lines import ignore
from attendo.doctor.finding import MOST_EXAMPLES, Example, Finding, Lines
from attendo.doctor.identify import check_known
from attendo.doctor.implausible import find_implausible
from attendo.doctor.language import Flags, find_language_trouble
from attendo.doctor.leaks import read_tests
from attendo.doctor.pairing import FEWEST_TO_LEARN_FROM, cut_into_words
from attendo.doctor.sample import MOST_PAIRS, Sample, choose_lines, read_sample
from attendo.doctor.shifted import find_shifted_blocks
from attendo.doctor.survey import Advance, as_array, survey
from attendo.text.scripts import guess_language

PAIRS_TO_GUESS_FROM = 1_000
NO_LINES = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class Examination:
    """What was found in a corpus, most lines first, and how closely it was looked at."""

    corpus: Corpus
    languages: tuple[str, str]
    num_pairs: int
    num_closely: int  # pairs that were also checked for language, plausibility and shifts
    findings: tuple[Finding, ...]
    source_lengths: np.ndarray
    target_lengths: np.ndarray

    def lines(self, kind: str) -> Lines:
        """All lines of a kind, of all its findings."""
        found = [finding.lines for finding in self.findings if finding.kind == kind]
        return np.concatenate(found) if found else NO_LINES

    def to_dict(self) -> dict[str, Any]:
        return {
            "pairs": self.num_pairs,
            "languages": list(self.languages),
            "examined_closely": self.num_closely,
            "findings": [finding.to_dict() for finding in self.findings],
        }


@dataclass(frozen=True)
class Progress:
    """Who is told how far each kind of work has come: pairs read, texts identified."""

    read: Advance
    identified: Advance


def silent(_: int) -> None:
    """Nobody watches."""


NOBODY = Progress(silent, silent)


def examine(
    corpus: Corpus,
    languages: tuple[str, str] | None = None,
    against: Sequence[Corpus] = (),
    progress: Progress = NOBODY,
    most_closely: int = MOST_PAIRS,
) -> Examination:
    """Read the corpus twice, in flat memory; the finding with most lines comes first."""
    if languages is not None:
        check_known(languages)
    languages = languages or guess_languages(corpus)
    tests = read_tests(against)
    first = survey(corpus, languages, tests, progress.read)
    by_kind = first.lines_by_kind()

    shown = {line for lines in by_kind.values() for line in lines[:MOST_EXAMPLES].tolist()}
    sample = read_sample(corpus, choose_lines(first.num_pairs, most_closely), shown)
    findings = [
        Finding(kind, lines, tuple(sample.examples[line] for line in lines[:MOST_EXAMPLES].tolist()))
        for kind, lines in by_kind.items()
    ]
    findings += look_closely(sample, languages, by_kind.get("copy", NO_LINES), progress.identified)
    return Examination(
        corpus,
        languages,
        first.num_pairs,
        len(sample.lines),
        tuple(sorted(findings, key=lambda finding: -len(finding.lines))),
        as_array(first.source_lengths),
        as_array(first.target_lengths),
    )


def guess_languages(corpus: Corpus) -> tuple[str, str]:
    """Each side by the majority of the first pairs."""
    pairs = list(islice(corpus.pairs(ignore), PAIRS_TO_GUESS_FROM))
    return guess_language([pair.source for pair in pairs]), guess_language([pair.target for pair in pairs])


def look_closely(sample: Sample, languages: tuple[str, str], copies: Lines, identified: Advance) -> list[Finding]:
    """The checks that need a model. What already has a name is not called implausible besides."""
    trouble = find_language_trouble(sample.sources, sample.targets, languages, identified)
    findings = [found(sample, "swapped", trouble.swapped), found(sample, "wrong_language", trouble.wrong)]
    if len(sample.lines) >= FEWEST_TO_LEARN_FROM:
        findings += weigh_words(sample, trouble.swapped | trouble.wrong | np.isin(sample.lines, copies))
    return [finding for finding in findings if len(finding.lines)]


def weigh_words(sample: Sample, named: Flags) -> list[Finding]:
    """Shifted blocks and implausible pairs, by how well words foretell each other."""
    pairing = cut_into_words(sample.sources, sample.targets)
    rows = np.arange(len(sample.lines))
    scores = pairing.scores(np.tile(rows, 2), np.concatenate([rows, np.roll(rows, len(rows) // 2)]))
    own, strangers = scores[: len(rows)], scores[len(rows) :]
    findings = []
    for block in find_shifted_blocks(pairing, own, strangers, sample.lines):
        inside = (rows >= block.first) & (rows <= block.last)
        findings.append(found(sample, "shifted_block", inside, block.shift))
        named = named | inside
    return [*findings, found(sample, "implausible", find_implausible(own, strangers, pairing.num_words) & ~named)]


def found(sample: Sample, kind: str, flags: Flags, shift: int | None = None) -> Finding:
    rows = np.flatnonzero(flags)
    examples = tuple(
        Example.of(int(sample.lines[row]), sample.sources[row], sample.targets[row]) for row in rows[:MOST_EXAMPLES]
    )
    return Finding(kind, sample.lines[rows], examples, shift)
