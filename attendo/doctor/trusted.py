"""A short cut for large corpora: words that prove a sentence's language, learned from a part of the corpus.

Identifying a language takes most of an examination's time. So py3langid looks at a part of a side; words common in
what it takes for the right language, and rare in what it takes for another, are trusted; and a sentence made mostly
of trusted words is not shown to it any more.
"""

from collections.abc import Sequence

import numpy as np

from attendo.doctor.familiar import familiar_words
from attendo.doctor.identify import odds_against
from attendo.doctor.survey import Advance
from attendo.doctor.word_model import Floats
from attendo.doctor.words import words_of
from attendo.text.scripts import SCRIPTS

IDENTIFIED = 20_000  # texts
RIGHT, OTHER = -1.0, 1.0  # nats: below, a text is taken to be in the right language; above, in another
FEWEST_SIGHTINGS = 5
PURITY = 10.0  # a trusted word is counted so many times as often in the right language as in others
MOSTLY = 0.6  # of a sentence's words
SURE = -5.0  # nats: what trusted words say


def side_odds(texts: Sequence[str], language: str, advance: Advance) -> Floats:
    """[texts] nats of evidence, by script, letters and trusted words, that a text is not in the language."""
    odds = np.full(len(texts), SURE)
    step = 1 if language in SCRIPTS else max(1, len(texts) // IDENTIFIED)
    for row in range(0, len(texts), step):
        odds[row] = odds_against(texts[row], language)
        advance(1)
    if step == 1:
        return odds
    trusted = trusted_words(texts[::step], odds[::step])
    for row in range(len(texts)):
        if row % step:
            if not speaks_for(trusted, texts[row]):
                odds[row] = odds_against(texts[row], language)
            advance(1)
    return odds


def trusted_words(texts: Sequence[str], odds: Floats) -> set[str]:
    right = familiar_words(text for text, against in zip(texts, odds, strict=True) if against < RIGHT)
    other = familiar_words(text for text, against in zip(texts, odds, strict=True) if against > OTHER)
    # Clean sentences that were misread are many where foreign ones are few, so counts are compared, not frequencies.
    frequent = (word for word, count in right.counts.items() if count >= FEWEST_SIGHTINGS)
    return {word for word in frequent if right.counts[word] >= PURITY * other.counts[word]}


def speaks_for(trusted: set[str], text: str) -> bool:
    known = [word in trusted for word in words_of(text)]
    return len(known) > 1 and sum(known) >= MOSTLY * len(known)
