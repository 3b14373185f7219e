"""Sides that were exchanged, and sentences in a language that has no business there.

Identifying the language of five words is a gamble, so three witnesses are heard. The script: a line without a
Chinese character is not Chinese. py3langid: what the letters look like. And the corpus itself: words that are common
on this side speak for a sentence however foreign it looks, and words that are common only among the sentences found
foreign speak against it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attendo.doctor.familiar import Familiar, familiar_words, words_against
from attendo.doctor.identify import CERTAIN
from attendo.doctor.survey import Advance
from attendo.doctor.trusted import side_odds
from attendo.text.scripts import SCRIPTS, share_in_script

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]

SUSPECT = 3.0  # nats: above, the letters alone make a sentence foreign in the first round
SURE = -3.0  # nats: below, the letters are so sure of the right language that no word is looked at
FOREIGN = 1.5  # nats: letters and words together; above, a sentence is in a wrong language
EXCHANGED = 1.5  # nats: the words of both sides together; above, they belong to each other's side
ENOUGH_WORDS = 3  # the letters of one word alone are a third of a witness
ROUNDS = 3  # of learning the foreign words from the sentences found foreign


@dataclass(frozen=True)
class LanguageTrouble:
    """One flag a pair: its sides are exchanged; one of its sides is in a third language."""

    swapped: Flags
    wrong: Flags


def find_language_trouble(
    sources: Sequence[str], targets: Sequence[str], languages: tuple[str, str], advance: Advance
) -> LanguageTrouble:
    """`advance` hears of every text identified. A copy has its own name and is neither."""
    copied = np.array([a.strip() == b.strip() for a, b in zip(sources, targets, strict=True)], dtype=bool)
    odds = [side_odds(texts, language, advance) for texts, language in zip((sources, targets), languages, strict=True)]
    source_words, target_words = familiar_words(sources), familiar_words(targets)
    swapped = np.zeros(len(sources), dtype=bool)
    for row in np.flatnonzero(((odds[0] > SURE) | (odds[1] > SURE)) & ~copied).tolist():
        swapped[row] = is_swapped(sources[row], targets[row], languages, source_words, target_words)
    wrong = find_foreign(sources, odds[0], source_words) | find_foreign(targets, odds[1], target_words)
    return LanguageTrouble(swapped, wrong & ~swapped & ~copied)


def is_swapped(
    source: str, target: str, languages: tuple[str, str], source_words: Familiar, target_words: Familiar
) -> bool:
    """Whether both sides are at home on the other side: by script where that decides, or else by their words."""
    if SCRIPTS.get(languages[0]) != SCRIPTS.get(languages[1]):
        at_home = all(share_in_script(t, own) for t, own in zip((source, target), languages, strict=True))
        away = all(share_in_script(t, other) for t, other in zip((source, target), reversed(languages), strict=True))
        return away and not at_home
    at_source = words_against(source, source_words, target_words, counted_here=True)
    at_target = words_against(target, target_words, source_words, counted_here=True)
    return at_source > 0 and at_target > 0 and at_source + at_target > EXCHANGED


def find_foreign(texts: Sequence[str], letters: Floats, all_words: Familiar) -> Flags:
    """Sentences in a wrong language, by their letters and by the words of this side and of the foreign sentences."""
    few = np.array([min(1.0, len(text.split()) / ENOUGH_WORDS) for text in texts])
    letters = np.where(np.abs(letters) < CERTAIN, letters * few, letters)
    flags = letters > SUSPECT
    doubtful = np.flatnonzero((letters > SURE) & (letters < CERTAIN)).tolist()
    for _ in range(ROUNDS):
        foreign = familiar_words(texts[row] for row in np.flatnonzero(flags).tolist())
        own = all_words.without(foreign)
        found = letters >= CERTAIN
        for row in doubtful:
            words = words_against(texts[row], own, foreign, counted_here=not flags[row])
            found[row] = letters[row] + words > FOREIGN
        flags = found
    return flags
