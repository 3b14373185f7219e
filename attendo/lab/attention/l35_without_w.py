"""L35: softmax(XXᵀ)X alone, against attention with W_Q, W_K, W_V and W_O."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from attendo.data.batch import Batch
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import band, figure, points
from attendo.lab.tools.measuring import count_weights, curve, curve_steps, fails_more, settled, unseen_generator
from attendo.lab.tools.toy_tasks import reversal, turned
from attendo.lab.tools.toy_training import EncoderAlone, accuracy, toy_config
from attendo.lab.tools.tuning import train_side
from attendo.model.attention import dot_product_attention, fused_attention
from attendo.model.config import LayerConfig
from attendo.model.multi_head import MultiHeadAttention
from attendo.model.parts import Parts
from attendo.model.transformer import Transformer

SEEDS = by_size(2, 8, 16)
KNOBS = (
    Knob("steps", by_size(4, 1_000, 2_000), 4, 100_000),
    Knob("length", by_size(6, 6, 6), 3, 12),  # of a sequence
)
# 早, 上, 好. The notes give the row in words, their numbers stood in a picture; these are small ones that give it.
X = ((1, 2, 1, 2, 1), (1, 1, 3, 2, 1), (3, 1, 2, 1, 1))
D, D_FF, SYMBOLS = 32, 64, 8
SIDES = ("with", "bare", "wide")  # with W; without; without, and the weights of W given to the feed-forward layers
TASKS = {"alone": (1, 1), "whole": (3, 2)}  # attentions, layers
LEARNT = 0.05 * math.log(SYMBOLS)  # a loss: a twentieth of a random guess's
POINTS = 25  # of a curve


class Bare(nn.Module):
    """softmax(XXᵀ/√d) X. With the scale: without it, as the notes write it, softmax is too steep to learn."""

    @classmethod
    def from_config(cls, config: LayerConfig) -> nn.Module:
        return cls()

    def forward(self, x: Tensor, memory: Tensor, may_attend: Tensor | None = None, **unused: Any) -> Tensor:
        seen = memory[:, None]  # one head
        return fused_attention(x[:, None], seen, seen, may_attend)[:, 0]


BARE = Parts(self_attention=Bare.from_config, cross_attention=Bare.from_config)


def build(side: str, task: str, seed: int) -> Transformer:
    """One head in all, since the bare form has one."""
    attentions, layers = TASKS[task]
    saved = attentions * 4 * D * (D + 1) if side == "wide" else 0
    config = toy_config(SYMBOLS, D, D_FF + round(saved / layers / (2 * D + 1)), num_heads=1, tied_output=False)
    parts = Parts() if side == "with" else BARE
    return Transformer(config, parts) if task == "whole" else EncoderAlone(config, parts)


def own_share(side: str, seed: int) -> float:
    """How much each of 20 random vectors attends to itself, before any training."""
    torch.manual_seed(seed)
    x = torch.randn(1, 20, D)
    weights = [dot_product_attention(x[:, None], x[:, None], x[:, None])[1]] if side == "bare" else []
    if side == "with":
        MultiHeadAttention(D, 1)(x, x, record=weights)
    return weights[0].diagonal(dim1=-2, dim2=-1).mean().item()


def sequences(task: str, length: int, pairs: int, generator: torch.Generator) -> Batch:
    """In an encoder alone each position must look at its neighbour; the whole model says the source backwards."""
    if task == "alone":
        return turned(pairs, length, SYMBOLS, generator)
    return reversal(pairs, range(length, length + 1), SYMBOLS, generator)


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    x = torch.tensor(X, dtype=torch.float64)[None, None]
    rows = dot_product_attention(x * math.sqrt(x.shape[-1]), x, x)[1][0, 0]  # √d undoes the scale
    example = {f"row_{i}": share for i, share in enumerate(rows[0].tolist(), 1)}
    runs = rows_to_fill(seeds, step=curve_steps(at.whole("steps"), POINTS), **example)
    for run, seed in zip(runs, seeds, strict=True):
        run |= {f"own_share_{side}": own_share(side, seed) for side in ("with", "bare")}
    for task in TASKS:
        batches = partial(sequences, task, at.whole("length"))
        for side in SIDES:
            name = f"{task}_{side}"
            trained = train_side("L35", name, at, seeds, partial(build, side, task), batches, pairs=16)
            trained.add_to(runs, name, LEARNT)
            for run, seed, model, losses in zip(runs, seeds, trained.models, trained.losses.T, strict=True):
                run[f"{name}_curve"] = curve(losses, POINTS)
                run[f"{name}_right"] = accuracy(model, batches(200, unseen_generator(seed)))
                run[f"{name}_weights"] = count_weights(model)
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """The note speaks of the power to fit ("拟合能力"), so the end decides, between the sides of equal size
    ("with" and "wide"). Weaker: more seeds fail to learn (Fisher's exact test). Weaker on both tasks: holds. On
    one: only if. On none, however slow: does not hold. Undecided if the side with W itself does not learn, or if one
    that fails has not stopped improving."""
    weaker = []
    for task in TASKS:
        if sum(over_seeds(runs, f"{task}_with_failed")) > len(runs) / 4:
            return "undecided"
        fails = fails_more(*(over_seeds(runs, f"{task}_{side}_failed") for side in ("wide", "with")))
        if fails and not settled(runs, f"{task}_wide"):
            return "undecided"
        weaker.append(fails)
    if all(weaker):
        return "holds"
    return "holds only if" if any(weaker) else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, axes = figure(columns=2, rows=2, height=3.6)
    labels = (tr("with $W$", "有 $W$"), tr("no $W$", "无 $W$"), tr("no $W$, wider FFN", "无 $W$，前馈层加宽"))
    short = (*labels[:2], tr("no $W$,\nwider FFN", "无 $W$，\n前馈层加宽"))
    titles = (
        tr("self-attention alone: a circle", "只靠自注意力：循环移位"),
        tr("the whole Transformer: reversal", "完整的 Transformer：逆序"),
    )
    for column, (task, title) in enumerate(zip(TASKS, titles, strict=True)):
        above, below = axes[column], axes[2 + column]
        for index, (side, label) in enumerate(zip(SIDES, labels, strict=True)):
            band(above, row(runs[0], "step"), [row(run, f"{task}_{side}_curve") for run in runs], label, index)
        above.set(title=title, xlabel=tr("training step", "训练步数"), ylabel=tr("loss", "损失"), ylim=(0, None))
        points(below, short, [over_seeds(runs, f"{task}_{side}_right") for side in SIDES])
        below.set(ylabel=tr("accuracy at the end", "最终准确率"), ylim=(0, 1.05))
    axes[1].legend()
    return picture


EXPERIMENT = Experiment("L35", measure, judge, draw, KNOBS, SEEDS, evidence="trained", tunes=True)
