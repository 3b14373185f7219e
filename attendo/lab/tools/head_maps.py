"""How far the heads of a layer are from each other in what they look at, in bits."""

from collections.abc import Sequence

import torch
from torch import Tensor

from attendo.model.record import AttentionRecord
from attendo.model.transformer import Transformer
from attendo.special_tokens import SPECIAL
from attendo.text.tokenizer import Tokenizer

# What a piece can look at. The last holds all other pieces; what two would claim belongs to the first of them.
WHERE = ("tag", "end", "itself", "before", "behind", "elsewhere")
TO = {"zh": "en", "de": "en", "en": "de"}  # a direction that the model knows, for its tag


@torch.inference_mode()
def encoder_maps(model: Transformer, tokenizer: Tokenizer, text: str, language: str) -> Tensor:
    """Of tag, pieces and </s>: [layers, heads, queries, keys]."""
    ids = [tokenizer.tag(TO[language]), *tokenizer.encode(text), SPECIAL.eos]
    record = AttentionRecord()
    model.encode(torch.tensor([ids]), record)
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
    place = torch.arange(n)
    apart = place - place[:, None]  # key - query
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
