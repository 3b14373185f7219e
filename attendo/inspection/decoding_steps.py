"""The steps of a search as lines of text: who was to go on, with what, and what became of each."""

import math
from collections.abc import Iterator, Sequence

from rich.cells import cell_len, set_cell_size

from attendo.decoding.trace import Contender, Step
from attendo.inspection.inspection import Inspection
from attendo.inspection.readable import pieces, token_labels
from attendo.report.formatting import visible
from attendo.special_tokens import SPECIAL
from attendo.text.tokenizer import Tokenizer

MOST_SHOWN = 24  # contenders of a step: all of a beam of 12
SO_FAR = 32  # columns for what a hypothesis has said
NEXT = 14


def inspection_lines(found: Inspection, tokenizer: Tokenizer) -> Iterator[str]:
    """The sentence, its translation, and how it was found."""
    best = found.best
    yield f"source       {visible(found.text)}"
    yield f"  tokens     {labels(found.source, tokenizer)}"
    yield f"translation  {visible(tokenizer.decode(best.ids))}"
    yield f"  tokens     {labels(best.ids, tokenizer)}"
    yield f"  log-probability {best.log_prob:.3f}, score {best.score:.3f}, {len(best.ids)} tokens"
    for step in found.steps:
        yield ""
        yield from step_lines(step, tokenizer)
    yield ""
    yield why_it_stopped(found.steps[-1])


def step_lines(step: Step, tokenizer: Tokenizer) -> Iterator[str]:
    """A table: the best first, each with the hypothesis it continues and its fate."""
    kept = sum(one.fate == "live" for one in step.contenders)
    ended = sum(one.fate == "ended" for one in step.contenders)
    yield (
        f"step {step.number}: {many(len(step.live), 'hypothesis', 'hypotheses')}, "
        f"{many(len(step.contenders), 'continuation', 'continuations')}: {kept} kept, {ended} ended, "
        f"{len(step.contenders) - kept - ended} lost"
    )
    yield row("from", "so far", "next", "probability", "sum", "")
    said = said_so_far(step, tokenizer)
    named = token_labels((one.token for one in step.contenders), tokenizer)
    for one, fate in zip(step.contenders[:MOST_SHOWN], fates(step), strict=False):
        token, parent = named[one.token], one.parent
        yield row(f"{parent + 1}", said[parent], token, percent(one.log_prob), f"{one.total:.3f}", fate)
    if len(step.contenders) > MOST_SHOWN:
        yield f"      … and {len(step.contenders) - MOST_SHOWN} more"


def fates(step: Step) -> Iterator[str]:
    """What became of each contender. One that stays is told its number among the hypotheses of the next step."""
    scores = {hypothesis.ids: hypothesis.score for hypothesis in step.finished}
    number = 0
    for one in step.contenders:
        if one.fate == "live":
            number += 1
            yield f"kept as {number}"
        elif one.fate == "ended":
            way = "ended" if one.token == SPECIAL.eos else "cut"
            yield f"{way}, score {scores[ids_of(one, step)]:.3f}"
        else:
            yield "lost"


def ids_of(one: Contender, step: Step) -> tuple[int, ...]:
    return (*step.live[one.parent].ids, one.token)


def why_it_stopped(last: Step) -> str:
    left = sum(one.fate == "live" for one in last.contenders)
    best = f"the best of {many(len(last.finished), 'hypothesis', 'hypotheses')} that ended is the translation"
    if not left:
        return f"The search ends: no hypothesis is left to go on; {best}."
    return f"The search ends: {many(left, 'hypothesis', 'hypotheses')} could go on, but none to a better score; {best}."


def row(number: str, said: str, token: str, probability: str, total: str, fate: str) -> str:
    """Columns as a terminal shows them, where a Chinese character takes two places."""
    token = set_cell_size(token, max(NEXT, cell_len(token)))
    return f"{number:>4}  {set_cell_size(said, SO_FAR)}  {token}{probability:>11}{total:>10}  {fate}".rstrip()


def said_so_far(step: Step, tokenizer: Tokenizer) -> list[str]:
    """Of each live hypothesis; of a long one its end, which is what the next token follows."""
    return [ending_of(visible(tokenizer.decode(hypothesis.ids))) for hypothesis in step.live]


def ending_of(text: str) -> str:
    room = SO_FAR
    for place in range(len(text) - 1, -1, -1):
        room -= cell_len(text[place])
        if room < (1 if place else 0):  # the sign of what is left out needs a place too
            return f"…{text[place + 1 :]}"
    return text


def labels(ids: Sequence[int], tokenizer: Tokenizer) -> str:
    return " ".join(unit.piece_label for unit in pieces(ids, tokenizer))


def percent(log_prob: float) -> str:
    return f"{math.exp(log_prob):.2%}"


def many(count: int, one: str, more: str) -> str:
    return f"{count} {one if count == 1 else more}"
