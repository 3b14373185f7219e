"""A text as sentences, and the sentences as a text again. Not one character is lost on the way.

    "  Hi! How are you?\\n好。再见！"  ->  "  "  Hi!  " "  How are you?  "\\n"  好。  ""  再见！

Ends of lines are hard borders, and so is the <br /> that programs for subtitles leave in a text. A sentence that is too
long is cut, and the caller counts the cuts: a piece has at most `longest` characters, half as many where most of them
are Chinese or Japanese, which say more each. It ends, in its second half, after the last ； ; ： : or else ， 、 , or
else white space; where there is none, at the limit, but not inside a character of several code points (marks, joined
emoji, flags) unless it fills half a piece.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from attendo.text.normalize import LINE_BREAKS, WORD, edges, one_line
from attendo.text.scripts import ENDS, HAN, HANGUL, KANA, writes_han
from attendo.text.verbatim import undivided

# Line breaks and tabs are the text's structure and stay as they are; other white space follows the target language.
STRUCTURE = f"{LINE_BREAKS}\t"
FIELD = re.compile(f"[^{STRUCTURE}]+[{STRUCTURE}]*|[{STRUCTURE}]+")  # of a table, or a line
BR = r"<[bB][rR]\s{0,3}/?>"
HAS_BR = re.compile(BR)
BR_OR_FIELD = re.compile(rf"(?:{BR}\s*)+|(?:(?!{BR})[^{STRUCTURE}])+[{STRUCTURE}]*|[{STRUCTURE}]+")
LATIN = re.compile(r"[!-~\u00c0-\u024f]")

LONGEST = 400

WIDE = re.compile(f"[{HAN}{KANA}]")
# A Latin sign counts before a space only: 1,234 and 10:30 are whole.
SIGNS = (re.compile(r"[；：]|[;:](?=\s)"), re.compile(r"[，、،]|,(?=\s)"), re.compile(r"\s+"))
JOINED = re.compile("[\u200c\u200d\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f\udc00-\udfff]")
FLAG = re.compile("[\U0001f1e6-\U0001f1ff]")
LETTER_OF_A_WORD = re.compile(rf"[^\W_{HAN}{KANA}{HANGUL}]")


@dataclass(frozen=True, slots=True)
class Segment:
    """One sentence, or a piece of one; `before` is empty but for the first of a text."""

    text: str
    before: str = ""
    after: str = ""
    cut: bool = False  # the sentence was too long and goes on in the next segment

    def __len__(self) -> int:
        return len(self.before) + len(self.text) + len(self.after)

    @property
    def is_silent(self) -> bool:
        """Nothing to translate, no letter and no digit: the model is not called, the text stays as it is."""
        return WORD.search(self.text) is None


def split(text: str, language: str, longest: int = LONGEST) -> list[Segment]:
    """The sentences of a text in `language`; none for an empty text, one without text for mere white space."""
    if is_one_sentence(text, longest):
        before, inner, after = edges(text)
        return [Segment(inner, before, after)]
    from attendo.text.sentence_borders import borders  # many rules, which a single sentence does not need

    starts: list[tuple[int, bool]] = []  # where a segment begins, and whether by a cut
    for match in (BR_OR_FIELD if HAS_BR.search(text) else FIELD).finditer(text):
        line, begin = match.group(), match.start()
        if HAS_BR.match(line):
            starts.append((begin, False))
            continue
        whole = undivided(line)
        found = [border for border in borders(line, language) if not is_within(border, whole)]
        for first, last in pairwise([0, *found, len(line)]):
            starts.append((begin + first, False))
            # White space at the end needs no cutting: it goes between the segments.
            here = [(begins - first, ends - first) for begins, ends in spans_in(whole, first, last)]
            cuts = [first + cut for cut in cut_positions(line[first:last].rstrip(), longest, here)]
            starts.extend((begin + cut, True) for cut in cuts if not is_within(cut, whole))
    return segments(text, starts)


def is_within(position: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Inside one of them, which are in order and apart."""
    after = bisect_left(spans, (position, 0))
    return after > 0 and position < spans[after - 1][1]


def spans_in(spans: Sequence[tuple[int, int]], first: int, last: int) -> Sequence[tuple[int, int]]:
    """Those of them that begin there; they are in order and apart, and no border lies inside one."""
    return spans[bisect_left(spans, (first, 0)) : bisect_left(spans, (last, 0))]


def is_one_sentence(text: str, longest: int) -> bool:
    """A quick look that spares most texts the rest: short, no ends of lines, no sign after which another may begin."""
    if len(text) > longest // 2 or not text.isprintable() or not text.strip(" "):
        return False
    first = ENDS.search(text)
    return (first is None or first.end() == len(text)) and not HAS_BR.search(text)


def segments(text: str, starts: Sequence[tuple[int, bool]]) -> list[Segment]:
    """White space, controls and <br /> at a border go after the segment before it, or before the first of all."""
    texts: list[str] = []
    gaps: list[list[str]] = [[]]  # gaps[n] stands before texts[n], the last after them all
    cut: list[bool] = []
    ends = [*(position for position, _ in starts[1:]), len(text)] if starts else []
    for (first, by_cut), last in zip(starts, ends, strict=True):
        piece = text[first:last]
        before, inner, after = ("", "", piece) if HAS_BR.match(piece) else edges(piece)
        gaps[-1].append(before)
        if inner:
            texts.append(inner)
            cut.append(by_cut)
            gaps.append([])
        gaps[-1].append(after)
    spaces = ["".join(gap) for gap in gaps]
    if not texts:
        return [Segment("", text)] if text else []
    goes_on = [*cut[1:], False]
    return [
        Segment(inner, "" if index else spaces[0], spaces[index + 1], goes_on[index])
        for index, inner in enumerate(texts)
    ]


def restore(segments: Sequence[Segment]) -> str:
    """The text that was split, exactly."""
    return "".join(segment.before + segment.text + segment.after for segment in segments)


def join(translations: Iterable[str], segments: Sequence[Segment], target_language: str) -> str:
    """One text of the translations, one for each segment, in the lines and with the edges of the source."""
    if len(segments) == 1:  # as most texts: nothing stands between
        [segment], [translation] = segments, translations
        return segment.before + (segment.text if segment.is_silent else one_line(translation)) + segment.after
    return "".join(join_one_by_one(translations, segments, target_language))


def join_one_by_one(translations: Iterable[str], segments: Sequence[Segment], target_language: str) -> Iterator[str]:
    """The same part by part, each as soon as its translation is there: what stands before it, and the translation."""
    tight = writes_han(target_language)
    before, answer = segments[0].before if segments else "", ""
    for index, (segment, translation) in enumerate(zip(segments, translations, strict=True)):
        last, answer = answer, segment.text if segment.is_silent else one_line(translation)
        if index:
            previous = segments[index - 1]
            if any(sign in previous.after for sign in STRUCTURE) or HAS_BR.search(previous.after):
                before = previous.after
            else:
                before = between(previous, segment, last, answer, tight) if last else ""
        yield before + answer + (segment.after if index + 1 == len(segments) else "")


def between(segment: Segment, following: Segment, answer: str, next_answer: str, tight: bool) -> str:
    """The white space between two translations on one line."""
    if segment.is_silent and following.is_silent:
        return segment.after
    if segment.cut and not segment.after and is_inside_word(segment.text, following.text):
        return ""
    if tight and not (LATIN.match(answer[-1]) and LATIN.match(next_answer[:1])):
        return ""
    if tight:
        return " "
    # Spaces of the source stay, but for the wide one, which only wide scripts use.
    kept = segment.after.replace("\u3000", " ")
    return kept if any(character.isspace() for character in kept) else kept + " "


def cut_again(segment: Segment, longest: int) -> list[Segment]:
    """A segment whose tokens are too many although its characters are not, in shorter pieces."""
    starts = [(0, False), *((position, True) for position in cut_positions(segment.text, longest))]
    pieces = segments(segment.text, starts)
    pieces[0] = replace(pieces[0], before=segment.before)
    pieces[-1] = replace(pieces[-1], after=segment.after, cut=segment.cut)
    return pieces


def cut_positions(text: str, longest: int = LONGEST, whole: Sequence[tuple[int, int]] = ()) -> list[int]:
    """The positions where pieces begin, without 0; none is inside what is to stay whole, if there is another way."""
    found: list[int] = []
    if len(text) <= longest // 2:  # the least that a piece may have
        return found
    start = 0
    while len(text) - start > (limit := limit_at(text, start, longest)):
        start = next_cut(text, start, limit, whole)
        found.append(start)
    return found


def limit_at(text: str, start: int, longest: int) -> int:
    window = text[start : start + longest]
    wide = len(WIDE.findall(window))
    return max(2, longest // 2) if wide * 2 > len(window) else max(2, longest)


def next_cut(text: str, start: int, limit: int, whole: Sequence[tuple[int, int]] = ()) -> int:
    half, end = start + limit // 2, start + limit
    for sign in SIGNS:
        starts = [match.end() for match in sign.finditer(text, half, end + 1)]
        if fitting := [at for at in starts if half < at <= end and not is_within(at, whole)]:
            return fitting[-1]
    for position in range(end, start if whole else half, -1):
        if not is_inside(text, start, position) and not is_within(position, whole):
            return position
    return end


def is_inside(text: str, start: int, position: int) -> bool:
    """Whether a cut there would part what is one character to a reader."""
    before, after = text[position - 1], text[position]
    if JOINED.match(after) or before == "\u200d" or unicodedata.combining(after):
        return True
    if unicodedata.category(after) in ("Mn", "Mc", "Me"):
        return True
    if FLAG.match(after) and FLAG.match(before):  # flags are pairs of letters
        first = position
        while first > start and FLAG.match(text[first - 1]):
            first -= 1
        return (position - first) % 2 == 1
    return False


def is_inside_word(before: str, after: str) -> bool:
    """Whether a cut fell between two letters of one word, in a script that has spaces."""
    return bool(LETTER_OF_A_WORD.match(before[-1:]) and LETTER_OF_A_WORD.match(after[:1]))
