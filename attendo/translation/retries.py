"""Sentences through an engine; and again, where the first answer will not do.

What is tried is data, POLICIES, under one loop (`Searcher.decode`). Each is tried once, in this order:

    attempt    applies to an answer that                 changes                            is accepted if
    backoff    is empty, repeats itself, does not end    no repeated 4-, 3-, 2-grams        it does none of these
    copied     still does after three backoffs           the source stays                   always
    wider      lost something at the first attempt,      a beam of 16, any hypothesis       it loses less, or as
               or has strange letters                                                       much, with fewer of them
    stand-ins  still lost something                      the model reads {1} for it         it loses less
    pieces     still lost what no language translates,   what stands between is translated  it is sound
               or anything with `keep`; or was copied    piece by piece; one that is
               in spite of stand-ins                     not sound once more, without
                                                         repeated 4-grams

What is drawn and not searched for is drawn again first, see draws.py.

How sentences are batched decides the time, not the answers. (Where two hypotheses are equal but for rounding it may: in
CTranslate2's 8 bits with 1 sentence of 500.)
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.length import group_by_length
from attendo.decoding.options import MOST_PASSES, SearchOptions
from attendo.engines.engine import Engine, Request
from attendo.text.dress import PLAIN
from attendo.text.normalize import one_line
from attendo.text.number_words import CHINESE
from attendo.text.numbers import date_in, in_digits
from attendo.text.scripts import base_language
from attendo.text.tokenizer import Tokenizer
from attendo.translation.answer import Attempt, Sentence
from attendo.translation.checks import Miss, find_problem, missing, strange_letters
from attendo.translation.options import Draws, TranslationOptions
from attendo.translation.pieces import cut_at_stand_ins, put_pieces_together
from attendo.translation.prepare import Asked, Languages, request_for, verbatim_spans
from attendo.translation.stand_ins import STAND_IN, Span, hide, lost, reveal

WIDER_BEAM = 16  # and so many lengths, of a model that has no beam
MORE_PASSES = {4: 2, 3: 4, 2: 8}  # times as many, in the place of a ban on repeated n-grams
MOST_STAND_INS = 20  # with more of them a sentence goes to pieces at once: no model keeps them apart
# A sentence without one of these is still right, only incomplete; without any other it breaks a program or a page.
MAY_BE_LOST = ("number", "emoji")


@dataclass(slots=True)
class Case:
    """A sentence whose answer so far is not sound, or lost something."""

    index: int
    asked: Asked  # that was answered
    answer: Sentence
    tried: set["Policy"] = field(default_factory=set)


@dataclass(frozen=True, eq=False)
class Policy:
    """One thing to try. Without `search` the model is not asked again, and the source stays."""

    attempt: Attempt
    applies: Callable[[Case, TranslationOptions], bool]
    search: Callable[[TranslationOptions], SearchOptions | Draws] | None  # how to decode, from what the user wants
    accepts: Callable[[Sentence, Sentence], bool]  # the answer before, and the new one
    any_hypothesis: bool = False  # of several take the one that loses least, not the likeliest


def runs_wild(case: Case, options: TranslationOptions) -> bool:
    return case.answer.problem is not None and case.answer.attempt == "first"


def wants_wider_beam(case: Case, options: TranslationOptions) -> bool:
    """Not where another attempt was needed."""
    answer = case.answer
    return options.wider_retry and answer.attempt == "first" and not answer.problem and is_wanting(answer)


def wants_stand_ins(case: Case, options: TranslationOptions) -> bool:
    return (options.wider_retry or options.keep) and bool(case.answer.misses)


def wants_pieces(case: Case, options: TranslationOptions) -> bool:
    """A glossary's term is said whatever the user wants of retries."""
    if case.answer.attempt == "copied":
        return bool(case.asked.stand_ins)
    return any(
        options.keep or miss.kind == "term" or (options.wider_retry and miss.kind not in MAY_BE_LOST)
        for miss in case.answer.misses
    )


def stricter(options: TranslationOptions, no_repeat_ngram: int, beam: int | None = None) -> SearchOptions:
    """The user's own options without repeated n-grams; and something must be said before </s>.

    A model that gives all words at once repeats one where two of them do not know of each other: more passes help.
    """
    search = options.search
    if search.passes is not None:
        return replace(search, passes=min(MORE_PASSES[no_repeat_ngram] * search.passes, MOST_PASSES))
    beam = beam or search.beam_size
    return replace(
        search,
        beam_size=beam,
        n_best=min(search.n_best, beam),
        no_repeat_ngram=min(search.no_repeat_ngram or no_repeat_ngram, no_repeat_ngram),
        min_length=max(search.min_length, 2),
    )


def widened(options: TranslationOptions) -> SearchOptions:
    beam = max(WIDER_BEAM, options.search.beam_size)
    return replace(options.search, beam_size=beam, n_best=beam)


def as_asked(options: TranslationOptions) -> SearchOptions | Draws:
    """As at the first attempt."""
    return options.search if options.sampling is None else Draws.different(options.sampling, options.search.n_best)


def is_wanting(answer: Sentence) -> bool:
    return bool(answer.misses or answer.strange)


def wants_of(answer: Sentence) -> tuple[int, int]:
    """What is lost weighs more than any letters that are too many."""
    return len(answer.misses), len(answer.strange)


def is_sound(before: Sentence, new: Sentence) -> bool:
    return new.problem is None


def loses_less(before: Sentence, new: Sentence) -> bool:
    return new.problem is None and wants_of(new) < wants_of(before)


def always(before: Sentence, new: Sentence) -> bool:
    return True


POLICIES = (
    Policy("backoff", runs_wild, partial(stricter, no_repeat_ngram=4), is_sound),
    Policy("backoff", runs_wild, partial(stricter, no_repeat_ngram=3, beam=6), is_sound),
    Policy("backoff", runs_wild, partial(stricter, no_repeat_ngram=2, beam=1), is_sound),
    Policy("copied", runs_wild, None, always),
    Policy("wider", wants_wider_beam, widened, loses_less, any_hypothesis=True),
    Policy("stand-ins", wants_stand_ins, as_asked, loses_less),
    Policy("pieces", wants_pieces, as_asked, is_sound),
)


@dataclass(frozen=True)
class Searcher:
    engine: Engine
    tokenizer: Tokenizer

    def decode(self, asked: Sequence[Asked], options: TranslationOptions) -> Iterator[tuple[int, Sentence]]:
        """(index, answer) for each, as soon as it is there: an engine may go on while it is used.

        Those that need another attempt come last.
        """
        indices: dict[Request, list[int]] = {}  # what is asked twice is decoded once
        cases: list[Case] = []
        for index, one in enumerate(asked):
            if len(one.stand_ins) > MOST_STAND_INS:
                cases.append(Case(index, one, Sentence(one.request.text, attempt="copied")))
            else:
                indices.setdefault(one.request, []).append(index)
        for request, found in self.ask(indices, as_asked(options), attention=options.alignment):
            for index in indices[request]:
                answer = judge(found, asked[index])
                if answer.problem or is_wanting(answer):
                    cases.append(Case(index, asked[index], answer))
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
        search = policy.search(options)
        if policy.attempt in ("stand-ins", "pieces"):
            for case in cases:
                self.hide_more(case)
        if policy.attempt == "pieces":
            self.put_together(policy, cases, search, options)
            return
        groups: dict[Request, list[Case]] = {}
        for case in cases:
            groups.setdefault(case.asked.request, []).append(case)
        for request, found in self.ask(groups, search, attention=options.alignment):
            for case in groups[request]:
                if policy.any_hypothesis and found.texts:
                    new = best_of(found, case.asked, options.search.n_best)
                else:
                    new = judge(found, case.asked)
                if policy.accepts(case.answer, new):
                    take(case, policy, new, search)

    def hide_more(self, case: Case) -> None:
        """What the answer lost is no longer shown to the model; nor, where nothing was hidden yet, is anything else
        that could be mistaken for a stand-in."""
        languages, request, stand_ins, _ = case.asked
        spans = [] if stand_ins else verbatim_spans(request.text)
        spans += [span for miss in case.answer.misses if (span := find(miss, request.text, languages))]
        if spans:
            shown, stand_ins = hide(request.text, spans, stand_ins)
            case.asked = case.asked._replace(request=self.request_for(shown, languages), stand_ins=stand_ins)

    def put_together(
        self, policy: Policy, cases: Sequence[Case], search: SearchOptions | Draws, options: TranslationOptions
    ) -> None:
        """Nothing can be lost where only what stands between is translated; with `keep` a piece may even stay."""
        cut = [cut_at_stand_ins(case.asked.request.text, case.asked.languages, self.request_for) for case in cases]
        wanted = dict.fromkeys(request for pieces in cut for _, request in pieces if request)
        found = dict(self.pieces_of(wanted, search, options))
        # A word or two may be answered with nothing, or over and over, and the whole sentence would be lost with it.
        unsound = [request for request, answer in found.items() if answer.problem]
        once_more = self.pieces_of(unsound, stricter(options, no_repeat_ngram=4), options)
        found |= {request: answer for request, answer in once_more if not answer.problem}
        if options.keep:
            found = {request: answer for request, answer in found.items() if not answer.problem}
        for case, pieces in zip(cases, cut, strict=True):
            answers = [(text, found.get(request) if request else None) for text, request in pieces]
            whole = put_pieces_together(answers, case.asked.request.text, case.asked.languages)
            new = with_misses(whole, case.asked)
            if policy.accepts(case.answer, new):
                take(case, policy, new, search)

    def pieces_of(
        self, wanted: Iterable[Request], search: SearchOptions | Draws, options: TranslationOptions
    ) -> Iterator[tuple[Request, Sentence]]:
        for request, answer in self.ask(wanted, search, attention=options.alignment):
            yield request, with_problem(answer, request)

    def request_for(self, text: str, languages: Languages) -> Request:
        return request_for(text, languages, self.tokenizer, self.engine.limits)

    def ask(
        self, requests: Iterable[Request], how: SearchOptions | Draws, *, attention: bool = False
    ) -> Iterator[tuple[Request, Sentence]]:
        """Each once, the longest first."""
        group, name = list(requests), self.engine.name
        lengths = [len(request.ids) for request in group]
        rows = how.count if isinstance(how, Draws) else how.beam_size
        powers_of_two = getattr(self.engine, "fills_powers_of_two", False) and is_plain(how, attention, group)
        for indices in group_by_length(lengths, self.engine.tokens_per_batch // rows, powers_of_two=powers_of_two):
            together = [group[index] for index in indices]
            found = self.hypotheses(together, how, attention)
            for request, hypotheses in zip(together, found, strict=True):
                texts = tuple([self.text_of(hypothesis) for hypothesis in hypotheses])
                yield request, Sentence(request.text, texts, tuple(hypotheses), name, "first", request=request)

    def hypotheses(
        self, requests: Sequence[Request], how: SearchOptions | Draws, attention: bool
    ) -> Iterable[list[Hypothesis]]:
        if isinstance(how, Draws):
            return self.draw(requests, how, attention)
        if attention:
            return self.engine.search(requests, how, attention=True)
        return self.engine.search(requests, how)  # an engine that was handed in may know no more

    def draw(self, requests: Sequence[Request], how: Draws, attention: bool) -> list[list[Hypothesis]]:
        from attendo.translation.draws import draw_different, looked_at

        drawn = draw_different(self.engine, requests, how, self.text_of)
        return looked_at(self.engine, requests, drawn) if attention else drawn

    def text_of(self, hypothesis: Hypothesis) -> str:
        return one_line(self.tokenizer.decode(hypothesis.ids))


def is_plain(how: SearchOptions | Draws, attention: bool, requests: Sequence[Request]) -> bool:
    """A search with nothing forbidden and nothing forced; a GPU does others by rows as they are, and a look at
    attention takes memory for each."""
    if attention or isinstance(how, Draws) or how.no_repeat_ngram or how.min_length > 1 or how.repetition_penalty > 1:
        return False
    return not any(request.prefix or request.phrases for request in requests)


def find(miss: Miss, text: str, languages: Languages) -> Span | None:
    """Where it stands, to be hidden; of the source as it is there, but 二十九 and 5.2万 are 29 and 52000 elsewhere,
    and 3.10.2024 is October 3, 2024."""
    shown = STAND_IN.sub(lambda match: "\0" * len(match.group()), text)  # the 2 of {2} is no number of the text
    found = re.search(rf"(?<!\d){re.escape(miss.text)}(?!\d)", shown)
    if not found:
        return None
    as_it_is = miss.kind != "number" or (base_language(languages.target) == "zh" and miss.text[0] in CHINESE)
    target = miss.text if as_it_is else date_in(in_digits(miss.text), languages.target)
    return Span(*found.span(), target, miss.kind)


def next_policy(cases: Sequence[Case], options: TranslationOptions) -> tuple[Policy, list[Case]] | None:
    """The first that applies to some case for which it was not tried yet; None when all is settled."""
    for policy in policies_for(options):
        if chosen := [case for case in cases if policy not in case.tried and policy.applies(case, options)]:
            return policy, chosen
    return None


def policies_for(options: TranslationOptions) -> tuple[Policy, ...]:
    if options.sampling is None:
        return POLICIES
    from attendo.translation.draws import DRAWN_POLICIES

    return DRAWN_POLICIES


def take(case: Case, policy: Policy, new: Sentence, search: SearchOptions | Draws) -> None:
    """The new answer, with what is to be known of the one before."""
    before = case.answer
    case.answer = replace(
        new,
        attempt=policy.attempt,
        problem=before.problem,
        missed_at_first=before.missed_at_first or before.misses,
        strange_at_first=before.strange_at_first or before.strange,
        search=search,
    )


def with_problem(answer: Sentence, request: Request) -> Sentence:
    problem = find_problem(answer.hypothesis, answer.text, request)
    return replace(answer, problem=problem) if problem else answer


def with_misses(answer: Sentence, asked: Asked) -> Sentence:
    """As its reader sees it, and with what it lost, or has too much."""
    languages, request, stand_ins, dress = asked
    misses = missing(request.text, answer.text, languages.source, languages.target)
    strange = strange_letters(request.text, answer.text, languages.target)
    invented = not stand_ins and any(map(STAND_IN.search, answer.texts)) and not STAND_IN.search(request.text)
    if languages.to != languages.target or dress is not PLAIN:
        answer = replace(answer, texts=tuple(map(asked.for_reader, answer.texts)))
    if stand_ins or invented:
        misses = [miss for miss in misses if not STAND_IN.fullmatch(miss.text)]
        misses += [stand_in.miss for stand_in in lost(request.text, answer.text, stand_ins)]
        # Of the other answers only those that lost nothing.
        kept = [index for index, text in enumerate(answer.texts) if not (index and lost(request.text, text, stand_ins))]
        texts = tuple([reveal(answer.texts[index], stand_ins, languages.to) for index in kept])
        hypotheses = tuple([answer.hypotheses[index] for index in kept])
        answer = replace(answer, texts=texts, hypotheses=hypotheses, stand_ins=stand_ins)
    return replace(answer, misses=tuple(misses), strange=strange) if misses or strange else answer


def judge(answer: Sentence, asked: Asked) -> Sentence:
    """The answer with what is wrong with it; what it lost is asked only of one that is sound."""
    found = with_problem(answer, asked.request)
    return found if found.problem else with_misses(found, asked)


def best_of(answer: Sentence, asked: Asked, n_best: int) -> Sentence:
    """The same led by the sound hypothesis that loses least, the likeliest of several; and `n_best` in all."""
    candidates = []
    for index in range(len(answer.texts)):
        order = [index, *(other for other in range(len(answer.texts)) if other != index)][:n_best]
        led = replace(
            answer,
            texts=tuple([answer.texts[other] for other in order]),
            hypotheses=tuple([answer.hypotheses[other] for other in order]),
        )
        candidates.append(judge(led, asked))
    return min(candidates, key=lambda one: (one.problem is not None, wants_of(one)))
