"""A second look at what lost something: another hypothesis of a wider beam may have kept it.

A small model drops a number or an address now and then, most often where a sentence has several. A hypothesis that
keeps it is rarely far behind, and nothing has to be forced: where the first answer lost something, more hypotheses are
asked for, and of these the first that loses least is taken.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from attendo.translation.decode import Decoded, Decoder, Job
from attendo.translation.fidelity import Miss, missing
from attendo.translation.wish import Wish

BEAM = 16  # of the second look
AGAIN = "was missing; decoded again with beam"

Asked = tuple[str, Job]  # the language of a sentence, and what the model is asked about it


def decode(asked: Sequence[Asked], decoder: Decoder, wish: Wish) -> Iterator[tuple[int, Decoded]]:
    """(place, answer) for each; those that are looked at again come last."""
    firsts: dict[int, Decoded] = {}
    places: dict[Job, list[int]] = {}  # what is asked twice is decoded once
    for place, answer in decoder.decode([job for _, job in asked], wish.options):
        if not answer.remarks and answer.texts and lost(asked[place], answer, wish):
            firsts[place] = answer
            places.setdefault(asked[place][1], []).append(place)
        else:
            yield place, answer
    if not places:
        return
    beam = max(BEAM, wish.options.beam_size)
    wider = replace(wish.options, beam_size=beam, n_best=beam)
    for job, others in decoder.searched(places, wider):
        for place in places[job]:
            yield place, better(asked[place], firsts[place], others, decoder, wish)


def better(asked: Asked, first: Decoded, others: Decoded, decoder: Decoder, wish: Wish) -> Decoded:
    """The other hypothesis that loses least and does not run wild, if it loses less than the first answer did."""
    before = lost(asked, first, wish)
    found: dict[int, Decoded] = {}  # by how much they lose, the likeliest first
    for place in range(len(others.texts)):
        other = led_by(place, others, wish.options.n_best)
        if not decoder.problem(asked[1], other):
            found.setdefault(len(lost(asked, other, wish)), other)
    fewest = min(found, default=len(before))
    if fewest >= len(before):
        return first
    things = ", ".join(f"the {miss.kind} {miss.text!r}" for miss in before)
    return found[fewest]._replace(remarks=(f"{things} {AGAIN} {len(others.texts)}",))


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
