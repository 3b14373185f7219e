"""What a teacher answers to many sentences, by several processes on one GPU.

The sentences are cut into blocks, and a process that is free takes the next. A block is decoded by itself, so the
answers do not hang on how many processes there are, or on which is quicker.
"""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import attendo

Direction = tuple[str, str]
BLOCK = 8_192  # sentences
NO_SCORE = -100.0  # of a line that the teacher was not asked, since it has no words

# What a teacher says by itself, without another attempt. A line is asked as it stands.
AS_IT_SAYS = attendo.TranslationOptions(beam=4, wider_retry=False, doubt=False, one_sentence=True)


class Answer(NamedTuple):
    text: str
    score: float  # mean log-probability of a token
    is_clean: bool  # no loop, no number lost


@dataclass(frozen=True)
class Question:
    direction: Direction
    sentences: Sequence[str]

    def blocks(self) -> list["Question"]:
        starts = range(0, len(self.sentences), BLOCK)
        return [Question(self.direction, self.sentences[start : start + BLOCK]) for start in starts]


def answers(model: Path, questions: Sequence[Question], processes: int) -> list[list[Answer]]:
    """To every sentence of every question, in order."""
    blocks = [(number, block) for number, question in enumerate(questions) for block in question.blocks()]
    found: list[list[Answer]] = [[] for _ in questions]
    spawned = get_context("spawn")  # what a process has loaded on a GPU cannot be forked
    with ProcessPoolExecutor(processes, spawned, initializer=load_teacher, initargs=(model,)) as pool:
        for (number, _), answered in zip(blocks, pool.map(answer_block, [block for _, block in blocks]), strict=True):
            found[number] += answered
    return found


def load_teacher(model: Path) -> None:
    """Once in the life of a process."""
    global teacher
    teacher = attendo.load(model, engine="torch")


def answer_block(block: Question) -> list[Answer]:
    source, target = block.direction
    found = teacher.translate(list(block.sentences), to=target, from_=source, options=AS_IT_SAYS)
    return [Answer(one.text, NO_SCORE if one.score is None else one.score, one.ledger.is_clean) for one in found]


teacher: attendo.Translator
