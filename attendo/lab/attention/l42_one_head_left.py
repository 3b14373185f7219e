"""L42: all heads but one are silenced in the shipped model, in one kind of attention or in all of them."""

from collections.abc import Sequence
from functools import partial

import torch
from matplotlib.figure import Figure
from torch import Tensor

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, number, over_seeds, row
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, figure
from attendo.lab.tools.default_model import deal, default_model, size_of
from attendo.lab.tools.given_translations import (
    PLACES,
    changed_copy,
    given_translations,
    leave_heads,
    mean_loss,
    sentence_losses,
    share_right,
)
from attendo.lab.tools.measuring import difference, interval

SEEDS = by_size(2, 6, 6)  # each has a part of the sentences for its own
KNOBS = (
    Knob("left", by_size((1,), (1, 2), (1, 2, 3)), 1, 5),
    Knob("pairs", by_size(2, 12, 40), 2, 40),
)
WHERE = {**{place: [place] for place in PLACES}, "everywhere": list(PLACES)}
USABLE = 0.5  # of the tokens: right more often than wrong
WORSE = 0.1  # in the loss: the right token is given a probability lower by a tenth


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    """A seed chooses the head that stays by the sentences of the others, and tries it on its own."""
    model, tokenizer = default_model()
    batch = given_translations(tokenizer, at.whole("pairs"))
    every = range(len(batch.source))
    parts = deal(every, seeds)
    whole = sentence_losses(model, batch)
    runs: list[dict[str, float | Sequence[float]]] = [
        {**size_of(model), "heads": model.config.num_heads, "sentences": len(every), "all": mean_loss(whole[own]),
         "all_right": share_right(whole[own])}
        for own in parts
    ]  # fmt: skip
    for where, places in WHERE.items():
        for left in at.wholes("left"):
            kept = [
                [(first + i) % model.config.num_heads for i in range(left)] for first in range(model.config.num_heads)
            ]
            copies = [changed_copy(model, places, partial(leave_heads, heads)) for heads in kept]
            losses = torch.stack([sentence_losses(one, batch) for one in copies])  # [choices, sentences, 3]
            for run, own in zip(runs, parts, strict=True):
                run |= numbers_of(losses, own, [other for other in every if other not in own], f"{where}_{left}")
    for run in runs:
        fewest = min(at.wholes("left"))
        run |= {
            f"{where}{what}": run[f"{where}_{fewest}{what}"] for where in WHERE for what in ("", "_right", "_worst")
        }
    return list(runs)


def numbers_of(losses: Tensor, own: Sequence[int], others: Sequence[int], name: str) -> dict[str, float]:
    """Of the choice that is best on the others' sentences: loss and share of right tokens; of the worst: the loss."""
    by_choice = [mean_loss(one[others]) for one in losses]
    best, worst = (losses[by_choice.index(end)][own] for end in (min(by_choice), max(by_choice)))
    return {name: mean_loss(best), f"{name}_right": share_right(best), f"{name}_worst": mean_loss(worst)}


def judge(runs: Runs) -> Verdict:
    """With the fewest heads left: usable if more than USABLE of the tokens are right; worse if the loss is higher by
    more than WORSE, in each place for itself and everywhere at once.

    Usable and worse everywhere at once: holds. Only in some place: only if. In no place: does not hold. Undecided where
    an interval straddles, everywhere at once or in all places.
    """
    fewest = f"{min(row(runs[0], 'left')):.0f}"
    true_of: dict[str, bool | None] = {}
    for where in WHERE:
        right = interval(over_seeds(runs, f"{where}_{fewest}_right"))
        drop = difference(over_seeds(runs, f"{where}_{fewest}"), over_seeds(runs, "all"))
        if right.high < USABLE or drop.high < WORSE:
            true_of[where] = False
        else:
            true_of[where] = True if right.low > USABLE and drop.low > WORSE else None
    if true_of["everywhere"]:
        return "holds"
    if true_of["everywhere"] is None:
        return "undecided"
    if any(true_of.values()):
        return "holds only if"
    return "undecided" if None in true_of.values() else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (axes,) = figure(width=9.5)
    names = {
        "encoder": tr("encoder", "编码器"), "decoder": tr("decoder, self", "解码器自注意力"),
        "cross": tr("cross-attention", "交叉注意力"), "everywhere": tr("everywhere", "全部"),
    }  # fmt: skip
    counts = sorted(row(runs[0], "left"))
    width = 0.8 / len(counts)
    for index, left in enumerate(counts):
        for at, where in enumerate(WHERE):
            values = over_seeds(runs, f"{where}_{left:.0f}_right")
            around, x = interval(values), at + (index - (len(counts) - 1) / 2) * width
            label = tr(f"{left:.0f} left in each layer", f"每层只留 {left:.0f} 个头") if not at else None
            axes.bar(x, around.mean, 0.9 * width, color=COLOURS[index], alpha=0.8, label=label)
            axes.errorbar(x, around.mean, around.half, color="black", capsize=4, lw=1)
    heads = number(runs[0], "heads")
    all_of_them = tr(f"all {heads:.0f} heads", f"全部 {heads:.0f} 个头")
    axes.axhline(interval(over_seeds(runs, "all_right")).mean, color="black", ls="--", lw=1.5, label=all_of_them)
    axes.axhline(USABLE, color="grey", ls=":", lw=1.5)
    axes.set_xticks(range(len(WHERE)), [names[where] for where in WHERE])
    axes.set(ylabel=tr("share of right tokens", "预测正确的词元比例"), ylim=(0, 1))
    axes.grid(visible=False, axis="x")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=1 + len(counts))
    return picture


EXPERIMENT = Experiment("L42", measure, judge, draw, KNOBS, SEEDS)
