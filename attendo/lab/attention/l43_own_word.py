"""L43: how often the largest of the softmax's weights lies on the word itself, in the shipped model's encoder."""

from collections.abc import Sequence

import torch
from matplotlib.figure import Figure
from torch import Tensor

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, row
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, figure
from attendo.lab.tools.default_model import build_untrained, deal, default_model, encoder_maps, size_of
from attendo.lab.tools.hand_aligned import hand_aligned
from attendo.lab.tools.measuring import interval

SEEDS = by_size(2, 6, 6)  # each has a part of the sentences for its own
KNOBS = (Knob("pairs", by_size(2, 40, 40), 2, 40),)
MOST = 0.5  # of the positions: more often than not


def own_is_highest(maps: Tensor) -> Tensor:
    """Weights [layers, heads, queries, keys] -> [kinds, layers, heads, queries without tag and </s>], true or not:
    among all keys, and among those that are not tag or </s>."""
    inner = maps[..., 1:-1, :]
    own = torch.arange(inner.shape[-2])
    return torch.stack((inner.argmax(-1) == own + 1, inner[..., 1:-1].argmax(-1) == own))


def shares(maps: Sequence[Tensor]) -> Tensor:
    """Over all positions of all sentences: [kinds, layers × heads]."""
    found = torch.cat([own_is_highest(each) for each in maps], dim=-1)
    return found.double().mean(-1).flatten(1)


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    """A seed chooses the best head by the sentences of the others, and tries it on its own."""
    model, tokenizer = default_model()
    pairs = [pair for of_language in hand_aligned().values() for pair in of_language[: at.whole("pairs")]]
    sides = list(dict.fromkeys(side for pair in pairs for side in (pair.source, pair.target)))  # each once
    maps = [encoder_maps(model, tokenizer, side.text, side.language) for side in sides]
    parts = deal(range(len(sides)), seeds)
    runs: list[Numbers] = []
    for seed, own in zip(seeds, parts, strict=True):
        others = [index for index in range(len(sides)) if index not in own]
        best = int(shares([maps[index] for index in others])[0].argmax())
        among_all, among_words = shares([maps[index] for index in own])
        untrained = build_untrained(model, seed)
        blank = [encoder_maps(untrained, tokenizer, sides[index].text, sides[index].language) for index in own]
        lengths = [maps[index].shape[-1] for index in own]
        runs.append(
            {
                **size_of(model),
                "sentences": len(sides),
                "heads": len(among_all),
                "own": among_all.mean().item(),
                "own_words": among_words.mean().item(),
                "by_head": among_all.tolist(),
                "best": among_all[best].item(),
                "least": among_all.min().item(),
                "most": among_all.max().item(),
                "untrained": shares(blank)[0].mean().item(),
                "chance": sum((n - 2) / n for n in lengths) / sum(n - 2 for n in lengths),
            }
        )
    return runs


def judge(runs: Runs) -> Verdict:
    """The share of positions, over all heads, whose largest weight lies on the word itself: more than MOST, holds;
    where the interval straddles, undecided. If it is less: only if, where the head that did best on other sentences is
    shown to have more than MOST; else does not hold, for the notes speak of no special head."""
    every, best = (interval(over_seeds(runs, name)) for name in ("own", "best"))
    if every.low > MOST:
        return "holds"
    if every.high >= MOST:
        return "undecided"
    return "holds only if" if best.low > MOST else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (axes,) = figure(width=10.0)
    each = [interval(values) for values in zip(*(row(run, "by_head") for run in runs), strict=True)]
    x = range(1, 1 + len(each))
    axes.bar(x, [at.mean for at in each], color=COLOURS[0], alpha=0.8)
    axes.errorbar(x, [at.mean for at in each], [at.half for at in each], color="black", ls="", capsize=2, lw=1)
    lines = {
        "own": (tr("all heads", "全部头的平均"), "-"), "untrained": (tr("untrained", "未训练"), "-."),
        "chance": (tr("chance", "随机比例"), ":"),
    }  # fmt: skip
    for index, (name, (label, dash)) in enumerate(lines.items(), start=2):
        axes.axhline(interval(over_seeds(runs, name)).mean, color=COLOURS[index], ls=dash, lw=2, label=label)
    axes.set(
        xlabel=tr("head, layer by layer", "头（按层排列）"),
        ylabel=tr("own weight is the largest", "自身权重最大的比例"),
        ylim=(0, 1),
        xlim=(0.3, len(each) + 0.7),
    )
    axes.legend(ncols=3, loc="upper left")
    return picture


EXPERIMENT = Experiment("L43", measure, judge, draw, KNOBS, SEEDS)
