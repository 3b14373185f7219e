"""A second look at what lost something: another hypothesis of a wider beam may have kept it.

A small model drops a number or an address now and then, most often where a sentence has several. A hypothesis that
keeps it is rarely far behind, and nothing has to be forced: where the first answer lost something, more hypotheses are
asked for, and of these the first that loses least is taken.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from attendo.decoding.options import SearchOptions
from attendo.translation.decode import Decoded, Decoder, Job
from attendo.translation.fidelity import Miss, missing
from attendo.translation.wish import Wish

BEAM = 16  # of the second look
AGAIN = "missing at first"  # so begins every remark about it

Asked = tuple[str, Job]  # the language of a sentence, and what the model is asked about it


def decode(asked: Sequence[Asked], decoder: Decoder, wish: Wish) -> Iterator[tuple[int, Decoded]]:
    """(place, answer) for each; those that are looked at again come last."""
    firsts: dict[int, Decoded] = {}
    places: dict[Job, list[int]] = {}  # what is asked twice is decoded once
    for place, answer in decoder.decode([job for _, job in asked], wish.options):
        if wish.second_look and may_be_better(asked[place], answer) and lost(asked[place], answer, wish):
            firsts[place] = answer
            places.setdefault(asked[place][1], []).append(place)
        else:
            yield place, answer
    if not places:
        return
    for job, others in decoder.searched(places, widened(wish)):
        for place in places[job]:
            other = better(asked[place], others, decoder, wish)
            yield place, taken(asked[place], firsts[place], other, wish)


def may_be_better(asked: Asked, answer: Decoded) -> bool:
    """Not where the guard has decoded it again, nor where a glossary may have put something else into its place."""
    return bool(answer.texts) and not answer.remarks and not asked[1].phrases


def better(asked: Asked, others: Decoded, decoder: Decoder, wish: Wish) -> Decoded | None:
    """Of the hypotheses that do not run wild the one that loses least, the likeliest of several."""
    tame = [
        other
        for place in range(len(others.texts))
        if not decoder.problem(asked[1], other := led_by(place, others, wish.options.n_best))
    ]
    return min(tame, key=lambda other: len(lost(asked, other, wish)), default=None)


def taken(asked: Asked, first: Decoded, other: Decoded | None, wish: Wish) -> Decoded:
    """The other, if it loses less than the first answer did."""
    before = lost(asked, first, wish)
    if other is None or len(lost(asked, other, wish)) >= len(before):
        return first
    things = ", ".join(f"the {miss.kind} {miss.text!r}" for miss in before)
    return other._replace(remarks=(f"{AGAIN}: {things}; decoded again with beam {widened(wish).beam_size}",))


def widened(wish: Wish) -> SearchOptions:
    beam = max(BEAM, wish.options.beam_size)
    return replace(wish.options, beam_size=beam, n_best=beam)


def led_by(place: int, answer: Decoded, n_best: int) -> Decoded:
    """The same, but this hypothesis first, and so many in all."""
    order = [place, *(other for other in range(len(answer.texts)) if other != place)][:n_best]
    return answer._replace(
        hypotheses=tuple([answer.hypotheses[number] for number in order]),
        texts=tuple([answer.texts[number] for number in order]),
    )


def lost(asked: Asked, answer: Decoded, wish: Wish) -> list[Miss]:
    """What of the source the best hypothesis lacks."""
    language, job = asked
    return missing(job.text, answer.texts[0], language, wish.target)
