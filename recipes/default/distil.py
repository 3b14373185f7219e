"""The teacher's translations of what people wrote, from which the student learns.

What a large model says is more regular than what many people write, and a small model learns it better (Kim and Rush
2016, sequence-level knowledge distillation). Sentences are translated from a side that people wrote: both sides of a
corpus are sources, one for each direction.

There is three times as much everyday English with German beside it as with Chinese. So everyday English is translated
into both languages, wherever it stands, and the student learns such pairs both ways: read backwards they are
back-translations (Sennrich et al. 2016), with what people wrote as the target.
"""

import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from attendo.data.corpus import CorpusFile
from attendo.data.lines import ignore, open_bytes
from recipes.default.answers import Answer, Direction, Question, answers

LONGEST = 600  # characters; longer ones teach a small model little
# Of the teacher's recipe:
EVERYDAY_WEIGHT = 2.0  # from here on it is everyday language, or prose that is near to it
USUAL_WEIGHT = 1.0  # what is above it is no everyday language, but was lifted all the same
LEAST_WEIGHT = 0.6  # below it are words, labels and the Bible, which the student learns as people translated them
KINDS = ("everyday", "lifted", "rest")
BY_A_MODEL = "zhwiki"  # its English was made by a better model than our teachers: the student learns it as it is

Pair = tuple[str, str]


@dataclass(frozen=True)
class Source:
    file: Path
    languages: Direction
    weight: float

    @property
    def kind(self) -> str:
        if self.weight >= EVERYDAY_WEIGHT:
            return "everyday"
        return "lifted" if self.weight > USUAL_WEIGHT else "rest"

    @property
    def is_taught(self) -> bool:
        """Whether the student learns what the teacher says to it, and not the pairs themselves."""
        return self.weight >= LEAST_WEIGHT and not self.file.name.startswith(BY_A_MODEL)

    def speaks(self, direction: Direction) -> bool:
        """Everyday English goes into every language, the rest only into the one that stands beside it."""
        beside = set(direction) == set(self.languages)
        return beside or (self.kind == "everyday" and direction[0] in self.languages)


def sources(recipe: Path, folder: Path) -> list[Source]:
    """The corpora of the teacher's recipe that people wrote. What was made up the student learns as it is."""
    table = tomllib.loads(recipe.read_text(encoding="utf-8"))
    return [
        Source(folder / corpus["file"], tuple(corpus["languages"]), corpus.get("weight", 1.0))
        for corpus in table["data"]["corpora"]
        if Path(corpus["file"]).parent != Path()
    ]


def held_out(recipe: Path, folder: Path) -> set[str]:
    """Both sides of the validation sets: a sentence of one pair of languages may stand in the corpora of the other."""
    files = tomllib.loads(recipe.read_text(encoding="utf-8"))["data"]["validation"]
    pairs = (pair for file in files for pair in CorpusFile(folder / file).pairs(ignore))
    return {side for pair in pairs for side in (pair.source, pair.target)}


def sentences(corpora: Sequence[Source], direction: Direction, kind: str, held_out: set[str]) -> Iterator[str]:
    """What people wrote in the first language of the direction, nothing twice."""
    seen = set(held_out)
    for corpus in corpora:
        if not corpus.is_taught or corpus.kind != kind or not corpus.speaks(direction):
            continue
        first = direction[0] == corpus.languages[0]
        for pair in CorpusFile(corpus.file, corpus.languages).pairs(ignore):
            source = pair.source if first else pair.target
            if source not in seen and source.strip() and len(source) <= LONGEST:
                seen.add(source)
                yield source


def distil(
    model: Path,
    corpora: Sequence[Source],
    held_out: set[str],
    directions: Sequence[Direction],
    kinds: Sequence[str],
    out: Path,
    *,
    processes: int,
    most: int | None = None,
) -> None:
    """OUT/everyday.zh-en.tsv and so on, wherever there is something of a kind."""
    out.mkdir(exist_ok=True)
    questions = [
        (kind, Question(direction, list(islice(sentences(corpora, direction, kind, held_out), most))))
        for kind in kinds
        for direction in directions
    ]
    answered = answers(model, [question for _, question in questions], processes)
    for (kind, question), found in zip(questions, answered, strict=True):
        if question.sentences:
            write_pairs(out / f"{kind}.{'-'.join(question.direction)}.tsv", said(question.sentences, found))


def said(sentences: Sequence[str], found: Sequence[Answer]) -> Iterator[Pair]:
    """What was answered; an answer that is the question teaches nothing."""
    for sentence, answer in zip(sentences, found, strict=True):
        if answer.text.strip() and answer.text != sentence:
            yield sentence, answer.text


def write_pairs(path: Path, pairs: Iterable[Pair]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{source}\t{target}\n" for source, target in pairs)


def everyday_pairs(distilled: Path, languages: Direction) -> list[Pair]:
    """What `distil` wrote of everyday language, for those who make more of it."""
    lines = lines_of(distilled / f"everyday.{'-'.join(languages)}.tsv")
    return [(source, target) for source, target in (line.split("\t") for line in lines)]


def lines_of(path: Path) -> list[str]:
    """Of a file, maybe compressed. Split at line feeds alone: `splitlines` would also split inside a sentence."""
    with open_bytes(path) as file:
        return file.read().decode("utf-8").split("\n")[:-1]
