"""L15: the rank of the attention weights, before and after softmax."""

import torch
from matplotlib.figure import Figure
from torch import Tensor

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, for_each_seed, number, row
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, band, figure, tick_at
from attendo.model.attention import dot_product_attention

D_K = (1, 2, 4, 8, 16, 32, 64, 128)
SEEDS = by_size(2, 8, 8)
KNOBS = (Knob("d_k", by_size(D_K, D_K, D_K), 1, 1024), Knob("positions", by_size(64, 128, 512), 2, 512))
SHOWN = 16  # the d_k whose singular values are drawn, or the one next to it among those tried
# A singular value counts when it is more than this share of the largest. Rounding in double precision makes singular
# values of about 1e-15 out of nothing, so whatever counts here is really there: the true rank is this or more.
TOLERANCE = 1e-10


def numerical_rank(matrix: Tensor) -> int:
    values = torch.linalg.svdvals(matrix)
    return int((values > TOLERANCE * values[0]).sum())


def share_missed(matrix: Tensor, rank: int) -> float:
    """The share of a matrix (its Frobenius norm) that the best matrix of that rank does not have (Eckart and Young)."""
    values = torch.linalg.svdvals(matrix)
    return (values[rank:].norm() / values.norm()).item()


def measure_seed(seed: int, at: Settings) -> Numbers:
    generator = torch.Generator().manual_seed(seed)
    n, widths = at.whole("positions"), at.wholes("d_k")
    drawn = min(widths, key=lambda d_k: abs(d_k - SHOWN))
    numbers: dict[str, float | list[float]] = {"drawn": float(drawn)}
    of_scores, of_weights = list[float](), list[float]()
    for d_k in widths:
        q, k = torch.randn(2, 1, 1, n, d_k, generator=generator, dtype=torch.float64).unbind()
        scores = (q @ k.mT)[0, 0]
        weights = dot_product_attention(q, k, k)[1][0, 0]  # softmax(QKᵀ/√d_k), [n, n]
        of_scores.append(float(numerical_rank(scores)))
        of_weights.append(float(numerical_rank(weights)))
        numbers |= {f"of_scores_at_{d_k}": of_scores[-1], f"of_weights_at_{d_k}": of_weights[-1]}
        numbers[f"missed_at_{d_k}"] = share_missed(weights, d_k)
        if d_k == drawn:
            for name, matrix in (("scores", scores), ("weights", weights)):
                values = torch.linalg.svdvals(matrix)
                numbers[f"singular_values_of_{name}"] = (values / values[0]).tolist()
    return {**numbers, "of_scores": of_scores, "of_weights": of_weights}


def judge(runs: Runs) -> Verdict:
    """Where d_k < n: the claim holds if no matrix of weights has a rank above d_k; it does not hold if every one has,
    at every d_k and in every seed; if only some have, it is undecided."""
    above = [
        found > d_k
        for run in runs
        for d_k, found in zip(row(run, "d_k"), row(run, "of_weights"), strict=True)
        if d_k < number(run, "positions")
    ]
    if not any(above):
        return "holds"
    return "does not hold" if all(above) else "undecided"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, right) = figure(columns=2, width=6.4)
    after, before = tr("after softmax", "softmax 之后"), tr("before: $QK^T$", "softmax 之前：$QK^T$")
    widths = sorted(set(row(runs[0], "d_k")))
    for name, label, index in (("weights", after, 4), ("scores", before, 0)):
        curves = [[number(run, f"of_{name}_at_{d_k:.0f}") for d_k in widths] for run in runs]
        band(left, widths, curves, label, index)
        values = [max(value, 1e-18) for value in row(runs[0], f"singular_values_of_{name}")]
        right.plot(range(1, len(values) + 1), values, color=COLOURS[index], lw=2.5, label=label)
    left.set(xscale="log", yscale="log", xlabel="$d_k$", title=tr("rank", "秩"))
    tick_at(left, widths)
    left.set_yticks(widths, [f"{d_k:g}" for d_k in widths])
    left.minorticks_off()
    left.legend(loc="lower right")
    right.axhline(TOLERANCE, color=COLOURS[6], ls=":", label=tr("what is above counts", "在此线以上才计入秩"))
    drawn = f"$d_k = {number(runs[0], 'drawn'):.0f}$"
    right.set(yscale="log", xlabel=tr("number of the singular value", "奇异值的序号"))
    right.set_title(tr(f"singular values / the largest, {drawn}", f"奇异值 ÷ 最大奇异值，{drawn}"))
    right.legend(loc=(0.42, 0.5))
    return picture


EXPERIMENT = Experiment("L15", for_each_seed(measure_seed), judge, draw, KNOBS, SEEDS)
