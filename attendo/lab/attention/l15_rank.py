"""L15: the rank of the attention weights, before and after softmax."""

import torch
from matplotlib.figure import Figure
from torch import Tensor

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, for_each_seed, number, row
from attendo.lab.knobs import Settings, by_size
from attendo.lab.tools.chart import COLOURS, band, figure
from attendo.model.attention import dot_product_attention

D_K = [1, 2, 4, 8, 16, 32, 64, 128]
POSITIONS = by_size(64, 128, 512)  # n: there are n × n weights
SHOWN = 16  # the d_k whose singular values are drawn
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
    n = POSITIONS[at.size]
    of_scores, of_weights, not_low = [], [], []
    for d_k in D_K:
        q, k = torch.randn(2, 1, 1, n, d_k, generator=generator, dtype=torch.float64).unbind()
        scores = (q @ k.mT)[0, 0]
        weights = dot_product_attention(q, k, k)[1][0, 0]  # softmax(QKᵀ/√d_k), [n, n]
        of_scores.append(float(numerical_rank(scores)))
        of_weights.append(float(numerical_rank(weights)))
        not_low.append(share_missed(weights, d_k))
        if d_k == SHOWN:
            shown = {"scores": torch.linalg.svdvals(scores), "weights": torch.linalg.svdvals(weights)}
    return {
        "positions": float(n),
        "of_scores": of_scores, "of_weights": of_weights, "missed": not_low,
        "of_scores_at_16": of_scores[D_K.index(16)], "of_weights_at_16": of_weights[D_K.index(16)],
        "of_weights_at_1": of_weights[0], "missed_at_16": not_low[D_K.index(16)],
        **{f"singular_values_of_{name}": (values / values[0]).tolist() for name, values in shown.items()},
    }  # fmt: skip


def judge(runs: Runs) -> Verdict:
    """Where d_k < n: the claim holds if no matrix of weights has a rank above d_k; it does not hold if every one has,
    at every d_k and in every seed; if only some have, it is undecided."""
    above = [
        found > d_k
        for run in runs
        for d_k, found in zip(D_K, row(run, "of_weights"), strict=True)
        if d_k < number(run, "positions")
    ]
    if not any(above):
        return "holds"
    return "does not hold" if all(above) else "undecided"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, right) = figure(columns=2)
    after, before = tr("after softmax", "softmax 之后"), tr("before: $QK^T$", "softmax 之前：$QK^T$")
    band(left, D_K, [row(run, "of_weights") for run in runs], after, 4)
    band(left, D_K, [row(run, "of_scores") for run in runs], before, 0)
    left.set(xscale="log", yscale="log", xlabel="$d_k$", ylabel=tr("rank", "秩"))
    left.set_xticks(D_K, [str(d_k) for d_k in D_K])
    left.set_yticks(D_K, [str(d_k) for d_k in D_K])
    left.minorticks_off()
    left.legend()
    for index, run in enumerate(runs):
        for name, label, colour in (("weights", after, COLOURS[4]), ("scores", before, COLOURS[0])):
            values = [max(value, 1e-18) for value in row(run, f"singular_values_of_{name}")]
            right.plot(range(1, len(values) + 1), values, color=colour, alpha=0.6, label=label if index == 0 else None)
    right.axhline(TOLERANCE, color=COLOURS[6], ls=":", label=tr("tolerance", "容差"))
    right.set(yscale="log", xlabel=tr("number, $d_k = 16$", "序号（$d_k = 16$）"))
    right.set_ylabel(tr("singular value / largest", "奇异值 / 最大奇异值"))
    right.legend(loc=(0.5, 0.55))
    return picture


EXPERIMENT = Experiment("L15", for_each_seed(measure_seed), judge, draw)
