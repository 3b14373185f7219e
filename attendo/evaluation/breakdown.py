"""Where a score comes from: by the length of the sentence, by how rare its words are, and which sentences are extreme.

Words are in lower case and without punctuation; of Chinese and Japanese, characters. With several references the first
one counts.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from attendo.evaluation.metrics import References, Texts, bleu, chrf
from attendo.text.scripts import HAN, KANA, writes_han

WORD = re.compile(rf"[{HAN}{KANA}]|[^\W_{HAN}{KANA}]+")
LENGTHS = (5, 10, 20, 30, 50)  # the longest of each class; after the last comes the rest
LENGTHS_IN_CHARACTERS = (10, 20, 40, 60, 100)
OFTEN_IN_TEST_SET = (2, 6, 21, 101)  # the least of each class but the first
OFTEN_IN_TRAINING = (1, 10, 100, 1_000)


@dataclass(frozen=True)
class LengthClass:
    """Sentences whose reference has so many words."""

    words: str  # 6-10
    sentences: int
    bleu: float
    chrf: float
    length_ratio: float


@dataclass(frozen=True)
class FrequencyClass:
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


def by_length(hypotheses: Texts, references: References, language: str, tokenisation: str) -> list[LengthClass]:
    """Classes in which there is a sentence."""
    longest = LENGTHS_IN_CHARACTERS if writes_han(language) else LENGTHS
    indices: dict[int, list[int]] = {}
    for index, reference in enumerate(references[0]):
        indices.setdefault(bisect_left(longest, len(words_of(reference))), []).append(index)
    found = []
    for length_class, mine in sorted(indices.items()):
        texts = [hypotheses[index] for index in mine]
        wanted = [[one[index] for index in mine] for one in references]
        score = bleu(texts, wanted, tokenisation)
        name, ratio = length_name(length_class, longest), float(score.length_ratio or 0.0)
        found.append(LengthClass(name, len(mine), score.score, chrf(texts, wanted).score, ratio))
    return found


def length_name(index: int, longest: Sequence[int]) -> str:
    """up to 5, 6-10, …, over 50"""
    if index == 0:
        return f"up to {longest[0]}"
    return f"{longest[index - 1] + 1}-{longest[index]}" if index < len(longest) else f"over {longest[-1]}"


def by_frequency(hypotheses: Texts, references: Texts, training: Counter[str] | None) -> list[FrequencyClass]:
    """How many of the rare and of the frequent words were found, by their count in the training text.

    Without one, in the references themselves: what is rare in a test set need not be so in training, but mostly is.
    """
    wanted = [Counter(words_of(reference)) for reference in references]
    counts = count_words(references) if training is None else training
    least = OFTEN_IN_TEST_SET if training is None else OFTEN_IN_TRAINING
    words, found = [0] * (len(least) + 1), [0] * (len(least) + 1)
    for hypothesis, of_reference in zip(hypotheses, wanted, strict=True):
        of_hypothesis = Counter(words_of(hypothesis))
        for word, times in of_reference.items():
            index = bisect_right(least, counts[word])
            words[index] += times
            found[index] += min(times, of_hypothesis[word])
    first = 1 if training is None else 0
    names = [frequency_name(low, high) for low, high in zip((first, *least), (*least, None), strict=True)]
    return [FrequencyClass(*row) for row in zip(names, words, found, strict=True) if row[1]]


def frequency_name(low: int, after: int | None) -> str:
    """1, 2-5, 6-20, …, over 100"""
    if after is None:
        return f"over {low - 1:,}"
    return f"{low:,}" if after == low + 1 else f"{low:,}-{after - 1:,}"


def count_words(texts: Iterable[str]) -> Counter[str]:
    """Of a training text; both sides of a corpus may be in it, as their words are mostly different ones."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(words_of(text))
    return counts


def extremes(scores: Sequence[float], most: int) -> tuple[list[int], list[int]]:
    """Indices of the worst and of the best, from the extreme inwards; no sentence is both."""
    ordered = sorted(range(len(scores)), key=lambda index: (scores[index], index))
    middle = (len(ordered) + 1) // 2
    return ordered[:middle][:most], ordered[middle:][::-1][:most]
