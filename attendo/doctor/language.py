"""Sides that were exchanged, and sentences in a language that does not belong there.

Identifying the language of five words is a gamble, so three witnesses are asked. The script: a line without a Chinese
character is not Chinese. py3langid: what the letters look like. And the corpus itself (naive Bayes): words that are
common on this side speak for a sentence however foreign it looks, and words that are common only among the sentences
found foreign speak against it.

Identifying a language takes most of an examination's time, so there is a shortcut for large corpora. py3langid looks
at a part of a side; words common in what it takes for the right language, and rare in what it takes for another, are
trusted; and a sentence made mostly of trusted words is not shown to it any more.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attendo.doctor.pairing import Floats, words_of
from attendo.doctor.survey import Advance
from attendo.errors import UsageError
from attendo.text.scripts import SCRIPTS, identifier, share_in_script

Flags = NDArray[np.bool_]

SUSPECT = 3.0  # nats: above, the letters alone make a sentence foreign in the first round
SURE = -3.0  # nats: below, the letters are so sure of the right language that no word is looked at
FOREIGN = 1.5  # nats: letters and words together; above, a sentence is in a wrong language
EXCHANGED = 1.5  # nats: the words of both sides together; above, they belong to each other's side
ENOUGH_WORDS = 3  # the letters of one word alone are a third of a witness
ROUNDS = 3  # of learning the foreign words from the sentences found foreign

CERTAIN = 20.0  # nats: what a script says
ENOUGH = 100  # characters; a language is clear by then, and identifying takes time

SOME = 0.5  # added to each count, so that an unknown word is unlikely rather than impossible
UNKNOWN_WORDS = 1000  # as many words more than were seen are thought to exist

IDENTIFIED = 20_000  # texts
RIGHT, OTHER = -1.0, 1.0  # nats: below, a text is taken to be in the right language; above, in another
FEWEST_SIGHTINGS = 5
PURITY = 10.0  # a trusted word is counted so many times as often in the right language as in others
MOSTLY = 0.6  # of a sentence's words
TRUSTED_ODDS = -5.0  # nats: what trusted words say


def odds_against(text: str, language: str) -> float:
    """Nats of evidence that a text is not in the language: positive against it, negative for it."""
    share = share_in_script(text, language)
    if share is None:
        return -CERTAIN  # no letters: 12:30 is at home everywhere
    if language in SCRIPTS:
        return -CERTAIN if share > 0 else CERTAIN
    if share < 0.5:
        return CERTAIN
    best, probability = identifier().classify(text[:ENOUGH])
    if best == language:
        return math.log(max(1 - probability, 1e-3) / max(probability, 1e-3))
    right = dict(identifier().rank(text[:ENOUGH]))[language]
    return math.log(max(probability, 1e-4) / max(right, 1e-4))


def check_known(languages: tuple[str, str]) -> None:
    for language in languages:
        if language not in identifier().labels:
            raise UsageError(f"{language!r} is no language known here: expected codes such as zh, en, de, fr, cs")


@dataclass(frozen=True)
class WordCounts:
    """In how many texts of a collection each word stands."""

    counts: Counter[str]
    total: int

    def without(self, others: "WordCounts") -> "WordCounts":
        """The collection without some of its texts."""
        return WordCounts(self.counts - others.counts, self.total - others.total)


def count_words(texts: Iterable[str]) -> WordCounts:
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(set(words_of(text)))
    return WordCounts(counts, counts.total())


def log_odds(text: str, here: WordCounts, there: WordCounts, counted_here: bool) -> float:
    """Nats of evidence that a text's words come from there rather than from here.

    The text's own words are taken out of the collection that counted them: a word must not be its own witness. The sum
    is divided by the root of their number: words of one sentence go together, so they are fewer witnesses than words.
    """
    words = set(words_of(text))
    room = SOME * (len(here.counts) + len(there.counts) + UNKNOWN_WORDS)
    more_here = math.log((here.total + room) / (there.total + room))
    evidence = 0.0
    for word in words:
        ours = max(0, here.counts[word] - counted_here)
        theirs = max(0, there.counts[word] - (not counted_here))
        if ours or theirs:  # a word that neither collection has is no evidence
            evidence += math.log((theirs + SOME) / (ours + SOME)) + more_here
    return evidence / math.sqrt(max(len(words), 1))


def side_odds(texts: Sequence[str], language: str, advance: Advance) -> Floats:
    """[texts] nats of evidence, by script, letters and trusted words, that a text is not in the language."""
    odds = np.full(len(texts), TRUSTED_ODDS)
    step = 1 if language in SCRIPTS else max(1, len(texts) // IDENTIFIED)
    for row in range(0, len(texts), step):
        odds[row] = odds_against(texts[row], language)
        advance(1)
    if step == 1:
        return odds
    trusted = trusted_words(texts[::step], odds[::step])
    for row in range(len(texts)):
        if row % step:
            if not is_trusted(trusted, texts[row]):
                odds[row] = odds_against(texts[row], language)
            advance(1)
    return odds


def trusted_words(texts: Sequence[str], odds: Floats) -> set[str]:
    right = count_words(text for text, against in zip(texts, odds, strict=True) if against < RIGHT)
    other = count_words(text for text, against in zip(texts, odds, strict=True) if against > OTHER)
    # Clean sentences that were misread are many where foreign ones are few, so counts are compared, not frequencies.
    frequent = (word for word, count in right.counts.items() if count >= FEWEST_SIGHTINGS)
    return {word for word in frequent if right.counts[word] >= PURITY * other.counts[word]}


def is_trusted(trusted: set[str], text: str) -> bool:
    known = [word in trusted for word in words_of(text)]
    return len(known) > 1 and sum(known) >= MOSTLY * len(known)


def find_language_trouble(
    sources: Sequence[str], targets: Sequence[str], languages: tuple[str, str], advance: Advance
) -> tuple[Flags, Flags]:
    """Flags of the pairs whose sides are exchanged, and of those with a side in a third language.

    `advance` is called for every text identified. A copy has its own name and is neither.
    """
    copied = np.array([a.strip() == b.strip() for a, b in zip(sources, targets, strict=True)], dtype=bool)
    odds = [side_odds(texts, language, advance) for texts, language in zip((sources, targets), languages, strict=True)]
    source_words, target_words = count_words(sources), count_words(targets)
    swapped = np.zeros(len(sources), dtype=bool)
    for row in np.flatnonzero(((odds[0] > SURE) | (odds[1] > SURE)) & ~copied).tolist():
        swapped[row] = is_swapped(sources[row], targets[row], languages, source_words, target_words)
    wrong = find_foreign(sources, odds[0], source_words) | find_foreign(targets, odds[1], target_words)
    return swapped, wrong & ~swapped & ~copied


def is_swapped(
    source: str, target: str, languages: tuple[str, str], source_words: WordCounts, target_words: WordCounts
) -> bool:
    """Whether both sides are at home on the other side: by script where that decides, or else by their words."""
    if SCRIPTS.get(languages[0]) != SCRIPTS.get(languages[1]):
        at_home = all(share_in_script(t, own) for t, own in zip((source, target), languages, strict=True))
        away = all(share_in_script(t, other) for t, other in zip((source, target), reversed(languages), strict=True))
        return away and not at_home
    at_source = log_odds(source, source_words, target_words, counted_here=True)
    at_target = log_odds(target, target_words, source_words, counted_here=True)
    return at_source > 0 and at_target > 0 and at_source + at_target > EXCHANGED


def find_foreign(texts: Sequence[str], letters: Floats, all_words: WordCounts) -> Flags:
    """Sentences in a wrong language, by their letters and by the words of this side and of the foreign sentences."""
    few = np.array([min(1.0, len(text.split()) / ENOUGH_WORDS) for text in texts])
    letters = np.where(np.abs(letters) < CERTAIN, letters * few, letters)
    flags = letters > SUSPECT
    doubtful = np.flatnonzero((letters > SURE) & (letters < CERTAIN)).tolist()
    for _ in range(ROUNDS):
        foreign = count_words(texts[row] for row in np.flatnonzero(flags).tolist())
        own = all_words.without(foreign)
        found = letters >= CERTAIN
        for row in doubtful:
            words = log_odds(texts[row], own, foreign, counted_here=not flags[row])
            found[row] = letters[row] + words > FOREIGN
        flags = found
    return flags
