"""Corpora as ids, in the cache where a training looks for them; it would make them one after the other.

    python -m recipes.default.encode --work runs/default

encodes all that is there of the three recipes' corpora. It may run beside whatever uses the GPU; what it has made, a
training only opens. The cache can be deleted: it is made again.
"""

import argparse
import json
import os
import time
import tomllib
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from attendo.data.corpus import CorpusFile
from attendo.data.encoded import EncodedCorpus, encode_corpus
from attendo.data.prepare.settings import CorpusConfig, DataConfig
from attendo.files.cache_folder import cache_folder
from attendo.recipe.recipe import recipe_from_dict
from attendo.text.tokenizer import Tokenizer
from benchmarks.machine import data_folder
from recipes.default.sources import HERE, found_in

RECIPES = ("teacher", "second-teacher", "student")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--work", type=Path, default=Path("runs/default"))
    options = parser.parse_args()
    started = time.perf_counter()
    folders = [options.work, data_folder()]
    jobs = [job for name in RECIPES for job in jobs_of(write_recipe(options.work, name), folders)]
    encode_all(options.work / "tokenizer.json", jobs)
    found = {job.file for job in jobs if job.file.is_file()}
    print(f"{len(found)} corpora in {time.perf_counter() - started:.0f} s", flush=True)


@dataclass(frozen=True)
class Job:
    """A corpus of a recipe, with the recipe's settings for it."""

    file: Path
    config: CorpusConfig
    data: DataConfig


def write_recipe(work: Path, name: str, begin: Path | None = None) -> Path:
    """Into the work folder, beside the files that it names. The teachers' begin with the corpora of both."""
    recipe = work / f"{name}.toml"
    own = (HERE / recipe.name).read_text(encoding="utf-8")
    whole = own if "[data]" in own else (HERE / "corpora.toml").read_text(encoding="utf-8") + own
    recipe.write_text(going_on(whole, begin) if begin else whole, encoding="utf-8")
    return recipe


def going_on(recipe: str, begin: Path) -> str:
    """The same text and training, but with the tokenizer, the shape and the first weights of a model that there is."""
    corpora, tokenizer, rest = recipe.partition("[tokenizer]")
    _, heading, training = rest.partition("[training]")
    if not (tokenizer and heading):
        raise ValueError("this recipe has no [tokenizer] or no [training]")
    dropout = tomllib.loads(recipe)["model"]["dropout"]
    model = f"[model]\ninit_from = {json.dumps(str(begin.resolve()))}\ndropout = {dropout}\n\n"
    return f"{corpora}{model}{heading}{training}"


def jobs_of(recipe: Path, folders: Sequence[Path]) -> list[Job]:
    """The corpora of a recipe, of which some may not be there yet; they are looked for in the folders, in order."""
    data = recipe_from_dict(tomllib.loads(recipe.read_text(encoding="utf-8"))).data
    files = [found_in(folders, str(config.file)) for config in data.corpora]
    return [Job(file, config, data) for file, config in zip(files, data.corpora, strict=True)]


def encode_all(tokenizer: Path, jobs: Iterable[Job]) -> None:
    """What is there; the largest first, so that no process is left alone with it at the end; each file once."""
    once = {(job.file, job.config.languages): job for job in jobs if job.file.is_file()}
    by_size = sorted(once.values(), key=lambda job: -job.file.stat().st_size)
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        running = [pool.submit(make_encoded, tokenizer, job) for job in by_size]
        for one in running:
            one.result()


def make_encoded(tokenizer: Path, job: Job) -> None:
    encoded(Tokenizer.load(tokenizer), job)


def encoded(tokenizer: Tokenizer, job: Job) -> EncodedCorpus:
    languages = job.data.languages_of(job.config)
    return encode_corpus(
        CorpusFile(job.file, languages), tokenizer, languages, job.data.filters, cache_folder() / "encoded"
    )


if __name__ == "__main__":
    main()
