"""The teacher's translations of all that people wrote, from which the student learns.

What a large model says is more regular than what many people write, and a small model learns it better (Kim and Rush
2016, sequence-level knowledge distillation). Sentences are translated from a side that people wrote: both sides of a
corpus are sources, one for each direction.
"""

import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from attendo.data.corpus import CorpusFile
from attendo.data.lines import ignore

LONGEST = 600  # characters; longer ones teach a small model little
LEAST_WEIGHT = 0.6  # of the teacher's recipe: words and labels below it are left to the dictionary's own words


@dataclass(frozen=True)
class Source:
    file: Path
    languages: tuple[str, str]
    weight: float


def sources(recipe: Path, folder: Path) -> list[Source]:
    """The corpora of the teacher's recipe that people wrote. What was made up the student learns as it is."""
    table = tomllib.loads(recipe.read_text(encoding="utf-8"))
    return [
        Source(folder / corpus["file"], tuple(corpus["languages"]), corpus.get("weight", 1.0))
        for corpus in table["data"]["corpora"]
        if Path(corpus["file"]).parent != Path()
    ]


def sentences(corpora: list[Source], direction: tuple[str, str]) -> Iterator[tuple[str, str]]:
    """(what people wrote in the first language, what they wrote in the second), no source twice."""
    seen: set[str] = set()
    for corpus in corpora:
        if set(direction) != set(corpus.languages):
            continue
        turned = direction != corpus.languages
        for pair in CorpusFile(corpus.file, corpus.languages).pairs(ignore):
            source, target = (pair.target, pair.source) if turned else (pair.source, pair.target)
            if source in seen or not source.strip() or len(source) > LONGEST:
                continue
            seen.add(source)
            yield source, target if corpus.weight < LEAST_WEIGHT else ""


def distil(
    model: Path,
    corpora: list[Source],
    direction: tuple[str, str],
    out: Path,
    *,
    processes: int,
    most: int | None = None,
) -> None:
    """Translate in several processes, each with its share of the lines: a GPU is far from full with one."""
    pairs = list(islice(sentences(corpora, direction), most))
    asked = [source for source, kept in pairs if not kept]
    parts = [out.with_suffix(f".part-{number}") for number in range(processes)]
    running = []
    for number, part in enumerate(parts):
        part.with_suffix(f"{part.suffix}.in").write_text(
            "".join(f"{one}\n" for one in asked[number::processes]), encoding="utf-8"
        )
        command = [
            sys.executable, "-m", "attendo", "translate", "-i", f"{part}.in", "-o", str(part), "--to", direction[1],
            "--from", direction[0], "--model", str(model), "--engine", "torch", "--beam", "4", "--resume",
        ]  # fmt: skip
        running.append(subprocess.Popen(command))
    codes = [one.wait() for one in running]
    if any(code not in (0, 3) for code in codes):  # 3: done, with remarks
        raise SystemExit(f"translating {'-'.join(direction)} ended with exit codes {codes}")
    said: dict[str, str] = {}
    for number, part in enumerate(parts):
        said |= zip(asked[number::processes], lines_of(part), strict=True)
    with out.open("w", encoding="utf-8") as file:
        for source, kept in pairs:
            target = kept or said[source]
            if target.strip() and target != source:
                file.write(f"{source}\t{target}\n")


def lines_of(path: Path) -> list[str]:
    """Split at line feeds alone: `splitlines` would also split at signs that may stand inside a sentence."""
    return path.read_text(encoding="utf-8").split("\n")[:-1]
