"""L16: stacks of 2 to 24 layers with residual connections, in both orders of Add & Norm, and without."""

import math
from collections.abc import Callable, Sequence
from functools import partial

import torch
from matplotlib.figure import Figure
from torch import Tensor
from torch.nn import functional as F

from attendo.data.batch import Batch
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Settings, by_size
from attendo.lab.tools.chart import band, figure
from attendo.lab.tools.measuring import at_the_end, interval
from attendo.lab.tools.toy_tasks import reversal
from attendo.lab.tools.toy_training import EncoderAlone, toy_config
from attendo.lab.tools.tuning import budgets_of, train_tuned
from attendo.model.add_and_norm import AddAndNorm

DEPTHS = by_size((1, 2), (2, 6, 12, 24), (2, 4, 6, 9, 12, 18, 24))
STEPS = by_size(2, 50, 600)
KINDS = ("post", "pre", "none")
SYMBOLS, LENGTH = 8, 6
# What is reached without a look at the source: </s> stands at the end, each symbol is as likely as the others.
BLIND = LENGTH / (LENGTH + 1) * math.log(SYMBOLS)


class NormAlone(AddAndNorm):
    """LayerNorm(Sublayer(x)): nothing is added."""

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        return self.norm(self.dropout(sublayer(x)))


class Stack(EncoderAlone):
    """Says its source backwards: position i must say what stands at position n - i."""

    def __init__(self, depth: int, kind: str, seed: int, d_model: int = 32, d_ff: int = 64) -> None:
        order = "pre" if kind == "pre" else "post"
        config = toy_config(SYMBOLS, d_model, d_ff, 2, tied_output=False, encoder_layers=depth, norm_order=order)
        torch.manual_seed(seed)
        super().__init__(config)
        for layer in self.encoder.layers if kind == "none" else ():
            layer.around_self_attention, layer.around_feed_forward = NormAlone(config), NormAlone(config)


def sequences(pairs: int, generator: torch.Generator) -> Batch:
    return reversal(pairs, range(LENGTH, LENGTH + 1), SYMBOLS, generator)


def at_the_start(depth: int, kind: str, seed: int) -> tuple[float, float]:
    """Before any step: the norm of the gradient at layer 1, and how alike the positions of a sentence have become."""
    model, batch = Stack(depth, kind, seed), sequences(32, torch.Generator().manual_seed(seed))
    F.cross_entropy(model(batch.source, batch.target_in).flatten(0, 1), batch.target_out.flatten()).backward()
    gradients = [weight.grad.norm() for weight in model.encoder.layers[0].parameters() if weight.grad is not None]
    memory = F.normalize(model.encode(batch.source).detach(), dim=-1)  # [batch, positions, d_model]
    return float(torch.stack(gradients).norm()), float((memory @ memory.transpose(1, 2)).mean())


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    depths = DEPTHS[at.size]
    runs = rows_to_fill(seeds, depth=depths, blind=BLIND)
    for kind in KINDS:
        trained = []
        for depth in depths:
            budgets = budgets_of("L16", f"{kind}_{depth}", at.size, STEPS[at.size], 32)
            _, losses, rate = train_tuned(partial(Stack, depth, kind), sequences, seeds, budgets)
            trained.append(losses)
            for run in runs:
                run[f"rate_{kind}_{depth}"] = rate
        for index, (run, seed) in enumerate(zip(runs, seeds, strict=True)):
            gradient, alike = zip(*[at_the_start(depth, kind, seed) for depth in depths], strict=True)
            loss = [at_the_end(losses[:, index]) for losses in trained]
            for name, values in (("loss", loss), ("gradient", gradient), ("alike", alike)):
                run |= {f"{kind}_{name}": list(values), f"{kind}_{name}_deep": values[-1]}
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """Trained is what is below BLIND at the greatest depth. Both orders with, and not without: holds.

    Pre-norm alone, and not without: only if. Without as well, or not even pre-norm: does not hold.
    """
    found = {kind: interval(over_seeds(runs, f"{kind}_loss_deep")) for kind in KINDS}
    if any(loss.low <= BLIND <= loss.high for loss in found.values()):
        return "undecided"
    post, pre, none = (loss.high < BLIND for loss in found.values())
    if none or not pre:
        return "does not hold"
    return "holds" if post else "holds only if"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, axes = figure(columns=3, width=4.0)
    kinds = (tr("post-norm", "后归一化"), tr("pre-norm", "前归一化"), tr("no residual", "无残差"))
    titles = {
        "loss": tr("loss after training", "训练后的损失"),
        "gradient": tr("gradient at layer 1, log$_{10}$", "第 1 层梯度的范数，log$_{10}$"),
        "alike": tr("cosine between places", "各位置间的余弦相似度"),
    }
    for panel, (name, title) in zip(axes, titles.items(), strict=True):
        shown = math.log10 if name == "gradient" else float
        for index, (kind, label) in enumerate(zip(KINDS, kinds, strict=True)):
            curves = [[shown(value) for value in row(run, f"{kind}_{name}")] for run in runs]
            band(panel, row(runs[0], "depth"), curves, label, index)
        panel.set(title=title, xlabel=tr("layers", "层数"))
    axes[0].axhline(BLIND, color="grey", ls="--", lw=1)
    axes[2].legend(loc="lower right")
    return picture


EXPERIMENT = Experiment("L16", measure, judge, draw, evidence="trained", tunes=True)
