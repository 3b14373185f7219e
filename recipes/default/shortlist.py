"""What is said in each language: the shortlist of a model (attendo/model_folder/shortlist.py), counted in the text that
it learnt from.

    python -m recipes.default.shortlist --recipe recipes/default/corpora.toml --model default --out LISTED

makes a copy of a model folder with one. build.py does it for the student and its own text.

Of each language come first the ids without which something could not be said at all: bytes, digits, punctuation, single
letters and characters. Then the pieces that the targets of that language have: all of them, or of those that they have
most often as many as are asked for (--lists en=8000,de). Nothing is drawn: the same text gives the same bytes.

The default model has a list for English alone, of all that is said in it. Shorter ones, and one for German or Chinese,
cost no BLEU, but single answers get worse, copies above all (docs/engines.md has the numbers).
"""

import argparse
import shutil
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from unicodedata import category

import numpy as np
from numpy.typing import NDArray

from attendo.data.corpus import CorpusFile
from attendo.data.encoded import encode_corpus
from attendo.data.filters import FilterConfig
from attendo.errors import InputError
from attendo.files.cache_folder import cache_folder
from attendo.files.durable import new_folder
from attendo.files.manifest import write_manifest
from attendo.model_folder.bundle import SHORTLIST, Bundle, model_folder, read_bundle
from attendo.model_folder.shortlist import write_shortlist
from attendo.text.tokenizer import Tokenizer
from benchmarks.machine import data_folder

ALWAYS = ("Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Nd", "Sc")  # Unicode's kinds of marks, digits and currencies

Counts = dict[str, NDArray[np.float64]]  # language -> how often each id is said
Sizes = Mapping[str, int | None]  # language -> how many ids its list has; None: all that are said

SIZES: Sizes = {"en": None}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--recipe", type=Path, required=True, help="whose corpora are counted")
    parser.add_argument("--model", default=None, help="a folder or a name; without it the default model")
    parser.add_argument(
        "--lists", type=sizes_of, default=SIZES, metavar="LANGUAGE[=IDS],…", help="who has one, and how long; else all"
    )
    parser.add_argument("--out", type=Path, required=True, help="a folder that is not there yet")
    options = parser.parse_args()
    folders = [options.recipe.parent, data_folder()]
    add_shortlist(options.recipe, folders, model_folder(options.model), options.out, options.lists)
    print(f"{options.out}: {SHORTLIST} has {(options.out / SHORTLIST).stat().st_size:,} bytes")


def sizes_of(text: str) -> Sizes:
    """en=8000,de: 8,000 ids for English, for German all that are said."""
    named = (one.partition("=") for one in text.split(","))
    return {language: int(size) if size else None for language, _, size in named}


def add_shortlist(
    recipe: Path,
    folders: list[Path],
    model: Path,
    out: Path,
    sizes: Sizes = SIZES,
) -> None:
    """OUT is the model's folder once more, with a shortlist."""
    bundle = read_bundle(model)
    with new_folder(out, bundle.weights.stat().st_size, shared=True) as new:
        for name in set(bundle.files) - {SHORTLIST}:
            shutil.copyfile(bundle.folder / name, new / name)
        make_shortlist(recipe, folders, bundle, new / SHORTLIST, sizes)
        write_manifest(new)


def make_shortlist(
    recipe: Path,
    folders: list[Path],
    bundle: Bundle,
    out: Path,
    sizes: Sizes = SIZES,
) -> None:
    """The corpora of the recipe are looked for in the folders, in order; one that is in none is left out and named."""
    tokenizer = bundle.tokenizer()
    counts = count_targets(tomllib.loads(recipe.read_text(encoding="utf-8")), folders, tokenizer)
    if silent := sorted(set(sizes) - set(counts)):
        raise InputError(f"no text for a list: {recipe} says nothing in {', '.join(silent)}")
    lists = {language: most_said(counts[language], tokenizer, sizes[language]) for language in sorted(sizes)}
    write_shortlist(out, lists, bundle)


def count_targets(recipe: Mapping[str, Any], folders: list[Path], tokenizer: Tokenizer) -> Counts:
    """How often each id stands in what is to be said, a corpus of weight 2 counted twice. The ids are those that the
    model learnt from, which lie in the cache; else they are made again."""
    counts = {language: np.zeros(tokenizer.vocab_size) for language in tokenizer.languages}
    filters = FilterConfig(**recipe["data"].get("filters", {}))
    for corpus in recipe["data"]["corpora"]:
        found = [folder / corpus["file"] for folder in folders if (folder / corpus["file"]).is_file()]
        if not found:
            print(f"{corpus['file']}: not there, not counted", flush=True)
            continue
        first, second = corpus["languages"]
        pairs = encode_corpus(
            CorpusFile(found[0], (first, second)), tokenizer, (first, second), filters, cache_folder() / "encoded"
        )
        sides = {second: pairs.target} if corpus.get("one_way") else {second: pairs.target, first: pairs.source}
        for language, side in sides.items():
            times = np.bincount(side.ids, minlength=tokenizer.vocab_size)
            counts[language] += corpus.get("weight", 1.0) * times
    return {language: count for language, count in counts.items() if count.any()}


def most_said(counts: NDArray[np.float64], tokenizer: Tokenizer, size: int | None = None) -> NDArray[np.int64]:
    """In the order of the ids: all that are said, or those said most; of two said equally often the lower id.

    However short the list, no character that is said is left out: others cannot say it, as they can a word.
    """
    alone = [len(text) == 1 for text in surfaces(tokenizer)]
    sure = np.isin(np.arange(tokenizer.vocab_size), list(sayable(tokenizer))) | ((counts > 0) & alone)
    by_count = np.argsort(-counts, kind="stable")
    wanted = by_count[(counts > 0)[by_count] & ~sure[by_count]]
    room = len(wanted) if size is None else max(size - int(sure.sum()), 0)
    return np.sort(np.concatenate((np.flatnonzero(sure), wanted[:room])))


def sayable(tokenizer: Tokenizer) -> Iterator[int]:
    """What no list is without: controls, tags and bytes; what is a piece alone of ASCII, or a mark or currency."""
    for token, text in enumerate(surfaces(tokenizer)):
        alone = len(text) == 1 and (text.isascii() or category(text) in ALWAYS)
        if token < tokenizer.layout.first_piece or alone:
            yield token


def surfaces(tokenizer: Tokenizer) -> list[str]:
    return [tokenizer.surface(token).decode("utf-8", errors="replace").strip() for token in range(tokenizer.vocab_size)]


if __name__ == "__main__":
    main()
