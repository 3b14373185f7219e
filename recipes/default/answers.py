"""What a teacher answers to many sentences, by several processes on one GPU.

The sentences are cut into blocks, and a process that is free takes the next. A block is decoded by itself, so the
answers do not hang on how many processes there are, or on which is quicker.
"""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import attendo

Direction = tuple[str, str]
BLOCK = 8_192  # sentences
NO_SCORE = -100.0  # of a line that the teacher was not asked, since it has no words

# What a teacher says by itself, without another attempt. A line is asked as it stands.
AS_IT_SAYS = attendo.TranslationOptions(wider_retry=False, doubt=False, one_sentence=True)


class Answer(NamedTuple):
    text: str
    score: float  # mean log-probability of a token
    is_clean: bool  # no loop, no number lost


@dataclass(frozen=True)
class Question:
    """Sentences of one kind, and from which language into which."""

    kind: str
    direction: Direction
    sentences: Sequence[str]
    beam: int = 4
    kept: float = 1.0  # of the answers, by their scores: the share that is learnt

    def blocks(self) -> Iterator[Sequence[str]]:
        starts = range(0, len(self.sentences), BLOCK)
        return (self.sentences[start : start + BLOCK] for start in starts)


def answers(model: Path, questions: Iterable[Question], processes: int) -> Iterator[tuple[Question, list[Answer]]]:
    """To every sentence of every question, in order. Later questions are read while the first ones are answered."""
    spawned = get_context("spawn")  # what a process has loaded on a GPU cannot be forked
    with ProcessPoolExecutor(processes, spawned, initializer=load_teacher, initargs=(model,)) as pool:
        asked = [
            (one, [pool.submit(answer_block, one.direction, block, one.beam) for block in one.blocks()])
            for one in questions
        ]
        while asked:  # answers that were given back are not kept
            question, running = asked.pop(0)
            yield question, [answer for one in running for answer in one.result()]


def load_teacher(model: Path) -> None:
    """Once in the life of a process."""
    global teacher
    teacher = attendo.load(model, engine="torch")


def answer_block(direction: Direction, sentences: Sequence[str], beam: int) -> list[Answer]:
    source, target = direction
    found = teacher.translate(list(sentences), to=target, from_=source, options=replace(AS_IT_SAYS, beam=beam))
    return [Answer(one.text, NO_SCORE if one.score is None else one.score, one.ledger.is_clean) for one in found]


teacher: attendo.Translator
