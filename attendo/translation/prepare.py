"""One text on its way to the model: its languages, its segments, and what the model is asked of each that has words.

What must come back as it is, and a glossary's terms, are hidden behind stand-ins (stand_ins.py): at once where the
model has learnt what they are, elsewhere only when its answer lost something. An address alone has no words.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from attendo.decoding.length import longest_output
from attendo.engines.engine import Limits, Request
from attendo.errors import InputError, UsageError
from attendo.files.tables import short_repr
from attendo.text.capitals import in_capitals, in_small_letters
from attendo.text.dress import PLAIN, WEARS, Dress, undress
from attendo.text.normalize import WORD, edges, for_model, normalize, repair
from attendo.text.scripts import (
    base_language,
    is_mostly_han,
    is_traditional,
    to_simplified,
    to_traditional,
    writes_han,
    writes_simplified,
)
from attendo.text.sentences import Segment, cut_again, split
from attendo.text.tokenizer import Tokenizer
from attendo.text.verbatim import find_verbatim, without_verbatim
from attendo.text.written_language import written_in
from attendo.translation.answer import LanguageNote
from attendo.translation.language_check import language_check
from attendo.translation.options import TranslationOptions
from attendo.translation.stand_ins import Span, StandIns, hide, reveal

Direction = tuple[str, str]  # source and target, as the model names them

MOST_SHOWN = 24  # directions, in an error
SAMPLE = 2_000  # characters, by which the language of a text is told
# A model writes most addresses and identifiers as they are, and a sentence is better for having seen them; where one is
# lost there is another attempt. A name in braces it would translate, and a tag move or drop.
HIDDEN_AT_FIRST = ("placeholder", "tag", "message")
# Of a formula, x² + y², or a size, 12 B, there is nothing to translate: Latin letters alone are no words, unless they
# are abbreviations, 5 p.m., or all of them are I.
LETTERS = re.compile(r"[^\W\d_]+")  # and numerals: ①, ⅓, Ⅳ
LAST_LATIN = "\u024f"
ABBREVIATION = re.compile(r"(?:[A-Za-zÀ-ɏ]\.\s?){2}")
FITS = 0.8  # of the characters that would fill the model's limit: tokens are not evenly spread over them


class Languages(NamedTuple):
    """Of one text: source and target as the model names them, and `to` as the user did: zh-TW, where it is zh."""

    source: str
    target: str
    to: str

    def in_script(self, text: str) -> str:
        """What the model says, in the script that the user wants."""
        return text if self.to == self.target else to_traditional(text, self.to)


class Asked(NamedTuple):
    """All that is to be known of a sentence in order to decode it."""

    languages: Languages
    request: Request
    stand_ins: StandIns = ()  # for what the model does not see
    dress: Dress = PLAIN  # nor this

    def for_reader(self, text: str) -> str:
        """What the model says, in the script that the reader wants and in the dress of the source; with stand-ins."""
        text = self.languages.in_script(text)
        return text if self.dress is PLAIN else self.dress.put_on(text, self.languages.target)


@dataclass(frozen=True, slots=True)
class PreparedText:
    text: str  # as it came
    languages: Languages
    segments: list[Segment]
    asked: dict[int, Asked]  # of the model, by the index of the segment
    said: dict[int, str]  # without it, of segments that are a glossary's terms alone
    repaired: int  # characters that were none
    remarks: tuple[str, ...]
    notes: dict[int, LanguageNote]  # of segments in another language than the model reads


@dataclass(frozen=True, slots=True)
class Preparer:
    tokenizer: Tokenizer
    directions: tuple[Direction, ...]
    limits: Limits
    knows_stand_ins: bool = False  # the model; else the first attempt is at the text as it is

    def languages(self, text: str, to: str | None, from_: str | None) -> Languages:
        """The model's directions decide, and where the user does not say `from_`, the text; or an error."""
        target = choose_target(to, self.directions)
        return Languages(choose_source(from_, target, text, self.directions), target, to or target)

    def prepare(self, text: str, to: str | None, from_: str | None, options: TranslationOptions) -> PreparedText:
        if not isinstance(text, str):
            raise InputError(f"a text is {type(text).__name__}: expected str, or a list of str")
        whole, repaired = repair(text)
        languages = self.languages(whole, to, from_)
        remarks = [f"{repaired} broken characters replaced by U+FFFD"] if repaired else []
        segments: list[Segment] = []
        asked: dict[int, Asked] = {}
        said: dict[int, str] = {}
        cut = 0
        waiting = (whole_segment(whole) if options.one_sentence else split(whole, languages.source))[::-1]
        while waiting:
            segment = waiting.pop()
            text_for_model = "" if segment.is_silent and not options.glossary else for_model(segment.text)
            shown, stand_ins, dress, has_words = self.read(text_for_model, languages, options)
            if has_words:
                request, remark = self.request(shown, languages)
                if len(request.ids) > self.limits.source and len(segment.text) > 1:
                    waiting.extend(self.shorter(segment, len(request.ids))[::-1])
                    continue
                asked[len(segments)] = Asked(languages, request, stand_ins, dress)
                remarks += [remark] if remark else []
            elif any(stand_in.kind == "term" for stand_in in stand_ins):
                said[len(segments)] = reveal(dress.put_on(shown, languages.target), stand_ins, languages.to)
            segments.append(segment)
            cut += segment.cut
        if cut:
            remarks.append(f"{cut} cuts in sentences that were too long")
        check = language_check(languages.target, languages.to, from_ and languages.source, self.directions)
        notes = check.notes(whole, {index: segments[index].text for index in asked}) if check else {}
        for index, note in notes.items():
            if note.copied:
                del asked[index]
        return PreparedText(text, languages, segments, asked, said, repaired, tuple(remarks), notes)

    def read(self, text: str, languages: Languages, options: TranslationOptions) -> tuple[str, StandIns, Dress, bool]:
        """What the model reads of one sentence at the first attempt, what is hidden from it, what the sentence wore,
        and whether there is anything to translate; to a model that knows stand-ins, digits and single letters are
        nothing."""
        if options.glossary:
            text = normalize(text)
        text, dress = without_dress(text, languages)
        spans: list[Span] = []
        if options.glossary:
            spans = [
                Span(start, end, in_capitals(target, languages.target) if dress.capitals else target, "term")
                for start, end, target in options.glossary.matches(text, languages.source)
            ]
        verbatim = verbatim_spans(text)
        at_once = self.knows_stand_ins and any(span.kind in HIDDEN_AT_FIRST for span in verbatim)
        shown, stand_ins = hide(text, [*spans, *verbatim]) if spans or at_once else (text, ())
        rest = without_verbatim(shown) if verbatim or spans else text  # a stand-in looks like a placeholder
        has_words = more_than_letters(rest) if self.knows_stand_ins else WORD.search(rest) is not None
        return without_capitals(shown, dress, languages), stand_ins, dress, has_words

    def ask_openly(self, text: str, languages: Languages) -> tuple[Asked, str]:
        """A text as the model reads a sentence, but with nothing hidden from it; and what the user should know."""
        text, dress = without_dress(for_model(text), languages)
        request, remark = self.request(without_capitals(text, dress, languages), languages)
        return Asked(languages, request, (), dress), remark

    def request(self, text: str, languages: Languages) -> tuple[Request, str]:
        """What the model is asked of one sentence, and what the user should know of it."""
        remark = ""
        if writes_simplified(languages.source) and is_traditional(text):
            text, remark = to_simplified(text)
        return request_for(text, languages, self.tokenizer, self.limits), remark

    def shorter(self, segment: Segment, tokens: int) -> list[Segment]:
        """Pieces of a segment that has too many tokens for the model."""
        share = FITS * self.limits.source / tokens
        pieces = cut_again(segment, max(2, int(len(segment.text) * share)))
        if len(pieces) == 1:
            raise InputError(f"{segment.text!r} has {tokens} tokens: the model reads {self.limits.source}")
        return pieces


def more_than_letters(text: str) -> bool:
    alone: set[str] = set()
    for match in LETTERS.finditer(text):
        letters = "".join(filter(str.isalpha, match.group()))
        if len(letters) > 1 or letters > LAST_LATIN:
            return True
        alone.add(letters)
    return alone - {""} == {"I"} or ABBREVIATION.search(text) is not None


def without_dress(text: str, languages: Languages) -> tuple[str, Dress]:
    """Its capitals apart, in which a glossary's terms have yet to be found."""
    if WEARS.search(text) or text.replace("ß", "ẞ").isupper():  # a quick look that spares most the rest
        return undress(text, languages.source)
    return text, PLAIN


def without_capitals(text: str, dress: Dress, languages: Languages) -> str:
    return in_small_letters(text, languages.source) if dress.capitals else text


def whole_segment(text: str) -> list[Segment]:
    """All of a text as one sentence."""
    before, inner, after = edges(text)
    return [Segment(inner, before, after)] if text else []


def verbatim_spans(text: str) -> list[Span]:
    return [Span(start, end, text[start:end], kind) for start, end, kind in find_verbatim(text)]


def request_for(text: str, languages: Languages, tokenizer: Tokenizer, limits: Limits) -> Request:
    """With the bound of every answer, or what the model can say if that is less."""
    ids = tokenizer.source_ids(text, languages.target)
    return Request(ids, min(longest_output(len(ids), tokenizer.subwords.kind), limits.target), text=text)


@lru_cache(maxsize=1_000)
def choose_target(to: str | None, directions: tuple[Direction, ...]) -> str:
    """The model's own name of the language asked for: zh for zh-TW, if it knows no other. None: the only one."""
    if not directions:
        raise InputError("this model was trained on plain text: it translates nothing")
    targets = list(dict.fromkeys(target for _, target in directions))
    if to is None:
        if len(targets) == 1:
            return targets[0]
        raise UsageError(f"this model translates into {', '.join(targets)}: say which (--to, or to=)")
    return known(to, targets, f"into {short_repr(to)}", directions)


def choose_source(from_: str | None, target: str, text: str, directions: tuple[Direction, ...]) -> str:
    """What the user says; else the only language there is for this target, else what the text looks like."""
    if from_ is not None:
        return source_called(from_, target, directions)
    sources = sources_of(target, directions)
    return sources[0] if len(sources) == 1 else likeliest(text, sources)


@lru_cache(maxsize=1_000)
def source_called(name: str, target: str, directions: tuple[Direction, ...]) -> str:
    return known(name, sources_of(target, directions), f"from {short_repr(name)} into '{target}'", directions)


@lru_cache(maxsize=1_000)
def sources_of(target: str, directions: tuple[Direction, ...]) -> tuple[str, ...]:
    return tuple(source for source, other in directions if other == target)


def known(name: str, names: Sequence[str], what: str, directions: Sequence[Direction]) -> str:
    same = [one for one in names if one.lower() == name.lower().replace("_", "-")]
    alike = [one for one in names if base_language(one) == base_language(name)]
    if same or alike:
        return (same or alike)[0]
    there = ", ".join(f"{source}-{target}" for source, target in directions[:MOST_SHOWN])
    if len(directions) > MOST_SHOWN:
        there += f" and {len(directions) - MOST_SHOWN:,} more"
    raise InputError(f"this model does not translate {what}: it knows {there}")


def likeliest(text: str, sources: tuple[str, ...]) -> str:
    """By script where that decides; among languages of one script by their small words, or by py3langid, if it is
    installed."""
    sample = text[:SAMPLE]
    if not any(map(str.isalpha, sample)):
        return sources[0]
    sources = of_script(sources, is_mostly_han(sample)) or sources
    if len(sources) == 1:
        return sources[0]
    told = written_in(sample, [base_language(name) for name in sources]).language
    if clear := [name for name in sources if base_language(name) == told]:
        return clear[0]
    try:
        from attendo.text.scripts import identifier

        ranked = [name for name, _ in identifier().rank(sample)]
    except ModuleNotFoundError:
        return sources[0]
    return min(sources, key=lambda name: rank_of(base_language(name), ranked))


@lru_cache(maxsize=1_000)
def of_script(names: tuple[str, ...], han: bool) -> tuple[str, ...]:
    return tuple(name for name in names if writes_han(name) == han)


def rank_of(name: str, ranked: Sequence[str]) -> int:
    return ranked.index(name) if name in ranked else len(ranked)
