"""L4: mean and variance of q·k, before and after dividing by √d_k, at random and in a trained model."""

import math
from collections.abc import Sequence
from statistics import fmean, geometric_mean

import torch
from matplotlib.figure import Figure

from attendo.data.batch import Batch
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, row
from attendo.lab.knobs import Settings, by_size
from attendo.lab.tools.chart import COLOURS, MARKERS, band, figure
from attendo.lab.tools.measuring import interval, unseen_generator
from attendo.lab.tools.toy_tasks import reversal
from attendo.lab.tools.toy_training import Budget, accuracy, toy_config, train_together
from attendo.model.build import Model, build_model
from attendo.model.multi_head import MultiHeadAttention

SYMBOLS = 16
D_K = [4, 16, 64, 256, 1024]
PAIRS = by_size(2000, 20_000, 100_000)  # of q and k, for each d_k
BY_CHANCE = 5.0  # standard errors: beyond this once in a million
A_FACTOR_OF_2 = 1.0  # in powers of two: a variance between 1/2 and 2 may still pass for "about 1"
TOY = toy_config(SYMBOLS, 64, 128, num_heads=2)
# At a rate of 3e-3 every seed learns to reverse 8 symbols; at 1e-3 it takes longer, at 1e-2 some fail; variances grow.
STEPS = by_size(3, 300, 3000)


def draw_pairs(pairs: int, generator: torch.Generator) -> Batch:
    return reversal(pairs, range(8, 9), SYMBOLS, generator)


@torch.no_grad()
def scores_in(model: Model) -> tuple[list[float], list[float]]:
    """For each head: the variance of q·k/√d_k over all pairs of positions; and what it would be, were the components
    as long as they are but independent with mean 0: the mean over components i of E[q_i²] E[k_i²]."""
    found, expected = list[float](), list[float]()

    def look(part: MultiHeadAttention, given: tuple[torch.Tensor, ...], output: torch.Tensor) -> None:
        q, k = part.split_heads(part.query(given[0])), part.split_heads(part.key(given[1]))
        scores = q @ k.mT / math.sqrt(q.shape[-1])  # [batch, heads, queries, keys]
        found.extend(scores.transpose(0, 1).flatten(1).var(dim=1).tolist())
        expected.extend((q.square().mean((0, 2)) * k.square().mean((0, 2))).mean(1).tolist())

    hooks = [part.register_forward_hook(look) for part in model.modules() if isinstance(part, MultiHeadAttention)]
    batch = draw_pairs(200, torch.Generator().manual_seed(0))
    model(batch.source, batch.target_in)
    for hook in hooks:
        hook.remove()
    return found, expected


def at_random(d_k: int, seed: int, pairs: int) -> dict[str, float]:
    """q·k of independent standard normal components. How far off is told in standard errors (kurtosis: 3 + 6/d_k)."""
    q, k = torch.randn(2, pairs, d_k, generator=torch.Generator().manual_seed(10_000 * seed + d_k)).unbind()
    x = (q * k).sum(1).double()
    variance = x.var().item()
    return {
        "variance": variance,
        "mean_off": abs(x.mean().item()) / math.sqrt(d_k / pairs),
        "variance_off": abs(variance / d_k - 1) / math.sqrt((2 + 6 / d_k) / pairs),
        "kurtosis": ((x - x.mean()) ** 4).mean().item() / variance**2,
    }


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    models = []
    for seed in seeds:
        torch.manual_seed(seed)
        models.append(build_model(TOY).train())
    before = [scores_in(model)[0] for model in models]
    train_together(models, draw_pairs, seeds, Budget(STEPS[at.size], pairs=32, learning_rate=3e-3))
    rows: list[Numbers] = []
    for seed, model, at_first in zip(seeds, models, before, strict=True):
        found, expected = scores_in(model)
        samples = [at_random(d_k, seed, PAIRS[at.size]) for d_k in D_K]
        rows.append({
            "variance": [one["variance"] for one in samples], "variance_64": samples[2]["variance"],
            **{off: max(one[off] for one in samples) for off in ("mean_off", "variance_off")},
            "kurtosis_4": samples[0]["kurtosis"], "kurtosis_64": samples[2]["kurtosis"],
            "accuracy": accuracy(model, draw_pairs(200, unseen_generator(seed))),
            "heads_before": at_first, "heads_after": found, "heads_if_independent": expected, "largest": max(found),
            "before": geometric_mean(at_first), "after": geometric_mean(found), "expected": geometric_mean(expected),
            "factors_of_2": fmean(abs(math.log2(variance)) for variance in found),
        })  # fmt: skip
    return rows


def judge(runs: Runs) -> Verdict:
    """At random, mean 0 and variance d_k must come out, up to chance, or the claim does not hold. If the heads of a
    trained model are within a factor of 2 of variance 1, in the mean, it holds there, too; if not, only at random."""
    if max(over_seeds(runs, "mean_off") + over_seeds(runs, "variance_off")) > BY_CHANCE:
        return "does not hold"
    away = interval(over_seeds(runs, "factors_of_2"))
    if away.high < A_FACTOR_OF_2:
        return "holds"
    return "holds only if" if away.low > A_FACTOR_OF_2 else "undecided"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, right) = figure(columns=2)
    raw = [row(run, "variance") for run in runs]
    band(left, D_K, raw, r"$q \cdot k$", 4)
    band(left, D_K, [[v / d_k for v, d_k in zip(one, D_K, strict=True)] for one in raw], r"$q \cdot k / \sqrt{d_k}$", 0)
    left.set(xscale="log", yscale="log", xlabel="$d_k$", ylabel=tr("variance, at random", "方差（随机向量）"))
    left.legend()
    kinds = (tr("encoder", "编码器自注意力"), tr("decoder", "解码器自注意力"), tr("cross", "交叉注意力"))
    for kind, label in enumerate(kinds):  # each has two heads
        for index, name in enumerate(("before", "after", "if_independent")):
            heads = [variance for run in runs for variance in row(run, f"heads_{name}")[2 * kind : 2 * kind + 2]]
            at = [index + 0.2 * (kind - 1)] * len(heads)
            right.plot(at, heads, MARKERS[kind], color=COLOURS[kind], alpha=0.7, label=None if index else label)
    right.set_xticks(range(3), [tr("before", "训练前"), tr("after", "训练后"), tr("if independent", "假如独立")])
    right.set(yscale="log", ylabel=tr(r"variance of $q \cdot k/\sqrt{d_k}$", r"$q \cdot k/\sqrt{d_k}$ 的方差"))
    right.axhline(1, color=COLOURS[6], ls=":")
    right.legend(loc="upper left")
    return picture


EXPERIMENT = Experiment("L4", measure, judge, draw)
