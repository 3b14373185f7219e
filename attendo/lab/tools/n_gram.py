"""How well a sequence of tokens can be foretold from the few before: bits, by counting alone."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence

ORDER = 4  # a token is foretold from the 3 before it, or from as many of them as were ever seen together
START, END = -1, -2  # of a sentence


class NGram:
    """Witten and Bell's: each order is mixed with the next lower one, which counts as much as kinds of tokens followed.

        p(w | h) = (c(h w) + t(h) p(w | shorter h)) / (c(h) + t(h)),   p(w) at the bottom: 1 / |V|

    c counts, t(h) is how many different tokens have followed h.
    """

    def __init__(self, sentences: Iterable[Sequence[int]], vocab_size: int) -> None:
        self.vocab_size = vocab_size + 1  # and the end of a sentence
        self.follow: defaultdict[tuple[int, ...], dict[int, int]] = defaultdict(dict)
        for sentence in sentences:
            tokens = framed(sentence)
            for place in range(ORDER - 1, len(tokens)):
                for n in range(ORDER):
                    counts = self.follow[tokens[place - n : place]]
                    counts[tokens[place]] = counts.get(tokens[place], 0) + 1
        self.totals = {history: sum(counts.values()) for history, counts in self.follow.items()}

    def bits(self, sentence: Sequence[int]) -> float:
        """-log₂ of the probability of the whole sentence, its end included."""
        tokens = framed(sentence)
        return -sum(math.log2(self.probability(tokens, place)) for place in range(ORDER - 1, len(tokens)))

    def probability(self, tokens: tuple[int, ...], place: int) -> float:
        p = 1 / self.vocab_size
        for n in range(ORDER):
            history = tokens[place - n : place]
            counts = self.follow.get(history)
            if counts is None:
                break  # a longer history was not seen either
            p = (counts.get(tokens[place], 0) + len(counts) * p) / (self.totals[history] + len(counts))
        return p


def framed(sentence: Sequence[int]) -> tuple[int, ...]:
    return (*[START] * (ORDER - 1), *sentence, END)
