"""Sentences through an engine: in batches of like lengths, watched for loops and runaway length, if need be again.

How sentences are batched decides the time, not the answers. (Where two hypotheses are equal but for rounding it may: in
CTranslate2's 8 bits with 1 sentence of 500.)
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.length import longest_output
from attendo.decoding.options import SearchOptions
from attendo.engines.engine import Engine, Request
from attendo.special_tokens import SPECIAL
from attendo.text.normalize import one_line
from attendo.text.tokenizer import Tokenizer
from attendo.translation.guard import BACKOFF, find_loop

MOST_TOGETHER = 512  # sentences; more gain nothing


class Job(NamedTuple):
    """A sentence to translate: as the model is to read it, and what its translation must contain."""

    text: str
    ids: tuple[int, ...]  # >>language<<, pieces, </s>
    phrases: tuple[tuple[int, ...], ...] = ()


class Decoded(NamedTuple):
    """What the model said; no hypotheses where every attempt ran wild, so that the source has to stand."""

    hypotheses: tuple[Hypothesis, ...]
    texts: tuple[str, ...]  # theirs, each on one line
    engine: str = ""  # that answered
    repeated: bool = False
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Wild:
    """What was wrong with the first answer to a job."""

    problem: str
    looped: bool


@dataclass(frozen=True)
class Decoder:
    engine: Engine
    tokenizer: Tokenizer
    for_phrases: Callable[[], Engine]  # asked for an engine that says phrases, when this one cannot

    def decode(self, jobs: Sequence[Job], options: SearchOptions) -> Iterator[tuple[int, Decoded]]:
        """(place of a job, its answer) for each job, as soon as it is there: an engine may go on while it is used.

        Those that run wild come last; they are tried again by the rules of guard.py.
        """
        places: dict[Job, list[int]] = {}  # what is asked twice is decoded once
        for place, job in enumerate(jobs):
            places.setdefault(job, []).append(place)
        wild: dict[Job, Wild] = {}
        for job, answer in self.searched(places, options):
            if problem := self.problem(job, answer):
                wild[job] = Wild(problem, bool(self.goes_round(job, answer)))
            else:
                yield from ((place, answer) for place in places[job])
        for job, answer in self.tamed(wild, options):
            yield from ((place, answer) for place in places[job])

    def tamed(self, wild: dict[Job, Wild], options: SearchOptions) -> Iterator[tuple[Job, Decoded]]:
        for attempt in BACKOFF:
            if not wild:
                break
            if attempt.kind == "copy":
                answers = {job: Decoded((), ()) for job in wild}
            else:
                other = again(options, attempt.beam or options.beam_size, attempt.no_repeat_ngram)
                answers = dict(self.searched(wild, other))
            still: dict[Job, Wild] = {}
            for job, before in wild.items():
                if attempt.kind != "copy" and self.problem(job, answers[job]):
                    still[job] = before
                else:
                    remark = f"{before.problem}; {attempt.remark}"
                    yield job, answers[job]._replace(repeated=before.looped, remarks=(remark,))
            wild = still

    def searched(self, jobs: Iterable[Job], options: SearchOptions) -> Iterator[tuple[Job, Decoded]]:
        """Each once, the longest first."""
        bound: list[Job] = []
        free: list[Job] = []
        for job in jobs:
            (bound if job.phrases and not self.engine.says_phrases else free).append(job)
        for engine, group in ((self.engine, free), (self.for_phrases(), bound)) if bound else ((self.engine, free),):
            name = engine.name
            for places in batches([len(job.ids) for job in group], engine.tokens_per_batch // options.beam_size):
                asked = [group[place] for place in places]
                found = engine.search([self.request(job) for job in asked], options)
                for job, hypotheses in zip(asked, found, strict=True):
                    texts = tuple([one_line(self.tokenizer.decode(hypothesis.ids)) for hypothesis in hypotheses])
                    yield job, Decoded(tuple(hypotheses), texts, name)

    def request(self, job: Job) -> Request:
        return Request(job.ids, self.longest(job), job.phrases)

    def longest(self, job: Job) -> int:
        """The bound of every answer, and room for what must be said besides; no more than the model can say."""
        asked = sum(map(len, job.phrases))
        return min(longest_output(len(job.ids), self.tokenizer.subwords.kind) + 2 * asked, self.engine.limits.target)

    def problem(self, job: Job, answer: Decoded) -> str:
        """What is wrong with the best hypothesis, in words; empty if nothing is."""
        if not answer.hypotheses or not answer.texts[0]:
            return "the translation was empty"
        if loop := self.goes_round(job, answer):
            return loop
        return "" if answer.hypotheses[0].ended else f"the translation did not end within {self.longest(job)} tokens"

    def goes_round(self, job: Job, answer: Decoded) -> str:
        if not answer.hypotheses:
            return ""
        loop = find_loop(without_end(answer.hypotheses[0].ids), job.ids[1:-1]) or find_loop(answer.texts[0], job.text)
        return f"the translation went round in circles ({loop.times} times)" if loop else ""


def again(options: SearchOptions, beam: int, no_repeat_ngram: int) -> SearchOptions:
    """The user's own options, but stricter; and something must be said before </s>."""
    return replace(
        options,
        beam_size=beam,
        n_best=min(options.n_best, beam),
        no_repeat_ngram=min(options.no_repeat_ngram or no_repeat_ngram, no_repeat_ngram),
        min_length=max(options.min_length, 2),
    )


def without_end(ids: Sequence[int]) -> Sequence[int]:
    return ids[:-1] if ids[-1:] == (SPECIAL.eos,) else ids


def batches(lengths: Sequence[int], tokens: int) -> Iterator[list[int]]:
    """Places, the longest first, as many together as their padded tokens allow."""
    places = sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True)
    while places:
        count = min(max(1, tokens // lengths[places[0]]), MOST_TOGETHER)
        yield places[:count]
        places = places[count:]
