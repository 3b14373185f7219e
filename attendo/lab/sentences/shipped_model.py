"""Sentences tried on the model that comes with attendo: a few sentences, and what its layers make of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from attendo.inspection import readable
from attendo.lab.sentences.tried import Tried
from attendo.lab.tools.default_model import TO, default_model, encoder_maps
from attendo.lab.tools.hand_aligned import AlignedPair, hand_aligned
from attendo.lab.tools.rank_correlation import rank_correlation
from attendo.model.masks import causal
from attendo.model.record import AttentionRecord
from attendo.special_tokens import SPECIAL

TIRED = "The animal didn't cross the street because it was too tired."


def some_pairs(count: int) -> list[AlignedPair]:
    """So many of Chinese and as many of German, with their English."""
    return [pair for pairs in hand_aligned().values() for pair in pairs[:count]]


@contextmanager
def inputs_of_layers() -> Iterator[list[Tensor]]:
    """What each layer of the encoder is given while one sentence goes through it: [pieces, d_model] a layer."""
    kept: list[Tensor] = []
    layers = default_model()[0].encoder.layers
    hooks = [layer.register_forward_pre_hook(lambda _, given: kept.append(given[0][0])) for layer in layers]
    try:
        yield kept
    finally:
        for hook in hooks:
            hook.remove()


@torch.no_grad()
def states(text: str, to: str = "de") -> tuple[list[str], Tensor]:
    """The pieces with tag and </s>, and [layers + 1, pieces, d_model]: before each layer, and at the end."""
    model, tokenizer = default_model()
    ids = [*tokenizer.source_ids(text, to)]
    with inputs_of_layers() as kept:
        memory = model.encode(torch.tensor([ids]))[0]
    return [tokenizer.decode([one]).strip() for one in ids], torch.stack([*kept, memory]).double()


def vector_of(word: str, text: str) -> Tensor:
    """[layers + 1, d_model]"""
    pieces, vectors = states(text)
    return vectors[:, pieces.index(word)]


def words_at_the_end(text: str) -> tuple[list[str], Tensor]:
    """Words, signs, tag and </s>, and [words, d_model]: what leaves the encoder, of several pieces the mean."""
    tokenizer = default_model()[1]
    units = readable.words(readable.pieces(tokenizer.source_ids(text, "de"), tokenizer))
    parts = states(text)[1][-1].split([unit.count for unit in units])
    return [unit.text.strip() for unit in units], torch.stack([part.mean(0) for part in parts])


def cosine(a: Tensor, b: Tensor) -> Tensor:
    return torch.cosine_similarity(a, b, dim=-1)


def meaning_by_company(one: str = "He left home early.", other: str = "My left hand hurts.") -> Tried:
    by_layer = cosine(vector_of("left", one), vector_of("left", other))
    return Tried(
        bool(by_layer[0] > 0.99 and by_layer[-1] < 0.7), {"before": by_layer[0].item(), "after": by_layer[-1].item()}
    )


def noun_in_the_vector_of_it(noun: str = "dog") -> Tried:
    one, other = vector_of("it", TIRED), vector_of("it", TIRED.replace("animal", noun))
    change = (other - one).norm(dim=-1) / one.norm(dim=-1)
    return Tried(bool(change[0] == 0 and change[-1] > 0.05), {"before": change[0].item(), "after": change[-1].item()})


def it_stands_for_both() -> Tried:
    words, vectors = words_at_the_end(TIRED)
    at = words.index("it")
    nearness = cosine(vectors, vectors[at])
    order = [words[n] for n in nearness.argsort(descending=True).tolist() if n != at]
    numbers = {word: nearness[words.index(word)].item() for word in ("animal", "tired", "was")}
    return Tried(set(order[:2]) == {"animal", "tired"}, numbers)


def every_word_looks_at_every_word(count: int = 4) -> Tried:
    model, tokenizer = default_model()
    maps = [encoder_maps(model, tokenizer, pair.source.text, pair.source.language) for pair in some_pairs(count)]
    weights = torch.cat([each.flatten() for each in maps])
    numbers = {"smallest": weights.min().item(), "below_a_thousandth": (weights < 0.001).double().mean().item()}
    return Tried(bool((weights > 0).all()), numbers)


def near_and_far(count: int = 4) -> Tried:
    model, tokenizer = default_model()
    near, far = [], []
    for pair in some_pairs(count):
        maps = encoder_maps(model, tokenizer, pair.source.text, pair.source.language).mean((0, 1))
        n = len(maps)
        apart = (torch.arange(n) - torch.arange(n)[:, None]).abs()[1:-1, 1:-1]
        times_even = n * maps[1:-1, 1:-1]
        near.append(times_even[apart == 1])
        far.append(times_even[apart >= 4])
    numbers = {"near": torch.cat(near).mean().item(), "far": torch.cat(far).mean().item()}
    return Tried(abs(numbers["near"] / numbers["far"] - 1) < 0.1, numbers)


@torch.no_grad()
def without_each_piece(pair: AlignedPair) -> tuple[Tensor, Tensor]:
    """[target, source] twice: the mean cross-attention weight, and by how much the loss of the target piece rises
    where cross-attention may not look at the source piece."""
    model, tokenizer = default_model()
    source = torch.tensor([[*tokenizer.source_ids(pair.source.text, pair.target.language)]])
    target = [*tokenizer.encode(pair.target.text), SPECIAL.eos]
    target_in = torch.tensor([[SPECIAL.bos, *target[:-1]]])
    record, n, t = AttentionRecord(), source.shape[1], len(target)
    model(source, target_in, record)
    see = torch.cat((~torch.eye(n, dtype=torch.bool), torch.ones(1, n, dtype=torch.bool)))[:, None, None]
    x, _ = model.embed(target_in, model.target_positions)
    memory = model.encode(source)
    decoded = model.decoder(x.expand(n + 1, -1, -1), memory.expand(n + 1, -1, -1), causal(t, t), see)
    loss = -model.output(decoded).log_softmax(-1)[:, range(t), target].double()
    return torch.cat(record.cross).mean((0, 1)).double(), (loss[:n] - loss[n]).T


def what_is_looked_at_matters(count: int = 3) -> Tried:
    top, others, order, first = [], [], [], []
    for pair in some_pairs(count):
        weights, rise = without_each_piece(pair)
        most = weights.argmax(1, keepdim=True)
        top.append(rise.gather(1, most)[:, 0])
        others.append((rise.sum(1) - top[-1]) / (rise.shape[1] - 1))
        first.append(rise.argmax(1) == most[:, 0])
        order += [rank_correlation(a, b) for a, b in zip(weights, rise, strict=True)]
    numbers = {"most": torch.cat(top).mean().item(), "others": torch.cat(others).mean().item(),
               "first": torch.cat(first).double().mean().item(), "order": sum(order) / len(order)}  # fmt: skip
    return Tried(numbers["most"] > 5 * numbers["others"] and numbers["order"] > 0, numbers)


@torch.no_grad()
def order_of_the_source(count: int = 4, shuffled: bool = True) -> Tried:
    model, tokenizer = default_model()
    chance, losses = torch.Generator().manual_seed(1), []
    for pair in some_pairs(count):
        tag, *pieces, end = tokenizer.source_ids(pair.source.text, pair.target.language)
        order = torch.randperm(len(pieces), generator=chance).tolist() if shuffled else range(len(pieces))
        rows = torch.tensor([[tag, *pieces, end], [tag, *(pieces[n] for n in order), end]])
        target = [*tokenizer.encode(pair.target.text), SPECIAL.eos]
        target_in = torch.tensor([[SPECIAL.bos, *target[:-1]]]).expand(2, -1)
        losses.append(-model(rows, target_in).log_softmax(-1)[:, range(len(target)), target].mean(1))
    as_it_is, mixed = torch.stack(losses).mean(0).tolist()
    return Tried(mixed > 2 * as_it_is, {"as_it_is": as_it_is, "mixed": mixed})


def place_in_every_layer(count: int = 10) -> Tried:
    """The position of a piece, read off its vector by a linear map fitted on other sentences: 1 - error / variance."""
    found = [states(pair.source.text, TO[pair.source.language])[1] for pair in some_pairs(count)]
    (x, at), (other, other_at) = (
        (torch.cat(part, 1), torch.cat([torch.arange(one.shape[1]).double() for one in part]))
        for part in (found[::2], found[1::2])
    )
    explained = []
    for layer, test in zip(x[1:], other[1:], strict=True):
        centre = layer.mean(0)
        a, b = layer - centre, test - centre
        ridge = 0.1 * a.square().sum() / len(a.T) * torch.eye(len(a.T))  # more numbers than pieces: hold it back
        w = torch.linalg.solve(a.T @ a + ridge, a.T @ (at - at.mean()))
        error = ((b @ w + at.mean() - other_at) ** 2).mean()
        explained.append((1 - error / other_at.var()).item())
    return Tried(min(explained) > 0.3, {"first": explained[0], "least": min(explained)})


def nearer_layer_by_layer(count: int = 4) -> Tried:
    vectors = torch.cat([states(pair.source.text, TO[pair.source.language])[1] for pair in some_pairs(count)], 1)
    to_last = cosine(vectors, vectors[-1]).mean(1).tolist()
    to_first = cosine(vectors, vectors[0]).mean(1).tolist()
    numbers = {"first_to_last": to_last[0], "before_the_last_layer": to_last[-2], "of_the_first_left": to_first[-1]}
    return Tried(to_last == sorted(to_last) and to_first[-1] > 0.1, numbers)


@torch.no_grad()
def products_and_attention(count: int = 3) -> Tried:
    """Rank correlation, over the other pieces, of the weight a piece gives with the product of the two vectors."""
    model, tokenizer = default_model()
    found = []
    for pair in some_pairs(count):
        maps = encoder_maps(model, tokenizer, pair.source.text, pair.source.language)
        vectors = states(pair.source.text, TO[pair.source.language])[1]
        others = ~torch.eye(maps.shape[-1], dtype=torch.bool)
        for weights, x in zip(maps, vectors, strict=False):  # of every layer, and what it is given
            x = (x - x.mean(-1, keepdim=True)) / x.std(-1, keepdim=True)
            products = x @ x.T
            found.append([mean_order(head, products, others) for head in weights])
    by_head = torch.tensor(found).view(count * 2, -1).mean(0)  # layer by layer, head by head
    error = by_head.std().item() / len(by_head) ** 0.5
    numbers = {"order": by_head.mean().item(), "error": error, "heads": len(by_head)}
    return Tried(numbers["order"] > 2 * error and numbers["order"] < 0.5, numbers)


def mean_order(weights: Tensor, products: Tensor, others: Tensor) -> float:
    rows = [rank_correlation(w[o], p[o]) for w, p, o in zip(weights, products, others, strict=True)]
    return sum(rows) / len(rows)


@torch.no_grad()
def heads_have_their_own_matrices() -> Tried:
    """x W_Q W_Kᵀ y is a way to compare x and y: how alike are those of two heads of a layer?"""
    alike = []
    for layer in default_model()[0].encoder.layers:
        attention: Any = layer.self_attention
        w_q, w_k = (w.weight.unflatten(0, (attention.num_heads, -1)) for w in (attention.query, attention.key))
        forms = (w_q.mT @ w_k).flatten(1)
        between = cosine(forms[:, None], forms[None])
        alike.append(between[torch.triu(torch.ones_like(between), 1) > 0].abs())
    most = torch.cat(alike).max().item()
    return Tried(most < 0.9, {"most": most, "mean": torch.cat(alike).mean().item()})
