"""The default model, from corpus files to the folder that is given away.

python -m recipes.default.build --work runs/default

The same command resumes where it was stopped: every step leaves its result in the folder, and what is there is not made
again. WORK/steps/NAME.json says how long a step took, and the sha256 of what it made, by which two builds can be
compared. `--only` makes some steps and no other, so that a build can go over several days or machines: what a step
needs is model folders and text. `teacher:`, `second-teacher:` or `student:` before a setting tells whose it is.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from multiprocessing import get_context
from pathlib import Path

import torch

from attendo.text.train_tokenizer import TokenizerConfig, train_tokenizer
from benchmarks.machine import data_folder
from recipes.default.answers import Question
from recipes.default.cleaned import write_cleaned
from recipes.default.distil import DIRECTIONS, questions_of, translate
from recipes.default.encode import encode_all, jobs_of, write_recipe
from recipes.default.made_up import labelled, pairs
from recipes.default.recounted import write_recounted
from recipes.default.rounds import PLAIN_TEXT, first_round, second_round
from recipes.default.scores import write_scores
from recipes.default.ship import STEPS, ship
from recipes.default.shortlist import add_shortlist
from recipes.default.sources import CLEANED, CORPORA, HERE, held_out, lines_of, sources
from recipes.default.varied import write_varied

TOKENIZER = "tokenizer.json"
VOCABULARY = 16_000
MADE_UP = 80_000  # pairs of each two languages
WORDS = 20_000  # more of WORD_KINDS: what stands alone must be met more often than what has a context
WORD_KINDS = ("single words", "everyday words", "labels", "phrases", "letters")
ROUGH = 20_000  # of each direction, with the typing errors of people
VARIED = 40_000  # of each direction, of what the teacher answered
RECOUNTED = 8  # times everything in which something is counted

Make = Callable[[Path], None]


@dataclass(frozen=True)
class Step:
    make: Make
    by_itself: bool = True  # else it is made side by side with its neighbours: text, from text that is there


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--work", type=Path, default=Path("runs/default"), help="folder of all that is made")
    parser.add_argument("--processes", type=int, default=10, help="that translate side by side on one GPU")
    parser.add_argument(
        "--most", type=int, help="sentences of each kind and direction that a teacher translates, to try it"
    )
    parser.add_argument("--only", nargs="+", metavar="STEP", help="make these steps alone, such as teacher round-1")
    parser.add_argument("--set", action="append", default=[], metavar="NAME:TABLE.KEY=VALUE", dest="settings")
    parser.add_argument(
        "--student-from", type=Path, metavar="FOLDER", help="a student with whose weights this one begins"
    )
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    if options.student_from:
        check_tokenizer(options.work, options.student_from)
    known = steps(options.work, options.processes, options.most, options.settings, options.student_from)
    for name in options.only or ():
        if not matching(name, known):
            parser.error(f"there is no step {name}: expected some of {', '.join(known)}")
    wanted = [name for one in options.only for name in matching(one, known)] if options.only else list(known)
    make_steps(options.work, {name: known[name] for name in wanted})


def matching(asked: str, known: dict[str, Step]) -> list[str]:
    """The step of that name, or all whose names begin so: made-up stands for two of them."""
    return [asked] if asked in known else [name for name in known if name.startswith(f"{asked}.")]


def steps(
    work: Path, processes: int, most: int | None, settings: list[str], begin: Path | None = None
) -> dict[str, Step]:
    """All of them, in order, by the names of what they make in the work folder."""
    data = data_folder()
    ask = partial(questions, work, data, most)
    say = partial(write_answers, processes=processes)
    first, second, student = (work / name / "model" for name in ("teacher", "second-teacher", "student"))
    every = {CLEANED: Step(partial(write_cleaned, data)), TOKENIZER: Step(partial(write_tokenizer, work, data))}
    for languages in (("zh", "en"), ("de", "en")):
        name = f"{'-'.join(languages)}.tsv"
        every[f"made-up.{name}"] = Step(partial(write_made_up, languages, MADE_UP, False), False)
        every[f"words.{name}"] = Step(partial(write_words, languages, WORDS), False)
    for languages in DIRECTIONS:
        every[f"rough.{'-'.join(languages)}.tsv"] = Step(partial(write_made_up, languages, ROUGH, True), False)
    every["teacher"] = Step(partial(train, work, settings))
    every["round-1"] = Step(partial(say, first, partial(ask, "round-1"), backwards=True))
    # The first teacher knows manuals as well as the second, and can answer while that one learns.
    every["distilled-rest"] = Step(partial(say, first, partial(ask, "distilled-rest")))
    every["second-teacher"] = Step(partial(train, work, settings))
    every["distilled"] = Step(partial(say, second, partial(ask, "distilled")))
    for languages in DIRECTIONS:
        name, distilled = f"{'-'.join(languages)}.tsv", work / "distilled"
        every[f"varied.{name}"] = Step(partial(write_varied, distilled, languages, VARIED, 1), False)
        every[f"recounted.{name}"] = Step(partial(write_recounted, distilled, languages, RECOUNTED, 1), False)
    every["student"] = Step(partial(train, work, settings, begin=begin))
    every["listed"] = Step(partial(add_shortlist, HERE / "student.toml", [work, data], student))
    every["scores-1-teacher.json"] = Step(partial(write_scores, second, "teacher", "torch"))
    every["scores-2-student.json"] = Step(partial(write_scores, student, "student", "torch"))
    every["scores-3-student-int8.json"] = Step(partial(write_scores, work / "listed", "student, 8 bits", "ct2"))
    every["shipped"] = Step(partial(ship, work))
    return every


def make_steps(work: Path, wanted: dict[str, Step]) -> None:
    """In order. Neighbours that need not be made by themselves are made side by side."""
    waiting: dict[str, Step] = {}
    for name, step in wanted.items():
        if step.by_itself:
            side_by_side(work, waiting)
            waiting = {}
            make_step(work, name, step.make)
        else:
            waiting[name] = step
    side_by_side(work, waiting)


def side_by_side(work: Path, some: dict[str, Step]) -> None:
    if len(some) < 2:
        for name, step in some.items():
            make_step(work, name, step.make)
        return
    with ProcessPoolExecutor(min(len(some), os.cpu_count() or 1), get_context("spawn")) as pool:
        for running in [pool.submit(make_step, work, name, step.make) for name, step in some.items()]:
            running.result()


def make_step(work: Path, name: str, make: Make) -> None:
    """Made under another name first, so that what has its name is whole. A training goes on where it was stopped, and
    so does a translation, file by file."""
    if (work / name).exists():
        print(f"{name}: there", flush=True)
        return
    started = time.perf_counter()
    make(work / f"making-{name}")
    (work / f"making-{name}").rename(work / name)
    note(work, name, time.perf_counter() - started)


def note(work: Path, name: str, seconds: float) -> None:
    """What was stopped and resumed is told by its last part alone."""
    kept = work / STEPS / f"{name}.json"
    kept.parent.mkdir(exist_ok=True)
    table = {"seconds": round(seconds, 1), "gpu": torch.cuda.is_available(), "sha256": digest_of(work / name)}
    kept.write_text(json.dumps(table, indent=2), encoding="utf-8")
    print(f"{name}: made in {seconds:.0f} s", flush=True)


def digest_of(made: Path) -> str:
    """Of a file; of a folder's files and their names; of a training the weights alone, since a log has its speed."""
    weights = made / "model" / "model.safetensors"
    files = [weights] if weights.exists() else [made] if made.is_file() else sorted(made.iterdir())
    hashes = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files]
    return hashes[0][:64] if len(hashes) == 1 else hashlib.sha256("".join(hashes).encode()).hexdigest()


def write_tokenizer(work: Path, data: Path, out: Path) -> None:
    """One vocabulary for all languages and all models, from what people wrote."""
    files = [source.file for source in sources(CORPORA, [work, data])] + [data / name for name in PLAIN_TEXT]

    def texts() -> Iterator[str]:
        return (side for file in files for line in lines_of(file) for side in line.split("\t"))

    train_tokenizer(texts, ("zh", "en", "de"), TokenizerConfig(VOCABULARY)).save(out)


def write_made_up(languages: tuple[str, str], count: int, roughened: bool, out: Path) -> None:
    lines = (f"{first}\t{second}\n" for first, second in pairs(languages, count, seed=1, roughened=roughened))
    out.write_text("".join(lines), encoding="utf-8")


def write_words(languages: tuple[str, str], count: int, out: Path) -> None:
    drawn = (pair for kind, pair in labelled(languages, seed=2) if kind in WORD_KINDS)
    out.write_text("".join(f"{first}\t{second}\n" for first, second in islice(drawn, count)), encoding="utf-8")


def questions(work: Path, data: Path, most: int | None, name: str) -> Iterator[Question]:
    """What a teacher is asked for one of the folders. What has the longest sentences comes first, so that at the end
    no process is left alone with many of them."""
    corpora, held = sources(CORPORA, [work, data]), held_out(data)
    if name == "round-1":
        return first_round(corpora, data, held, most)
    if name == "distilled-rest":
        return questions_of(corpora, held, ("rest",), most, beam=2)
    taught = questions_of(corpora, held, ("talk", "lifted", "everyday"), most)
    return chain(second_round(data, held, most), taught)


def write_answers(
    model: Path, asked: Callable[[], Iterator[Question]], out: Path, *, processes: int, backwards: bool = False
) -> None:
    translate(model, asked(), out, processes=processes, backwards=backwards)


def check_tokenizer(work: Path, begin: Path) -> None:
    """Before anything is made: a student keeps the tokenizer of the model that it begins with."""
    theirs, ours = begin / TOKENIZER, work / TOKENIZER
    if not theirs.is_file():
        raise SystemExit(f"{begin} is no model folder: it has no {TOKENIZER}")
    if not ours.is_file() or theirs.read_bytes() != ours.read_bytes():
        raise SystemExit(f"{begin} has another tokenizer: cp {theirs} {ours} before anything is made")


def train(work: Path, settings: list[str], out: Path, begin: Path | None = None) -> None:
    """By a recipe in the work folder, beside the files it names; a run that was stopped is resumed."""
    name = out.name.removeprefix("making-")
    if begin:
        check_tokenizer(work, begin)
    recipe = write_recipe(work, name, begin)
    chosen = [setting.removeprefix(f"{name}:") for setting in settings if setting.startswith(f"{name}:")]
    encode_all(work / TOKENIZER, jobs_of(recipe, [work, data_folder()]))
    command = [sys.executable, "-m", "attendo", "train", str(recipe), "--run-dir", str(out)]
    code = subprocess.run([*command, *(part for one in chosen for part in ("--set", one))], check=False).returncode
    if code:
        raise SystemExit(code)


if __name__ == "__main__":
    main()
