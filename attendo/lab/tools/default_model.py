"""The model that came with the package, one of the same shape that has learned nothing, and what both look at."""

from collections.abc import Sequence
from functools import cache
from typing import TypeVar

import torch
from torch import Tensor

from attendo.errors import InputError
from attendo.inspection.alignment import join_tokens
from attendo.inspection.readable import Unit
from attendo.lab.tools.hand_aligned import AlignedPair, in_pieces
from attendo.lab.tools.measuring import count_weights
from attendo.model.build import build_model
from attendo.model.config import TransformerConfig
from attendo.model.record import AttentionRecord
from attendo.model.transformer import Transformer
from attendo.model_folder.bundle import model_folder, read_bundle
from attendo.model_folder.weights import load_model
from attendo.special_tokens import SPECIAL
from attendo.text.tokenizer import Tokenizer

Thing = TypeVar("Thing")


@cache
def default_model() -> tuple[Transformer, Tokenizer]:
    bundle = read_bundle(model_folder(None))
    model = load_model(bundle)
    if not isinstance(model, Transformer):
        raise InputError(f"{bundle.folder} is a {type(model).__name__}: expected a Transformer, with cross-attention")
    return model, bundle.tokenizer()


def build_untrained(model: Transformer, seed: int) -> Transformer:
    """Of the same shape, with weights drawn by chance."""
    torch.manual_seed(seed)
    fresh = build_model(model.config)
    assert isinstance(fresh, Transformer)  # noqa: S101 - the same configuration gives the same family
    return fresh.eval()


def size_of(model: Transformer) -> dict[str, float]:
    """Its weights as English counts them, and as Chinese does."""
    return {"millions": count_weights(model) / 1e6, "myriads": count_weights(model) / 1e4}


def deal(things: Sequence[Thing], seeds: Sequence[int]) -> list[list[Thing]]:
    """Shuffled, and dealt out like cards: each seed has a part of its own, so what they find is independent."""
    order = torch.randperm(len(things), generator=torch.Generator().manual_seed(seeds[0])).tolist()
    return [[things[position] for position in order[first :: len(seeds)]] for first in range(len(seeds))]


# --- how far the heads of a layer are from each other in what they look at, in bits

# What a piece can look at. The last holds all other pieces; what two would claim belongs to the first of them.
WHERE = ("tag", "end", "itself", "before", "behind", "elsewhere")
TO = {"zh": "en", "de": "en", "en": "de"}  # a direction that the model knows, for its tag


@torch.inference_mode()
def encoder_maps(model: Transformer, tokenizer: Tokenizer, text: str, language: str) -> Tensor:
    """Of tag, pieces and </s>: [layers, heads, queries, keys]."""
    record = AttentionRecord()
    model.encode(torch.tensor([tokenizer.source_ids(text, TO[language])]), record)
    return torch.cat(record.encoder_self).double()


def entropy(p: Tensor) -> Tensor:
    """[…, outcomes] -> […], in bits."""
    return -torch.special.xlogy(p, p).sum(-1) / torch.log(torch.tensor(2.0, dtype=p.dtype))


def divergence(p: Tensor, q: Tensor) -> Tensor:
    """Jensen and Shannon's: 0 where both are the same, 1 bit where they share nothing."""
    return entropy((p + q) / 2) - (entropy(p) + entropy(q)) / 2


def between_heads(x: Tensor) -> Tensor:
    """[layers, heads, …, outcomes] -> [layers]: the mean over all pairs of heads, and over all else."""
    one, other = torch.triu_indices(x.shape[1], x.shape[1], offset=1)
    return divergence(x[:, one], x[:, other]).flatten(1).mean(1)


def between_sentences(profiles: Tensor) -> Tensor:
    """[sentences, layers, heads, WHERE] -> [layers]: one and the same head, the mean over all pairs of sentences."""
    one, other = torch.triu_indices(len(profiles), len(profiles), offset=1)
    return divergence(profiles[one], profiles[other]).mean((0, 2))


def profile(maps: Tensor) -> Tensor:
    """The mean share that a head's pieces give to each of WHERE: [layers, heads, WHERE]."""
    n = maps.shape[-1]
    position = torch.arange(n)
    apart = position - position[:, None]  # key - query
    kind = torch.full((n, n), WHERE.index("elsewhere"))
    for distance, name in ((-1, "before"), (1, "behind"), (0, "itself")):
        kind[apart == distance] = WHERE.index(name)
    kind[:, 0], kind[:, -1] = WHERE.index("tag"), WHERE.index("end")
    shares = [(maps * (kind == at))[..., 1:-1, :].sum(-1).mean(-1) for at in range(len(WHERE))]
    return torch.stack(shares, dim=-1)


def compare(maps: Sequence[Tensor], name: str) -> dict[str, float | list[float]]:
    """Of some sentences, layer by layer: heads on the same sentence, map by map and in their profiles; one head on two
    sentences; and the mean profile of every head."""
    profiles = torch.stack([profile(each) for each in maps])
    by_layer = {
        "maps": torch.stack([between_heads(each) for each in maps]).mean(0),
        "heads": torch.stack([between_heads(each) for each in profiles]).mean(0),
        "sentences": between_sentences(profiles),
    }
    numbers: dict[str, float | list[float]] = {}
    for what, each in by_layer.items():
        numbers |= {f"{name}_{what}": each.mean().item(), f"{name}_{what}_by_layer": each.tolist()}
    for where, shares in zip(WHERE, profiles.mean(0).flatten(0, 1).T.tolist(), strict=True):
        numbers |= {f"{name}_{where}": shares, f"{name}_{where}_most": max(shares)}
    ratios = by_layer["heads"] / by_layer["sentences"]
    return numbers | {f"{name}_ratio_least": ratios.min().item(), f"{name}_ratio_most": ratios.max().item()}


# --- what each word of a given translation looks at in its source, and how often that is the word it belongs to

ROWS = ("reads", "says")
COUNTS = ("right", "surely_right", "outside", "words", "sure_links", "chance", "diagonal")
CONTROL = Unit("", 1, control=True)  # <s>, </s> or the tag of the language


@torch.inference_mode()
def cross_attention_of_words(model: Transformer, tokenizer: Tokenizer, pair: AlignedPair) -> Tensor:
    """The translation is given, not searched for: [ROWS, views, target words, tag + source words + </s>].

    A view is a head (layer by layer), the mean of a layer's heads, or, last, the mean of all.
    """
    source, target = in_pieces(pair.source, tokenizer), in_pieces(pair.target, tokenizer)
    record = AttentionRecord()
    ids = tokenizer.source_ids(pair.source.text, pair.target.language)
    model(torch.tensor([ids]), torch.tensor([[SPECIAL.bos, *target.ids]]), record)
    cross = torch.cat(record.cross).double()  # [layers, heads, queries, keys]
    columns = (CONTROL, *source.units, CONTROL)
    # A decoder's row reads a token and says the one behind it: <s> is read first, </s> is said last.
    reads = join_tokens(cross, (CONTROL, *target.units), columns)[..., 1:, :]
    says = join_tokens(cross, (*target.units, CONTROL), columns)[..., :-1, :]
    both = torch.stack((reads, says))
    return torch.cat((both.flatten(1, 2), both.mean(2), both.mean((1, 2))[:, None]), dim=1)


def tally(model: Transformer, tokenizer: Tokenizer, pair: AlignedPair) -> Tensor:
    """COUNTS over the target words that have a sure partner: [COUNTS, ROWS, views]."""
    seen = cross_attention_of_words(model, tokenizer, pair)
    source, target = in_pieces(pair.source, tokenizer).words, in_pieces(pair.target, tokenizer).words
    sure, possible = (
        torch.tensor([[any((i, j) in links for i in s for j in t) for s in source] for t in target])
        for links in (pair.sure, pair.possible)
    )
    asked = sure.any(1).nonzero().flatten()
    looked_at = seen[:, :, asked, 1:-1].argmax(-1)  # tag and </s> are left out
    as_far_along = (2 * asked + 1) * len(source) // (2 * len(target))
    counts = {
        "right": possible[asked, looked_at].sum(-1),
        "surely_right": sure[asked, looked_at].sum(-1),
        "outside": (1 - seen[:, :, asked, 1:-1].sum(-1)).sum(-1),
        "words": torch.tensor(len(asked)),
        "sure_links": sure.sum(),
        "chance": possible[asked].double().mean(1).sum(),
        "diagonal": possible[asked, as_far_along].sum(),
    }
    return torch.stack([counts[name].double().expand(seen.shape[:2]) for name in COUNTS])


def share(tallied: Tensor, name: str) -> Tensor:
    """Of the words that were asked: [ROWS, views]."""
    return tallied[COUNTS.index(name)] / tallied[COUNTS.index("words")]


def error_rate(tallied: Tensor) -> Tensor:
    """AER = 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|): links found A, sure S, possible P."""
    right, surely_right, _, words, sure_links, *_ = tallied
    return 1 - (surely_right + right) / (words + sure_links)


def by_direction(model: Transformer, tokenizer: Tokenizer, pairs: Sequence[AlignedPair]) -> dict[str, Tensor]:
    """Tallies of zh_en, en_zh, de_en and en_de, and of all."""
    sums: dict[str, Tensor] = {}
    for pair in (*pairs, *(pair.swapped for pair in pairs)):
        tallied = tally(model, tokenizer, pair)
        for name in (f"{pair.source.language}_{pair.target.language}", "all"):
            sums[name] = sums[name] + tallied if name in sums else tallied
    return sums


def num_heads(config: TransformerConfig) -> int:
    """Of all layers of the decoder: so many views come first."""
    return config.decoder_layers * config.num_heads


def best_views(right: Tensor, config: TransformerConfig) -> dict[str, int]:
    """The view of each way: of the layers and of the heads, the one that was right most often."""
    heads = num_heads(config)
    return {"mean": -1, "layer": heads + int(right[heads:-1].argmax()), "head": int(right[:heads].argmax())}
