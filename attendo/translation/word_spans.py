"""The words of a sentence and of its translation, in the characters that the user sees, and the model's tokens in them.

A model knows tokens. So each token is found in the user's own text: through what was done to it before the model read
it, and to the answer after (white space, Unicode's forms, the script, stand-ins, pieces). Then tokens become words:

    letters and digits        a word is a run of them, with an apostrophe or a decimal point inside
    Chinese and Japanese      the tokenizer's pieces, of whole characters
    signs                     apart from words
    what has a stand-in       one word; and so is an address or a placeholder that stands in both texts as it is
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from attendo.decoding.hypothesis import Hypothesis
from attendo.engines.engine import Request
from attendo.text.normalize import EDGE, one_line
from attendo.text.offsets import CharacterMap, Extent, compare, token_spans
from attendo.text.scripts import HAN, HANGUL, KANA, LETTERS, PUNCTUATION
from attendo.text.tokenizer import Tokenizer
from attendo.text.verbatim import find_verbatim
from attendo.translation.answer import Sentence
from attendo.translation.prepare import Languages
from attendo.translation.stand_ins import STAND_IN, StandIns, revealed_parts

UNITS = re.compile(
    rf"(?P<word>(?:{LETTERS}|\d)+(?:['’](?={LETTERS})(?:{LETTERS}|\d)+|[.,](?=\d)\d+)*|[{HANGUL}]+)"
    rf"|(?P<pieces>[{HAN}]+|[{KANA}]+)|(?P<sign>[{PUNCTUATION}]+)"
)

Kind = Literal["word", "sign", "verbatim"]
SpansOfTokens = list[list[Extent | None]]  # by answer


class TextUnit(NamedTuple):
    """A word of a text, or a sign."""

    start: int
    end: int
    kind: Kind
    number: int = 0  # of what is verbatim: the one of the other text that it is


class Answered(NamedTuple):
    """One answer of the model within a sentence, and where question and answer begin."""

    request: Request
    hypothesis: Hypothesis
    source_at: int  # in what it read of the whole sentence
    target_at: int  # in all that it said
    length: int  # of what was taken of the answer


class Side(NamedTuple):
    """One of the two texts: its words, and for each token of each answer the index of the word it belongs to."""

    units: list[TextUnit]
    tokens: list[list[int | None]]


def answers_in(sentence: Sentence) -> list[Answered]:
    """One, or one for each piece that was translated."""
    if sentence.request and sentence.hypothesis:
        return [Answered(sentence.request, sentence.hypothesis, 0, 0, -1)]
    found: list[Answered] = []
    source_at = target_at = 0
    for source, text, answer in sentence.pieces:
        if answer and answer.request and answer.hypothesis:
            found.append(Answered(answer.request, answer.hypothesis, source_at, target_at, len(text)))
        source_at, target_at = source_at + len(source), target_at + len(text)
    return found


def sides(sentence: Sentence, answers: Sequence[Answered], to: str, tokenizer: Tokenizer) -> tuple[Side, Side]:
    """The source and the translation; `to` is the language that the user asked for."""
    known, spans_of_source = source_spans(sentence, answers, tokenizer)
    revealed_units, spans_of_target = target_spans(sentence, answers, to, tokenizer)
    in_source, in_target = same_in_both(sentence.source, known, sentence.text, revealed_units)
    return side(sentence.source, in_source, spans_of_source), side(sentence.text, in_target, spans_of_target)


def same_in_both(
    source: str, in_source: list[TextUnit], target: str, in_target: list[TextUnit]
) -> tuple[list[TextUnit], list[TextUnit]]:
    """What had a stand-in, and what the model itself has left as it is: the first of one text is the first of the
    other."""
    texts = (source, in_source), (target, in_target)
    counts: list[dict[tuple[str, int], Extent]] = []
    for text, known in texts:
        seen: Counter[str] = Counter()
        found: dict[tuple[str, int], Extent] = {}
        for start, end, _ in find_verbatim(text):
            if all(end <= unit.start or unit.end <= start for unit in known):
                seen[text[start:end]] += 1
                found[text[start:end], seen[text[start:end]]] = start, end
        counts.append(found)
    both = [key for key in counts[0] if key in counts[1]]
    more = [[TextUnit(*found[key], "verbatim", -number) for number, key in enumerate(both, 1)] for found in counts]
    return [*in_source, *more[0]], [*in_target, *more[1]]


def source_spans(
    sentence: Sentence, answers: Sequence[Answered], tokenizer: Tokenizer
) -> tuple[list[TextUnit], SpansOfTokens]:
    """What had stand-ins, and where the tokens of each request stand in the source."""
    text = "".join(piece.source for piece in sentence.pieces) if sentence.pieces else answers[0].request.text
    shown, where = uncovered(text, sentence.stand_ins)
    to_user = CharacterMap(where).then(compare(shown, sentence.source))
    hidden = [
        TextUnit(*span, "verbatim", number)
        for match in STAND_IN.finditer(text)
        if 1 <= (number := int(match.group(1))) <= len(sentence.stand_ins) and (span := to_user.span(*match.span()))
    ]
    spans: SpansOfTokens = []
    for one in answers:
        spelled, tokens = token_spans(one.request.ids, tokenizer)
        to_text = compare(spelled, one.request.text)
        found = [to_text.span(*token) for token in tokens]
        spans.append([span and to_user.span(span[0] + one.source_at, span[1] + one.source_at) for span in found])
    return hidden, spans


def uncovered(text: str, stand_ins: StandIns) -> tuple[str, list[Extent]]:
    """What was hidden in a text is in it again; and where each character of the text stands then."""
    shown, spans, end = "", list[Extent](), 0
    for match in STAND_IN.finditer(text):
        number = int(match.group(1))
        if not 1 <= number <= len(stand_ins):
            continue
        spans += [(at, at + 1) for at in range(len(shown), len(shown) + match.start() - end)]
        shown += text[end : match.start()]
        spans += [(len(shown), len(shown) + len(stand_ins[number - 1].source))] * len(match.group())
        shown, end = shown + stand_ins[number - 1].source, match.end()
    spans += [(at, at + 1) for at in range(len(shown), len(shown) + len(text) - end)]
    return shown + text[end:], spans


def target_of(ids: Sequence[int], to: str, tokenizer: Tokenizer) -> str:
    """The language that a model was asked for: by the tag before the source; one without tags has a single target."""
    tagged = {tag: language for language in tokenizer.languages for tag in tokenizer.tag_ids(language)}
    return tagged.get(ids[0], to)


def target_spans(
    sentence: Sentence, answers: Sequence[Answered], to: str, tokenizer: Tokenizer
) -> tuple[list[TextUnit], SpansOfTokens]:
    """What had stand-ins, and where the tokens of each answer stand in the translation."""
    spelled = [token_spans(one.hypothesis.ids, tokenizer) for one in answers]
    said = "".join(piece.text for piece in sentence.pieces) if sentence.pieces else spelled[0][0]
    model_target = target_of(answers[0].request.ids, to, tokenizer)
    in_script = Languages("", model_target, to).in_script(one_line(said))
    to_user, hidden = compare(said, in_script), list[TextUnit]()
    if sentence.stand_ins or in_script != sentence.text:
        where, hidden = revealed(in_script, sentence.stand_ins, to)
        final = "".join(text for text, _ in revealed_parts(in_script, sentence.stand_ins, to))
        to_user = to_user.then(where).then(compare(final, sentence.text))
    spans: SpansOfTokens = []
    for one, (text, tokens) in zip(answers, spelled, strict=True):
        begin = len(text) - len(text.lstrip(EDGE)) if one.length >= 0 else 0
        found = []
        for start, end in tokens:
            start, end = start - begin, end - begin
            if one.length >= 0:
                start, end = max(start, 0), min(end, one.length)
            found.append(to_user.span(start + one.target_at, end + one.target_at) if start < end else None)
        spans.append(found)
    return hidden, spans


def revealed(text: str, stand_ins: StandIns, to: str) -> tuple[CharacterMap, list[TextUnit]]:
    """Where the characters of an answer stand once its stand-ins are what they stand for, and where these are."""
    waiting = set(range(1, len(stand_ins) + 1))
    spans: list[Extent] = []
    hidden: list[TextUnit] = []
    end = at = 0
    own, *rest = revealed_parts(text, stand_ins, to)
    matches = []
    for match in STAND_IN.finditer(text):
        if (number := int(match.group(1))) in waiting:
            waiting.remove(number)
            matches.append(match)
    for match, (target, number), following in zip(matches, rest[::2], rest[1::2], strict=True):
        spans += shifted(compare(text[end : match.start()], own[0]), at)
        at += len(own[0])
        spans += [(at, at + len(target))] * len(match.group())
        if target:
            hidden.append(TextUnit(at, at + len(target), "verbatim", number))
        at, end, own = at + len(target), match.end(), following
    spans += shifted(compare(text[end:], own[0]), at)
    return CharacterMap(spans), hidden


def shifted(where: CharacterMap, at: int) -> list[Extent]:
    return [(start + at, end + at) for start, end in where.spans]


# --- words


def side(text: str, hidden: Sequence[TextUnit], spans: Sequence[Sequence[Extent | None]]) -> Side:
    """The words of a text, given those that have stand-ins, and where the tokens of each answer stand."""
    borders = sorted({border for each in spans for span in each if span for border in span})
    units: list[TextUnit] = []
    end = 0
    for one in [*sorted(hidden), TextUnit(len(text), len(text), "word")]:
        units += units_between(text, end, one.start, borders)
        if one.start < one.end and one.start >= end:
            units.append(one)
        end = max(end, one.end)
    starts = [unit.start for unit in units]
    return Side(units, [[span and unit_at(span, units, starts) for span in each] for each in spans])


def units_between(text: str, start: int, end: int, borders: Sequence[int]) -> Iterator[TextUnit]:
    for match in UNITS.finditer(text, start, end):
        kind: Kind = "sign" if match.lastgroup == "sign" else "word"
        first, last = match.span()
        inside = borders[bisect_right(borders, first) : bisect_left(borders, last)] if match.lastgroup != "word" else ()
        for one, other in pairwise([first, *inside, last]):
            yield TextUnit(one, other, kind)


def unit_at(span: Extent, units: Sequence[TextUnit], starts: Sequence[int]) -> int | None:
    """The word that most of a token stands in; a space that is a token of its own is in none."""
    first = max(bisect_right(starts, span[0]) - 1, 0)
    found = [
        (min(span[1], units[index].end) - max(span[0], units[index].start), -index)
        for index in range(first, bisect_left(starts, span[1]))
    ]
    most, index = max(found, default=(0, 0))
    return -index if most > 0 else None
