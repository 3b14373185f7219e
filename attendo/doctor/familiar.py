"""Whether a sentence's words are at home here or there, by how often both places use them (naive Bayes)."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from attendo.doctor.words import words_of

SOME = 0.5  # added to each count, so that an unknown word is unlikely rather than impossible
UNKNOWN_WORDS = 1000  # as many words more than were seen are thought to exist


@dataclass(frozen=True)
class Familiar:
    """In how many texts of a place each word stands."""

    counts: Counter[str]
    total: int

    def without(self, others: "Familiar") -> "Familiar":
        """The place without some of its texts."""
        return Familiar(self.counts - others.counts, self.total - others.total)


def familiar_words(texts: Iterable[str]) -> Familiar:
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(set(words_of(text)))
    return Familiar(counts, counts.total())


def words_against(text: str, here: Familiar, there: Familiar, counted_here: bool) -> float:
    """Nats of evidence that a text's words come from there rather than from here.

    The text's own words are taken out of the place that counted them: a word must not be its own witness. The sum is
    divided by the root of their number: words of one sentence go together, so they are fewer witnesses than words.
    """
    words = set(words_of(text))
    room = SOME * (len(here.counts) + len(there.counts) + UNKNOWN_WORDS)
    more_here = math.log((here.total + room) / (there.total + room))
    evidence = 0.0
    for word in words:
        ours = max(0, here.counts[word] - counted_here)
        theirs = max(0, there.counts[word] - (not counted_here))
        if ours or theirs:  # a word that neither place knows says nothing
            evidence += math.log((theirs + SOME) / (ours + SOME)) + more_here
    return evidence / math.sqrt(max(len(words), 1))
