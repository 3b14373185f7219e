"""Plain text for a teacher to translate: the rounds of translation that make pairs where there are none.

The first teacher's answers are back-translation for the second: people wrote what is to be said, the teacher what is
read. The second teacher's are learnt by the student, both ways. What a teacher is least sure of is left out.

The first teacher also says everyday English in the language that does not stand beside it.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from recipes.default.answers import Question
from recipes.default.distil import LONGEST, sentences
from recipes.default.sources import ABROAD, Source, lines_of, new_ones

ALL = None
KEPT = 0.9  # of the answers, by their scores
# To read a back-translation is as good if it was said without a beam (Edunov et al. 2018, who even draw it); what is
# learnt to be said has a small one, which takes less time.
BEAM_TO_READ = 1
BEAM_TO_SAY = 2


class PlainText(NamedTuple):
    """One file of $ATTENDO_DATA, or one column of it."""

    kind: str
    file: str
    language: str
    into: dict[str, int | None]  # languages, and how many sentences at most: the first ones, for the files are shuffled


TEXTS = (
    PlainText("interviews", "mono/audreytang.en.txt.xz", "en", {"zh": ALL, "de": ALL}),
    PlainText("aloud", "mono/commonvoice.en.txt.xz", "en", {"zh": ALL, "de": ALL}),
    PlainText("wiki", "mono/enwiki.en.txt.xz", "en", {"zh": ALL, "de": 40_000}),
    # English that argues; beside it stands German alone.
    PlainText("speeches", "de-en/europarl.train.tsv.xz", "en", {"zh": ALL}),
    PlainText("aloud", "mono/commonvoice.de.txt.xz", "de", {"en": ALL}),
    PlainText("children", "mono/klexikon.de.txt.xz", "de", {"en": ALL}),
    PlainText("wiki", "mono/dewiki.de.txt.xz", "de", {"en": 75_000}),
    # Taiwan's Chinese: a source for the student, and no back-translation, which would have the second teacher say it.
    PlainText("interviews", "mono/audreytang.zh.txt.xz", "zh", {"en": ALL}),
)
PLAIN_TEXT = tuple(text.file for text in TEXTS if text.file.startswith("mono/"))


def first_round(corpora: Sequence[Source], folder: Path, held_out: set[str], most: int | None) -> Iterator[Question]:
    texts = [text for text in TEXTS if text.language != "zh"]
    yield from plain_questions(texts, folder, held_out, most, BEAM_TO_READ)
    for direction in (("en", "zh"), ("en", "de")):
        others = [corpus for corpus in corpora if direction[1] not in corpus.languages]
        for kind in ABROAD:
            found = new_ones(sentences(others, direction, kind), held_out, LONGEST)
            yield Question(kind, direction, list(islice(found, most)), BEAM_TO_READ, KEPT)


def second_round(folder: Path, held_out: set[str], most: int | None) -> Iterator[Question]:
    return plain_questions(TEXTS, folder, held_out, most, BEAM_TO_SAY)


def plain_questions(
    texts: Sequence[PlainText], folder: Path, held_out: set[str], most: int | None, beam: int
) -> Iterator[Question]:
    for text in texts:
        for target, at_most in text.into.items():
            found = list(islice(new_ones(lines(folder / text.file, text.language), held_out, LONGEST), most or at_most))
            yield Question(text.kind, (text.language, target), found, beam, KEPT)


def lines(file: Path, language: str) -> Iterator[str]:
    """Of plain text, or of the column in that language of a file of pairs, whose folder names both."""
    parallel = ".tsv" in file.suffixes
    column = file.parent.name.split("-").index(language) if parallel else 0
    return (line.split("\t")[column] for line in lines_of(file) if parallel or "\t" not in line)
