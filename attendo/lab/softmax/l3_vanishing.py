"""L3: what becomes of the gradient when the input of softmax is large."""

import math

import torch
from matplotlib.figure import Figure
from torch import Tensor

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, for_each_seed, over_seeds, row
from attendo.lab.knobs import Settings, Size, by_size
from attendo.lab.tools.chart import COLOURS, band, figure, tick_at
from attendo.lab.tools.measuring import interval
from attendo.model.attention import dot_product_attention

KEYS = 32
SCALES = [10 ** (exponent / 4) for exponent in range(-4, 9)]  # of the input: 0.1 to 100
INPUTS = by_size(100, 1000, 20_000)
D_K = [4, 16, 64, 256, 1024]
D_MODEL = 256
SENTENCES = by_size(2, 32, 256)
SMALL = 0.01  # a hundredth of what it was is as good as gone
VANISHED = 0.1  # the same for the gradient of all of W_Q, more generously: the notes say "hardly any update"


def jacobian_norms(x: Tensor) -> Tensor:
    """‖diag(y) - yᵀy‖, Frobenius, for each row of x."""
    y = torch.softmax(x, dim=-1)
    return (torch.diag_embed(y) - y[:, :, None] * y[:, None, :]).flatten(1).norm(dim=1)


def gradients(d_k: int, scaled: bool, seed: int, size: Size) -> tuple[float, Tensor]:
    """At the start of training: the length of the gradient reaching W_Q, and reaching each query.

    Tokens, and so q and k, have variance 1 in each component; what comes back from the layers above is noise.
    """
    generator = torch.Generator().manual_seed(1000 * seed + d_k)
    x, above = torch.randn(2, SENTENCES[size], 1, KEYS, D_MODEL, generator=generator).unbind()
    w_q, w_k = (torch.randn(2, D_MODEL, d_k, generator=generator) / math.sqrt(D_MODEL)).unbind()
    q = x @ w_q.requires_grad_()
    # Our attention divides by √d_k; queries that are longer by this factor undo it.
    output, _ = dot_product_attention(q if scaled else q * math.sqrt(d_k), x @ w_k, x)
    of_w_q, of_q = torch.autograd.grad((output * above).sum(), (w_q, q))
    return of_w_q.norm().item(), of_q.norm(dim=-1).flatten()


def measure_seed(seed: int, at: Settings) -> Numbers:
    x = torch.randn(INPUTS[at.size], KEYS, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    tie = x.clone()
    tie.scatter_(1, x.argsort(descending=True)[:, 1:2], x.amax(1, keepdim=True))  # the second becomes as large
    norms = torch.stack([jacobian_norms(scale * x) for scale in SCALES])  # [scales, inputs]
    typical = norms.median(dim=1).values
    at_1 = SCALES.index(1.0)
    whole, dead, dead_scaled = [], [], []
    for d_k in D_K:
        (with_scale, each_with), (without, each_without) = (gradients(d_k, on, seed, at.size) for on in (True, False))
        whole.append(without / with_scale)
        dead.append((each_without < SMALL * each_with.median()).float().mean().item())
        dead_scaled.append((each_with < SMALL * each_with.median()).float().mean().item())
    return {
        "typical": typical.tolist(), "mean": norms.mean(1).tolist(),
        "tie": [jacobian_norms(scale * tie).mean().item() for scale in SCALES],
        "typical_at_100_to_1": (typical[-1] / typical[at_1]).item(),
        "mean_at_100_to_1": (norms[-1].mean() / norms[at_1].mean()).item(),
        "tie_at_100": jacobian_norms(SCALES[-1] * tie).mean().item(),
        "whole_without_to_with": whole, "dead_without": dead, "dead_with": dead_scaled,
        "whole_64": whole[D_K.index(64)], "whole_1024": whole[-1],
        "dead_64": dead[D_K.index(64)], "dead_1024": dead[-1], "dead_with_1024": dead_scaled[-1],
    }  # fmt: skip


def judge(runs: Runs) -> Verdict:
    """First, softmax: of a typical input (the median) the Jacobian at scale 100 must be below a hundredth of that at
    scale 1, or the claim does not hold. Then what it is said to do to learning: if without 1/√d_k less than a tenth of
    the gradient reaches W_Q at d_k = 1024, the claim holds; if more, it holds only for a typical input."""
    if max(over_seeds(runs, "typical_at_100_to_1")) >= SMALL:
        return "does not hold"
    around = interval(over_seeds(runs, "whole_1024"))
    if around.high < VANISHED:
        return "holds"
    return "holds only if" if around.low > VANISHED else "undecided"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, middle, right) = figure(columns=3, width=4.2)
    labels = {
        "tie": tr("two are largest", "最大值有两个"),
        "mean": tr("mean", "平均"),
        "typical": tr("median", "中位数"),
    }
    for index, (name, label) in enumerate(labels.items()):
        band(left, SCALES, [row(run, name) for run in runs], label, index)
    left.set(xscale="log", yscale="log", ylim=(1e-4, 1.5), xlabel=tr("scale of the input", "输入的量级"))
    left.set_ylabel(tr("norm of the Jacobian", "雅可比矩阵的范数"))
    left.legend(loc="lower left")
    band(middle, D_K, [row(run, "whole_without_to_with") for run in runs], tr("measured", "实测"), 4)
    middle.axhline(1, color=COLOURS[6], ls=":")
    middle.set(xscale="log", ylim=(0, None), xlabel="$d_k$")
    middle.set_ylabel(tr("gradient of $W_Q$, without / with scale", "$W_Q$ 的梯度，不缩放 / 缩放"))
    band(right, D_K, [row(run, "dead_without") for run in runs], tr(r"without $1/\sqrt{d_k}$", r"不缩放"), 4)
    band(right, D_K, [row(run, "dead_with") for run in runs], tr(r"with $1/\sqrt{d_k}$", r"除以 $\sqrt{d_k}$"), 0)
    right.set(xscale="log", ylim=(-0.03, 1), xlabel="$d_k$")
    right.set_ylabel(tr("queries that learn nothing", "学不到东西的 query 比例"))
    right.legend(loc="upper left")
    for axes in (middle, right):
        tick_at(axes, D_K)
    return picture


EXPERIMENT = Experiment("L3", for_each_seed(measure_seed), judge, draw)
