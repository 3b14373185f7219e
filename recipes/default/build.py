"""The default model, from corpus files to the folder that is given away.

python -m recipes.default.build --work runs/default

The same command resumes where it was stopped: every step leaves its result in the folder, and what is there is not made
again. WORK/seconds.json says how long each step took. `teacher:` or `student:` before a setting tells whose it is.
"""

import argparse
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from benchmarks.machine import data_folder
from recipes.default.distil import distil, held_out, sources
from recipes.default.made_up import pairs
from recipes.default.recounted import write_recounted
from recipes.default.scores import write_scores
from recipes.default.ship import SECONDS, ship
from recipes.default.varied import write_varied

HERE = Path(__file__).parent
MADE_UP = 40_000  # pairs of each two languages
ROUGH = 15_000  # of each direction, with the typing errors of people
VARIED = 40_000  # of each direction, of what the teacher answered
RECOUNTED = 8  # times everything in which something is counted
DIRECTIONS = (("zh", "en"), ("en", "zh"), ("de", "en"), ("en", "de"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--work", type=Path, default=Path("runs/default"), help="folder of all that is made")
    parser.add_argument("--processes", type=int, default=2, help="that translate each direction side by side")
    parser.add_argument(
        "--most", type=int, help="sentences of each kind and direction that the teacher translates, to try it"
    )
    parser.add_argument("--set", action="append", default=[], metavar="NAME:TABLE.KEY=VALUE", dest="settings")
    options = parser.parse_args()
    work: Path = options.work
    work.mkdir(parents=True, exist_ok=True)
    for languages in (("zh", "en"), ("de", "en")):
        step(work, f"made-up.{'-'.join(languages)}.tsv", partial(write_made_up, languages, MADE_UP, False))
    for languages in DIRECTIONS:
        step(work, f"rough.{'-'.join(languages)}.tsv", partial(write_made_up, languages, ROUGH, True))
    teacher = train(work, "teacher", options.settings)
    recipe, data = HERE / "teacher.toml", data_folder()
    translate = partial(distil, teacher, sources(recipe, data), held_out(recipe, data), DIRECTIONS)
    step(work, "distilled", partial(translate, processes=options.processes, most=options.most))
    for languages in DIRECTIONS:
        name, distilled = f"{'-'.join(languages)}.tsv", work / "distilled"
        step(work, f"varied.{name}", partial(write_varied, distilled, languages, VARIED, 1))
        step(work, f"recounted.{name}", partial(write_recounted, distilled, languages, RECOUNTED, 1))
    student = train(work, "student", options.settings)
    step(work, "scores-1-teacher.json", partial(write_scores, teacher, "teacher", "torch"))
    step(work, "scores-2-student.json", partial(write_scores, student, "student", "torch"))
    if find_spec("ctranslate2") is None:
        print("CTranslate2 is not here: where it is, the same command continues with the scores in 8 bits")
        return
    step(work, "scores-3-student-int8.json", partial(write_scores, student, "student, 8 bits", "ct2"))
    step(work, "shipped", partial(ship, work))


def step(work: Path, name: str, make: Callable[[Path], None]) -> None:
    """Made under another name first, so that what has its name is whole."""
    if (work / name).exists():
        print(f"{name}: there", flush=True)
        return
    started = time.perf_counter()
    make(work / f"making-{name}")
    (work / f"making-{name}").rename(work / name)
    took(work, name, time.perf_counter() - started)


def took(work: Path, name: str, seconds: float) -> None:
    """What was stopped and resumed took the sum of its parts."""
    kept = work / SECONDS
    table = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    kept.write_text(json.dumps(table | {name: table.get(name, 0.0) + seconds}, indent=2), encoding="utf-8")
    print(f"{name}: made in {seconds:.0f} s", flush=True)


def write_made_up(languages: tuple[str, str], count: int, roughened: bool, out: Path) -> None:
    lines = (f"{first}\t{second}\n" for first, second in pairs(languages, count, seed=1, roughened=roughened))
    out.write_text("".join(lines), encoding="utf-8")


def train(work: Path, name: str, settings: list[str]) -> Path:
    """By a copy of the recipe in the folder, beside the files it names; a run that was stopped is resumed."""
    model = work / name / "model"
    if model.exists():
        print(f"{name}: there", flush=True)
        return model
    shutil.copy(HERE / f"{name}.toml", work / f"{name}.toml")
    command = [sys.executable, "-m", "attendo", "train", str(work / f"{name}.toml"), "--run-dir", str(work / name)]
    for setting in settings:
        if setting.startswith(f"{name}:"):
            command += ["--set", setting.removeprefix(f"{name}:")]
    started = time.perf_counter()
    code = subprocess.run(command, check=False).returncode
    took(work, name, time.perf_counter() - started)
    if code:
        raise SystemExit(code)
    return model


if __name__ == "__main__":
    main()
