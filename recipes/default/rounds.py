"""Plain text, translated by a teacher: a round of translation over all of it, into every language it can go.

    OUT/zh-en.tsv       Chinese by the teacher <TAB> English by people

is named after the direction for which it is back-translation: people wrote what is to be said. Read the other way round
it is what the teacher would have the student say. What the teacher is least sure of, or where it lost a number or began
to loop, is left out.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from recipes.default.answers import Answer, Direction, Question, answers
from recipes.default.distil import LONGEST, lines_of, said, write_pairs

# Of $ATTENDO_DATA; the language stands in the name.
PLAIN_TEXT = (
    "mono/enwiki.en.txt.xz",
    "mono/commonvoice.en.txt.xz",
    "mono/audreytang.en.txt.xz",
    "mono/dewiki.de.txt.xz",
    "mono/klexikon.de.txt.xz",
    "mono/commonvoice.de.txt.xz",
    "mono/audreytang.zh.txt.xz",
)
KEPT = 0.9  # of the answers, by their scores


def plain_sentences(folder: Path, language: str, held_out: set[str]) -> Iterator[str]:
    """Nothing twice, and nothing that models are validated with."""
    seen = set(held_out)
    for name in PLAIN_TEXT:
        if name.split(".")[-3] != language:
            continue
        for line in lines_of(folder / name):
            if line not in seen and line.strip() and len(line) <= LONGEST and "\t" not in line:
                seen.add(line)
                yield line


def translate_plain_text(
    model: Path,
    folder: Path,
    held_out: set[str],
    directions: Sequence[Direction],
    out: Path,
    *,
    processes: int,
    most: int | None = None,
) -> None:
    out.mkdir(exist_ok=True)
    questions = [Question((s, t), list(islice(plain_sentences(folder, s, held_out), most))) for s, t in directions]
    for question, found in zip(questions, answers(model, questions, processes), strict=True):
        source, target = question.direction
        pairs = ((answer, sentence) for sentence, answer in said(*surest(question.sentences, found)))
        write_pairs(out / f"{target}-{source}.tsv", pairs)


def surest(sentences: Sequence[str], found: Sequence[Answer]) -> tuple[list[str], list[Answer]]:
    """The share KEPT of the answers with the best scores, in their order; of these the ones that have lost nothing."""
    scores = sorted((answer.score for answer in found), reverse=True)
    least = scores[min(int(KEPT * len(scores)), len(scores) - 1)]
    kept = [pair for pair in zip(sentences, found, strict=True) if pair[1].score >= least and pair[1].is_clean]
    return [sentence for sentence, _ in kept], [answer for _, answer in kept]
