"""Where the characters of one text stand in another that was made from it, and a model's tokens in what they spell.

Between what a user wrote and what a model read lie white space, Unicode's forms and the script, and as much after its
answer. None of these steps says what it did to which character, so the two texts are compared: nearly always they are
the same, and where not, they differ in few characters.
"""

import codecs
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from attendo.text.tokenizer import Tokenizer

Extent = tuple[int, int]  # text[start:end]


class CharacterMap:
    """For each character of a text where it stands in another: a span, which is empty if it was left out."""

    def __init__(self, spans: Sequence[Extent]) -> None:
        self.spans = spans

    def span(self, start: int, end: int) -> Extent | None:
        """Where text[start:end] stands; None if nothing of it does."""
        found = [span for span in self.spans[start:end] if span[0] < span[1]]
        return (min(first for first, _ in found), max(last for _, last in found)) if found else None

    def then(self, following: "CharacterMap") -> "CharacterMap":
        return CharacterMap([following.span(*span) or (span[0], span[0]) for span in self.spans])


def compare(text: str, other: str) -> CharacterMap:
    """By what they have in common, in order; characters in the place of others stand where those stood.

    "ＡI  好"  ->  "AI 好"
    """
    if text == other:
        return CharacterMap([(at, at + 1) for at in range(len(text))])
    spans: list[Extent] = []
    for tag, first, last, there, until in SequenceMatcher(None, text, other, autojunk=False).get_opcodes():
        if tag == "delete":
            spans += [(there, there)] * (last - first)
        elif last - first == until - there:
            spans += [(there + step, there + step + 1) for step in range(last - first)]
        else:
            spans += [(there, until)] * (last - first)
    return CharacterMap(spans)


def token_spans(ids: Iterable[int], tokenizer: Tokenizer) -> tuple[str, list[Extent]]:
    """What the ids spell, as `Tokenizer.decode` has it, and where in it each of them stands; a control token nowhere.

    A byte stands where its character does.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    text = ""
    spans: list[Extent] = []
    for token in ids:
        start = len(text)
        surface = tokenizer.surface(token)
        text += decoder.decode(surface)
        waiting = bool(decoder.getstate()[0])
        spans.append((start, len(text) + waiting) if surface else (start, start))
    text += decoder.decode(b"", final=True)
    if tokenizer.subwords.kind == "sentencepiece" and text.startswith(" "):  # which is none of the text's
        text, spans = text[1:], [(max(start - 1, 0), max(end - 1, 0)) for start, end in spans]
    return text, [(min(start, len(text)), min(end, len(text))) for start, end in spans]
