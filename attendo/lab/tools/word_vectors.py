"""Vectors for words, learnt from the same sentences in three ways: counts, skip-gram, and a small language model."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

from attendo.model.config import DecoderOnlyConfig
from attendo.model.decoder_only import DecoderOnly
from attendo.special_tokens import SPECIAL, pad_rows

WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|[.,?!]")
FIRST = SPECIAL.unk + 1  # the id of the most frequent word; lower ones mean something to the machine

# --- text


def cut(text: str) -> list[str]:
    """Words in small letters, and the signs that end a sentence or a part of it."""
    return WORD.findall(text.lower())


def frequent_words(texts: Sequence[Sequence[str]], most: int) -> dict[str, int]:
    """word -> id, of the most frequent ones; of equally frequent ones, as the alphabet has them."""
    counts = Counter(word for text in texts for word in text)
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    return {word: FIRST + rank for rank, word in enumerate(ranked[:most])}


# --- counts


def count_vectors(lines: Sequence[Sequence[int]], vocab_size: int, window: int, dimensions: int, seed: int) -> Tensor:
    """Positive pointwise mutual information of words within a window, cut down by SVD: U√S [vocabulary, dimensions].

    Contexts are counted to the power of 0.75, which keeps rare ones from counting too much (Levy et al. 2015).
    """
    together = torch.zeros(vocab_size * vocab_size)
    for first, second in pairs_within(stream(lines, window), window):
        both = torch.cat((first * vocab_size + second, second * vocab_size + first))
        together += torch.bincount(both, minlength=vocab_size * vocab_size)
    together = together.view(vocab_size, vocab_size)
    as_context = together.sum(0) ** 0.75
    by_chance = together.sum(1, keepdim=True) * as_context / as_context.sum()
    scores = torch.log(together / by_chance.clamp(min=1e-9)).clamp(min=0)  # log 0 is -∞, and becomes 0, too
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        u, s, _ = torch.svd_lowrank(scores, q=min(dimensions + 20, vocab_size), niter=4)
    return u[:, :dimensions] * s[:dimensions].sqrt()


def stream(lines: Sequence[Sequence[int]], window: int) -> Tensor:
    """One after the other, with so much padding between them that no window reaches into the next."""
    return torch.tensor([token for line in lines for token in (*line, *[SPECIAL.pad] * window)])


def pairs_within(ids: Tensor, window: int) -> Iterator[tuple[Tensor, Tensor]]:
    """For each distance up to `window`: the words that stand so far apart."""
    for apart in range(1, window + 1):
        first, second = ids[:-apart], ids[apart:]
        both = (first != SPECIAL.pad) & (second != SPECIAL.pad)
        yield first[both], second[both]


# --- skip-gram

PAIRS = 4_096  # of a word and its company, a step
NEGATIVES = 32  # words drawn for all pairs of a step, weighted as if there were FOR_EACH of them for each pair
FOR_EACH = 5


def skip_gram_vectors(
    lines: Sequence[Sequence[int]], vocab_size: int, window: int, dimensions: int, passes: float, rate: float, seed: int
) -> Tensor:
    """Skip-gram with negative sampling (Mikolov et al. 2013): tell a word's company from words drawn at random.

    A pair that stands d apart is taken with probability 1 - (d - 1)/window, as word2vec takes it. [vocabulary,
    dimensions]
    """
    generator = torch.Generator().manual_seed(seed)
    ids = stream(lines, window)
    words = (torch.rand(vocab_size, dimensions, generator=generator) - 0.5) / dimensions
    company = torch.zeros(vocab_size, dimensions)
    tables = [words.requires_grad_(), company.requires_grad_()]
    optimizer = torch.optim.Adam(tables, rate, fused=True)
    counts = torch.bincount(ids[ids != SPECIAL.pad], minlength=vocab_size).float() ** 0.75
    by_distance = list(pairs_within(ids, window))
    num_pairs = sum(2 * len(first) * (1 - apart / window) for apart, (first, _) in enumerate(by_distance))
    steps = max(1, round(passes * num_pairs / PAIRS))
    done = 0
    while done < steps:
        for pairs in shuffled_pairs(by_distance, window, generator).split(PAIRS):
            if done == steps:
                break
            optimizer.param_groups[0]["lr"] = rate * (1 - done / steps)
            word, context = words[pairs[:, 0]], company[pairs[:, 1]]
            drawn = company[torch.multinomial(counts, NEGATIVES, replacement=True, generator=generator)]
            loss = F.softplus(-(word * context).sum(-1)).sum()
            loss = loss + F.softplus(word @ drawn.T).sum() * FOR_EACH / NEGATIVES
            optimizer.zero_grad()
            (loss / len(pairs)).backward()
            optimizer.step()
            done += 1
    return words.detach()


def shuffled_pairs(by_distance: Sequence[tuple[Tensor, Tensor]], window: int, generator: torch.Generator) -> Tensor:
    """Of one pass: [pairs, 2], each word with its company in both directions."""
    kept = []
    for apart, (first, second) in enumerate(by_distance):
        both = torch.stack((torch.cat((first, second)), torch.cat((second, first))), dim=1)
        kept.append(both[torch.rand(len(both), generator=generator) < 1 - apart / window])
    pairs = torch.cat(kept)
    return pairs[torch.randperm(len(pairs), generator=generator)]


# --- a language model

SENTENCES = 128  # a batch
MOST_PASSES = 6  # through a text that is so small that the steps would see it more often


def passes_of(num_lines: int, steps: int) -> float:
    """How often so many steps see each sentence."""
    return min(steps * SENTENCES / num_lines, float(MOST_PASSES))


def train_language_model(
    lines: Sequence[Sequence[int]], config: DecoderOnlyConfig, steps: int, rate: float, seed: int
) -> DecoderOnly:
    """Foretells each next token of a sentence. The learning rate goes up for a tenth of the steps, then down to 0."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = DecoderOnly(config).train()
        steps = round(passes_of(len(lines), steps) * len(lines) / SENTENCES) or 1
        optimizer = torch.optim.AdamW(model.parameters(), rate, (0.9, 0.98), weight_decay=0.01, fused=True)
        done = 0
        while done < steps:
            for tokens in batches(lines):
                if done == steps:
                    break
                share = (done + 1) / steps
                optimizer.param_groups[0]["lr"] = rate * min(share / 0.1, (1 - done / steps) / 0.9)
                optimizer.zero_grad()
                next_token_loss(model, tokens).backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                done += 1
    return model.eval()


def batches(lines: Sequence[Sequence[int]]) -> list[Tensor]:
    """Sentences of like length side by side, <s> before and </s> after each; in random order."""
    order = torch.randperm(len(lines)).tolist()
    near = 32 * SENTENCES
    parts = [order[at : at + near] for at in range(0, len(order), near)]
    rows = [line for part in parts for line in sorted(part, key=lambda line: len(lines[line]))]
    found = [as_rows([lines[line] for line in rows[at : at + SENTENCES]]) for at in range(0, len(rows), SENTENCES)]
    return [found[at] for at in torch.randperm(len(found)).tolist()]


def as_rows(lines: Sequence[Sequence[int]]) -> Tensor:
    return torch.tensor(pad_rows([[SPECIAL.bos, *line, SPECIAL.eos] for line in lines]))


def next_token_loss(model: DecoderOnly, tokens: Tensor) -> Tensor:
    """In nats a token; padding is nothing to be foretold."""
    target = tokens[:, 1:]
    real = target != SPECIAL.pad
    logits = model.output(model.hidden(tokens[:, :-1], None, None)[real])
    return F.cross_entropy(logits, target[real])


@torch.no_grad()
def in_sentences(model: DecoderOnly, lines: Sequence[Sequence[int]]) -> Tensor:
    """Each word's vector at the end of the model, the mean over the places where it stands [vocabulary, d_model]."""
    vocab_size, d_model = model.embedding.weight.shape
    sums, times = torch.zeros(vocab_size, d_model), torch.zeros(vocab_size)
    ordered = sorted(lines, key=len)
    for at in range(0, len(ordered), 512):
        tokens = as_rows(ordered[at : at + 512])
        sums.index_add_(0, tokens.flatten(), model.hidden(tokens, None, None).flatten(0, 1))
        times += torch.bincount(tokens.flatten(), minlength=vocab_size)
    return sums / times.clamp(min=1)[:, None]


@torch.no_grad()
def mean_loss(model: DecoderOnly, lines: Sequence[Sequence[int]]) -> float:
    """Of sentences, each in one go: nats a token."""
    tokens = [as_rows(lines[at : at + 256]) for at in range(0, len(lines), 256)]
    weights = [int((rows[:, 1:] != SPECIAL.pad).sum()) for rows in tokens]
    losses = [float(next_token_loss(model, rows)) for rows in tokens]
    return math.fsum(w * loss for w, loss in zip(weights, losses, strict=True)) / sum(weights)


# --- what the vectors know


def share_of_kind(vectors: Tensor, kinds: Tensor, neighbours: int) -> float:
    """Of the nearest words of each word, by cosine after the mean has been taken away, the share that are of its kind;
    the mean over words. vectors [words, dimensions], kinds [words]"""
    apart = F.normalize(vectors - vectors.mean(0), dim=-1)
    cosines = (apart @ apart.T).fill_diagonal_(-2)
    nearest = cosines.topk(neighbours, dim=-1).indices
    return float((kinds[nearest] == kinds[:, None]).double().mean())
