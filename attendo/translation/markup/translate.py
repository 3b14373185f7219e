"""Texts with markup through a translator: the sentences are translated whole, and their tags are put back.

    >>> [answer] = translate_markup(translator, ["<p>我住在<b>北京</b>。</p>"], to="en")
    >>> answer.text
    '<p>I live in <b>Beijing</b>.</p>'

A text is parted into passages and what stays (passages.py); the translator takes all passages together; the tags of
each find their words by the alignment (place.py). An element that finds none is a sign of lost text: its passage is
translated once more, with stand-ins for its tags, and taken if all tags are there. If not, the tag stands empty beside
the nearest word, and the ledger counts it.
"""

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from attendo.errors import InputError
from attendo.files.arguments import as_list, check_argument
from attendo.translation.answer import Translation, total
from attendo.translation.markup.collect import Passage
from attendo.translation.markup.known_words import aligned_words, sentence_pairs, with_points, with_tokens
from attendo.translation.markup.made_from import MadeFrom
from attendo.translation.markup.passages import read_passages
from attendo.translation.markup.place import place
from attendo.translation.markup.result import MarkupTranslation, NoteKind, TagNote
from attendo.translation.markup.rules import MarkupRules
from attendo.translation.markup.tags_as_stand_ins import spots_by_tags, with_tags, without_tags
from attendo.translation.markup.tree import grow
from attendo.translation.markup.write import Writer, spaces_of, write
from attendo.translation.options import DEFAULT, TranslationOptions
from attendo.translation.translator import Translator, check_request

HTML = MarkupRules.html()
SURE_LENGTH = 40  # characters: the language of a shorter passage is that of its text


class Put(NamedTuple):
    """A passage in the target language."""

    text: str
    translation: Translation
    unplaced: tuple[tuple[NoteKind, str], ...]


def translate_markup(
    translator: Translator,
    texts: Iterable[str],
    to: str | None = None,
    from_: str | None = None,
    options: TranslationOptions = DEFAULT,
    rules: MarkupRules = HTML,
) -> list[MarkupTranslation]:
    """One answer for each text, in their order."""
    started = time.perf_counter()
    check_request(to, from_, options)
    check_argument("rules", rules, MarkupRules, "MarkupRules")
    documents = [read_passages(checked(text), rules) for text in as_list("texts", texts, "a list of str")]
    languages = [translator.preparer.languages(words_of(document), to, from_) for document in documents]
    passages = [
        (part, from_ or source_of(part, language.source, translator, to))
        for document, language in zip(documents, languages, strict=True)
        for part in document
        if isinstance(part, Passage)
    ]
    found = iter(translate_passages(translator, passages, to, options))
    answers: list[MarkupTranslation] = []
    for document, language in zip(documents, languages, strict=True):
        puts = [next(found) if isinstance(part, Passage) else part for part in document]
        done = [put for put in puts if isinstance(put, Put)]
        notes = [TagNote(*note, index) for index, put in enumerate(done) for note in put.unplaced]
        ledger = total(put.translation.ledger for put in done)
        answers.append(
            MarkupTranslation(
                text="".join(put if isinstance(put, str) else put.text for put in puts),
                source_language=language.source,
                target_language=language.to,
                ledger=replace(ledger, tags_unplaced=len(notes)),
                passages=tuple(put.translation for put in done),
                unplaced=tuple(notes),
                alternatives=alternatives(document, done),
                seconds=time.perf_counter() - started,
            )
        )
    return answers


def checked(text: object) -> str:
    if not isinstance(text, str):
        raise InputError(f"a text is {type(text).__name__}: expected str")
    return text


def words_of(document: Sequence[str | Passage]) -> str:
    return "\n".join(part.text for part in document if isinstance(part, Passage))


def source_of(passage: Passage, source: str, translator: Translator, to: str | None) -> str | None:
    """None where the passage itself tells: what is in the target language already is then left as it is."""
    if len(passage.text) >= SURE_LENGTH or translator.preparer.languages(passage.text, to, None).source == source:
        return None
    return source


def translate_passages(
    translator: Translator,
    passages: Sequence[tuple[Passage, str | None]],
    to: str | None,
    options: TranslationOptions,
) -> list[Put]:
    """All of them together, and once more those whose tags found no place."""
    asked = [(passage.text, from_) for passage, from_ in passages]
    puts = [
        put_back(passage, answer)
        for (passage, _), answer in zip(passages, ask(translator, asked, to, options), strict=True)
    ]
    again = [index for index, put in enumerate(puts) if any(kind == "tag" for kind, _ in put.unplaced)]
    asked = [(with_tags(passages[index][0]), passages[index][1]) for index in again]
    for index, answer in zip(again, ask(translator, asked, to, options), strict=True):
        passage, before = passages[index][0], puts[index]
        new = put_back_by_tags(passage, answer)
        in_pieces = any(sentence.attempt == "pieces" for sentence in answer.sentences)
        if new and (not in_pieces or not is_aligned(before.translation)):
            puts[index] = new
    return puts


def ask(
    translator: Translator, asked: Sequence[tuple[str, str | None]], to: str | None, options: TranslationOptions
) -> list[Translation]:
    options = replace(options, alignment=True)
    answers: dict[int, Translation] = {}
    for source in dict.fromkeys(from_ for _, from_ in asked):
        indices = [index for index, (_, from_) in enumerate(asked) if from_ == source]
        found = translator.translate([asked[index][0] for index in indices], to, source, options)
        answers |= dict(zip(indices, found, strict=True))
    return [answers[index] for index in range(len(asked))]


def is_aligned(answer: Translation) -> bool:
    return answer.alignment is not None or not any(sentence.hypothesis for sentence in answer.sentences)


def put_back(passage: Passage, answer: Translation) -> Put:
    """The tags of a passage by what each word was made from."""
    pairs = sentence_pairs(passage, answer)
    words = aligned_words(passage.text, answer, pairs)
    target, words, pairs, tokens = with_tokens(passage, answer.text, words, pairs)
    lost = [token for token in passage.placeholders if token not in tokens.values()]
    marks = with_points(passage, lost)
    root = grow(marks, len(passage.text))
    spots = place(root, MadeFrom(passage.text, target, words, pairs))
    text = write(root, spots, Writer(passage, target, spaces_of(passage, target, words), tokens))
    unplaced: list[tuple[NoteKind, str]] = [("placeholder", passage.placeholders[token]) for token in lost]
    unplaced += [("tag", marks[index].raw.strip()) for index, spot in spots.items() if not spot.landed]
    return Put(passage.before + text + passage.after, answer, tuple(unplaced))


def put_back_by_tags(passage: Passage, answer: Translation) -> Put | None:
    """The tags of a passage where the model put them; None if it did not keep them all."""
    text, found = without_tags(passage, answer.text)
    target, _, _, tokens = with_tokens(passage, text, (), ())
    root = grow(passage.marks, len(passage.text))
    spots = spots_by_tags(passage, root, len(text), found)
    if spots is None or target != text or len(tokens) < len(passage.placeholders):
        return None
    text = write(root, spots, Writer(passage, target, {}, tokens))
    return Put(passage.before + text + passage.after, answer, ())


def alternatives(document: Sequence[str | Passage], done: Sequence[Put]) -> tuple[str, ...]:
    """Other translations of a text without tags among its words; where a passage has fewer, its best stands for it."""
    passages = [part for part in document if isinstance(part, Passage)]
    if any(passage.marks or passage.placeholders for passage in passages):
        return ()
    count = max((len(put.translation.alternatives) for put in done), default=0)
    found: list[str] = []
    for rank in range(count):
        waiting = iter(done)
        found.append("".join(part if isinstance(part, str) else other(part, next(waiting), rank) for part in document))
    return tuple(found)


def other(passage: Passage, put: Put, rank: int) -> str:
    if rank >= len(put.translation.alternatives):
        return put.text
    text = put.translation.alternatives[rank]
    return passage.before + "".join(Writer(passage, text, {}, {}).text(0, len(text))) + passage.after
