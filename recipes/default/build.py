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
from functools import partial
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

from attendo.data.encoded import encode_corpus
from attendo.data.prepare.datasets import corpus_of
from attendo.data.prepare.settings import CorpusConfig, DataConfig
from attendo.files.cache_folder import cache_folder
from attendo.recipe.read import read_recipe
from attendo.text.tokenizer import Tokenizer
from attendo.text.train_tokenizer import TokenizerConfig, train_tokenizer
from benchmarks.machine import data_folder
from recipes.default.distil import distil, held_out, lines_of, sources
from recipes.default.made_up import labelled, pairs
from recipes.default.recounted import write_recounted
from recipes.default.rounds import PLAIN_TEXT, translate_plain_text
from recipes.default.scores import write_scores
from recipes.default.ship import STEPS, ship
from recipes.default.shortlist import add_shortlist
from recipes.default.varied import write_varied

HERE = Path(__file__).parent
CORPORA = HERE / "corpora.toml"
VOCABULARY = 16_000
MADE_UP = 80_000  # pairs of each two languages
WORDS = 20_000  # more of WORD_KINDS: what stands alone must be met more often than what has a context
WORD_KINDS = ("single words", "everyday words", "labels", "phrases", "letters")
ROUGH = 20_000  # of each direction, with the typing errors of people
VARIED = 40_000  # of each direction, of what the teacher answered
RECOUNTED = 8  # times everything in which something is counted
DIRECTIONS = (("zh", "en"), ("en", "zh"), ("de", "en"), ("en", "de"))

Make = Callable[[Path], None]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--work", type=Path, default=Path("runs/default"), help="folder of all that is made")
    parser.add_argument("--processes", type=int, default=10, help="that translate side by side on one GPU")
    parser.add_argument(
        "--most", type=int, help="sentences of each kind and direction that a teacher translates, to try it"
    )
    parser.add_argument("--only", nargs="+", metavar="STEP", help="make these steps alone, such as teacher round-1")
    parser.add_argument("--set", action="append", default=[], metavar="NAME:TABLE.KEY=VALUE", dest="settings")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    known = steps(options.work, options.processes, options.most, options.settings)
    for name in options.only or known:
        if name not in known:
            parser.error(f"there is no step {name}: expected some of {', '.join(known)}")
        step(options.work, name, known[name])


def steps(work: Path, processes: int, most: int | None, settings: list[str]) -> dict[str, Make]:
    """All of them, in order, by the names of what they make in the work folder."""
    data = data_folder()
    corpora, held = sources(CORPORA, data), held_out(CORPORA, data)
    round_by = partial(translate_plain_text, processes=processes, most=most)
    distil_by = partial(distil, processes=processes, most=most)
    first, second, student = (work / name / "model" for name in ("teacher", "second-teacher", "student"))
    every: dict[str, Make] = {"tokenizer.json": partial(write_tokenizer, data)}
    for languages in (("zh", "en"), ("de", "en")):
        every[f"made-up.{'-'.join(languages)}.tsv"] = partial(write_made_up, languages, MADE_UP, False)
        every[f"words.{'-'.join(languages)}.tsv"] = partial(write_words, languages, WORDS)
    for languages in DIRECTIONS:
        every[f"rough.{'-'.join(languages)}.tsv"] = partial(write_made_up, languages, ROUGH, True)
    every["teacher"] = partial(train, work, settings)
    every["round-1"] = partial(round_by, first, data, held, DIRECTIONS)
    # The first teacher knows manuals and speeches as well as the second, and can answer while that one learns.
    every["distilled-rest"] = partial(distil_by, first, corpora, held, DIRECTIONS, ("lifted", "rest"))
    every["second-teacher"] = partial(train, work, settings)
    every["round-2"] = partial(round_by, second, data, held, DIRECTIONS)
    every["distilled"] = partial(distil_by, second, corpora, held, DIRECTIONS, ("everyday",))
    for languages in DIRECTIONS:
        name, distilled = f"{'-'.join(languages)}.tsv", work / "distilled"
        every[f"varied.{name}"] = partial(write_varied, distilled, languages, VARIED, 1)
        every[f"recounted.{name}"] = partial(write_recounted, distilled, languages, RECOUNTED, 1)
    every["student"] = partial(train, work, settings)
    every["listed"] = partial(add_shortlist, HERE / "student.toml", [work, data], student)
    every["scores-1-teacher.json"] = partial(write_scores, second, "teacher", "torch")
    every["scores-2-student.json"] = partial(write_scores, student, "student", "torch")
    every["scores-3-student-int8.json"] = partial(write_scores, work / "listed", "student, 8 bits", "ct2")
    every["shipped"] = partial(ship, work)
    return every


def step(work: Path, name: str, make: Make) -> None:
    """Made under another name first, so that what has its name is whole. A training goes on where it was stopped."""
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
    table = {"seconds": round(seconds, 1), "sha256": digest_of(work / name)}
    kept.write_text(json.dumps(table, indent=2), encoding="utf-8")
    print(f"{name}: made in {seconds:.0f} s", flush=True)


def digest_of(made: Path) -> str:
    """Of a file; of a folder's files and their names; of a training the weights alone, since a log has its speed."""
    weights = made / "model" / "model.safetensors"
    files = [weights] if weights.exists() else [made] if made.is_file() else sorted(made.iterdir())
    hashes = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files]
    return hashes[0][:64] if len(hashes) == 1 else hashlib.sha256("".join(hashes).encode()).hexdigest()


def write_tokenizer(data: Path, out: Path) -> None:
    """One vocabulary for all languages and all models, from what people wrote."""
    files = [source.file for source in sources(CORPORA, data)] + [data / name for name in PLAIN_TEXT]

    def texts() -> Iterator[str]:
        return (side for file in files for line in lines_of(file) for side in line.split("\t"))

    train_tokenizer(texts, ("zh", "en", "de"), TokenizerConfig(VOCABULARY)).save(out)


def write_made_up(languages: tuple[str, str], count: int, roughened: bool, out: Path) -> None:
    lines = (f"{first}\t{second}\n" for first, second in pairs(languages, count, seed=1, roughened=roughened))
    out.write_text("".join(lines), encoding="utf-8")


def write_words(languages: tuple[str, str], count: int, out: Path) -> None:
    drawn = (pair for kind, pair in labelled(languages, seed=2) if kind in WORD_KINDS)
    out.write_text("".join(f"{first}\t{second}\n" for first, second in islice(drawn, count)), encoding="utf-8")


def train(work: Path, settings: list[str], out: Path) -> None:
    """By a recipe in the work folder, beside the files it names; a run that was stopped is resumed."""
    name = out.name.removeprefix("making-")
    recipe = work / f"{name}.toml"
    own = (HERE / recipe.name).read_text(encoding="utf-8")
    recipe.write_text(own if "[data]" in own else CORPORA.read_text(encoding="utf-8") + own, encoding="utf-8")
    chosen = [setting.removeprefix(f"{name}:") for setting in settings if setting.startswith(f"{name}:")]
    encode_side_by_side(recipe, work / "tokenizer.json")
    command = [sys.executable, "-m", "attendo", "train", str(recipe), "--run-dir", str(out)]
    code = subprocess.run([*command, *(part for one in chosen for part in ("--set", one))], check=False).returncode
    if code:
        raise SystemExit(code)


def encode_side_by_side(recipe: Path, tokenizer: Path) -> None:
    """The corpora, into the cache where the training looks for them: it would encode one after the other."""
    data = read_recipe(recipe).data
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        running = [pool.submit(encode, tokenizer, data, config) for config in data.corpora]
        for one in running:
            one.result()


def encode(tokenizer: Path, data: DataConfig, config: CorpusConfig) -> None:
    languages = data.languages_of(config)
    cache = cache_folder() / "encoded"
    encode_corpus(corpus_of(config, languages), Tokenizer.load(tokenizer), languages, data.filters, cache)


if __name__ == "__main__":
    main()
