"""L39: for each word of a given translation, the source word that cross-attention looks at most, against links made by
hand: all heads, the best layer, the best head; in the row that reads the word, and in the row that predicts it."""

from collections.abc import Sequence

import torch
from matplotlib.figure import Figure

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, number, over_seeds, row
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, figure
from attendo.lab.tools.default_model import (
    COUNTS,
    ROWS,
    best_views,
    build_untrained,
    by_direction,
    cross_attention_of_words,
    deal,
    default_model,
    error_rate,
    num_heads,
    share,
    size_of,
)
from attendo.lab.tools.hand_aligned import hand_aligned
from attendo.lab.tools.measuring import difference, interval

SEEDS = by_size(2, 6, 6)  # each has a part of the pairs for its own
KNOBS = (
    Knob("pairs", by_size(6, 40, 40), 6, 40),  # of Chinese and English, and of German and English
    Knob("most", by_size(0.5, 0.5, 0.5), 0, 1),  # of the words: right more often than wrong
)
WAYS = ("mean", "layer", "head")


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    """A seed chooses its layer and its head by the pairs of the others, and tries them on its own."""
    model, tokenizer = default_model()
    every = hand_aligned()
    by_language = [deal(pairs[: at.whole("pairs")], seeds) for pairs in every.values()]
    parts = [[*chinese, *german] for chinese, german in zip(*by_language, strict=True)]
    tallies = [by_direction(model, tokenizer, part) for part in parts]
    # What its first word, 你好, looks at.
    hello = cross_attention_of_words(model, tokenizer, every["zh"][0].swapped)[:, :, 0]
    runs: list[Numbers] = []
    for seed, part, own in zip(seeds, parts, tallies, strict=True):
        others = torch.stack([each["all"] for each in tallies if each is not own]).sum(0)
        nothing_learned = share(by_direction(build_untrained(model, seed), tokenizer, part)["all"], "right")
        numbers: dict[str, float | Sequence[float]] = {
            **size_of(model),
            "sentence_pairs": sum(map(len, parts)),
            "heads_per_layer": model.config.num_heads,
            "words": own["all"][COUNTS.index("words"), 0, 0].item(),
            "chance": share(own["all"], "chance")[0, 0].item(),
            "diagonal": share(own["all"], "diagonal")[0, 0].item(),
            "untrained": nothing_learned[:, -1].mean().item(),
            "untrained_best": nothing_learned.max().item(),
        }
        for index, name in enumerate(ROWS):
            views = best_views(share(others, "right")[index], model.config)
            for way, view in views.items():
                numbers |= {f"{way}_{name}_{of}": share(each, "right")[index, view].item() for of, each in own.items()}
                numbers[f"{way}_{name}_aer"] = error_rate(own["all"])[index, view].item()
                numbers[f"{way}_{name}_outside"] = share(own["all"], "outside")[index, view].item()
                _, numbers[f"{way}_{name}_hello"], _, numbers[f"{way}_{name}_world"], *_ = hello[index, view].tolist()
            numbers[f"heads_{name}"] = share(own["all"], "right")[index, : num_heads(model.config)].tolist()
        runs.append(numbers)
    return runs


def passes(runs: Runs, way: str) -> bool | None:
    """More than `most` of the words, and more than the diagonal, which needs no attention."""
    found = over_seeds(runs, way)
    margins = [
        difference(found, [number(runs[0], "most")] * len(found)),
        difference(found, over_seeds(runs, "diagonal")),
    ]
    if all(margin.low > 0 for margin in margins):
        return True
    return False if any(margin.high < 0 for margin in margins) else None


def judge(runs: Runs) -> Verdict:
    """The notes speak of the query of a word that the decoder has read, and of no special head.

    If the mean of all heads passes in that row: holds. If not, but in the row that predicts the word, or for the layer
    or head that did best on other sentences: only if. If nothing passes: does not hold. Where intervals do not tell:
    undecided.
    """
    as_stated = passes(runs, "mean_reads_all")
    others = [passes(runs, f"{way}_{name}_all") for way in WAYS for name in ROWS if (way, name) != ("mean", "reads")]
    if as_stated is None:
        return "undecided"
    if as_stated:
        return "holds"
    if any(others):
        return "holds only if"
    return "undecided" if None in others else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (ways, heads) = figure(2, width=6.6, height=5.2)
    in_words = {
        "reads": tr("row that reads the word", "以该词为输入的那一行"),
        "says": tr("row that predicts the word", "预测出该词的那一行"),
    }
    for at, (name, label) in enumerate(in_words.items()):
        for index, way in enumerate(WAYS):
            found, x = over_seeds(runs, f"{way}_{name}_all"), index + 0.4 * at - 0.2
            around = interval(found)
            ways.bar(x, around.mean, 0.36, color=COLOURS[at], alpha=0.75, label=label if not index else None)
            ways.errorbar(x, around.mean, around.half, color="black", capsize=4, lw=1)
            ways.text(x, 0.02, f"{around.mean:.2f}", ha="center", fontsize=13)
    lines = {"diagonal": tr("diagonal", "对角线"), "chance": tr("random guess", "随机猜测")}
    for name, label, dash in zip(lines, lines.values(), ("--", ":"), strict=True):
        ways.axhline(interval(over_seeds(runs, name)).mean, color=COLOURS[4], ls=dash, lw=2, label=label)
    ways.set_xticks(
        range(3), [tr("all heads", "所有头平均"), tr("best layer", "最好的层"), tr("best head", "最好的头")]
    )
    ways.set(title=tr("words that look at their source word", "看对源词的目标词比例"), ylim=(0, 1.1))
    ways.grid(visible=False, axis="x")
    for at, name in enumerate(ROWS):
        each = [interval(values).mean for values in zip(*(row(run, f"heads_{name}") for run in runs), strict=True)]
        heads.bar([index + 0.4 * at - 0.2 for index in range(len(each))], each, 0.36, color=COLOURS[at], alpha=0.75)
    per_layer = int(number(runs[0], "heads_per_layer"))
    for border in range(per_layer, len(each), per_layer):
        heads.axvline(border - 0.5, color="grey", lw=1.5)
    for layer in range(len(each) // per_layer):
        at_x = per_layer * (layer + 0.5) - 0.5
        heads.text(at_x, 1.03, tr(f"layer {layer + 1}", f"第 {layer + 1} 层"), ha="center")
    heads.set_xticks(range(len(each)), [f"{index % per_layer + 1}" for index in range(len(each))])
    heads.set(xlabel=tr("head", "头"), ylim=(0, 1.1), title=tr("each head by itself", "每个头单独的结果"))
    heads.grid(visible=False, axis="x")
    picture.legend(loc="outside lower center", ncols=4)
    return picture


EXPERIMENT = Experiment("L39", measure, judge, draw, KNOBS, SEEDS)
