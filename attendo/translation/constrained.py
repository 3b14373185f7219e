"""Decoding where the translation must contain something: the user's terms, and what it lost at the first attempt."""

from collections.abc import Iterator, Sequence

from attendo.text.number_words import CHINESE
from attendo.text.numbers import in_digits
from attendo.text.scripts import base_language
from attendo.translation import second_look
from attendo.translation.decode import Decoded, Decoder, Job
from attendo.translation.fidelity import Miss
from attendo.translation.phrases import as_phrases
from attendo.translation.second_look import Asked, lost
from attendo.translation.wish import Wish


def decode(asked: Sequence[Asked], decoder: Decoder, wish: Wish) -> Iterator[tuple[int, Decoded]]:
    """(place, answer) for each.

    A sentence that cannot be said with the glossary's terms is said without them: that is better than to leave it.
    """
    asked = [(language, with_room(job, decoder)) for language, job in asked]
    answers = dict(second_look.decode(asked, decoder, wish))
    freed = [n for n, (_, job) in enumerate(asked) if job.phrases and not answers[n].texts]
    without = [(language, job._replace(phrases=())) for language, job in (asked[n] for n in freed)]
    answers |= {freed[place]: other for place, other in second_look.decode(without, decoder, wish)}
    yield from (kept(asked, answers, decoder, wish) if wish.keep else answers).items()


def kept(asked: Sequence[Asked], answers: dict[int, Decoded], decoder: Decoder, wish: Wish) -> dict[int, Decoded]:
    """What an answer lacks, such as a number, becomes a phrase that must be said; where that helps, it stays."""
    again: dict[int, Job] = {}
    for n, (_, job) in enumerate(asked):
        if answers[n].texts and (misses := lost(asked[n], answers[n], wish)):
            phrases = as_phrases([to_say(miss, wish) for miss in misses], wish.to, decoder.tokenizer)
            again[n] = with_room(job._replace(phrases=tuple(dict.fromkeys((*job.phrases, *phrases)))), decoder)
    better = dict(answers)
    numbers = list(again)
    for place, other in decoder.decode(list(again.values()), wish.options):
        n = numbers[place]
        tame = other.texts and not other.remarks
        if tame and len(lost(asked[n], other, wish)) < len(lost(asked[n], answers[n], wish)):
            better[n] = other
    return better


def with_room(job: Job, decoder: Decoder) -> Job:
    """Without its phrases, where all that may be said is too short for them and </s>."""
    return job if sum(map(len, job.phrases)) < decoder.longest(job) else job._replace(phrases=())


def to_say(miss: Miss, wish: Wish) -> str:
    """What makes up for it: of the source, as it stands there; but 二十九 and 5.2万 are 29 and 52000 elsewhere."""
    same = miss.kind != "number" or (base_language(wish.target) == "zh" and miss.text[0] in CHINESE)
    return miss.text if same else in_digits(miss.text)
