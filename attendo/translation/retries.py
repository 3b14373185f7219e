"""Sentences through an engine; and again, where the first answer will not do.

What is tried is data, POLICIES, under one loop (`Searcher.decode`). Each is tried once for a request, in this order:

    attempt    applies to an answer that                changes                            is accepted if
    backoff    is empty, repeats itself, does not end   no repeated 4-, 3-, 2-grams        it does none of these
    copied     still does after three backoffs          the source stays                   always
    wider      lost something at the first attempt      a beam of 16, any hypothesis       it loses less
    first      was copied in spite of glossary terms    no terms; then all from the top    always
    forced     still lost something, with `keep`        it becomes a phrase to be said     it loses less, and is sound

How sentences are batched decides the time, not the answers. (Where two hypotheses are equal but for rounding it may: in
CTranslate2's 8 bits with 1 sentence of 500.)
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from attendo.decoding.length import group_by_length
from attendo.decoding.options import SearchOptions
from attendo.engines.engine import Engine, Request
from attendo.text.normalize import one_line
from attendo.text.number_words import CHINESE
from attendo.text.numbers import in_digits
from attendo.text.scripts import base_language
from attendo.text.tokenizer import Tokenizer
from attendo.translation.answer import Attempt, Sentence
from attendo.translation.checks import Miss, find_problem, missing
from attendo.translation.glossary import Phrases, as_phrases
from attendo.translation.options import TranslationOptions
from attendo.translation.prepare import Languages, longest_answer

WIDER_BEAM = 16

Asked = tuple[Languages, Request]  # the languages of a sentence, and what the model is asked about it


@dataclass(slots=True)
class Case:
    """A sentence whose answer so far is not sound, or lost something."""

    index: int
    languages: Languages
    asked: Request  # at first
    request: Request  # that was answered
    answer: Sentence
    tried: set["Policy"] = field(default_factory=set)  # for this request


@dataclass(frozen=True, eq=False)
class Policy:
    """One thing to try. Without `search` the model is not asked again, and the source stays."""

    attempt: Attempt
    applies: Callable[[Case, TranslationOptions], bool]
    search: Callable[[SearchOptions], SearchOptions] | None  # how to search, from how the user wants it
    accepts: Callable[[Sentence, Sentence], bool]  # the answer before, and the new one
    phrases: Callable[[Case, Tokenizer], Phrases] | None = None  # what must be said; None: what had to be before
    any_hypothesis: bool = False  # of several take the one that loses least, not the likeliest


def runs_wild(case: Case, options: TranslationOptions) -> bool:
    return case.answer.problem is not None and case.answer.attempt == "first"


def wants_wider_beam(case: Case, options: TranslationOptions) -> bool:
    """Not where another attempt was needed, nor where a glossary may have replaced it."""
    answer = case.answer
    sound = answer.attempt == "first" and not answer.problem and not case.request.phrases
    return options.wider_retry and sound and bool(answer.misses)


def failed_with_terms(case: Case, options: TranslationOptions) -> bool:
    """A sentence that cannot be said with the glossary's terms is said without them: better than to leave it."""
    return case.answer.attempt == "copied" and bool(case.request.phrases)


def must_keep(case: Case, options: TranslationOptions) -> bool:
    return options.keep and case.answer.attempt != "forced" and bool(case.answer.misses)


def stricter(search: SearchOptions, no_repeat_ngram: int, beam: int | None = None) -> SearchOptions:
    """The user's own options without repeated n-grams; and something must be said before </s>."""
    beam = beam or search.beam_size
    return replace(
        search,
        beam_size=beam,
        n_best=min(search.n_best, beam),
        no_repeat_ngram=min(search.no_repeat_ngram or no_repeat_ngram, no_repeat_ngram),
        min_length=max(search.min_length, 2),
    )


def widened(search: SearchOptions) -> SearchOptions:
    beam = max(WIDER_BEAM, search.beam_size)
    return replace(search, beam_size=beam, n_best=beam)


def unchanged(search: SearchOptions) -> SearchOptions:
    return search


def is_sound(before: Sentence, new: Sentence) -> bool:
    return new.problem is None


def loses_less(before: Sentence, new: Sentence) -> bool:
    return new.problem is None and len(new.misses) < len(before.misses)


def always(before: Sentence, new: Sentence) -> bool:
    return True


def no_phrases(case: Case, tokenizer: Tokenizer) -> Phrases:
    return ()


def with_what_was_lost(case: Case, tokenizer: Tokenizer) -> Phrases:
    """The terms of the glossary, and what the answer lacks."""
    lost = [text_to_force(miss, case.languages.target) for miss in case.answer.misses]
    return tuple(dict.fromkeys((*case.asked.phrases, *as_phrases(lost, case.languages.to, tokenizer))))


def text_to_force(miss: Miss, target: str) -> str:
    """What makes up for it: of the source, as it stands there; but 二十九 and 5.2万 are 29 and 52000 elsewhere."""
    same = miss.kind != "number" or (base_language(target) == "zh" and miss.text[0] in CHINESE)
    return miss.text if same else in_digits(miss.text)


POLICIES = (
    Policy("backoff", runs_wild, partial(stricter, no_repeat_ngram=4), is_sound),
    Policy("backoff", runs_wild, partial(stricter, no_repeat_ngram=3, beam=6), is_sound),
    Policy("backoff", runs_wild, partial(stricter, no_repeat_ngram=2, beam=1), is_sound),
    Policy("copied", runs_wild, None, always),
    Policy("wider", wants_wider_beam, widened, loses_less, any_hypothesis=True),
    Policy("first", failed_with_terms, unchanged, always, no_phrases),
    Policy("forced", must_keep, unchanged, loses_less, with_what_was_lost),
)


@dataclass(frozen=True)
class Searcher:
    engine: Engine
    tokenizer: Tokenizer
    for_phrases: Callable[[], Engine]  # gives an engine that says phrases, when this one cannot

    def decode(self, asked: Sequence[Asked], options: TranslationOptions) -> Iterator[tuple[int, Sentence]]:
        """(index, answer) for each, as soon as it is there: an engine may go on while it is used.

        Those that need another attempt come last.
        """
        requests = [self.with_phrases(request, request.phrases) if request.phrases else request for _, request in asked]
        indices: dict[Request, list[int]] = {}  # what is asked twice is decoded once
        for index, request in enumerate(requests):
            indices.setdefault(request, []).append(index)
        cases: list[Case] = []
        for request, found in self.search(indices, options.search):
            for index in indices[request]:
                languages = asked[index][0]
                answer = judge(found, request, languages)
                if answer.problem or answer.misses:
                    cases.append(Case(index, languages, request, request, answer))
                else:
                    yield index, answer
        while task := next_policy(cases, options):
            self.retry(*task, options)
        yield from ((case.index, case.answer) for case in cases)

    def retry(self, policy: Policy, cases: Sequence[Case], options: TranslationOptions) -> None:
        """Put the sentences to the engine once more; what is accepted becomes their answer."""
        for case in cases:
            case.tried.add(policy)
        if policy.search is None:
            for case in cases:
                case.answer = Sentence(case.answer.source, attempt=policy.attempt, problem=case.answer.problem)
            return
        search = policy.search(options.search)
        groups: dict[Request, list[Case]] = {}
        for case in cases:
            request = case.request
            if policy.phrases:
                request = self.with_phrases(request, policy.phrases(case, self.tokenizer))
            groups.setdefault(request, []).append(case)
        for request, found in self.search(groups, search):
            for case in groups[request]:
                if policy.any_hypothesis and found.texts:
                    new = best_of(found, request, case.languages, options.search.n_best)
                else:
                    new = judge(found, request, case.languages)
                if policy.accepts(case.answer, new):
                    take(case, policy, request, new, search)

    def search(self, requests: Iterable[Request], search: SearchOptions) -> Iterator[tuple[Request, Sentence]]:
        """Each once, the longest first."""
        bound: list[Request] = []
        free: list[Request] = []
        for request in requests:
            (bound if request.phrases and not self.engine.supports_phrases else free).append(request)
        for engine, group in ((self.engine, free), (self.for_phrases(), bound)) if bound else ((self.engine, free),):
            name = engine.name
            for indices in group_by_length(
                [len(request.ids) for request in group], engine.tokens_per_batch // search.beam_size
            ):
                together = [group[index] for index in indices]
                for request, hypotheses in zip(together, engine.search(together, search), strict=True):
                    texts = tuple([one_line(self.tokenizer.decode(hypothesis.ids)) for hypothesis in hypotheses])
                    yield request, Sentence(request.text, texts, tuple(hypotheses), name, "first")

    def with_phrases(self, request: Request, phrases: Phrases) -> Request:
        """The same with other phrases; with none, where all that may be said is too short for them and </s>."""
        longest = partial(longest_answer, len(request.ids), tokenizer=self.tokenizer, limits=self.engine.limits)
        if sum(map(len, phrases)) >= longest(phrases):
            phrases = ()
        return request._replace(phrases=phrases, max_length=longest(phrases))


def next_policy(cases: Sequence[Case], options: TranslationOptions) -> tuple[Policy, list[Case]] | None:
    """The first that applies to some case for whose request it was not tried yet; in the order of the texts where the
    request changes. None when all is settled."""
    for policy in POLICIES:
        if chosen := [case for case in cases if policy not in case.tried and policy.applies(case, options)]:
            return policy, sorted(chosen, key=lambda case: case.index) if policy.phrases else chosen
    return None


def take(case: Case, policy: Policy, request: Request, new: Sentence, search: SearchOptions) -> None:
    """The new answer, with what is to be known of the one before."""
    if policy.attempt == "backoff":
        new = replace(new, problem=case.answer.problem, search=search)
    elif policy.attempt == "wider":
        new = replace(new, missed_at_first=case.answer.misses, search=search)
    if policy.attempt == "first":
        case.tried.clear()
    case.request, case.answer = request, replace(new, attempt=policy.attempt)


def judge(answer: Sentence, request: Request, languages: Languages) -> Sentence:
    """The answer with what is wrong with it; what it lost is asked only of one that is sound."""
    problem = find_problem(answer.hypothesis, answer.text, request)
    if problem:
        return replace(answer, problem=problem)
    lost = missing(request.text, answer.text, languages.source, languages.target)
    return replace(answer, misses=tuple(lost)) if lost else answer


def best_of(answer: Sentence, request: Request, languages: Languages, n_best: int) -> Sentence:
    """The same led by the sound hypothesis that loses least, the likeliest of several; and `n_best` in all."""
    candidates = []
    for index in range(len(answer.texts)):
        order = [index, *(other for other in range(len(answer.texts)) if other != index)][:n_best]
        led = replace(
            answer,
            texts=tuple([answer.texts[other] for other in order]),
            hypotheses=tuple([answer.hypotheses[other] for other in order]),
        )
        candidates.append(judge(led, request, languages))
    return min(candidates, key=lambda one: (one.problem is not None, len(one.misses)))
