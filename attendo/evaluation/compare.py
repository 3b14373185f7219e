"""Is the difference between two translations of a test set real, or could it be chance?

Two tests of sacreBLEU, both over the sentences of the test set. The paired bootstrap draws many test sets out of this
one and asks how often the difference would be as large if there were none. Approximate randomisation gives each
sentence's two translations to the two systems by the toss of a coin, and asks how often chance makes a difference as
large as the one that was found. A difference is called real where both say: less than once in 20.
"""

from dataclasses import dataclass
from typing import Any, Literal

from attendo.evaluation.hypotheses import Hypotheses
from attendo.evaluation.metrics import (
    SAMPLES,
    Texts,
    around,
    bleu_by,
    chrf_by_default,
    command_options,
    ter_of,
    tokenisations,
)
from attendo.evaluation.suspicions import suspicions
from attendo.evaluation.test_set import EvaluationSet

TRIALS = 10_000  # of approximate randomisation, as sacreBLEU's own command has it
LEVEL = 0.05
METRICS = ("bleu", "chrf", "ter")


@dataclass(frozen=True)
class Outcome:
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
    bootstrap: Outcome
    randomisation: Outcome
    differing: int  # sentences of which the two say different things

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
    a: str
    b: str
    test_set: str
    language: str
    sentences: int
    same: int  # sentences of which both say the same
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
    a: Hypotheses,
    b: Hypotheses,
    judged_by: EvaluationSet,
    language: str,
    files: tuple[str, str] = ("A", "B"),
    samples: int = SAMPLES,
    trials: int = TRIALS,
) -> Comparison:
    """`files`: the two as bash may read them, for the commands."""
    from sacrebleu.significance import PairedTest

    def test(kind: Literal["bs", "ar"], times: int) -> Any:
        metrics = {
            "bleu": bleu_by(tokenisations(language)[0]),
            "chrf": chrf_by_default(),
            "ter": ter_of(language),
        }
        systems: list[tuple[str, Texts]] = [("a", a.texts), ("b", b.texts)]
        signatures, results = PairedTest(systems, metrics, judged_by.references, kind, times)()
        return [(name, *results[name], str(signatures[name])) for name in signatures]

    same = sum(x == y for x, y in zip(a.texts, b.texts, strict=True))
    differences = {}
    for metric, bootstrap, randomisation in zip(METRICS, test("bs", samples), test("ar", trials), strict=True):
        name, of_a, of_b, signature = bootstrap
        differences[metric] = Difference(
            name,
            float(of_a.score),
            float(of_b.score),
            around(float(of_a.mean), float(of_a.ci)),
            around(float(of_b.mean), float(of_b.ci)),
            Outcome(float(of_b.p_value), signature),
            Outcome(float(randomisation[2].p_value), randomisation[3]),
            len(judged_by) - same,
        )
    warnings = [*judged_by.remarks]
    for one in (a, b):
        found = [*one.remarks, *suspicions(one.texts, judged_by.references, judged_by.sources, language)]
        warnings += [f"{one.name}: {warning}" for warning in found]
    if same == len(judged_by):
        warnings.append(f"{a.name} and {b.name} say the same in every line")
    elif least_p(differing := len(judged_by) - same) >= LEVEL:
        few = f"{differing} of {len(judged_by)} lines"
        warnings.append(f"{a.name} and {b.name} differ in {few}: too few to tell a difference from chance")
    # text: with numpy 2 sacreBLEU 2.6 cannot write the bootstrap as JSON, which is its default
    options = " ".join(["-i", *files, *command_options(language, samples=0), "--format", "text"])
    return Comparison(
        a.name,
        b.name,
        judged_by.name,
        language,
        len(judged_by),
        same,
        differences,
        warnings,
        [
            f"sacrebleu {' '.join(judged_by.in_bash)} {options} --paired-{kind} --paired-{kind}-n {times}"
            for kind, times in (("bs", samples), ("ar", trials))
        ],
    )
