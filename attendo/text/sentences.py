"""A text as sentences, and the sentences as a text again. Not one character is lost on the way.

    "  Hi! How are you?\\n好。再见！"  ->  "  "  Hi!  " "  How are you?  "\\n"  好。  ""  再见！

Ends of lines are hard borders. A sentence that is too long is cut by the rule of cuts.py.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from attendo.text.language import base_language
from attendo.text.long_sentences import LONGEST, cuts, inside_a_word
from attendo.text.sentence_borders import ENDS, borders
from attendo.text.spaces import LINE_BREAKS, WORD, edges, one_line

# Line breaks and tabs are the text's structure and stay as they are; other white space follows the target language.
STRUCTURE = f"{LINE_BREAKS}\t"
FIELD = re.compile(f"[^{STRUCTURE}]+[{STRUCTURE}]*|[{STRUCTURE}]+")  # of a table, or a line
WITHOUT_SPACES = ("zh", "yue", "ja")
LATIN = re.compile(r"[!-~\u00c0-\u024f]")


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
    places: list[tuple[int, bool]] = []  # where a segment begins, and whether by a cut
    for match in FIELD.finditer(text):
        line, begin = match.group(), match.start()
        starts = [0, *borders(line, language), len(line)]
        for first, last in pairwise(starts):
            places.append((begin + first, False))
            # White space at the end needs no cutting: it goes between the segments.
            places.extend((begin + first + cut, True) for cut in cuts(line[first:last].rstrip(), longest))
    return segments(text, places)


def is_one_sentence(text: str, longest: int) -> bool:
    """A quick look that spares most texts the rest: short, no ends of lines, no sign behind which another may begin."""
    if len(text) > longest // 2 or not text.isprintable() or not text.strip(" "):
        return False
    first = ENDS.search(text)
    return first is None or first.end() == len(text)


def segments(text: str, places: Sequence[tuple[int, bool]]) -> list[Segment]:
    """White space and controls at a border go behind the segment before it, or before the first of all."""
    texts: list[str] = []
    gaps: list[list[str]] = [[]]  # gaps[n] stands before texts[n], the last behind them all
    cut: list[bool] = []
    ends = [*(place for place, _ in places[1:]), len(text)] if places else []
    for (first, by_cut), last in zip(places, ends, strict=True):
        before, inner, after = edges(text[first:last])
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
        Segment(inner, "" if number else spaces[0], spaces[number + 1], goes_on[number])
        for number, inner in enumerate(texts)
    ]


def restore(segments: Sequence[Segment]) -> str:
    """The text that was split, exactly."""
    return "".join(segment.before + segment.text + segment.after for segment in segments)


def join(translations: Iterable[str], segments: Sequence[Segment], target_language: str) -> str:
    """One text of the translations, one for each segment, in the lines and with the edges of the source."""
    if len(segments) == 1:  # as most texts: nothing stands between
        [segment], [translation] = segments, translations
        return segment.before + (segment.text if segment.is_silent else one_line(translation)) + segment.after
    return "".join(joined(translations, segments, target_language))


def joined(translations: Iterable[str], segments: Sequence[Segment], target_language: str) -> Iterator[str]:
    """The same part by part, each as soon as its translation is there: what stands before it, and the translation."""
    tight = base_language(target_language) in WITHOUT_SPACES
    before, answer = segments[0].before if segments else "", ""
    for number, (segment, translation) in enumerate(zip(segments, translations, strict=True)):
        last, answer = answer, segment.text if segment.is_silent else one_line(translation)
        if number:
            previous = segments[number - 1]
            if any(sign in previous.after for sign in STRUCTURE):
                before = previous.after
            else:
                before = between(previous, segment, last, answer, tight) if last else ""
        yield before + answer + (segment.after if number + 1 == len(segments) else "")


def between(segment: Segment, following: Segment, answer: str, next_answer: str, tight: bool) -> str:
    """The white space between two translations on one line."""
    if segment.is_silent and following.is_silent:
        return segment.after
    if segment.cut and not segment.after and inside_a_word(segment.text, following.text):
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
    places = [(0, False), *((place, True) for place in cuts(segment.text, longest))]
    pieces = segments(segment.text, places)
    pieces[0] = replace(pieces[0], before=segment.before)
    pieces[-1] = replace(pieces[-1], after=segment.after, cut=segment.cut)
    return pieces
