"""A trigram model of characters with interpolated modified Kneser-Ney smoothing, to measure a language model against.

Chen and Goodman 1998: of every count c a discount D(c) is taken, and what is taken goes to the shorter history,

    p(z | xy) = (c(xyz) - D(c(xyz))) / c(xy·) + γ(xy) p(z | y),     γ(xy) = Σ_z D(c(xyz)) / c(xy·)

where a shorter history counts not how often a character came but after how many different ones: N(·yz), the number of x
that came before yz. The shortest of all is shared out evenly over the characters that were seen, the end of a line and
one more, which stands for all that were not.

    python -m benchmarks.trigram zh-en/tatoeba.train.tsv.xz zh-en/tatoeba.test.tsv --column 1 --model runs/text/model

gives the perplexity of each character of the second file, the end of a line counted as one, by the trigram model of the
first and by the language model. To the trigram a character that it never saw costs one surprise; the language model
spells it, byte by byte, and pays for each.
"""

import argparse
import json
import math
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from attendo.data.corpus import TextFile
from attendo.data.lines import ignore

ORDER = 3
BEGIN, END, UNSEEN = "<s>", "</s>", "<unk>"

Discounts = tuple[float, float, float]  # of what was counted once, twice, and more often


class KneserNey:
    """log p of texts, character by character. `discounts` are of the orders 1, 2, 3; by default the data's own."""

    def __init__(self, texts: Iterable[str], discounts: Sequence[Discounts] | None = None) -> None:
        full: Counter[tuple[str, ...]] = Counter()
        for text in texts:
            full.update(ngrams(text))
        # Of each order its n-grams, by how often they came, or for the shorter ones by how many characters came before.
        counts = [full]
        for _ in range(ORDER - 1):
            counts.insert(0, Counter(ngram[1:] for ngram in counts[0]))
        self.vocabulary = {ngram[-1] for ngram in full} | {UNSEEN}
        self.discounts = discounts or [own_discounts(each) for each in counts]
        self.counts = counts
        self.total: list[Counter[tuple[str, ...]]] = [Counter() for _ in counts]
        self.taken: list[defaultdict[tuple[str, ...], float]] = [defaultdict(float) for _ in counts]
        for order, each in enumerate(counts):
            for ngram, count in each.items():
                self.total[order][ngram[:-1]] += count
                self.taken[order][ngram[:-1]] += self.discount(order, count)

    def discount(self, order: int, count: int) -> float:
        return self.discounts[order][min(count, 3) - 1] if count else 0.0

    def probability(self, history: tuple[str, ...], character: str) -> float:
        """Of a character after a history of at most two."""
        p = 1 / len(self.vocabulary)
        for order in range(len(history) + 1):
            before = history[len(history) - order :]
            total = self.total[order][before]
            if total == 0:  # such a history never came: the shorter one must do
                break
            count = self.counts[order][(*before, character)]
            p = (count - self.discount(order, count) + self.taken[order][before] * p) / total
        return p

    def log_probability(self, text: str) -> float:
        """Natural, the end of the line included."""
        known = "".join(character if character in self.vocabulary else "\0" for character in text)
        return sum(
            math.log(self.probability(ngram[:-1], UNSEEN if ngram[-1] == "\0" else ngram[-1]))
            for ngram in ngrams(known)
        )


def ngrams(text: str) -> Iterator[tuple[str, ...]]:
    """'ab'  ->  (<s>, <s>, a), (<s>, a, b), (a, b, </s>)"""
    characters = [*[BEGIN] * (ORDER - 1), *text, END]
    return zip(*(characters[first:] for first in range(ORDER)), strict=False)


def own_discounts(counts: Counter[tuple[str, ...]]) -> Discounts:
    """Chen and Goodman's estimate, from how many n-grams came once, twice, three and four times."""
    once, twice, three, four = (sum(count == n for count in counts.values()) for n in (1, 2, 3, 4))
    if 0 in (once, twice, three, four):
        return 0.75, 0.75, 0.75  # too little text to tell
    y = once / (once + 2 * twice)
    return 1 - 2 * y * twice / once, 2 - 3 * y * three / twice, 3 - 4 * y * four / three


def read_texts(path: Path, column: int | None) -> list[str]:
    return [pair.target for pair in TextFile(path, column).pairs(ignore) if pair.target.strip()]


def perplexity(model: KneserNey, texts: Sequence[str]) -> float:
    """Of a character, the end of each line counted as one."""
    characters = sum(len(text) + 1 for text in texts)
    return math.exp(-sum(model.log_probability(text) for text in texts) / characters)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train", type=Path)
    parser.add_argument("test", type=Path)
    parser.add_argument("--column", type=int, help="of lines with tabs, from 1")
    parser.add_argument("--model", type=Path, help="a language model to measure on the same text")
    given = parser.parse_args()
    data = Path(os.environ.get("ATTENDO_DATA") or "data")
    train, test = (path if path.exists() else data / path for path in (given.train, given.test))
    learned = list(dict.fromkeys(read_texts(train, given.column)))
    texts = read_texts(test, given.column)
    trigram = KneserNey(learned)
    result: dict[str, object] = {
        "lines to learn from": len(learned),
        "lines to measure": len(texts),
        "characters, ends of lines included": sum(len(text) + 1 for text in texts),
        "trigram perplexity": perplexity(trigram, texts),
        "trigram discounts": trigram.discounts,
    }
    if given.model is not None:
        from attendo.evaluation.perplexity import measure_texts
        from attendo.generation.load import load_language_model

        result["model perplexity"] = measure_texts(load_language_model(given.model), texts).per_character
    print(json.dumps(result, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
