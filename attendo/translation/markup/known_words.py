"""The words of a passage's translation, and what is known of each besides the model's alignment.

A placeholder was made from itself, and so was each word of a sentence that was left as it is. A placeholder that the
model said twice is kept once; one that it lost becomes a point of the source, to be put back beside its neighbour.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate

from attendo.text.normalize import one_line, repair
from attendo.translation.answer import AlignedWord, Translation
from attendo.translation.markup.collect import Mark, Passage, tokens
from attendo.translation.markup.made_from import SentencePair

CHARACTER = re.compile(r"\S")  # a tag inside a word stays there, if the word does


def sentence_pairs(passage: Passage, answer: Translation) -> list[SentencePair]:
    """Where each sentence stands in both texts."""
    found: list[SentencePair] = []
    text, _ = repair(passage.text)
    source = target = 0
    for sentence in answer.sentences:
        said = one_line(sentence.text)
        start, there = text.find(sentence.source, source), answer.text.find(said, target)
        if start < 0 or there < 0 or not sentence.source:
            continue
        source, target = start + len(sentence.source), there + len(said)
        found.append(SentencePair(start, source, there, target))
    return found


def aligned_words(source: str, answer: Translation, pairs: Sequence[SentencePair]) -> list[AlignedWord]:
    """In order. Of what was not translated, each word was made from itself."""
    copied = [
        pair for pair in pairs if source[pair.start : pair.end] == answer.text[pair.target_start : pair.target_end]
    ]
    if not copied:
        return list(answer.alignment or ())
    starts = [pair.target_start for pair in copied]
    words: list[AlignedWord] = []
    for word in answer.alignment or ():
        before = bisect_right(starts, word.start) - 1
        if before < 0 or word.start >= copied[before].target_end:
            words.append(word)
    for pair in copied:
        moved = pair.target_start - pair.start
        for match in CHARACTER.finditer(source, pair.start, pair.end):
            start, end = match.span()
            words.append(AlignedWord(start + moved, end + moved, ((start, end, 1.0),)))
    return sorted(words)


def with_tokens(
    passage: Passage, target: str, words: Sequence[AlignedWord], pairs: Sequence[SentencePair]
) -> tuple[str, list[AlignedWord], list[SentencePair], dict[int, str]]:
    """The translation with each placeholder once, as a word made from itself; and where they are."""
    token = tokens(passage.token)
    if not passage.placeholders and not token.search(target):
        return target, list(words), list(pairs), {}
    kept: dict[int, str] = {}
    waiting = set(passage.placeholders)
    left_out: list[tuple[int, int]] = []
    for match in token.finditer(target):
        if match.group() in waiting:
            waiting.remove(match.group())
            kept[match.start()] = match.group()
        else:
            left_out.append(match.span())
    starts = list(kept)
    own = [at for at, word in enumerate(words) if not overlaps(word, starts, kept)]
    made = {match.group(): match.span() for match in token.finditer(passage.text)}
    themselves = [AlignedWord(at, at + len(one), ((*made[one], 1.0),)) for at, one in kept.items()]
    together = sorted([*(words[at] for at in own), *themselves])
    if not left_out:
        return target, together, list(pairs), kept
    where = Shift(left_out)
    return (
        where.cut(target),
        [
            word._replace(start=where(word.start), end=where(word.end))
            for word in together
            if where(word.start) < where(word.end)
        ],
        [pair._replace(target_start=where(pair.target_start), target_end=where(pair.target_end)) for pair in pairs],
        {where(at): one for at, one in kept.items()},
    )


def overlaps(word: AlignedWord, starts: Sequence[int], kept: dict[int, str]) -> bool:
    """Whether a word is, or has a part of, one of the tokens that begin there."""
    last = bisect_left(starts, word.end) - 1
    return last >= 0 and starts[last] + len(kept[starts[last]]) > word.start


class Shift:
    """Positions of a text in the same without some of its parts."""

    def __init__(self, left_out: Sequence[tuple[int, int]]) -> None:
        self.left_out = left_out
        self.before = list(accumulate((end - start for start, end in left_out), initial=0))

    def __call__(self, at: int) -> int:
        number = bisect_left(self.left_out, (at, at))
        inside = max(0, self.left_out[number - 1][1] - at) if number else 0
        return at - self.before[number] + inside

    def cut(self, text: str) -> str:
        ends = [0, *(end for _, end in self.left_out)]
        starts = [*(start for start, _ in self.left_out), len(text)]
        return "".join(text[end:start] for end, start in zip(ends, starts, strict=True))


def with_points(passage: Passage, lost: Sequence[str]) -> tuple[Mark, ...]:
    """The marks of a passage, and the placeholders that its translation lacks as points among them."""
    if not lost:
        return passage.marks
    points: list[Mark] = []
    for token in lost:
        at = passage.text.index(token)
        space = " " if passage.text.startswith(" ", at + len(token)) else ""  # it is a word, and not the next one's
        points.append(Mark("point", at, passage.placeholders[token] + space))
    return tuple(sorted([*passage.marks, *points], key=lambda mark: mark.at))
