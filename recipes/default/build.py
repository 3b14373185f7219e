"""The default model, from corpus files to a trained student.

python -m recipes.default.build --work runs/default

The same command goes on where it was stopped: every step leaves its result in the folder, and what is there is not made
again. `teacher:` or `student:` before a setting tells whose it is.
"""

import argparse
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.machine import data_folder
from recipes.default.distil import distil, sources
from recipes.default.made_up import pairs

HERE = Path(__file__).parent
MADE_UP = 40_000  # pairs of each two languages
DIRECTIONS = (("zh", "en"), ("en", "zh"), ("de", "en"), ("en", "de"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--work", type=Path, default=Path("runs/default"), help="folder of all that is made")
    parser.add_argument("--processes", type=int, default=4, help="that translate side by side")
    parser.add_argument("--most", type=int, help="sentences that the teacher translates, of each direction")
    parser.add_argument("--set", action="append", default=[], metavar="NAME:TABLE.KEY=VALUE", dest="settings")
    options = parser.parse_args()
    work: Path = options.work
    work.mkdir(parents=True, exist_ok=True)
    for first in ("zh", "de"):
        step(work / f"made-up.{first}-en.tsv", partial(write_made_up, (first, "en")))
    train("teacher", work, options.settings)
    corpora = sources(HERE / "teacher.toml", [work, data_folder()])
    teacher = work / "teacher" / "model"
    for direction in DIRECTIONS:
        translate = partial(distil, teacher, corpora, direction, processes=options.processes, most=options.most)
        step(work / f"distilled.{'-'.join(direction)}.tsv", translate)
    train("student", work, options.settings)


def step(out: Path, make: Callable[[Path], None]) -> None:
    """Made under another name first, so that what has its name is whole."""
    if out.exists():
        print(f"{out}: there", flush=True)
        return
    started = time.perf_counter()
    making = out.with_name(f"making-{out.name}")
    make(making)
    making.rename(out)
    print(f"{out}: made in {time.perf_counter() - started:.0f} s", flush=True)


def write_made_up(languages: tuple[str, str], out: Path) -> None:
    lines = (f"{first}\t{second}\n" for first, second in pairs(languages, MADE_UP, seed=1))
    out.write_text("".join(lines), encoding="utf-8")


def train(name: str, work: Path, settings: list[str]) -> None:
    """By a copy of the recipe in the folder, beside the files it names. A finished run is left as it is."""
    shutil.copy(HERE / f"{name}.toml", work / f"{name}.toml")
    command = [sys.executable, "-m", "attendo", "train", str(work / f"{name}.toml"), "--run-dir", str(work / name)]
    for setting in settings:
        if setting.startswith(f"{name}:"):
            command += ["--set", setting.removeprefix(f"{name}:")]
    subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
