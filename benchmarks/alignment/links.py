"""What a model links in pairs that were aligned by hand, and how far the two are the same.

    precision = |A ∩ P| / |A|     recall = |A ∩ S| / |S|     F1 of these two
    alignment error rate = 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|)      (Och and Ney 2003)

A: the links of the model, S: the sure ones, P: the possible ones, S among them.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from attendo.decoding.hypothesis import Hypothesis
from attendo.engines.cross_attention import cross_attention
from attendo.engines.engine import Request
from attendo.model.transformer import Transformer
from attendo.model_folder.alignment_heads import AlignmentHeads
from attendo.special_tokens import SPECIAL
from attendo.text.tokenizer import Tokenizer
from attendo.translation.alignment import align
from attendo.translation.answer import Sentence
from benchmarks.alignment.by_hand import AlignedPair, Link


@dataclass(frozen=True)
class Looked:
    """A pair, and what every head looked at while its target was said: [layers, heads, target, source]."""

    pair: AlignedPair
    request: Request
    ids: tuple[int, ...]
    weights: Tensor

    def links(self, choose: Callable[[Tensor], Tensor], shift: int, tokenizer: Tokenizer) -> set[Link]:
        """By `choose`, which makes [target, source] of all heads, and the rules of `translate`."""
        pair = self.pair
        rows = AlignmentHeads(layer=0, heads=(0,), shift=shift).by_token(choose(self.weights).tolist())
        hypothesis = Hypothesis(self.ids, 0.0, 0.0, (), rows)
        sentence = Sentence(pair.source, (pair.target,), (hypothesis,), request=self.request)
        return {
            (one, other)
            for word in align(sentence, pair.languages[1], tokenizer) or ()
            for start, end, _ in word.sources
            for one in pair.atoms(start, end, of_target=False)
            for other in pair.atoms(word.start, word.end, of_target=True)
        }


@dataclass(frozen=True)
class LinkCounts:
    links: int = 0
    sure: int = 0
    sure_found: int = 0
    possible_found: int = 0

    def __add__(self, other: "LinkCounts") -> "LinkCounts":
        return LinkCounts(*(one + two for one, two in zip(vars(self).values(), vars(other).values(), strict=True)))

    @property
    def error_rate(self) -> float:
        return 1 - (self.sure_found + self.possible_found) / (self.links + self.sure)

    @property
    def precision(self) -> float:
        return self.possible_found / max(self.links, 1)

    @property
    def recall(self) -> float:
        return self.sure_found / self.sure

    @property
    def f1(self) -> float:
        return 2 * self.precision * self.recall / max(self.precision + self.recall, 1e-9)


def count(found: set[Link], pair: AlignedPair) -> LinkCounts:
    return LinkCounts(len(found), len(pair.sure), len(found & pair.sure), len(found & pair.possible))


def look_at(pairs: Iterable[AlignedPair], model: Transformer, tokenizer: Tokenizer) -> list[Looked]:
    """Each target said word by word as it stands in the table, not as the model would say it."""
    found = []
    for pair in pairs:
        source = tokenizer.source_ids(pair.source, pair.languages[1])
        ids = (*tokenizer.encode(pair.target), SPECIAL.eos)
        layers = cross_attention(model, torch.tensor([source]), torch.tensor([ids]))
        weights = torch.stack([layer[0] for layer in layers])
        found.append(Looked(pair, Request(source, len(ids), text=pair.source), ids, weights))
    return found


def measure(
    looked: Sequence[Looked], choose: Callable[[Tensor], Tensor], shift: int, tokenizer: Tokenizer
) -> dict[tuple[str, str], LinkCounts]:
    """By direction."""
    counts: dict[tuple[str, str], LinkCounts] = {}
    for one in looked:
        languages = one.pair.languages
        counts[languages] = counts.get(languages, LinkCounts()) + count(one.links(choose, shift, tokenizer), one.pair)
    return counts
