"""How good a student is, by how much text it learnt from and by how large it is; all else alike.

python -m recipes.default.curve --work runs/default --out docs/figures

It takes what build.py has put into the work folder, and goes on where it was stopped: a student that was scored is
known by one small file. The students learn for fewer steps than the default model, and all for as many.
"""

import argparse
import json
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from attendo.files.tensor_arrays import read_arrays
from attendo.lab.tools.chart import COLOURS, MARKERS, figure, style
from attendo.model_folder.bundle import read_bundle
from benchmarks.machine import data_folder, describe_machine
from recipes.default.scores import Score, read_scores, score_of, write_scores
from recipes.default.sources import HERE, lines_of

STEPS = 6_000


@dataclass(frozen=True)
class Student:
    part: int  # one line of so many
    d_model: int  # d_ff is four times as much, as in the paper

    @property
    def name(self) -> str:
        return f"1-of-{self.part}-d{self.d_model}"


BY_TEXT = (Student(32, 256), Student(8, 256), Student(2, 256), Student(1, 256))
BY_SIZE = (Student(1, 64), Student(1, 128), Student(1, 256))


@dataclass(frozen=True)
class Point:
    student: Student
    pairs: int  # of all corpora, each once
    parameters: int
    scores: list[Score]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--work", type=Path, default=Path("runs/default"))
    parser.add_argument("--out", type=Path, default=Path("docs/figures"), help="folder for the picture")
    parser.add_argument("--side-by-side", type=int, default=1, help="trainings at a time, on one GPU")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument(
        "--show", action="store_true", help="table and picture of the students that are there; train none"
    )
    options = parser.parse_args()
    students = list(dict.fromkeys((*BY_TEXT, *BY_SIZE)))
    if options.show:
        students = [student for student in students if kept(student, options.work, options.steps).exists()]
        if not students:
            raise SystemExit(f"{options.work / 'curve'} has no student of {options.steps:,} steps")
    with ThreadPoolExecutor(options.side_by_side) as pool:
        points = dict(
            zip(students, pool.map(lambda one: learnt(one, options.work, options.steps), students), strict=True)
        )
    if not options.show:
        print(f"<!-- python -m recipes.default.curve, {options.steps} steps; {describe_machine()} -->\n")
    print(table([points[student] for student in students]))
    by_text, by_size = ([points[one] for one in each if one in points] for each in (BY_TEXT, BY_SIZE))
    draw(by_text, by_size, options.out)


def kept(student: Student, work: Path, steps: int) -> Path:
    return work / "curve" / f"{student.name}-{steps}.json"


def learnt(student: Student, work: Path, steps: int) -> Point:
    done = kept(student, work, steps)
    if done.exists():
        return read_point(student, done)
    folder = done.with_suffix("")
    recipe, pairs = thinned(student.part, work, folder)
    if not (folder / "run" / "model").exists():
        settings = [
            f"training.max_steps={steps}", f"validation.every={10 * steps}", f"model.d_model={student.d_model}",
            f"model.d_ff={4 * student.d_model}", "model.num_heads=4",
        ]  # fmt: skip
        command = [sys.executable, "-m", "attendo", "train", str(recipe), "--run-dir", str(folder / "run")]
        subprocess.run([*command, *(part for one in settings for part in ("--set", one))], check=True)
    write_scores(folder / "run" / "model", student.name, "torch", folder / "scores.json")
    weights = read_arrays(read_bundle(folder / "run" / "model").weights)
    point = Point(student, pairs, sum(array.size for array in weights.values()), read_scores([folder / "scores.json"]))
    write_point(point, done)
    return point


def write_point(point: Point, path: Path) -> None:
    scores = [asdict(score) for score in point.scores]
    table = {"pairs": point.pairs, "parameters": point.parameters, "scores": scores}
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_text(json.dumps(table, ensure_ascii=False, indent=2), encoding="utf-8")
    unfinished.rename(path)


def read_point(student: Student, path: Path) -> Point:
    table = json.loads(path.read_text(encoding="utf-8"))
    return Point(student, table["pairs"], table["parameters"], [score_of(one) for one in table["scores"]])


def thinned(part: int, work: Path, folder: Path) -> tuple[Path, int]:
    """The student's recipe, with one line of `part` of every corpus; and how many pairs these are."""
    text = (HERE / "student.toml").read_text(encoding="utf-8")
    pairs = 0
    for corpus in tomllib.loads(text)["data"]["corpora"]:
        name = corpus["file"]
        lines = lines_of(next(path for path in (work / name, data_folder() / name) if path.exists()))[::part]
        thin = folder / name.removesuffix(".xz")
        thin.parent.mkdir(parents=True, exist_ok=True)
        thin.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        text = text.replace(json.dumps(name), json.dumps(str(thin.absolute())))
        pairs += len(lines)
    tokenizer = json.dumps(str((work / "tokenizer.json").absolute()))
    recipe = folder / "student.toml"
    recipe.write_text(text.replace('"tokenizer.json"', tokenizer), encoding="utf-8")
    return recipe, pairs


def table(points: Sequence[Point]) -> str:
    tests = [f"{score.test}, {score.direction}" for score in points[0].scores]
    head = ["pairs", "parameters", *tests]
    rows = [
        [f"{point.pairs:,}", f"{point.parameters / 1e6:.1f} M", *(f"{score.bleu:.1f}" for score in point.scores)]
        for point in points
    ]
    return "\n".join(
        [f"| {' | '.join(head)} |", "|---:" * len(head) + "|", *(f"| {' | '.join(row)} |" for row in rows)]
    )


def draw(by_text: Sequence[Point], by_size: Sequence[Point], out: Path) -> None:
    with style():
        drawn, (left, right) = figure(2)
        for axes, points, what in ((left, by_text, "pairs"), (right, by_size, "parameters")):
            if not points:
                continue
            for index, (label, curve) in enumerate(curves(points)):
                x = [getattr(point, what) for point in points]
                axes.plot(x, curve, f"{MARKERS[index]}-", color=COLOURS[index], label=label, ms=4)
            axes.set_xscale("log")
            axes.set_xlabel(f"{what} 句对数" if what == "pairs" else f"{what} 参数量")
            axes.set_ylabel("BLEU")
            axes.set_ylim(bottom=0)
        right.legend(fontsize=8, loc="lower right")
        out.mkdir(parents=True, exist_ok=True)
        drawn.savefig(out / "default-model.png")


def curves(points: Sequence[Point]) -> Iterator[tuple[str, list[float]]]:
    for index, score in enumerate(points[0].scores):
        yield f"{score.test}, {score.direction}", [point.scores[index].bleu for point in points]


if __name__ == "__main__":
    main()
