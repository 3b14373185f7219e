"""How good a model is on the shared test sets, in all four directions.

    python -m recipes.default.scores attendo/models/default --as "as shipped" --engine ct2 --out scores.json

No test set is looked at while the model is made.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.machine import data_folder


@dataclass(frozen=True)
class TestSet:
    name: str
    file: str  # in $ATTENDO_DATA; its first column is the language that the folder names first
    source: str
    target: str
    required: float
    goal: float

    @property
    def direction(self) -> str:
        return f"{self.source} → {self.target}"


TEST_SETS = (
    TestSet("Tatoeba", "de-en/tatoeba.test.tsv", "de", "en", 51.5, 54),
    TestSet("Tatoeba", "de-en/tatoeba.test.tsv", "en", "de", 45, 48),
    TestSet("Tatoeba", "zh-en/tatoeba.test.tsv", "zh", "en", 37, 40),
    TestSet("Tatoeba", "zh-en/tatoeba.test.tsv", "en", "zh", 39, 42),
    TestSet("XDailyDialog", "zh-en/xdailydialog.test.tsv", "zh", "en", 28, 31),
    TestSet("TensorFlow docs", "zh-en/tensorflow.test.tsv", "zh", "en", 40, 43),
    TestSet("PUD", "de-en/pud.test.tsv", "de", "en", 27, 33),
    TestSet("PUD", "de-en/pud.test.tsv", "en", "de", 20, 26),
    TestSet("PUD", "zh-en/pud.test.tsv", "zh", "en", 14, 19),
    TestSet("PUD", "zh-en/pud.test.tsv", "en", "zh", 20, 26),
    TestSet("TED", "zh-en/ted.test.tsv.xz", "zh", "en", 17, 20),
    TestSet("News Commentary", "zh-en/newscommentary.test.tsv", "zh", "en", 15, 19),
)


@dataclass(frozen=True)
class Score:
    model: str  # teacher, student, student in 8 bits
    test: str
    direction: str
    bleu: float
    interval: tuple[float, float]
    signature: str
    chrf: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--as", required=True, metavar="NAME", dest="name")
    parser.add_argument("--engine", default="torch", choices=["torch", "ct2"], help="ct2 computes in 8 bits")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    write_scores(options.model, options.name, options.engine, options.out)


def write_scores(model: Path, name: str, engine: str, out: Path) -> None:
    scores = []
    for test in TEST_SETS:
        score = scored(model, name, engine, test)
        print(
            f"{test.name}, {test.direction}: {score.bleu:.1f} (required {test.required}, goal {test.goal})", flush=True
        )
        scores.append(score)
    out.write_text(json.dumps([asdict(score) for score in scores], ensure_ascii=False, indent=2), encoding="utf-8")


def read_scores(files: Sequence[Path]) -> list[Score]:
    tables = [table for file in files for table in json.loads(file.read_text(encoding="utf-8"))]
    return [score_of(table) for table in tables]


def score_of(table: dict[str, Any]) -> Score:
    return Score(**{**table, "interval": tuple(table["interval"])})


def scored(model: Path, name: str, engine: str, test: TestSet) -> Score:
    """By `attendo evaluate`, as anybody would."""
    command = [
        sys.executable, "-m", "attendo", "evaluate", "--model", str(model), "--to", test.target, "--from", test.source,
        "--engine", engine, "--beam", "4", "--json", str(data_folder() / test.file),
    ]  # fmt: skip
    if not test.file.startswith(f"{test.source}-"):
        command.append("--swap")
    answer = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)[0]
    bleu = answer["bleu"]
    return Score(
        name, test.name, test.direction, bleu["score"], tuple(bleu["interval"]), bleu["signature"],
        answer["chrf"]["score"],
    )  # fmt: skip


if __name__ == "__main__":
    main()
