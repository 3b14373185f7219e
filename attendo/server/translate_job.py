"""One job through the models, in a thread of its own: languages, options, translation, and the answer to each text."""

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Union

from attendo.errors import AttendoError
from attendo.server.batching import Ticket
from attendo.server.detection import detect
from attendo.server.job import Answer, Job, RequestError
from attendo.server.languages import resolve
from attendo.server.models import Route, ServedModels
from attendo.text.scripts import base_language, to_simplified, to_traditional, writes_han, writes_simplified
from attendo.translation.answer import Ledger, Translation
from attendo.translation.options import TranslationOptions

if TYPE_CHECKING:
    from attendo.translation.alignment import WordLogProb
    from attendo.translation.markup.result import MarkupTranslation
    from attendo.translation.translator import Translator


SHORT = 200  # characters
CLEAR = 0.8  # confidence from which on a text is taken to be in a language
SURE, ENOUGH = 0.99, 20  # confidence, and letters, from which on it is taken to be in no other
TAG = re.compile("<[^<>]{0,2000}>")  # of which no language can be told
Whole = Union[Translation, "MarkupTranslation"]


@dataclass(frozen=True)
class Translated:
    """One text of a job: the answer that every dialect can tell, and all that is known of it, for our own."""

    answer: Answer
    whole: Whole
    model: str
    words: tuple["WordLogProb", ...] | None = None  # of the translation


@dataclass(frozen=True)
class Planned:
    """One text, and who translates it."""

    text: str
    route: Route | None  # None: it stays as it is, in the target language already or in one that no model reads
    source: str  # as the model names it, or as it was told from the text
    target: str
    confidence: float  # in the source
    told: str  # the source as detect names it: zh-Hant where the model says zh

    @property
    def model(self) -> str:
        return self.route.model.name if self.route else ""


def translate_job(
    job: Job, models: ServedModels, ticket: Ticket, beam: int | None = None, *, richly: bool = False
) -> list[Translated]:
    """The answers in the order of the texts; those of one model and direction are decoded together.

    `richly`: with alignment and the log-probability of each word, which only our own API tells.
    """
    options = options_for(job, beam, alignment=richly)
    source, targets = resolve(job.source), targets_of(job)
    planned = [plan(text, job, source, targets, models) for text in job.texts]
    groups: dict[tuple[str, str], list[int]] = {}
    found: dict[int, Translated] = {}
    for index, one in enumerate(planned):
        if one.route:
            groups.setdefault((one.model, one.target), []).append(index)
        else:
            found[index] = translated(one, unchanged(one), detected=source is None)
    for indices in groups.values():
        first = planned[indices[0]]
        assert first.route  # noqa: S101 - only those have a group
        translator = first.route.model.translator_for(ticket)
        texts = [planned[index].text for index in indices]
        from_ = first.route.source if source else None
        wholes: Sequence[Whole] = (
            translator.translate(texts, first.target, from_, options)
            if job.markup == "text"
            else with_markup(job, translator, texts, first.target, from_, options)
        )
        plain = [whole for whole in wholes if isinstance(whole, Translation)] if richly else []
        words = dict(zip(map(id, plain), translator.word_log_probs(plain), strict=True)) if plain else {}
        for index, whole in zip(indices, wholes, strict=True):
            found[index] = translated(planned[index], whole, words.get(id(whole)), detected=source is None)
    return [found[index] for index in range(len(planned))]


def stream_job(
    job: Job, models: ServedModels, ticket: Ticket, beam: int | None = None
) -> Generator[str, None, Translated]:
    """The translation of the job's one text part by part; and in the end all of it."""
    if job.markup != "text" or len(job.texts) != 1:
        raise RequestError("bad-request", "one plain text can be streamed: expected one text, and format = text")
    source = resolve(job.source)
    one = plan(job.texts[0], job, source, targets_of(job), models)
    if not one.route:
        whole = unchanged(one)
        yield whole.text
        return translated(one, whole, detected=source is None)
    translator = one.route.model.translator_for(ticket)
    from_ = one.route.source if source else None
    whole = yield from translator.stream(one.text, one.target, from_, options_for(job, beam, alignment=True))
    return translated(one, whole, translator.word_log_probs([whole])[0], detected=source is None)


def targets_of(job: Job) -> list[str]:
    targets = [target for target in map(resolve, job.targets) if target]
    if not targets:
        raise RequestError("language", "auto is not supported as a target: expected a language such as en")
    return targets


def plan(text: str, job: Job, source: str | None, targets: Sequence[str], models: ServedModels) -> Planned:
    """Who translates a text, and into what: the second target, if it is in the first already, or cannot become that.

    What is plainly in a language that cannot be translated into the target is refused, as if the client had said so;
    in a list it stays as it is, and the others are translated.
    """
    words = text if job.markup == "text" else TAG.sub(" ", text)
    told = [] if source else detect(words, models.sources)
    written = source or (told[0][0] if told and told[0][1] >= CLEAR else "")
    target = target_for(written, targets, models)
    models.sources_for(target)  # or an error
    same = bool(written) and base_language(written) == base_language(target)
    # Of a long text that nobody has called so, the translator asks sentence by sentence.
    if same and (source or len(words) <= SHORT or (not writes_simplified(target) and writes_han(target))):
        return Planned(text, None, written, target, told[0][1] if told else 1.0, written)
    if not (source or same) and is_sure(words, told) and not models.has_direction(written, target):
        if len(job.texts) > 1:
            return Planned(text, None, written, target, told[0][1], written)
        source = written
    route = models.route(words, source, target)
    found = next((one for one in told if base_language(one[0]) == base_language(route.source)), None)
    code, confidence = found or (route.source, 1.0 if source else 0.0)
    return Planned(text, route, route.source, target, confidence, code)


def target_for(written: str, targets: Sequence[str], models: ServedModels) -> str:
    """Of those that the client names: one that the text is not in already, and can be translated into."""
    others = [target for target in targets if base_language(target) != base_language(written)] or [targets[-1]]
    return next((target for target in others if models.has_direction(written, target)), others[0])


def is_sure(words: str, told: Sequence[tuple[str, float]]) -> bool:
    return bool(told) and told[0][1] >= SURE and sum(map(str.isalpha, words)) >= ENOUGH


def unchanged(planned: Planned) -> Translation:
    """What is in the target language already stays as it is, Chinese in the script that is wanted; and what no model
    translates into it."""
    size = len(planned.text)
    ledger = Ledger(lines_in=1, lines_out=1, characters_in=size, characters_copied=size, segments=1)
    if base_language(planned.source) != base_language(planned.target):
        ledger = replace(ledger, foreign=1)
        remark = f"{planned.source} to {planned.target} is not supported: left as it is"
        return Translation(
            planned.text, ledger, 0.0, "", planned.source, planned.target, remarks=(remark,), warnings=(remark,)
        )
    text = to_traditional(planned.text, planned.target)
    if text == planned.text and writes_simplified(planned.target):
        text, _ = to_simplified(planned.text)
    ledger = replace(ledger, already=1)
    remark = f"already in {planned.target}: left as it is"
    return Translation(text, ledger, 0.0, "", planned.source, planned.target, remarks=(remark,), warnings=(remark,))


def options_for(job: Job, beam: int | None, *, alignment: bool = False) -> TranslationOptions:
    terms = {**{term: term for term in job.keep}, **job.glossary}
    try:
        return TranslationOptions(
            beam=max(job.beam or beam or 1, 1 + job.alternatives) if job.beam or beam else None,
            n_best=1 + job.alternatives if job.alternatives else None,
            glossary=terms or None,  # type: ignore[arg-type]  # a dict becomes a Glossary
            alignment=alignment,
            one_sentence=job.one_sentence,
        )
    except AttendoError as error:
        raise RequestError("bad-request", str(error)) from error


def with_markup(
    job: Job, translator: "Translator", texts: list[str], to: str, from_: str | None, options: TranslationOptions
) -> Sequence["MarkupTranslation"]:
    from attendo.translation.markup.rules import MarkupRules
    from attendo.translation.markup.translate import translate_markup

    if job.markup == "html":
        rules = MarkupRules.html(job.ignored_tags)
    else:
        rules = MarkupRules.of_xml(
            job.splitting_tags, job.inline_tags, job.ignored_tags, outline=job.outline, newlines=not job.one_sentence
        )
    return translate_markup(translator, texts, to, from_, options, rules)


def translated(
    planned: Planned, whole: Whole, words: tuple["WordLogProb", ...] | None = None, *, detected: bool
) -> Translated:
    sentences: tuple[tuple[str, str], ...] = ()
    if isinstance(whole, Translation):
        sentences = tuple((sentence.source, sentence.text) for sentence in whole.sentences)
    answer = Answer(
        text=whole.text,
        source=planned.source,
        target=planned.target,
        detected=detected,
        told=planned.told,
        confidence=planned.confidence,
        alternatives=tuple(whole.alternatives),
        source_text=planned.text,
        sentences=sentences,
    )
    return Translated(answer, whole, planned.model, words)
