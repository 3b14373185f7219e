"""L49: inner products of embeddings, attention weights and vectors made by SVD, against how often words occur together.

The words are the pieces of the model that comes with the package; the text is the English half of a fixed, open corpus.
"""

import math
from collections import Counter
from collections.abc import Sequence

import torch
from matplotlib.figure import Figure
from torch import Tensor
from torch.nn import functional as F

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, figure
from attendo.lab.tools.default_model import build_untrained, default_model, encoder_maps
from attendo.lab.tools.measuring import interval
from attendo.lab.tools.rank_correlation import rank_correlation
from attendo.lab.tools.tokenizer_trial import CORPUS, sentences
from attendo.model.transformer import Transformer
from attendo.text.tokenizer import Tokenizer

SEEDS = by_size(2, 4, 4)  # each cuts the text into two other halves
KNOBS = (
    Knob("sentences", by_size(300, 30_000, 30_000), 100, 50_000),
    Knob("window", by_size(5, 5, 5), 1, 20),
    Knob("dimensions", by_size(8, 64, 64), 1, 256),
)
FREQUENT = {"small": 10, "tuning": 50, "quick": 50, "full": 50}  # times a piece occurs in each half, at least
EXPECTED = (
    3.0  # times that a pair would occur together by chance, at least: of rarer ones chance is all there is to see
)
LOOKED_AT = {"small": 20, "tuning": 1_500, "quick": 1_500, "full": 1_500}  # sentences whose attention is read
TOGETHER = 5  # times that a pair occurs in these, at least
OF_SENTENCES = ("attention", "nearness")  # scores of pairs that stand in a sentence
STRONG = 0.5  # a rank correlation by which one could be taken for the other


def frequent_pieces(halves: Sequence[Sequence[Sequence[int]]], least: int) -> Tensor:
    """Ids that occur so often in each half."""
    counts = [Counter(piece for line in half for piece in line) for half in halves]
    return torch.tensor(sorted(piece for piece, n in counts[0].items() if min(n, counts[1][piece]) >= least))


def count_together(lines: Sequence[Sequence[int]], pieces: Tensor, window: int) -> tuple[Tensor, Tensor]:
    """How often each two of these pieces stand at most `window` apart in a sentence [pieces, pieces]; and how often
    they would by chance, if each stood anywhere."""
    column = torch.full((int(pieces.max()) + 2,), -1)
    column[pieces] = torch.arange(len(pieces))
    most = len(column) - 1  # what is no frequent piece, and what stands between two sentences
    stream = torch.tensor([min(piece, most) for line in lines for piece in (*line, *[most] * window)])
    ids = column[stream]
    size = len(pieces)
    together = torch.zeros(size * size, dtype=torch.float64)
    for apart in range(1, window + 1):
        first, second = ids[:-apart], ids[apart:]
        both = (first >= 0) & (second >= 0)
        together += torch.bincount(first[both] * size + second[both], minlength=size * size)
    together = together.view(size, size)
    together = together + together.T
    each = together.sum(1)
    return together, each[:, None] * each / each.sum()


def pmi(together: Tensor, by_chance: Tensor) -> Tensor:
    """Pointwise mutual information, log of how many times more often than by chance; half a time is added to both, so
    that a pair that never occurs has one, too."""
    return torch.log((together + 0.5) / (by_chance + 0.5))


def svd_vectors(scores: Tensor, dimensions: int) -> tuple[Tensor, Tensor]:
    """The notes' way: the matrix of what occurs together, cut down by singular value decomposition; here of PMI (Levy
    and Goldberg 2014). A vector for each piece as a word, and one for it as the company of a word."""
    u, s, v = torch.linalg.svd(scores)
    root = s[:dimensions].sqrt()
    return u[:, :dimensions] * root, v.T[:, :dimensions] * root


@torch.no_grad()
def attention_between(
    model: Transformer, tokenizer: Tokenizer, texts: Sequence[str], pieces: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Of each two pieces: the weight that they give each other where both stand in a sentence, in times of what each
    place would get if all got as much, the mean over heads and layers [pieces, pieces]; how near they stood to each
    other, on average; and how often that was."""
    column = {piece: index for index, piece in enumerate(pieces.tolist())}
    weights = torch.zeros(len(pieces), len(pieces), dtype=torch.float64)
    times, distances = torch.zeros_like(weights), torch.zeros_like(weights)
    for text in texts:
        ids = tokenizer.source_ids(text, "zh")
        there = [(place, column[piece]) for place, piece in enumerate(ids) if piece in column]
        if len(there) < 2:
            continue
        place, which = (torch.tensor(part) for part in zip(*there, strict=True))
        maps = encoder_maps(model, tokenizer, text, "en").mean((0, 1)) * len(ids)  # [queries, keys]
        own = maps[place][:, place]
        own = (own + own.T) / 2
        different = which[:, None] != which
        at = (which[:, None].expand_as(own)[different], which.expand_as(own)[different])
        weights.index_put_(at, own[different], accumulate=True)
        times.index_put_(at, torch.ones_like(own[different]), accumulate=True)
        apart = (place[:, None] - place).abs().double()
        distances.index_put_(at, apart[different], accumulate=True)
    return weights / times.clamp(min=1), -distances / times.clamp(min=1), times


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    model, tokenizer = default_model()
    texts = sentences("en", at.size, at.whole("sentences"))
    lines = tokenizer.encode_all(texts)
    runs = rows_to_fill(seeds)
    for run, seed in zip(runs, seeds, strict=True):
        order = torch.randperm(len(lines), generator=torch.Generator().manual_seed(seed)).tolist()
        halves = [[lines[line] for line in order[first::2]] for first in (0, 1)]
        pieces = frequent_pieces(halves, FREQUENT[at.size])
        (learnt, learnt_chance), (held, held_chance) = (
            count_together(half, pieces, at.whole("window")) for half in halves
        )
        table = model.embedding.weight.detach().double()[pieces]
        untrained = build_untrained(model, seed).embedding.weight.detach().double()[pieces]
        words, company = svd_vectors(pmi(learnt, learnt_chance), at.whole("dimensions"))
        looked_at = [texts[line] for line in order[: LOOKED_AT[at.size]]]
        attention, nearness, times = attention_between(model, tokenizer, looked_at, pieces)
        scores = {
            "same_counts": pmi(learnt, learnt_chance), "svd": words @ company.T, "svd_words": words @ words.T,
            "product": table @ table.T,
            "cosine": F.normalize(table, dim=-1) @ F.normalize(table, dim=-1).T,
            "attention": attention, "nearness": nearness, "untrained": untrained @ untrained.T,
        }  # fmt: skip
        run |= compared(scores, pmi(held, held_chance), held_chance, times)
        run["pieces"] = float(len(pieces))
    return list(runs)


def compared(scores: dict[str, Tensor], right: Tensor, by_chance: Tensor, times: Tensor) -> dict[str, float]:
    """The rank correlation of each score with PMI, over pairs of different pieces that chance alone would bring
    together often enough; of attention, over those that its sentences have often enough."""
    upper = torch.triu(torch.ones_like(right, dtype=torch.bool), diagonal=1)
    often, seen = upper & (by_chance >= EXPECTED), upper & (times >= TOGETHER)
    numbers = {"pairs": float(often.sum()), "pairs_seen": float(seen.sum())}
    for name, score in scores.items():
        which = seen if name in OF_SENTENCES else often
        numbers[name] = rank_correlation(score[which], right[which])
    numbers["same_counts_seen"] = rank_correlation(scores["same_counts"][seen], right[seen])
    return numbers


def judge(runs: Runs) -> Verdict:
    """A score goes with co-occurrence if its rank correlation with PMI, on the half of the text that it was not made
    from, is above STRONG.

    The model's products and its attention both do: holds. Not both of these, but vectors made by SVD, a word's against
    its company's: only if vectors are made from counts. Not even those: does not hold. Undecided where an interval that
    decides straddles STRONG.
    """
    svd, product, attention = (interval(over_seeds(runs, name)) for name in ("svd", "product", "attention"))
    if min(product.low, attention.low) > STRONG:
        return "holds"
    if min(product.high, attention.high) > STRONG or svd.low <= STRONG <= svd.high:
        return "undecided"
    return "holds only if" if svd.low > STRONG else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (axes,) = figure(width=11.5, height=4.8)
    labels = {
        "same_counts": tr("counts of the\nother half", "另一半语料\n的 PMI"),
        "svd": tr("SVD: word,\ncompany", "SVD：词\n与上下文"),
        "svd_words": tr("SVD: word,\nword", "SVD：词\n与词"),
        "product": tr("embeddings:\nproduct", "模型词向量\n内积"),
        "cosine": tr("embeddings:\ncosine", "模型词向量\n余弦"),
        "attention": tr("attention\nweights", "注意力\n权重"),
        "nearness": tr("nearness in\nthe sentence", "句中\n的远近"),
        "untrained": tr("untrained\nproduct", "未训练\n内积"),
    }
    for index, name in enumerate(labels):
        values = over_seeds(runs, name)
        colour = COLOURS[(6, 2, 2, 0, 0, 4, 1, 1)[index]]
        axes.bar(index, math.fsum(values) / len(values), color=colour, alpha=0.8, width=0.62)
        axes.plot([index] * len(values), values, "o", color="black", ms=4)
    axes.axhline(0, color="black", lw=0.8)
    axes.axhline(STRONG, color="grey", ls=":", lw=1.5)
    axes.set_xticks(range(len(labels)), list(labels.values()))
    axes.set(ylabel=tr("rank correlation with PMI", "与 PMI 的秩相关系数"), ylim=(-0.2, 1.02))
    axes.grid(visible=False, axis="x")
    return picture


EXPERIMENT = Experiment("L49", measure, judge, draw, KNOBS, SEEDS, evidence="real", data=(CORPUS,))
