"""Decoding where the translation must contain something: the user's terms, and what it lost at the first attempt."""

from collections.abc import Sequence
from dataclasses import replace

from attendo.translation.decode import Decoded, Decoder, Job
from attendo.translation.fidelity import Miss, missing
from attendo.translation.phrases import as_phrases
from attendo.translation.spaces import one_line
from attendo.translation.wish import Wish

Asked = tuple[str, Job]  # the language of a sentence, and what the model is asked about it


def decode(asked: Sequence[Asked], decoder: Decoder, wish: Wish) -> list[Decoded]:
    """One answer for each.

    A sentence that cannot be said with the glossary's terms is said without them: that is better than to leave it.
    """
    answers = decoder.decode([job for _, job in asked], wish.options)
    freed = [n for n, (_, job) in enumerate(asked) if job.phrases and not answers[n].texts]
    without = decoder.decode([replace(asked[n][1], phrases=()) for n in freed], wish.options)
    for n, other in zip(freed, without, strict=True):
        answers[n] = other
    return kept(asked, answers, decoder, wish) if wish.keep else answers


def kept(asked: Sequence[Asked], answers: list[Decoded], decoder: Decoder, wish: Wish) -> list[Decoded]:
    """What an answer lacks, such as a number, becomes a phrase that must be said; where that helps, it stays."""
    again: dict[int, Job] = {}
    for n, ((language, job), answer) in enumerate(zip(asked, answers, strict=True)):
        if answer.texts and (lost := misses(job, answer, language, wish)):
            phrases = as_phrases([miss.text for miss in lost], wish.to, decoder.tokenizer)
            again[n] = replace(job, phrases=tuple(dict.fromkeys((*job.phrases, *phrases))))
    better = list(answers)
    for n, other in zip(again, decoder.decode(list(again.values()), wish.options), strict=True):
        language, job = asked[n]
        tame = other.texts and not other.remarks
        if tame and len(misses(job, other, language, wish)) < len(misses(job, answers[n], language, wish)):
            better[n] = other
    return better


def misses(job: Job, answer: Decoded, language: str, wish: Wish) -> list[Miss]:
    """What of the source the best answer lacks."""
    return missing(job.text, one_line(answer.texts[0]), language, wish.target)
