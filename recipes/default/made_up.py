"""Made-up parallel text: short and odd things that corpora lack, on which small models loop or hallucinate.

    python -m recipes.default.made_up --languages zh,en --pairs 30000 --seed 1 --out made-up.zh-en.tsv

writes pairs that read well both ways: numbers, dates, words, labels, small sentences, things to be copied, and what is
said in shops, letters and news (MIXTURE says how much of each). With --rough the first column is what people type, and
the second stays clean: such a file is for a corpus with `one_way = true`. The same languages, number and seed give the
same bytes.

What can be said is in the tables of made_up_kinds (see words.py there): never any of FORBIDDEN, nor a sentence of a
test set that is longer than three words; a greeting may be in any.
"""

import argparse
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random

from recipes.default.made_up_kinds import (
    copies,
    dates,
    everyday_words,
    fragments,
    labels,
    large_numbers,
    letters,
    lists,
    measures,
    news,
    numbers,
    people,
    phrases,
    sentences,
    shop,
    shouting,
    single_words,
    times,
)
from recipes.default.made_up_kinds.roughness import rough
from recipes.default.made_up_kinds.trilingual import Kind, Phrase

# Percent of the draws. A kind that has little to say (phrases, single words) soon repeats itself; a pair is taken
# once, so in a large corpus its share is smaller and those of the others grow.
MIXTURE: dict[str, tuple[int, Kind]] = {
    "numbers": (4, numbers.draw),
    "large numbers": (4, large_numbers.draw),
    "dates": (5, dates.draw),
    "times": (4, times.draw),
    "measures": (4, measures.draw),
    "single words": (4, single_words.draw),
    "everyday words": (11, everyday_words.draw),
    "labels": (7, labels.draw),
    "people": (3, people.draw),
    "phrases": (2, phrases.draw),
    "fragments": (5, fragments.draw),
    "sentences": (6, sentences.draw),
    "shop": (12, shop.draw),
    "letters": (10, letters.draw),
    "news": (9, news.draw),
    "copies": (6, copies.draw),
    "shouting": (2, shouting.draw),
    "lists": (2, lists.draw),
}

# What the demonstrations ask for. It is here to be tested for, not to be made.
FORBIDDEN = (
    "我爱机器学习",
    "机器学习很有趣",
    "i love machine learning",
    "machine learning is interesting",
    "machine learning is fun",
)

MOST_REPEATS = 10_000  # in a row: then there is nothing new left to say


def labelled(languages: tuple[str, str], seed: int, roughened: bool = False) -> Iterator[tuple[str, tuple[str, str]]]:
    """Kinds and pairs, no pair twice, until nothing is new. Each pair of languages has its own dice."""
    unknown = set(languages) - set(Phrase._fields)
    if unknown or languages[0] == languages[1]:
        raise ValueError(f"languages = {languages}: expected two of {', '.join(Phrase._fields)}")
    rng = Random(f"{'-'.join(languages)}/{seed}/{roughened}")
    names, shares = list(MIXTURE), [share for share, _ in MIXTURE.values()]
    seen: set[tuple[str, str]] = set()
    repeats = 0
    while repeats < MOST_REPEATS:
        name = rng.choices(names, shares)[0]
        phrase = MIXTURE[name][1](rng)
        source, target = (getattr(phrase, language) for language in languages)
        if roughened and name != "copies":
            source = rough(rng, source)
        if not source or not target or (source, target) in seen:
            repeats += 1
            continue
        seen.add((source, target))
        repeats = 0
        yield name, (source, target)


def pairs(languages: tuple[str, str], count: int, seed: int, roughened: bool = False) -> Iterator[tuple[str, str]]:
    """pairs(("de", "en"), 1000, seed=1): German beside English."""
    for _, pair in islice(labelled(languages, seed, roughened), count):
        yield pair


def main() -> None:
    parser = argparse.ArgumentParser(description="Write made-up parallel text.")
    parser.add_argument("--languages", required=True, help="of the columns, such as zh,en or de,en")
    parser.add_argument("--pairs", type=int, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rough", action="store_true", help="the first column as people type; for one_way corpora")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    languages = given.languages.split(",")
    if len(languages) != 2 or languages[0] == languages[1] or not set(languages) <= set(Phrase._fields):
        parser.error(f"--languages {given.languages}: expected two of {', '.join(Phrase._fields)}, such as zh,en")
    first, second = languages
    with given.out.open("w", encoding="utf-8", newline="\n") as file:
        for source, target in pairs((first, second), given.pairs, given.seed, given.rough):
            file.write(f"{source}\t{target}\n")


if __name__ == "__main__":
    main()
