"""Of what each model learns how much: shares of the tokens that it learns to say, as often as an epoch shows them.

    python -m recipes.default.shares --work runs/default

A corpus that is not there yet, since a teacher is to write it, is named and not counted.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from attendo.text.tokenizer import Tokenizer
from benchmarks.machine import data_folder
from recipes.default.answers import Direction
from recipes.default.encode import RECIPES, Job, encode_all, encoded, jobs_of, write_recipe
from recipes.default.sources import KINDS, origins_table

GROUPS = {
    "everyday": "everyday language",
    "talk": "interviews and a book",
    "lifted": "manuals of machine learning",
    "rest": "other manuals, games, institutions",
    "plain": "plain text, translated by a teacher",
    "encyclopaedia": "encyclopaedia, English by OPUS-MT",
    "speeches": "speeches",
    "old": "laws and the Bible",
    "words": "words and labels",
    "made up": "made up",
    "varied": "everyday pairs as typed and recounted",
}
BY_NAME = {
    "zhwiki1": "encyclopaedia", "zhwiki2": "encyclopaedia", "zhwiki3": "encyclopaedia", "europarl": "speeches",
    "europarl20k": "speeches", "bible": "old", "twlaws": "old", "varied": "varied", "recounted": "varied",
    "made-up": "made up", "words": "made up", "rough": "made up",
}  # fmt: skip

Counts = Counter[tuple[str, str]]  # (group, direction) -> tokens


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--work", type=Path, default=Path("runs/default"))
    parser.add_argument("--by-direction", action="store_true", help="a table for each model, a column a direction")
    options = parser.parse_args()
    tokenizer = options.work / "tokenizer.json"
    counts = {}
    for name in RECIPES:
        jobs = jobs_of(write_recipe(options.work, name), [options.work, data_folder()])
        for job in jobs:
            if not job.file.is_file():
                print(f"{name}: {job.config.file} is not there, and not counted")
        encode_all(tokenizer, jobs)
        counts[name] = count([job for job in jobs if job.file.is_file()], Tokenizer.load(tokenizer))
    print(table(counts))
    if options.by_direction:
        for name, found in counts.items():
            print(f"\n{name}\n\n{by_direction(found)}")


def count(jobs: Sequence[Job], tokenizer: Tokenizer) -> Counts:
    found: Counts = Counter()
    for job in jobs:
        corpus = encoded(tokenizer, job)
        first, second = job.data.languages_of(job.config)
        sides = [((first, second), corpus.target), ((second, first), corpus.source)]
        for direction, side in sides[:1] if job.config.one_way else sides:
            tokens = int(side.starts[-1]) + len(side)  # with </s>
            found[group_of(str(job.config.file)), name_of(direction)] += round(job.config.weight * tokens)
    return found


def name_of(direction: Direction) -> str:
    return "-".join(direction)


def group_of(file: str) -> str:
    """By a corpus's name in a recipe: folder/name.more, or name.more beside the recipe."""
    folder, name = Path(file).parent.name, Path(file).name.partition(".")[0]
    if name in BY_NAME:
        return BY_NAME[name]
    if folder.startswith(("round", "distilled")):
        return name if name in KINDS and not folder.startswith("round") else "plain"
    learnt: str = origins_table()[name]["learnt"]
    return "words" if learnt == "itself" else learnt


def table(counts: dict[str, Counts]) -> str:
    """A column for each model."""
    rows = [["share of the target tokens", *counts], ["---", *("---:" for _ in counts)]]
    for group, title in GROUPS.items():
        rows.append([title, *(cell(part(found, group=group), found) for found in counts.values())])
    for direction in sorted({direction for found in counts.values() for _, direction in found}):
        rows.append([f"**{direction}**", *(cell(part(found, direction=direction), found) for found in counts.values())])
    rows.append(["**million tokens an epoch**", *(f"{found.total() / 1e6:.1f}" for found in counts.values())])
    return written(rows)


def by_direction(found: Counts) -> str:
    directions = sorted({direction for _, direction in found})
    rows = [["share of the target tokens", *directions], ["---", *("---:" for _ in directions)]]
    for group, title in GROUPS.items():
        rows.append([title, *(cell(found[group, direction], found) for direction in directions)])
    return written(rows)


def part(found: Counts, group: str = "", direction: str = "") -> int:
    return sum(tokens for (one, other), tokens in found.items() if group in ("", one) and direction in ("", other))


def cell(tokens: int, of: Counts) -> str:
    return f"{100 * tokens / of.total():.1f} %" if tokens else ""


def written(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


if __name__ == "__main__":
    main()
