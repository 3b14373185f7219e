"""Which words of the source each word of a translation was made from, by what the model's cross-attention looked at.

    我爱机器学习。  ->  I love machine learning.        machine: 机器 0.95, 学习 0.05

A model knows tokens, a user characters of the texts. So each token is found in the user's own text: through what was
done to it before the model read it, and to the answer after (white space, Unicode's forms, the script, stand-ins,
pieces). Then tokens become words:

    letters and digits        a word is a run of them, with an apostrophe or a decimal point inside
    Chinese and Japanese      the tokenizer's pieces, of whole characters
    signs                     apart from words: a sign can only come from a sign
    what has a stand-in       one word, made from what it stood for

The weight of a word is the sum over its tokens in the source and the mean over those of the translation.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal, NamedTuple

from attendo.decoding.hypothesis import Hypothesis
from attendo.engines.engine import Request
from attendo.text.normalize import EDGE, one_line
from attendo.text.offsets import CharacterMap, Extent, compare, token_spans
from attendo.text.scripts import HAN, HANGUL, KANA, LETTERS
from attendo.text.tokenizer import Tokenizer
from attendo.translation.answer import AlignedWord, Sentence, Translation
from attendo.translation.prepare import Languages, PreparedText
from attendo.translation.stand_ins import STAND_IN, StandIns, revealed_parts

LEAST_SHARE = 0.25  # of what the words of the source get: one with less is left out, unless it is the best
LEAST_ON_WORDS = 0.2  # of all attention: where the tag, </s> and the signs get the rest, a word comes from none

Kind = Literal["word", "sign", "stand-in"]

UNITS = re.compile(
    rf"(?P<word>(?:{LETTERS}|\d)+(?:['’](?={LETTERS})(?:{LETTERS}|\d)+|[.,](?=\d)\d+)*|[{HANGUL}]+)"
    rf"|(?P<pieces>[{HAN}]+|[{KANA}]+)|(?P<sign>[^\s{HAN}{KANA}{HANGUL}]+?(?=$|\s|{LETTERS}|\d|[{HAN}{KANA}{HANGUL}]))"
)


class Unit(NamedTuple):
    """A word of a text, or a sign."""

    start: int
    end: int
    kind: Kind
    number: int = 0  # of the stand-in


class Answered(NamedTuple):
    """One answer of the model within a sentence, and where question and answer begin."""

    request: Request
    hypothesis: Hypothesis
    source_at: int  # in what it read of the whole sentence
    target_at: int  # in all that it said
    length: int  # of what was taken of the answer


class Side(NamedTuple):
    """One of the two texts: its words, and for each token of each answer the index of the word it belongs to."""

    units: list[Unit]
    tokens: list[list[int | None]]


def with_alignment(
    translation: Translation, prepared: PreparedText, tokenizer: Tokenizer, shift: int = 0
) -> Translation:
    """The same with the alignment of each sentence, and of all of it in the characters of the user's own text."""
    sentences = [
        replace(sentence, alignment=align(sentence, translation.target_language, tokenizer, shift))
        for sentence in translation.sentences
    ]
    if all(sentence.alignment is None for sentence in sentences if sentence.hypothesis):
        return translation
    words: list[AlignedWord] = []
    at = 0
    begins = positions(translation.text, sentences)
    for segment, sentence, begin in zip(prepared.segments, sentences, begins, strict=True):
        at += len(segment.before)
        words += [moved(word, at, begin) for word in sentence.alignment or ()]
        at += len(segment.text) + len(segment.after)
    return replace(translation, sentences=tuple(sentences), alignment=tuple(words))


def positions(text: str, sentences: Sequence[Sentence]) -> Iterator[int]:
    """Where each sentence's translation begins; only white space and controls stand between them."""
    at = 0
    for sentence in sentences:
        at += len(text[at:]) - len(text[at:].lstrip(EDGE))
        yield at
        at += len(one_line(sentence.text))


def moved(word: AlignedWord, source: int, target: int) -> AlignedWord:
    sources = tuple([(start + source, end + source, weight) for start, end, weight in word.sources])
    return AlignedWord(word.start + target, word.end + target, sources)


def align(sentence: Sentence, to: str, tokenizer: Tokenizer, shift: int = 0) -> tuple[AlignedWord, ...] | None:
    """The words of the best translation; None where the model was not asked, or did not say what it looked at.

    With a shift of 1 the heads tell of the token before, see model_folder/alignment_heads.py.
    """
    answers = answers_in(sentence)
    if not answers or any(one.hypothesis.attention is None for one in answers):
        return None
    source, target = source_side(sentence, answers, tokenizer), target_side(sentence, answers, to, tokenizer)
    weights = [[0.0] * len(source.units) for _ in target.units]
    counts = [0] * len(target.units)
    for index, one in enumerate(answers):
        rows = one.hypothesis.attention or ()
        for step, unit in enumerate(target.tokens[index]):
            if unit is None:
                continue
            row = rows[min(step + shift, len(rows) - 1)]  # an answer that was cut has no row after its last token
            counts[unit] += 1
            for weight, column in zip(row, source.tokens[index], strict=False):
                if column is not None:
                    weights[unit][column] += weight
    own = {unit.number: unit for unit in source.units if unit.kind == "stand-in"}
    return tuple(
        [
            AlignedWord(unit.start, unit.end, sources_of(unit, row, count, source.units, own))
            for unit, row, count in zip(target.units, weights, counts, strict=True)
        ]
    )


def sources_of(
    unit: Unit, weights: Sequence[float], count: int, sources: Sequence[Unit], own: dict[int, Unit]
) -> tuple[tuple[int, int, float], ...]:
    """Of a word whose `count` tokens gave these weights to the words of the source, all together."""
    if unit.kind == "stand-in":
        same = own.get(unit.number)
        return ((same.start, same.end, 1.0),) if same else ()
    alike = [
        (one, weight) for one, weight in zip(sources, weights, strict=True) if one.kind == unit.kind and weight > 0
    ]
    on_words = sum(weight for _, weight in alike)
    if not alike or on_words < LEAST_ON_WORDS * count:
        return ()
    shares = [(one.start, one.end, weight / on_words) for one, weight in alike]
    shares.sort(key=lambda share: (-share[2], share[0]))
    return tuple([share for rank, share in enumerate(shares) if not rank or share[2] >= LEAST_SHARE])


# --- where the tokens stand in the texts


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


def source_side(sentence: Sentence, answers: Sequence[Answered], tokenizer: Tokenizer) -> Side:
    text = "".join(piece.source for piece in sentence.pieces) if sentence.pieces else answers[0].request.text
    shown, where = uncovered(text, sentence.stand_ins)
    to_user = CharacterMap(where).then(compare(shown, sentence.source))
    hidden = [
        Unit(*span, "stand-in", number)
        for match in STAND_IN.finditer(text)
        if 1 <= (number := int(match.group(1))) <= len(sentence.stand_ins) and (span := to_user.span(*match.span()))
    ]
    spans: list[list[Extent | None]] = []
    for one in answers:
        spelled, tokens = token_spans(one.request.ids, tokenizer)
        to_text = compare(spelled, one.request.text)
        found = [to_text.span(*token) for token in tokens]
        spans.append([span and to_user.span(span[0] + one.source_at, span[1] + one.source_at) for span in found])
    return side(sentence.source, hidden, spans)


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


def target_side(sentence: Sentence, answers: Sequence[Answered], to: str, tokenizer: Tokenizer) -> Side:
    spelled = [token_spans(one.hypothesis.ids, tokenizer) for one in answers]
    said = "".join(piece.text for piece in sentence.pieces) if sentence.pieces else spelled[0][0]
    model_target = tokenizer.languages[answers[0].request.ids[0] - tokenizer.tag(tokenizer.languages[0])]
    in_script = Languages("", model_target, to).in_script(one_line(said))
    to_user, hidden = CharacterMap(compare(said, in_script).spans), list[Unit]()
    if in_script != sentence.text:
        where, hidden = revealed(in_script, sentence.stand_ins, to)
        final = "".join(text for text, _ in revealed_parts(in_script, sentence.stand_ins, to))
        to_user = to_user.then(where).then(compare(final, sentence.text))
    spans: list[list[Extent | None]] = []
    for one, (text, tokens) in zip(answers, spelled, strict=True):
        begin = len(text) - len(text.lstrip(EDGE)) if one.length >= 0 else 0
        found = []
        for start, end in tokens:
            start, end = start - begin, end - begin
            if one.length >= 0:
                start, end = max(start, 0), min(end, one.length)
            found.append(to_user.span(start + one.target_at, end + one.target_at) if start < end else None)
        spans.append(found)
    return side(sentence.text, hidden, spans)


def revealed(text: str, stand_ins: StandIns, to: str) -> tuple[CharacterMap, list[Unit]]:
    """Where the characters of an answer stand once its stand-ins are what they stand for, and where these are."""
    waiting = set(range(1, len(stand_ins) + 1))
    spans: list[Extent] = []
    hidden: list[Unit] = []
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
            hidden.append(Unit(at, at + len(target), "stand-in", number))
        at, end, own = at + len(target), match.end(), following
    spans += shifted(compare(text[end:], own[0]), at)
    return CharacterMap(spans), hidden


def shifted(where: CharacterMap, at: int) -> list[Extent]:
    return [(start + at, end + at) for start, end in where.spans]


# --- words


def side(text: str, hidden: Sequence[Unit], spans: Sequence[Sequence[Extent | None]]) -> Side:
    """The words of a text, given those that have stand-ins, and where the tokens of each answer stand."""
    borders = sorted({border for each in spans for span in each if span for border in span})
    units: list[Unit] = []
    end = 0
    for one in [*sorted(hidden), Unit(len(text), len(text), "word")]:
        units += units_between(text, end, one.start, borders)
        if one.start < one.end and one.start >= end:
            units.append(one)
        end = max(end, one.end)
    starts = [unit.start for unit in units]
    return Side(units, [[span and unit_at(span, units, starts) for span in each] for each in spans])


def units_between(text: str, start: int, end: int, borders: Sequence[int]) -> Iterator[Unit]:
    for match in UNITS.finditer(text, start, end):
        kind: Kind = "sign" if match.lastgroup == "sign" else "word"
        first, last = match.span()
        inside = borders[bisect_right(borders, first) : bisect_left(borders, last)] if match.lastgroup != "word" else ()
        for one, other in pairwise([first, *inside, last]):
            yield Unit(one, other, kind)


def unit_at(span: Extent, units: Sequence[Unit], starts: Sequence[int]) -> int | None:
    """The word that most of a token stands in; a space that is a token of its own is in none."""
    first = max(bisect_right(starts, span[0]) - 1, 0)
    found = [
        (min(span[1], units[index].end) - max(span[0], units[index].start), -index)
        for index in range(first, bisect_left(starts, span[1]))
    ]
    most, index = max(found, default=(0, 0))
    return -index if most > 0 else None
