"""The texts of a document through a translator: each different one once, in batches, with its inline markup.

The language is the document's. A long text is still asked for its own, so that a paragraph in the target language is
left as it is; of a short one, such as "OK", nothing could be told.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from attendo.documents.document import DocumentSegment
from attendo.documents.segment_answer import SegmentAnswer
from attendo.text.normalize import WORD
from attendo.translation.markup.rules import MarkupRules
from attendo.translation.markup.translate import SURE_LENGTH, translate_markup
from attendo.translation.options import TranslationOptions
from attendo.translation.translator import CHARACTERS_PER_TOKEN, Translator

MOST_TOGETHER = 500  # texts
LARGEST_SAMPLE = 20_000  # characters by which the language is told


class AskedText(NamedTuple):
    """All that decides the translation of a text."""

    text: str
    rules: MarkupRules | None
    from_: str | None  # None: the text tells

    @property
    def key(self) -> str:
        rules = "" if self.rules is None else repr(sorted_rules(self.rules))
        return hashlib.sha256(f"{rules}\0{self.from_ or ''}\0{self.text}".encode(errors="replace")).hexdigest()


def sorted_rules(rules: MarkupRules) -> list[object]:
    """Sets print in another order in every process."""
    return [sorted(value) if isinstance(value, frozenset) else value for value in vars(rules).values()]


@dataclass(frozen=True)
class SegmentTranslator:
    translator: Translator
    to: str | None
    from_: str | None
    options: TranslationOptions

    def source_language(self, segments: Sequence[DocumentSegment]) -> str:
        """Of the whole document."""
        sample, length = [], 0
        for segment in segments:
            sample.append(segment.text)
            length += len(segment.text)
            if length > LARGEST_SAMPLE:
                break
        return self.translator.preparer.languages("\n".join(sample), self.to, self.from_).source

    def asked(self, segment: DocumentSegment, source: str) -> AskedText:
        if self.from_ or len(segment.text) < SURE_LENGTH:
            return AskedText(segment.text, segment.rules, self.from_ or source)
        return AskedText(segment.text, segment.rules, None)

    def answers(
        self,
        asked: Sequence[AskedText],
        known: Mapping[str, SegmentAnswer],
        done: Callable[[Mapping[str, SegmentAnswer]], None],
    ) -> dict[str, SegmentAnswer]:
        """By their keys. What is known is not asked again; `done` gets each batch as soon as it is there."""
        different = {one.key: one for one in asked if WORD.search(one.text)}
        found = {key: known[key] for key in different if key in known}
        waiting = {key: one for key, one in different.items() if key not in found}
        if found:
            done(found)
        for batch in self.batches(waiting):
            texts = [waiting[key].text for key in batch]
            _, rules, from_ = waiting[batch[0]]
            new = dict(zip(batch, self.ask(texts, rules, from_), strict=True))
            found |= new
            done(new)
        return found

    def batches(self, waiting: Mapping[str, AskedText]) -> Iterator[list[str]]:
        """Keys of what goes together: the same rules, the same language, in the order of the document."""
        most = self.translator.engine.tokens_per_batch * CHARACTERS_PER_TOKEN
        groups: dict[tuple[MarkupRules | None, str | None], list[str]] = {}
        for key, one in waiting.items():
            groups.setdefault(one[1:], []).append(key)
        for keys in groups.values():
            batch: list[str] = []
            length = 0
            for key in keys:
                size = len(waiting[key].text)
                if batch and (length + size > most or len(batch) == MOST_TOGETHER):
                    yield batch
                    batch, length = [], 0
                batch.append(key)
                length += size
            yield batch

    def ask(self, texts: list[str], rules: MarkupRules | None, from_: str | None) -> list[SegmentAnswer]:
        if rules is None:
            plain = self.translator.translate(texts, self.to, from_, self.options)
            return [SegmentAnswer.of(answer) for answer in plain]
        marked = translate_markup(self.translator, texts, self.to, from_, self.options, rules)
        return [SegmentAnswer.of(answer) for answer in marked]
