"""L78: additive attention in the place of the dot product, for small and large d_k; and what either costs."""

from collections.abc import Callable, Sequence
from functools import partial

import torch
from matplotlib.figure import Figure
from torch import Tensor

from attendo.errors import UsageError
from attendo.lab.attention.l5_scale import BLIND, D_MODEL, LEARNT, SOLVED, SYMBOLS, UNSCALED, sequences
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Knob, Settings, Size, by_size
from attendo.lab.tools.chart import figure, legend_below, lines, plain_log
from attendo.lab.tools.measuring import (
    curve,
    curve_steps,
    fails_more,
    is_more,
    log_ratio,
    seconds,
    settled,
)
from attendo.lab.tools.toy_training import toy_config
from attendo.lab.tools.tuning import train_side
from attendo.model.attention import dot_product_attention, masked_softmax
from attendo.model.compatibility import AdditiveMultiHeadAttention, scores_of_pairs
from attendo.model.multi_head import MultiHeadAttention
from attendo.model.parts import STANDARD
from attendo.model.transformer import Transformer

SEEDS = by_size(2, 4, 16)
KNOBS = (
    Knob("steps", by_size(4, 450, 1_500), 2, 100_000),
    Knob("d_k", by_size((4, 64), (4, 64), (4, 16, 64)), 1, D_MODEL),  # of 64 / d_k heads
)
SIDES = ("dot", "additive", "unscaled")
HIGHER = 2.0  # times the loss at the end
POINTS = 30  # of a curve
# What the costs are measured with: the paper's base model, a few sentences; sentences, heads, tokens, d_k
COSTS = by_size((1, 2, 4, 4), (8, 8, 64, 64), (8, 8, 64, 64))


def build(d_k: int, side: str, seed: int) -> Transformer:
    compatibility = "additive" if side == "additive" else "dot"
    config = toy_config(SYMBOLS, D_MODEL, 2 * D_MODEL, D_MODEL // d_k, compatibility=compatibility)
    return Transformer(config, UNSCALED if side == "unscaled" else STANDARD)


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    """Of every side and d_k the loss at the end, the steps until learnt, and the curve; of both functions the costs."""
    if wrong := [d_k for d_k in at.wholes("d_k") if D_MODEL % d_k]:
        raise UsageError(f"d_k={wrong[0]} cannot be: expected a divisor of d_model = {D_MODEL}")
    runs = rows_to_fill(seeds, step=curve_steps(at.whole("steps"), POINTS), blind=BLIND, **costs(at.size))
    for d_k in at.wholes("d_k"):
        for side in SIDES:
            name = f"{side}_{d_k}"
            trained = train_side("L78", name, at, seeds, partial(build, d_k, side), sequences, pairs=16)
            for run, numbers, losses in zip(runs, trained.numbers(name, LEARNT), trained.losses.T, strict=True):
                run |= {**numbers, f"{name}_loss": curve(losses, POINTS)}
    return list(runs)


def costs(size: Size) -> dict[str, float]:
    """Processor time of attention, forward and backward, as our models compute it; and what the equation written out
    keeps for the backward pass besides q, k and v, in MiB."""
    sentences, heads, tokens, d_k = COSTS[size]
    generator = torch.Generator().manual_seed(1)
    q, k, v = torch.randn(3, sentences, heads, tokens, d_k, generator=generator).requires_grad_().unbind()
    dot, additive = MultiHeadAttention(heads * d_k, heads), AdditiveMultiHeadAttention(heads * d_k, heads)
    torch.nn.init.normal_(additive.score, std=d_k**-0.5, generator=generator)

    def both_ways(attention: MultiHeadAttention) -> None:
        attention.attend(q, k, v, None, None).sum().backward()

    spent = {name: seconds(partial(both_ways, part), 5) for name, part in (("dot", dot), ("additive", additive))}
    kept = {
        "dot": kept_bytes(lambda: dot_product_attention(q, k, v)[0], (q, k, v)),
        "additive": kept_bytes(lambda: masked_softmax(scores_of_pairs(q, k, additive.score), None) @ v, (q, k, v)),
    }
    return {
        **{f"milliseconds_{name}": 1000 * value for name, value in spent.items()},
        **{f"kept_{name}": value / 2**20 for name, value in kept.items()},
        "times_slower": spent["additive"] / spent["dot"],
        "times_larger": kept["additive"] / kept["dot"],
    }


def kept_bytes(compute: Callable[[], Tensor], besides: Sequence[Tensor]) -> float:
    """What autograd keeps of a computation until its backward pass, each piece of memory counted once."""
    found: dict[int, int] = {}

    def keep(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        found[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        result = compute()
    for tensor in besides:
        found.pop(tensor.untyped_storage().data_ptr(), None)
    result.detach_()
    return float(sum(found.values()))


def judge(runs: Runs) -> Verdict:
    """Behind, for a d_k: additive attention fails with more seeds than the scaled dot product (Fisher's exact test), or
    ends with more than HIGHER times its loss, seed by seed and in the mean, and not by chance; a loss below SOLVED
    counts as that. The note says that there are other ways, so where it ends is judged, and not how soon.

    Behind with neither the smallest nor the largest d_k: holds. With one of them: only if. With both: does not hold.
    Undecided where being behind it has not stopped improving, or where an interval allows both. The dot product without
    its scale, the times and the memory have no vote: they are the paper's sentences, not the notes'.
    """
    values = row(runs[0], "d_k")
    behind: list[bool | None] = []
    for d_k in sorted({min(values), max(values)}):
        additive, dot = (f"{side}_{d_k:.0f}" for side in ("additive", "dot"))
        ends = ([max(loss, SOLVED) for loss in over_seeds(runs, name)] for name in (additive, dot))
        higher = is_more(*log_ratio(*ends), HIGHER, nothing=1.0)
        fails = fails_more(*(over_seeds(runs, f"{name}_failed") for name in (additive, dot)))
        if (fails or higher) and not settled(runs, additive):
            return "undecided"
        behind.append(fails or higher)
    if None in behind:
        return "undecided"
    if not any(behind):
        return "holds"
    return "does not hold" if all(behind) else "holds only if"


def draw(runs: Runs, tr: Tr) -> Figure:
    """The smallest and the largest d_k."""
    values = row(runs[0], "d_k")
    ends = [f"{d_k:.0f}" for d_k in sorted({min(values), max(values)})]
    picture, axes = figure(columns=len(ends))
    labels = {
        "dot": tr("dot product, scaled", "点积，有缩放"),
        "additive": tr("additive", "加性"),
        "unscaled": tr("dot product, not scaled", "点积，没有缩放"),
    }
    for panel, d_k in zip(axes, ends, strict=True):
        for index, (side, label) in enumerate(labels.items()):
            lines(panel, row(runs[0], "step"), [row(run, f"{side}_{d_k}_loss") for run in runs], label, index)
        panel.axhline(BLIND, color="grey", ls=":", lw=1)
        panel.set(title=f"$d_k = {d_k}$", xlabel=tr("step", "训练步数"), ylabel=tr("loss", "损失"))
        plain_log(panel)
        panel.set_ylim(min(SOLVED, LEARNT) / 5, 3 * BLIND)
    legend_below(picture, axes[0])
    return picture


EXPERIMENT = Experiment("L78", measure, judge, draw, KNOBS, SEEDS, evidence="trained", tunes=True)
