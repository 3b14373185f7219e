"""The nearest of many texts to each of a few, by the cosine of their vectors; the texts pass by, none is kept."""

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from attendo.reading.sentence_vectors import SentenceReader, Vectors, unit_length


@dataclass(frozen=True, order=True)
class Neighbour:
    cosine: float
    line_number: int = field(compare=False)  # of its file, from 1
    text: str = field(compare=False)


@dataclass
class Nearest:
    """The `top` nearest lines of each query so far; a line that comes again counts once, by its first number."""

    queries: Vectors  # [queries, d_model], of unit length
    top: int
    kept: list[list[Neighbour]] = field(init=False)  # heaps, the farthest first

    def __post_init__(self) -> None:
        self.kept = [[] for _ in self.queries]

    def add(self, first: int, texts: Sequence[str], vectors: Vectors) -> None:
        """Lines from number `first` on, with their vectors of unit length."""
        cosines = self.queries @ vectors.T  # [queries, texts]
        for row, heap in zip(cosines, self.kept, strict=True):
            for index in (-row).argsort(kind="stable").tolist():
                found = Neighbour(float(row[index]), first + index, texts[index])
                if len(heap) == self.top and not found > heap[0]:
                    break
                if any(found.text == other.text for other in heap) or not found.text.strip():
                    continue
                (heapq.heappush if len(heap) < self.top else heapq.heapreplace)(heap, found)

    def found(self) -> list[list[Neighbour]]:
        """The nearest first."""
        return [sorted(heap, key=lambda one: (-one.cosine, one.line_number)) for heap in self.kept]


def nearest(
    queries: Sequence[str], chunks: Iterable[tuple[int, Sequence[str]]], reader: SentenceReader, top: int
) -> list[list[Neighbour]]:
    """For each query the nearest of the lines that come in chunks of (number of the first, texts)."""
    among = Nearest(unit_length(reader.vectors(queries)), top)
    for first, texts in chunks:
        among.add(first, texts, unit_length(reader.vectors(texts)))
    return among.found()
