"""Does the model go round in circles? 600 inputs: the 200 short and odd ones of benchmarks/behaviour, and the 400 here.

Each is counted by two witnesses that do not know of each other. The ledger says in how many sentences attendo's guard
found a repetition, or an answer that did not end, and decoded them again. And benchmarks/behaviour/loops.py looks for
loops by rules of its own, both in the answers and in what the model says before any guard has read it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import attendo
from attendo.translation.options import DEFAULT
from benchmarks.behaviour.inputs import read_inputs
from benchmarks.behaviour.loops import find_loop
from benchmarks.first_tries.texts import DIRECTIONS, Text


@dataclass(frozen=True)
class LoopCounts:
    """Of texts; all but the first must be 0."""

    inputs: int = 0
    repeated_by_ledger: int = 0
    unended_by_guard: int = 0
    loops_in_answers: int = 0
    loops_at_first: int = 0
    unended_at_first: int = 0

    @property
    def clean(self) -> bool:
        return not any(getattr(self, one.name) for one in fields(self) if one.name != "inputs")


def inputs_of(direction: str, texts: Sequence[Text]) -> list[str]:
    source, _, target = direction.partition("-")
    return [
        *(one.text for one in read_inputs(source, target)),
        *(one.text for one in texts if one.direction == direction),
    ]


def count_loops(translator: attendo.Translator, inputs: Sequence[str], to: str) -> LoopCounts:
    answers = translator.translate(list(inputs), to=to)
    first = [said_at_first(translator, text, to) for text in inputs]
    return LoopCounts(
        inputs=len(inputs),
        repeated_by_ledger=sum(one.ledger.repeated > 0 for one in answers),
        unended_by_guard=sum(
            any(each.problem is not None and each.problem.kind == "endless" for each in one.sentences)
            for one in answers
        ),
        loops_in_answers=sum(
            find_loop(answer.text, text) is not None for answer, text in zip(answers, inputs, strict=True)
        ),
        loops_at_first=sum(find_loop(said, text) is not None for (said, _), text in zip(first, inputs, strict=True)),
        unended_at_first=sum(not ended for _, ended in first),
    )


def said_at_first(translator: attendo.Translator, text: str, to: str) -> tuple[str, bool]:
    """What the engine answers to the sentences of a text, unread by any guard; and whether each of them ended."""
    prepared = translator.preparer.prepare(text, to, None, DEFAULT)
    requests = [one.request for one in prepared.asked.values()]
    best = [found[0] for found in translator.engine.search(requests, DEFAULT.search)] if requests else []
    said = [translator.tokenizer.decode(one.ids[:-1] if one.ended else one.ids) for one in best]
    return " ".join(said), all(one.ended for one in best)


def loop_table(counts: dict[str, LoopCounts]) -> list[str]:
    lines = [f"| texts | {' | '.join(DIRECTIONS)} | all |", "|---|" + "---:|" * (len(DIRECTIONS) + 1)]
    for one in fields(LoopCounts):
        numbers = [getattr(counts[direction], one.name) for direction in DIRECTIONS]
        lines.append(f"| {one.name.replace('_', ' ')} | {' | '.join(map(str, numbers))} | {sum(numbers)} |")
    return lines
