"""Translators without a model, for text with markup: they say what a function makes of a text, and align as told."""

from dataclasses import dataclass, field

from attendo.decoding.hypothesis import Hypothesis
from attendo.text.normalize import repair
from attendo.text.sentences import split
from attendo.translation.answer import AlignedWord, Sentence, Translation, account
from attendo.translation.markup.rules import MarkupRules
from attendo.translation.markup.translate import translate_markup
from attendo.translation.prepare import Languages

HTML, XML = MarkupRules.html(), MarkupRules.of_xml()


class FakePreparer:
    def languages(self, text, to, from_):
        return Languages(from_ or "en", to or "de", to or "de")


@dataclass
class FakeTranslator:
    """`say`: from a text to its translation and the words of that; without words, it cannot align."""

    say: object
    preparer: FakePreparer = field(default_factory=FakePreparer)
    asked: list = field(default_factory=list)

    def translate(self, texts, to=None, from_=None, options=None):
        return [self.answer(text, to or "de", from_ or "en") for text in texts]

    def answer(self, text, to, from_):
        self.asked.append(text)
        said, words = self.say(text)
        segments = split(text, from_)
        hypothesis = Hypothesis.of((5, 2), [-0.1, -0.1], 1.0)
        if said == repair(text)[0]:
            sentences = [Sentence(one.text, (one.text,), (hypothesis,), attempt="first") for one in segments]
        else:  # one sentence, whatever there is
            sentences = [Sentence(text, (said,), (hypothesis,), attempt="first")]
        ledger = account(text, 0, zip(segments, sentences, strict=False))
        return Translation(said, ledger, 0.0, "fake", from_, to, tuple(sentences), alignment=words)


def same(text):
    """Each character was made from itself."""
    return text, tuple(
        AlignedWord(at, at + 1, ((at, at + 1, 1.0),)) for at, sign in enumerate(text) if not sign.isspace()
    )


def without_alignment(text):
    return text, None


def by_words(pairs):
    """A translation word by word: (word of the translation, its word in the source or ""), in order, with spaces."""

    def say(text):
        words, parts, at, used = [], [], 0, {}
        for target, source in pairs:
            sources = ()
            if source:
                start = text.index(source, used.get(source, 0))
                used[source] = start + 1
                sources = ((start, start + len(source), 1.0),)
            if parts and target[0] not in ",.!?" and not is_han(target):
                parts.append(" ")
                at += 1
            words.append(AlignedWord(at, at + len(target), sources))
            parts.append(target)
            at += len(target)
        return "".join(parts), tuple(words)

    return say


def is_han(text):
    return "\u4e00" <= text[0] <= "\u9fff" or text[0] in "。，"


def put(text, say=same, rules=HTML, to="de"):
    """The one answer to a text."""
    [answer] = translate_markup(FakeTranslator(say), [text], to=to, from_="en", rules=rules)
    return answer
