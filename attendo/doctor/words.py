"""Text cut into words for counting: rough, fast, and the same for every language.

A Latin (or Greek, Cyrillic …) word is taken in lower case. A Chinese character or Japanese sign is a word. For the
statistics of translation a word counts by its first letters: "Haus" and "Hauses" stay two words, but "Nation",
"Nationen" and the English "nation" become one.
"""

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

STEM = 5  # letters
NO_WORD = -1
WORD = re.compile(r"[぀-ヿ㐀-鿿豈-﫿]|\d+|[^\W\d_぀-ヿ㐀-鿿豈-﫿]+")

Words = NDArray[np.int32]  # [sentences, longest]: ids of distinct words, NO_WORD behind the last


def words_of(text: str) -> list[str]:
    """All words in order: "Das Haus, 12 房子" -> das haus 12 房 子."""
    return WORD.findall(text.lower())


def stems_of(text: str) -> set[str]:
    """The distinct words, cut to their first letters; numbers stay whole."""
    return {word if word.isdigit() else word[:STEM] for word in WORD.findall(text.lower())}


def number_words(texts: Sequence[str], most_words: int, longest: int) -> tuple[list[str], Words]:
    """The vocabulary, most frequent word first, and each text as the ids of its most telling words.

    Words seen once are left out: they could only be learned by heart. Of a long sentence the rarest `longest` words
    are kept, which say most about what it means. Texts are cut twice, because keeping the words of a large corpus
    would take more memory than the corpus.
    """
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(stems_of(text))
    frequent = sorted((word for word, count in counts.items() if count > 1), key=lambda word: (-counts[word], word))
    vocabulary = frequent[:most_words]
    ids = {word: number for number, word in enumerate(vocabulary)}
    table = np.full((len(texts), longest), NO_WORD, dtype=np.int32)
    for row, text in enumerate(texts):
        known = sorted((ids[word] for word in stems_of(text) if word in ids), reverse=True)[:longest]
        table[row, : len(known)] = known
    return vocabulary, table
