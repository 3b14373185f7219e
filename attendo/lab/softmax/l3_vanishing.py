"""L3: what becomes of the gradient when the input of softmax is large."""

import math

import torch
from matplotlib.figure import Figure
from torch import Tensor

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, for_each_seed, number, over_seeds, row
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, band, figure, tick_at
from attendo.lab.tools.measuring import log_interval
from attendo.model.attention import dot_product_attention

SEEDS = by_size(2, 8, 8)
KNOBS = (
    Knob("d_k", by_size((4, 64, 1024), (4, 16, 64, 256, 1024), (4, 16, 64, 256, 1024)), 1, 4096),
    Knob("keys", by_size(32, 32, 32), 2, 128),
)
SCALES = [10 ** (exponent / 4) for exponent in range(-4, 9)]  # of the input: 0.1 to 100
INPUTS = by_size(100, 1000, 20_000)
D_MODEL = 256
SENTENCES = by_size(2, 32, 256)
SMALL = 0.01  # a hundredth of what it was is as good as gone
VANISHED = 0.1  # the same for the gradient of all of W_Q, more generously: the notes say "hardly any update"


def jacobian_norms(x: Tensor) -> Tensor:
    """‖diag(y) - yᵀy‖, Frobenius, for each row of x."""
    y = torch.softmax(x, dim=-1)
    return (torch.diag_embed(y) - y[:, :, None] * y[:, None, :]).flatten(1).norm(dim=1)


def gradients(d_k: int, scaled: bool, seed: int, at: Settings) -> tuple[float, Tensor]:
    """At the start of training: the length of the gradient reaching W_Q, and reaching each query.

    Tokens, and so q and k, have variance 1 in each component; what comes back from the layers above is noise.
    """
    generator = torch.Generator().manual_seed(1000 * seed + d_k)
    x, above = torch.randn(2, SENTENCES[at.size], 1, at.whole("keys"), D_MODEL, generator=generator).unbind()
    w_q, w_k = (torch.randn(2, D_MODEL, d_k, generator=generator) / math.sqrt(D_MODEL)).unbind()
    q = x @ w_q.requires_grad_()
    # Our attention divides by √d_k; queries that are longer by this factor undo it.
    output, _ = dot_product_attention(q if scaled else q * math.sqrt(d_k), x @ w_k, x)
    of_w_q, of_q = torch.autograd.grad((output * above).sum(), (w_q, q))
    return of_w_q.norm().item(), of_q.norm(dim=-1).flatten()


def measure_seed(seed: int, at: Settings) -> Numbers:
    x = torch.randn(
        INPUTS[at.size], at.whole("keys"), generator=torch.Generator().manual_seed(seed), dtype=torch.float64
    )
    tie = x.clone()
    tie.scatter_(1, x.argsort(descending=True)[:, 1:2], x.amax(1, keepdim=True))  # the second becomes as large
    norms = torch.stack([jacobian_norms(scale * x) for scale in SCALES])  # [scales, inputs]
    typical = norms.median(dim=1).values
    at_1 = SCALES.index(1.0)
    numbers: dict[str, float | list[float]] = {
        "typical": typical.tolist(), "mean": norms.mean(1).tolist(),
        "tie": [jacobian_norms(scale * tie).mean().item() for scale in SCALES],
        "typical_at_100_to_1": (typical[-1] / typical[at_1]).item(),
        "mean_at_100_to_1": (norms[-1].mean() / norms[at_1].mean()).item(),
        "tie_at_100": jacobian_norms(SCALES[-1] * tie).mean().item(),
    }  # fmt: skip
    for d_k in at.wholes("d_k"):
        (with_scale, each_with), (without, each_without) = (gradients(d_k, on, seed, at) for on in (True, False))
        usual = each_with.median()
        numbers[f"whole_{d_k}"] = without / with_scale
        numbers[f"dead_{d_k}"] = (each_without < SMALL * usual).float().mean().item()
        numbers[f"dead_with_{d_k}"] = (each_with < SMALL * usual).float().mean().item()
    return numbers


def widths(runs: Runs) -> list[int]:
    """The d_k that were tried, from narrow to wide."""
    return sorted({int(d_k) for d_k in row(runs[0], "d_k")})


def judge(runs: Runs) -> Verdict:
    """First, softmax: of a typical input (the median) the Jacobian at scale 100 must be below a hundredth of that at
    scale 1, or the claim does not hold. Then what it is said to do to learning: if without 1/√d_k less than a tenth of
    the gradient reaches W_Q at the widest d_k, the claim holds; if more, it holds only for a typical input."""
    if max(over_seeds(runs, "typical_at_100_to_1")) >= SMALL:
        return "does not hold"
    _, low, high = log_interval(over_seeds(runs, f"whole_{widths(runs)[-1]}"))
    if high < VANISHED:
        return "holds"
    return "holds only if" if low > VANISHED else "undecided"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, middle, right) = figure(columns=3, width=4.9, height=4.6)
    labels = {
        "tie": tr("two are largest", "有两个并列最大"),
        "typical": tr("one is largest (median)", "一个最大（中位数）"),
    }
    for index, (name, label) in enumerate(labels.items()):
        band(left, SCALES, [row(run, name) for run in runs], label, index)
    left.set(xscale="log", yscale="log", ylim=(1e-4, 1.5), xlabel=tr("scale of the input", "输入的量级"))
    left.set_title(tr("norm of the Jacobian", "雅可比矩阵的范数"))
    left.legend(loc="lower left")
    d_k = widths(runs)
    without, scaled = tr(r"without $1/\sqrt{d_k}$", "不缩放"), tr(r"with $1/\sqrt{d_k}$", r"除以 $\sqrt{d_k}$")
    band(middle, d_k, [[number(run, f"whole_{d}") for d in d_k] for run in runs], "", 4)
    middle.axhline(1, color=COLOURS[6], ls=":")
    middle.set(ylim=(0, None), title=tr("gradient of $W_Q$, without / with scale", "$W_Q$ 的梯度：不缩放 ÷ 缩放"))
    band(right, d_k, [[number(run, f"dead_{d}") for d in d_k] for run in runs], without, 4)
    band(right, d_k, [[number(run, f"dead_with_{d}") for d in d_k] for run in runs], scaled, 0)
    right.set(ylim=(-0.03, 1), title=tr("share of queries that learn nothing", "学不到东西的 query 所占比例"))
    right.legend(loc="upper left")
    for axes in (middle, right):
        axes.set(xscale="log", xlabel="$d_k$")
        tick_at(axes, d_k)
    return picture


EXPERIMENT = Experiment("L3", for_each_seed(measure_seed), judge, draw, KNOBS, SEEDS)
