"""Where a score comes from: by the length of the sentence, by how rare its words are, and which sentences are extreme.

Words are in lower case and without punctuation; of Chinese and Japanese, characters. With several references the first
one counts.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from attendo.evaluation.metrics import References, Texts, bleu, chrf, is_by_character
from attendo.text.pretokenize import HAN, KANA

WORD = re.compile(rf"[{HAN}{KANA}]|[^\W_{HAN}{KANA}]+")
LENGTHS = (5, 10, 20, 30, 50)  # the longest of each class; behind the last comes the rest
LENGTHS_IN_CHARACTERS = (10, 20, 40, 60, 100)
OFTEN_IN_TEST_SET = (2, 6, 21, 101)  # the least of each class but the first
OFTEN_IN_TRAINING = (1, 10, 100, 1_000)


@dataclass(frozen=True)
class OfLength:
    """Sentences whose reference has so many words."""

    words: str  # 6-10
    sentences: int
    bleu: float
    chrf: float
    length_ratio: float


@dataclass(frozen=True)
class OfFrequency:
    """Words of the references that are so frequent."""

    times: str  # 2-5
    words: int  # occurrences in the references
    found: int  # of them in the translation of the same sentence, each as often as it stands in both

    @property
    def share(self) -> float:
        return self.found / self.words


def words_of(text: str) -> list[str]:
    """
    >>> words_of("Ist 3.5 viel? 我爱AI")
    ['ist', '3', '5', 'viel', '我', '爱', 'ai']
    """
    return WORD.findall(text.lower())


def by_length(hypotheses: Texts, references: References, language: str, tokenisation: str) -> list[OfLength]:
    """Classes in which there is a sentence."""
    longest = LENGTHS_IN_CHARACTERS if is_by_character(language) else LENGTHS
    places: dict[int, list[int]] = {}
    for place, reference in enumerate(references[0]):
        places.setdefault(bisect_left(longest, len(words_of(reference))), []).append(place)
    found = []
    for number, mine in sorted(places.items()):
        said = [hypotheses[place] for place in mine]
        wanted = [[one[place] for place in mine] for one in references]
        scored = bleu(said, wanted, tokenisation)
        ratio = float(scored.length_ratio or 0.0)
        found.append(OfLength(length_name(number, longest), len(mine), scored.score, chrf(said, wanted).score, ratio))
    return found


def length_name(number: int, longest: Sequence[int]) -> str:
    """up to 5, 6-10, …, over 50"""
    if number == 0:
        return f"up to {longest[0]}"
    return f"{longest[number - 1] + 1}-{longest[number]}" if number < len(longest) else f"over {longest[-1]}"


def by_frequency(hypotheses: Texts, references: Texts, training: Counter[str] | None) -> list[OfFrequency]:
    """How many of the rare and of the frequent words were said, by their count in the training text.

    Without one, in the references themselves: what is rare in a test set need not be so in training, but mostly is.
    """
    wanted = [Counter(words_of(reference)) for reference in references]
    counts = sum_of(wanted) if training is None else training
    least = OFTEN_IN_TEST_SET if training is None else OFTEN_IN_TRAINING
    words, found = [0] * (len(least) + 1), [0] * (len(least) + 1)
    for said, of_reference in zip(hypotheses, wanted, strict=True):
        of_hypothesis = Counter(words_of(said))
        for word, times in of_reference.items():
            number = bisect_right(least, counts[word])
            words[number] += times
            found[number] += min(times, of_hypothesis[word])
    first = 1 if training is None else 0
    names = [frequency_name(low, high) for low, high in zip((first, *least), (*least, None), strict=True)]
    return [OfFrequency(*row) for row in zip(names, words, found, strict=True) if row[1]]


def frequency_name(low: int, behind: int | None) -> str:
    """1, 2-5, 6-20, …, over 100"""
    if behind is None:
        return f"over {low - 1:,}"
    return f"{low:,}" if behind == low + 1 else f"{low:,}-{behind - 1:,}"


def count_words(texts: Iterable[str]) -> Counter[str]:
    """Of a training text; both sides of a corpus may be in it, as their words are mostly different ones."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(words_of(text))
    return counts


def sum_of(counters: Sequence[Counter[str]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for counter in counters:
        total.update(counter)
    return total


def extremes(scores: Sequence[float], most: int) -> tuple[list[int], list[int]]:
    """Places of the worst and of the best, from the extreme inwards; no sentence is both."""
    ordered = sorted(range(len(scores)), key=lambda place: (scores[place], place))
    middle = (len(ordered) + 1) // 2
    return ordered[:middle][:most], ordered[middle:][::-1][:most]
