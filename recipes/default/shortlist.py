"""What is said in each language: the shortlist of a model (attendo/model_folder/shortlist.py), counted in the text that
it learnt from.

    python -m recipes.default.shortlist --recipe recipes/default/corpora.toml --model default --out LISTED

makes a copy of a model folder with one. build.py does it for the student and its own text.

Of each language come first the ids without which something could not be said at all: bytes, digits, punctuation, single
letters. Then the pieces that the targets of that language have: all of them, or with --size those that they have most
often. Nothing is drawn at random: the same text gives the same bytes.

The default model has a list for English alone. With one for German its answers from English lose more than 0.1 BLEU,
even if all that was ever said is on it, since the scores of hypotheses in a beam shift; one for Chinese leaves little
out, as manuals keep English words (docs/engines.md has the numbers).
"""

import argparse
import shutil
import tomllib
from collections.abc import Iterable, Iterator, Mapping
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

LANGUAGES = ("en",)
ALWAYS = ("Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Nd", "Sc")  # Unicode's kinds of marks, digits and currencies

Counts = dict[str, NDArray[np.float64]]  # language -> how often each id is said


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--recipe", type=Path, required=True, help="whose corpora are counted")
    parser.add_argument("--model", default=None, help="a folder or a name; without it the default model")
    parser.add_argument("--size", type=int, help="ids of each language, if not all that are said")
    parser.add_argument("--languages", default=",".join(LANGUAGES), help="which have a list; separated by commas")
    parser.add_argument("--out", type=Path, required=True, help="a folder that is not there yet")
    options = parser.parse_args()
    folders = [options.recipe.parent, data_folder()]
    languages = options.languages.split(",")
    add_shortlist(options.recipe, folders, model_folder(options.model), options.out, languages, options.size)
    print(f"{options.out}: {SHORTLIST} has {(options.out / SHORTLIST).stat().st_size:,} bytes")


def add_shortlist(
    recipe: Path,
    folders: list[Path],
    model: Path,
    out: Path,
    languages: Iterable[str] = LANGUAGES,
    size: int | None = None,
) -> None:
    """OUT is the model's folder once more, with a shortlist."""
    bundle = read_bundle(model)
    with new_folder(out, bundle.weights.stat().st_size, shared=True) as new:
        for name in set(bundle.files) - {SHORTLIST}:
            shutil.copyfile(bundle.folder / name, new / name)
        make_shortlist(recipe, folders, bundle, new / SHORTLIST, languages, size)
        write_manifest(new)


def make_shortlist(
    recipe: Path,
    folders: list[Path],
    bundle: Bundle,
    out: Path,
    languages: Iterable[str] = LANGUAGES,
    size: int | None = None,
) -> None:
    """The corpora of the recipe are looked for in the folders, in order; one that is in none is left out and named."""
    tokenizer = bundle.tokenizer()
    counts = count_targets(tomllib.loads(recipe.read_text(encoding="utf-8")), folders, tokenizer)
    if silent := sorted(set(languages) - set(counts)):
        raise InputError(f"no text for a list: {recipe} says nothing in {', '.join(silent)}")
    lists = {language: most_said(counts[language], tokenizer, size) for language in sorted(languages)}
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
    """In the order of the ids: all that are said, or those said most; of two said equally often the lower id."""
    always = np.fromiter(sayable(tokenizer), np.int64)
    by_count = np.argsort(-counts, kind="stable")
    wanted = by_count[(counts[by_count] > 0) & ~np.isin(by_count, always)]
    room = len(wanted) if size is None else max(size - len(always), 0)
    return np.sort(np.concatenate((always, wanted[:room])))


def sayable(tokenizer: Tokenizer) -> Iterator[int]:
    """What no list is without: controls, tags and bytes; what is a piece alone of ASCII, or a mark or currency."""
    for token in range(tokenizer.vocab_size):
        text = tokenizer.surface(token).decode("utf-8", errors="replace").strip()
        alone = len(text) == 1 and (text.isascii() or category(text) in ALWAYS)
        if token < tokenizer.layout.first_piece or alone:
            yield token


if __name__ == "__main__":
    main()
