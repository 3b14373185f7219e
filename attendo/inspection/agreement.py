"""Which heads say what a word was made from: those by which the two directions of a model link the same words.

Of a pair (x, y) a head of x -> y links each token of y to the token of x that it looks at most, and the same head of
y -> x each token of x to one of y. Nobody has aligned these pairs; but a head that follows the meaning finds the same
links from both sides, and one that does something else has no reason to:

    agreement = 2 |links from both sides| / |links of either side, counted together|

One that goes by positions alone agrees with itself, too, but on strangers (the source of one pair, the target of the
next) as well as on translations: such heads are left out. Each head is tried with both shifts
(model_folder/alignment_heads.py), then the best heads of a layer together, as long as that helps. On pairs that were
aligned by hand, `python -m benchmarks.alignment` shows what the choice is worth.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor

from attendo.engines.cross_attention import cross_attention
from attendo.model.transformer import Transformer
from attendo.model_folder.alignment_heads import AlignmentHeads
from attendo.special_tokens import SPECIAL, pad_rows
from attendo.text.tokenizer import Tokenizer

FEWEST_PAIRS = 50  # of all languages together; a choice by fewer is chance
MOST_PAIRS = 120  # of two languages: it takes seconds, and more do not change the choice
LONGEST = 50  # tokens a side
TOGETHER = 20  # pairs in a batch
LEAST = 0.25  # agreement; a model that has learnt little links anything to anything
OF_STRANGERS = 0.67  # at most so much of it on strangers

Languages = tuple[str, str]
Encoded = tuple[list[int], list[int]]


@dataclass(frozen=True)
class BothWays:
    """What all heads looked at in pairs of x and y: [pairs, layers, heads, steps, tokens], each token of one side; the
    step after a side's last token is that of </s>. Where there is no token there is -1."""

    forth: Tensor  # steps of y, tokens of x
    back: Tensor  # steps of x, tokens of y
    lengths: Tensor  # of x and of y [pairs, 2]

    def agreement(self, chosen: AlignmentHeads) -> tuple[int, int]:
        """Links that both sides have, and links of either, counted together."""
        of_y, of_x = hard(self.forth, chosen), hard(self.back, chosen)
        each = torch.arange(of_y.shape[1])
        common = (of_x.gather(1, of_y) == each) & (each < self.lengths[:, 1:])
        return int(common.sum()), int(self.lengths.sum())


def hard(weights: Tensor, chosen: AlignmentHeads) -> Tensor:
    """For each token of the one side the token of the other that is looked at most [pairs, tokens]."""
    mean = weights[:, chosen.layer, list(chosen.heads)].mean(1)
    return mean[:, chosen.shift : chosen.shift + mean.shape[1] - 1].argmax(-1)


def choose_heads(
    model: Transformer, tokenizer: Tokenizer, pairs: Mapping[Languages, Sequence[tuple[str, str]]]
) -> AlignmentHeads | None:
    """By texts in two languages of which the model knows both directions; None where there are too few of them, or no
    head will do."""
    encoded = {languages: encode(texts, tokenizer) for languages, texts in pairs.items()}
    encoded = {languages: few for languages, few in encoded.items() if few}
    if sum(map(len, encoded.values())) < FEWEST_PAIRS:
        return None
    ours = [list(look(model, tokenizer, languages, few)) for languages, few in encoded.items()]
    theirs = [list(look(model, tokenizer, languages, strangers(few))) for languages, few in encoded.items()]

    @cache
    def measure(chosen: AlignmentHeads) -> float:
        agreement = mean_agreement(ours, chosen)
        return agreement if mean_agreement(theirs, chosen) <= OF_STRANGERS * agreement else 0.0

    best = max(candidates(model.config.decoder_layers, model.config.num_heads, measure), key=measure)
    return best if measure(best) >= LEAST else None


def candidates(layers: int, heads: int, measure: Callable[[AlignmentHeads], float]) -> Iterator[AlignmentHeads]:
    """Of each layer and shift the best head, the best two and so on, as long as another one helps."""
    for layer in range(layers):
        for shift in (0, 1):
            alone = [AlignmentHeads(layer=layer, heads=(head,), shift=shift) for head in range(heads)]
            ranked = sorted(alone, key=measure, reverse=True)
            chosen = ranked[0]
            yield chosen
            for other in ranked[1:]:
                more = AlignmentHeads(layer=layer, heads=(*chosen.heads, *other.heads), shift=shift)
                if measure(more) <= measure(chosen):
                    break
                chosen = more
                yield chosen


def mean_agreement(groups: Sequence[Sequence[BothWays]], chosen: AlignmentHeads) -> float:
    """Over groups, one of two languages each."""
    total = 0.0
    for group in groups:
        counts = [batch.agreement(chosen) for batch in group]
        total += 2 * sum(common for common, _ in counts) / sum(either for _, either in counts)
    return total / len(groups)


def encode(texts: Sequence[tuple[str, str]], tokenizer: Tokenizer) -> list[Encoded]:
    """The first that are neither long nor a single token; like lengths beside each other, so that little is padded."""
    found: list[Encoded] = []
    for source, target in texts:
        pair = tokenizer.encode(source), tokenizer.encode(target)
        if len(found) < MOST_PAIRS and all(1 < len(side) <= LONGEST for side in pair):
            found.append(pair)
    return sorted(found, key=lambda pair: (len(pair[0]), len(pair[1])))


def strangers(pairs: Sequence[Encoded]) -> list[Encoded]:
    return [(source, target) for (source, _), (_, target) in zip(pairs, [*pairs[1:], *pairs[:1]], strict=True)]


def look(
    model: Transformer, tokenizer: Tokenizer, languages: Languages, pairs: Sequence[Encoded]
) -> Iterator[BothWays]:
    source, target = map(tokenizer.tag, languages)
    for first in range(0, len(pairs), TOGETHER):
        batch = pairs[first : first + TOGETHER]
        yield BothWays(
            weights_of_heads(model, batch, target),
            weights_of_heads(model, [(y, x) for x, y in batch], source),
            torch.tensor([(len(x), len(y)) for x, y in batch]),
        )


def weights_of_heads(model: Transformer, pairs: Sequence[Encoded], tag: int) -> Tensor:
    """[pairs, layers, heads, steps of the second, tokens of the first]."""
    device = next(model.parameters()).device
    source = torch.tensor(pad_rows([(tag, *x, SPECIAL.eos) for x, _ in pairs]), device=device)
    target = torch.tensor(pad_rows([(*y, SPECIAL.eos) for _, y in pairs]), device=device)
    weights = torch.stack(cross_attention(model, source, target), 1).float().cpu()[..., 1:-1]  # without the tag
    lengths = torch.tensor([len(x) for x, _ in pairs])
    there = torch.arange(weights.shape[-1]) < lengths[:, None]
    return weights.masked_fill(~there[:, None, None, None], -1.0)
