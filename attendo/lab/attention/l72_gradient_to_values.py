"""L72: where the gradient goes that comes back to the values: in proportion to the weights, and how evenly that is."""

from collections.abc import Sequence

import torch
from matplotlib.figure import Figure
from torch import Tensor

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import band, figure, points
from attendo.lab.tools.default_model import build_untrained, deal, default_model, encoder_maps, entropy
from attendo.lab.tools.hand_aligned import hand_aligned
from attendo.lab.tools.measuring import log_interval
from attendo.model.attention import dot_product_attention

SEEDS = by_size(2, 8, 8)
KNOBS = (
    Knob("positions", by_size(6, 12, 12), 2, 2_000),
    Knob("sentences", by_size(4, 80, 80), 2, 80),
)
ROUNDING = 1e-12
EVEN = 10.0  # "rather evenly": the position that gets the most gets less than so many times what the middle one gets
RANKS = 6


def gradient_error(positions: int, seed: int) -> float:
    """One query looks at so many positions; autograd's gradient to v_j against a_j · g, the largest difference."""
    generator = torch.Generator().manual_seed(seed)
    q, k, v, g = (
        torch.randn(1, 1, rows, 16, dtype=torch.float64, generator=generator) for rows in (1, positions, positions, 1)
    )
    v.requires_grad_()
    output, weights = dot_product_attention(q, k, v)
    (to_values,) = torch.autograd.grad(output, v, g)
    return float((to_values - weights.transpose(-2, -1) * g).abs().max())


def shares(weights: Tensor) -> dict[str, Tensor]:
    """Of rows of weights [..., keys]: how many times as much as the middle position the first one gets (geometric
    mean); how many positions share the gradient, 2^entropy, as a part of all; what the first, second, ... get."""
    ranked = weights.sort(dim=-1, descending=True).values.flatten(0, -2)
    times = (ranked[:, 0] / ranked[:, ranked.shape[1] // 2]).log().mean().exp()
    spread = (2 ** entropy(weights) / weights.shape[-1]).mean()
    return {"times": times, "spread": spread, "ranked": ranked.mean(0)[:RANKS]}


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    model, tokenizer = default_model()
    texts = [sentence for pair in hand_aligned()["zh"] for sentence in (pair.source, pair.target)]
    dealt = deal(texts[: max(at.whole("sentences"), len(seeds))], seeds)
    runs = rows_to_fill(seeds, rank=list(range(1, RANKS + 1)))
    for run, seed, sentences in zip(runs, seeds, dealt, strict=True):
        run["error"] = gradient_error(at.whole("positions"), seed)
        for name, looked_into in (("trained", model), ("untrained", build_untrained(model, seed))):
            found = [shares(encoder_maps(looked_into, tokenizer, one.text, one.language)) for one in sentences]
            ranked = torch.stack([one["ranked"] for one in found]).mean(0)  # no sentence has fewer than RANKS pieces
            run |= {f"{name}_ranked": ranked.tolist(), f"{name}_most": float(ranked[0])}
            run[f"{name}_times"] = float(torch.stack([one["times"] for one in found]).log().mean().exp())
            run[f"{name}_spread"] = float(torch.stack([one["spread"] for one in found]).mean())
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """Even: the position that gets the most gets less than EVEN times as much as the middle one (95 % interval).

    Before and after training: holds. Before it alone: only if. Neither: does not hold. Undecided where an interval
    straddles EVEN, or where the gradient is not a_j · g in the first place.
    """
    untrained, trained = (log_interval(over_seeds(runs, f"{name}_times")) for name in ("untrained", "trained"))
    straddles = any(low <= EVEN <= high for _, low, high in (untrained, trained))
    if max(over_seeds(runs, "error")) > ROUNDING or straddles:
        return "undecided"
    if trained[2] < EVEN:
        return "holds"
    return "holds only if" if untrained[2] < EVEN else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (ranked, times) = figure(columns=2, width=5.4)
    names = {"untrained": tr("untrained", "未训练"), "trained": tr("trained", "训练后")}
    for index, (name, label) in enumerate(names.items()):
        band(ranked, row(runs[0], "rank"), [row(run, f"{name}_ranked") for run in runs], label, index)
    ranked.set(xlabel=tr("positions, by what they get", "名次（按所得梯度从多到少）"), ylim=(0, None))
    ranked.set(ylabel=tr("share of the gradient", "分到的梯度份额"))
    ranked.legend()
    points(times, list(names.values()), [over_seeds(runs, f"{name}_times") for name in names])
    times.axhline(EVEN, color="grey", ls=":")
    times.set(yscale="log", ylim=(1, None), ylabel=tr("the most / the middle one", "第一名与中间一名之比"))
    return picture


EXPERIMENT = Experiment("L72", measure, judge, draw, KNOBS, SEEDS)
