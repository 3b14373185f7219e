"""The whole examination of a corpus: guess its languages, read all of it lightly, look closely at a sample."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from attendo.data.corpus import AlignedFiles, Corpus, CorpusFile
from attendo.data.lines import ignore
from attendo.doctor.checks import find_implausible, read_tests
from attendo.doctor.finding import MOST_EXAMPLES, Example, Finding, Lines
from attendo.doctor.language import Flags, check_known, find_language_trouble
from attendo.doctor.pairing import FEWEST_TO_LEARN_FROM, tokenize_pairs
from attendo.doctor.shifted import find_shifted_blocks
from attendo.doctor.survey import MOST_PAIRS, Advance, CorpusSample, as_array, choose_lines, read_sample, survey
from attendo.errors import UsageError
from attendo.files.arguments import as_list, check_argument, check_count, check_path, wrong_argument
from attendo.files.tables import LARGEST_INTEGER
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
        finding_of = [finding.lines for finding in self.findings if finding.kind == kind]
        return np.concatenate(finding_of) if finding_of else NO_LINES

    def to_dict(self) -> dict[str, Any]:
        """As `attendo doctor --json` prints it."""
        return {
            "pairs": self.num_pairs,
            "languages": list(self.languages),
            "examined_closely": self.num_closely,
            "findings": [finding.to_dict() for finding in self.findings],
        }


@dataclass(frozen=True)
class ExaminationProgress:
    """Functions called with how many more pairs were read, and how many more texts identified."""

    read: Advance
    identified: Advance


NO_PROGRESS = ExaminationProgress(lambda count: None, lambda count: None)


def examine(
    corpus: Corpus | Path | str | None = None,
    languages: tuple[str, str] | None = None,
    against: Sequence[Corpus | Path | str] = (),
    progress: ExaminationProgress = NO_PROGRESS,
    most_closely: int = MOST_PAIRS,
    *,
    source: Path | str | None = None,
    target: Path | str | None = None,
) -> Examination:
    """Examine a parallel corpus: what is wrong with it, and where. The finding with most lines comes first.

    >>> with open("corpus.tsv", "w", encoding="utf-8") as file:
    ...     _ = file.write("Guten Morgen!\\tGood morning!\\n" * 3 + "Ich habe 7 Hunde.\\tI have dogs.\\n")
    >>> examination = attendo.examine("corpus.tsv", languages=("de", "en"))
    >>> {finding.kind: finding.lines.tolist() for finding in examination.findings}["duplicate"]
    [2, 3]

    `corpus` is a .tsv, .jsonl or .tmx file, maybe compressed; or `source` and `target` are a file each, line n of one
    the translation of line n of the other. `languages` of source and target, such as ("zh", "en"), are guessed if not
    given. Sentences of the test sets `against` must not be in the corpus. It is read twice, in flat memory; of a large
    one `most_closely` pairs are checked for language, plausibility and shifts.
    """
    if languages is not None:
        if not (isinstance(languages, (tuple, list)) and [type(one) for one in languages] == [str, str]):
            raise wrong_argument("languages", languages, "two, source and target, such as ('zh', 'en')")
        languages = (languages[0], languages[1])
        check_known(languages)
    against = as_list("against", against, "a list of test sets")
    check_argument("progress", progress, ExaminationProgress, "ExaminationProgress")
    check_count("most_closely", most_closely, 0, LARGEST_INTEGER)
    for name, path in (("source", source), ("target", target)):
        if path is not None:
            check_path(name, path)
    if corpus is None and source is not None and target is not None:
        corpus = AlignedFiles(Path(source), Path(target))
    elif corpus is None or source is not None or target is not None:
        raise UsageError("expected a corpus, or both its source and its target")
    corpus = open_corpus(corpus, languages)
    languages = languages or guess_languages(corpus)
    tests = read_tests([open_corpus(test, languages) for test in against])
    first = survey(corpus, languages, tests, progress.read)
    by_kind = first.lines_by_kind()

    examples = {line for lines in by_kind.values() for line in lines[:MOST_EXAMPLES].tolist()}
    sample = read_sample(corpus, choose_lines(first.num_pairs, most_closely), examples)
    findings = [
        Finding(kind, lines, tuple(sample.examples[line] for line in lines[:MOST_EXAMPLES].tolist()))
        for kind, lines in by_kind.items()
    ]
    findings += look_closely(sample, languages, by_kind.get("copy", NO_LINES), progress.identified)
    findings.sort(key=lambda finding: -len(finding.lines))
    lengths = as_array(first.source_lengths), as_array(first.target_lengths)
    return Examination(corpus, languages, first.num_pairs, len(sample.lines), tuple(findings), *lengths)


def open_corpus(corpus: Corpus | Path | str, languages: tuple[str, str] | None) -> Corpus:
    if not hasattr(corpus, "pairs"):
        check_path("a corpus", corpus, ", or a Corpus")
    return CorpusFile(Path(corpus), languages) if isinstance(corpus, (str, Path)) else corpus


def guess_languages(corpus: Corpus) -> tuple[str, str]:
    """Each side by the majority of the first pairs."""
    pairs = list(islice(corpus.pairs(ignore), PAIRS_TO_GUESS_FROM))
    return guess_language([pair.source for pair in pairs]), guess_language([pair.target for pair in pairs])


def look_closely(sample: CorpusSample, languages: tuple[str, str], copies: Lines, identified: Advance) -> list[Finding]:
    """The checks that need a model. What already has a name is not called implausible besides."""
    swapped, wrong = find_language_trouble(sample.sources, sample.targets, languages, identified)
    findings = [finding_of(sample, "swapped", swapped), finding_of(sample, "wrong_language", wrong)]
    if len(sample.lines) >= FEWEST_TO_LEARN_FROM:
        findings += weigh_words(sample, swapped | wrong | np.isin(sample.lines, copies))
    return [finding for finding in findings if len(finding.lines)]


def weigh_words(sample: CorpusSample, named: Flags) -> list[Finding]:
    """Shifted blocks and implausible pairs, by how well words predict each other."""
    pairing = tokenize_pairs(sample.sources, sample.targets)
    rows = np.arange(len(sample.lines))
    scores = pairing.scores(np.tile(rows, 2), np.concatenate([rows, np.roll(rows, len(rows) // 2)]))
    own, strangers = scores[: len(rows)], scores[len(rows) :]
    findings = []
    for block in find_shifted_blocks(pairing, own, strangers, sample.lines):
        inside = (rows >= block.first) & (rows <= block.last)
        findings.append(finding_of(sample, "shifted_block", inside, block.shift))
        named = named | inside
    return [*findings, finding_of(sample, "implausible", find_implausible(own, strangers, pairing.num_words) & ~named)]


def finding_of(sample: CorpusSample, kind: str, flags: Flags, shift: int | None = None) -> Finding:
    rows = np.flatnonzero(flags)
    examples = tuple(
        Example.of(int(sample.lines[row]), sample.sources[row], sample.targets[row]) for row in rows[:MOST_EXAMPLES]
    )
    return Finding(kind, sample.lines[rows], examples, shift)
