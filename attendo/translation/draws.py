"""Sentences that are drawn and not searched for; and again, where the first draw will not do.

Before anything else is tried (retries.py) such a sentence is drawn again:

    attempt    applies to an answer that                 changes                            is accepted if
    redrawn    is empty, repeats itself, does not end,   8 other draws, any of them         it does none of these,
               or lost something at the first attempt                                       or loses less

So whoever asks for samples gets what the model might have said at once. There is no wider beam then; stand-ins and
pieces are drawn, too. A backoff, and pieces of which a draw was not sound, are the last resort, and searched for.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.options import SamplingOptions, SearchOptions
from attendo.decoding.seeds import sentence_seed
from attendo.engines.engine import Engine, Request
from attendo.special_tokens import SPECIAL
from attendo.translation.answer import Sentence
from attendo.translation.options import Draws, TranslationOptions
from attendo.translation.retries import (
    POLICIES,
    Case,
    Policy,
    is_sound,
    loses_less,
    runs_wild,
    wants_pieces,
    wants_wider_beam,
)

REDRAWS = 8


def runs_wild_or_loses(case: Case, options: TranslationOptions) -> bool:
    return runs_wild(case, options) or wants_wider_beam(case, options)


def redrawn(options: TranslationOptions) -> Draws:
    """Any of them may be taken, so that equal ones do not matter."""
    count = max(REDRAWS, options.search.n_best)
    return Draws(options.sampling or SamplingOptions(), count, most=count, again=True)


def is_better(before: Sentence, new: Sentence) -> bool:
    return is_sound(before, new) if before.problem else loses_less(before, new)


def searched(options: TranslationOptions) -> SearchOptions:
    return options.search


DRAWN_POLICIES = (
    Policy("redrawn", runs_wild_or_loses, redrawn, is_better, any_hypothesis=True),
    *(policy for policy in POLICIES if policy.attempt != "wider"),
    Policy("pieces", wants_pieces, searched, is_sound),
)


def draw_different(
    engine: Engine, requests: Sequence[Request], how: Draws, text_of: Callable[[Hypothesis], str]
) -> list[list[Hypothesis]]:
    """Of each request hypotheses with different texts, in the order in which they were drawn.

    They are drawn `count` at a time until there are as many, or no more are to be drawn.
    """
    found: list[dict[str, Hypothesis]] = [{} for _ in requests]
    for first in range(0, how.most, how.count):
        wanting = [index for index, different in enumerate(found) if len(different) < how.count]
        if not wanting:
            break
        asked = [(index, draw) for index in wanting for draw in range(first, first + how.count)]
        drawn = engine.sample(
            [requests[index] for index, _ in asked],
            how.sampling,
            [sentence_seed(how.sampling.seed, requests[index].ids, how.name(draw)) for index, draw in asked],
        )
        for (index, _), hypothesis in zip(asked, drawn, strict=True):
            if len(found[index]) < how.count:
                found[index].setdefault(text_of(hypothesis), hypothesis)
    return [list(different.values()) for different in found]


def looked_at(engine: Engine, requests: Sequence[Request], drawn: Sequence[list[Hypothesis]]) -> list[list[Hypothesis]]:
    """The same with attention: the engine is made to say each once more, by a search that must begin so."""
    asked = [
        request._replace(prefix=tuple(token for token in one.ids if token != SPECIAL.eos), max_length=len(one.ids))
        for request, hypotheses in zip(requests, drawn, strict=True)
        for one in hypotheses
    ]
    again = iter(engine.search(asked, SearchOptions(beam_size=1), attention=True))
    return [[replace(one, attention=next(again)[0].attention) for one in hypotheses] for hypotheses in drawn]
