"""The teacher's translations of what people wrote, from which the student learns.

What a large model says is more regular than what many people write, and a small model learns it better (Kim and Rush
2016, sequence-level knowledge distillation). Sentences are translated from a side that people wrote: both sides of a
corpus are sources, one for each direction.

There is three times as much everyday English with German beside it as with Chinese. So everyday English is translated
into both languages, wherever it stands, and the student learns such pairs both ways: read backwards they are
back-translations (Sennrich et al. 2016), with what people wrote as the target.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from attendo.data.corpus import CorpusFile
from attendo.data.lines import ignore
from recipes.default.answers import Answer, Direction, Question, answers
from recipes.default.sources import Source, lines_of, new_ones

LONGEST = 600  # characters; longer ones teach a small model little
DIRECTIONS: tuple[Direction, ...] = (("zh", "en"), ("en", "zh"), ("de", "en"), ("en", "de"))

# In English as most people type it: Chinese and German quotation marks come through, some of them, and not in pairs.
STRAIGHT = str.maketrans("“”„‟‘’‚‛", '"' * 4 + "'" * 4)

Pair = tuple[str, str]


def questions_of(
    corpora: Sequence[Source], held_out: set[str], kinds: Sequence[str], most: int | None = None, beam: int = 4
) -> Iterator[Question]:
    """What people wrote of these kinds, in every language, for a teacher to translate."""
    for kind in kinds:
        for direction in DIRECTIONS:
            found = new_ones(sentences(corpora, direction, kind), held_out, LONGEST)
            yield Question(kind, direction, list(islice(found, most)), beam)


def sentences(corpora: Sequence[Source], direction: Direction, kind: str) -> Iterator[str]:
    """What people wrote in the first language of the direction. What was left untranslated is in one of two languages,
    and nobody knows in which."""
    for corpus in corpora:
        if corpus.learnt != kind or not corpus.speaks(direction):
            continue
        first = direction[0] == corpus.languages[0]
        for pair in CorpusFile(corpus.file, corpus.languages).pairs(ignore):
            if pair.source != pair.target:
                yield pair.source if first else pair.target


def translate(
    model: Path, questions: Iterable[Question], out: Path, *, processes: int, backwards: bool = False
) -> None:
    """OUT/everyday.zh-en.tsv and so on, wherever there is something of a kind: people's sentence <TAB> the teacher's.

    `backwards`: the teacher's <TAB> the sentence by people, named by the direction in which that is read. What is
    there is not made again, so a translation that was stopped is resumed.
    """
    out.mkdir(exist_ok=True)

    def file_of(question: Question) -> Path:
        columns = question.direction[::-1] if backwards else question.direction
        return out / f"{question.kind}.{'-'.join(columns)}.tsv"

    wanted = (question for question in questions if question.sentences and not file_of(question).exists())
    for question, found in answers(model, wanted, processes):
        pairs = said(question, found)
        write_pairs(file_of(question), ((answer, sentence) for sentence, answer in pairs) if backwards else pairs)


def said(question: Question, found: Sequence[Answer]) -> Iterator[Pair]:
    """What was answered, but for the worst by score where a share is kept. An answer that loops, has lost a number or
    does not close what it quotes would be learnt with its fault; one that is the question teaches nothing."""
    scores = sorted((answer.score for answer in found), reverse=True)
    least = scores[min(int(question.kept * len(scores)), len(scores) - 1)]
    for sentence, answer in zip(question.sentences, found, strict=True):
        text = answer.text.translate(STRAIGHT) if question.direction[1] == "en" else answer.text
        closes = text.count('"') % 2 == 0
        if answer.score >= least and answer.is_clean and closes and text.strip() and text != sentence:
            yield sentence, text


def write_pairs(path: Path, pairs: Iterable[Pair]) -> None:
    """Under another name first, so that what has its name is whole."""
    unfinished = path.with_suffix(".unfinished")
    with unfinished.open("w", encoding="utf-8") as file:
        file.writelines(f"{source}\t{target}\n" for source, target in pairs)
    unfinished.rename(path)


def everyday_pairs(distilled: Path, languages: Direction) -> list[Pair]:
    """What `translate` wrote of everyday language, for those who make more of it."""
    lines = lines_of(distilled / f"everyday.{'-'.join(languages)}.tsv")
    return [(source, target) for source, target in (line.split("\t") for line in lines)]
