"""Is the difference between two translations of a test set real, or could it be chance?

Two tests of sacreBLEU, both over the sentences of the test set. The paired bootstrap draws many test sets out of this
one and asks how often the difference would be as large if there were none. Approximate randomisation gives each
sentence's two translations to the two systems by the toss of a coin, and asks how often chance makes a difference as
large as the one that was found. A difference is called real where both say: less than once in 20.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from attendo.evaluation.hypotheses import Hypotheses, read_hypotheses
from attendo.evaluation.metrics import (
    MOST_SAMPLES,
    SAMPLES,
    around,
    bleu_by,
    chrf_by_default,
    command_options,
    ter_of,
    tokenisations,
)
from attendo.evaluation.suspicions import language_of, suspicions
from attendo.evaluation.test_set import EvaluationSet, TextsOrPath, file_in_bash, gather_references
from attendo.files.arguments import check_count, check_languages

TRIALS = 10_000  # of approximate randomisation, as sacreBLEU's own command has it
LEVEL = 0.05


@dataclass(frozen=True)
class SignificanceTest:
    """What one test says of one score."""

    p_value: float
    signature: str


@dataclass(frozen=True)
class Difference:
    """Of one score."""

    name: str
    a: float
    b: float
    interval_a: tuple[float, float]  # 95 % of the bootstrap's samples: mean ± half its width
    interval_b: tuple[float, float]
    bootstrap: SignificanceTest
    randomisation: SignificanceTest
    differing: int  # sentences that the two translate differently

    @property
    def difference(self) -> float:
        return self.b - self.a

    @property
    def too_few(self) -> bool:
        return least_p(self.differing) >= LEVEL

    @property
    def real(self) -> bool | None:
        """None: the two tests do not agree."""
        # sacreBLEU gives the least p value there is to two equal systems, and to two that differ in one sentence alone.
        if self.difference == 0 or self.too_few:
            return False
        says = {test.p_value < LEVEL for test in (self.bootstrap, self.randomisation)}
        return says.pop() if len(says) == 1 else None

    @property
    def better(self) -> Literal["a", "b"] | None:
        """None where none is, or it cannot be told; of TER less is better."""
        if not self.real:
            return None
        return "b" if (self.difference > 0) != (self.name == "TER") else "a"

    def to_dict(self) -> dict[str, Any]:
        return {
            "a": self.a,
            "b": self.b,
            "difference": self.difference,
            "interval_a": list(self.interval_a),
            "interval_b": list(self.interval_b),
            "paired_bootstrap": {"p": self.bootstrap.p_value, "signature": self.bootstrap.signature},
            "approximate_randomisation": {"p": self.randomisation.p_value, "signature": self.randomisation.signature},
            "real": self.real,
            "better": self.better,
        }


@dataclass(frozen=True)
class Comparison:
    """Two translations of one test set, a and b, by each of three scores."""

    a: str
    b: str
    test_set: str
    language: str
    sentences: int
    same: int  # sentences that both translate in the same way
    differences: dict[str, Difference]  # bleu, chrf, ter
    warnings: list[str]
    commands: list[str]  # that tell the same without attendo

    def to_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "a": self.a,
            "b": self.b,
            "test_set": self.test_set,
            "to": self.language,
            "sentences": self.sentences,
            "same": self.same,
            **{name: one.to_dict() for name, one in self.differences.items()},
            "level": LEVEL,
            "warnings": self.warnings,
            "commands": self.commands,
        }


def least_p(differing: int) -> float:
    """Of so many coins, the chance that all fall as they did, or all the other way: no test may say less."""
    return 2.0 ** (1 - differing)


def compare(
    a: TextsOrPath,
    b: TextsOrPath,
    references: TextsOrPath | Sequence[TextsOrPath],
    *,
    sources: TextsOrPath | None = None,
    to: str | None = None,
    samples: int = SAMPLES,
    trials: int = TRIALS,
) -> Comparison:
    """Whether the difference between two translations of a test set is real, or may be chance.

    >>> a, b = ["A dog runs.", "It rains.", "I am."], ["A dog is running.", "It rains.", "I am."]
    >>> found = attendo.compare(a, b, references=b, to="en", samples=100, trials=100)
    >>> found.differences["bleu"].better is None  # "a" or "b" where it can be told
    True

    Each of them is a list of sentences or the path of a file with a sentence a line; several references are a list of
    such; a .tsv has source and references. The language `to` is guessed if not given. `samples` are of the paired
    bootstrap, `trials` of approximate randomisation.
    """
    check_languages(to, None)
    for name, number in (("samples", samples), ("trials", trials)):
        check_count(name, number, 2, MOST_SAMPLES)
    test_set = gather_references(references, sources)
    hypotheses = read_hypotheses(a, test_set, "A"), read_hypotheses(b, test_set, "B")
    files = [file_in_bash(Path(one)) if isinstance(one, (str, Path)) else name for one, name in ((a, "A"), (b, "B"))]
    language = to or language_of(test_set.references[0])
    return compare_hypotheses(*hypotheses, test_set, language, (files[0], files[1]), samples, trials)


def compare_hypotheses(
    a: Hypotheses,
    b: Hypotheses,
    test_set: EvaluationSet,
    language: str,
    files: tuple[str, str] = ("A", "B"),
    samples: int = SAMPLES,
    trials: int = TRIALS,
) -> Comparison:
    """`files`: the two as bash may read them, for the commands."""
    from sacrebleu.significance import PairedTest

    def test(kind: Literal["bs", "ar"], times: int) -> Any:
        metrics = {"bleu": bleu_by(tokenisations(language)[0]), "chrf": chrf_by_default(), "ter": ter_of(language)}
        systems: list[tuple[str, Sequence[str]]] = [("a", a.texts), ("b", b.texts)]
        signatures, results = PairedTest(systems, metrics, test_set.references, kind, times)()
        return [(name, *results[name], str(signatures[name])) for name in signatures]

    same = sum(x == y for x, y in zip(a.texts, b.texts, strict=True))
    differing = len(test_set) - same
    differences = {}
    outcomes = zip(("bleu", "chrf", "ter"), test("bs", samples), test("ar", trials), strict=True)
    for metric, bootstrap, randomisation in outcomes:
        name, of_a, of_b, signature = bootstrap
        scores = float(of_a.score), float(of_b.score)
        intervals = around(float(of_a.mean), float(of_a.ci)), around(float(of_b.mean), float(of_b.ci))
        by_bootstrap = SignificanceTest(float(of_b.p_value), signature)
        by_randomisation = SignificanceTest(float(randomisation[2].p_value), randomisation[3])
        differences[metric] = Difference(name, *scores, *intervals, by_bootstrap, by_randomisation, differing)
    warnings = [*test_set.remarks]
    for one in (a, b):
        found = [*one.remarks, *suspicions(one.texts, test_set.references, test_set.sources, language)]
        warnings += [f"{one.name}: {warning}" for warning in found]
    if not differing:
        warnings.append(f"{a.name} and {b.name} say the same in every line")
    elif least_p(differing) >= LEVEL:
        few = f"{differing} of {len(test_set)} lines"
        warnings.append(f"{a.name} and {b.name} differ in {few}: too few to tell a difference from chance")
    # text: with numpy 2 sacreBLEU 2.6 cannot write the bootstrap as JSON, which is its default
    options = " ".join(["-i", *files, *command_options(language, samples=0), "--format", "text"])
    commands = [
        f"sacrebleu {' '.join(test_set.in_bash)} {options} --paired-{kind} --paired-{kind}-n {times}"
        for kind, times in (("bs", samples), ("ar", trials))
    ]
    return Comparison(a.name, b.name, test_set.name, language, len(test_set), same, differences, warnings, commands)
