"""L4: mean and variance of q·k, before and after dividing by √d_k, at random and in a trained model."""

import math
from collections.abc import Mapping, Sequence
from statistics import geometric_mean

import torch
from matplotlib.figure import Figure
from torch import Tensor

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, number, over_seeds, row
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, band, figure, tick_at
from attendo.lab.tools.default_model import build_untrained, deal, default_model
from attendo.lab.tools.hand_aligned import AlignedPair, hand_aligned
from attendo.model.multi_head import MultiHeadAttention
from attendo.model.transformer import Transformer
from attendo.special_tokens import SPECIAL
from attendo.text.tokenizer import Tokenizer

SEEDS = by_size(2, 8, 8)
KNOBS = (
    Knob("d_k", by_size((4, 64), (4, 16, 64, 256, 1024), (4, 16, 64, 256, 1024)), 1, 4096),
    Knob("pairs", by_size(2000, 20_000, 100_000), 100, 200_000),  # of q and k, for each d_k
)
SENTENCES = by_size(4, 80, 80)  # read by the trained model, all seeds together
BY_CHANCE = 5.0  # standard errors: beyond this once in a million
KINDS = ("encoder", "decoder", "cross")


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


def attention_parts(model: Transformer) -> dict[str, list[MultiHeadAttention]]:
    """Self-attention of the encoder and of the decoder, and cross-attention, layer by layer."""
    found: dict[str, list[MultiHeadAttention]] = {kind: [] for kind in KINDS}
    for name, part in model.named_modules():
        if isinstance(part, MultiHeadAttention):
            found["cross" if "cross" in name else name.split(".")[0]].append(part)
    return found


@torch.no_grad()
def scores_in(model: Transformer, sentences: Sequence[tuple[Tensor, Tensor]]) -> dict[str, tuple[float, float]]:
    """For each head (encoder_1, …): the variance of q·k/√d_k over all pairs of positions of all sentences; and what it
    would be, were the components as long as they are but independent with mean 0: the mean over i of E[q_i²] E[k_i²].
    """
    seen: dict[MultiHeadAttention, list[tuple[Tensor, Tensor]]] = {}

    def look(part: MultiHeadAttention, given: tuple[Tensor, ...], output: Tensor) -> None:
        q, k = part.split_heads(part.query(given[0])), part.split_heads(part.key(given[1]))
        seen.setdefault(part, []).append((q[0], k[0]))  # [heads, positions, d_k]

    parts = attention_parts(model)
    hooks = [part.register_forward_hook(look) for kind in parts.values() for part in kind]
    for source, target_in in sentences:
        model(source, target_in)
    for hook in hooks:
        hook.remove()
    found: dict[str, tuple[float, float]] = {}
    for kind, of_kind in parts.items():
        heads = [pair for part in of_kind for pair in variances(seen[part])]
        found |= {f"{kind}_{index}": pair for index, pair in enumerate(heads, 1)}
    return found


def variances(seen: Sequence[tuple[Tensor, Tensor]]) -> list[tuple[float, float]]:
    """Of a layer's q and k in each sentence: for each head the variance found, and that of independent components."""
    d_k = seen[0][0].shape[-1]
    scores = torch.cat([(q @ k.mT / math.sqrt(d_k)).flatten(1) for q, k in seen], dim=1)  # [heads, pairs]
    squares = [torch.cat(side, dim=1).square().mean(1) for side in zip(*seen, strict=True)]
    return list(zip(scores.var(dim=1).tolist(), (squares[0] * squares[1]).mean(1).tolist(), strict=True))


def as_ids(pair: AlignedPair, tokenizer: Tokenizer) -> tuple[Tensor, Tensor]:
    source = tokenizer.source_ids(pair.source.text, pair.target.language)
    return torch.tensor([source]), torch.tensor([[SPECIAL.bos, *tokenizer.encode(pair.target.text)]])


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    model, tokenizer = default_model()
    every = [pair for pairs in hand_aligned().values() for pair in pairs][: SENTENCES[at.size]]
    rows: list[Numbers] = []
    for seed, own in zip(seeds, deal(every, seeds), strict=True):
        sentences = [as_ids(pair, tokenizer) for pair in own]
        samples = {d_k: at_random(d_k, seed, at.whole("pairs")) for d_k in at.wholes("d_k")}
        rows.append({
            **{f"{name}_{d_k}": one[name] for d_k, one in samples.items() for name in ("variance", "kurtosis")},
            **{off: max(one[off] for one in samples.values()) for off in ("mean_off", "variance_off")},
            **in_the_model(scores_in(model, sentences), scores_in(build_untrained(model, seed), sentences)),
        })  # fmt: skip
    return rows


def in_the_model(
    trained: Mapping[str, tuple[float, float]], untrained: Mapping[str, tuple[float, float]]
) -> dict[str, float | list[float]]:
    found = [variance for variance, _ in trained.values()]
    return {
        "heads": float(len(found)), "largest": max(found), "after": geometric_mean(found),
        "before": geometric_mean([variance for variance, _ in untrained.values()]),
        "if_independent": geometric_mean([expected for _, expected in trained.values()]),
        "times_off": geometric_mean([max(variance, 1 / variance) for variance in found]),
        **{
            f"{kind}_{when}": [pair[0] for name, pair in of.items() if name.startswith(kind)]
            for kind in KINDS for when, of in (("after", trained), ("before", untrained))
        },
    }  # fmt: skip


def judge(runs: Runs) -> Verdict:
    """Under the notes' own assumption mean 0 and variance d_k must come out, up to chance, for every d_k. (What q and k
    do in a trained model, where the assumption is not met, is told on the page and judged nowhere.)"""
    worst = max(over_seeds(runs, "mean_off") + over_seeds(runs, "variance_off"))
    return "holds" if worst <= BY_CHANCE else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, right) = figure(columns=2)
    d_k = sorted({int(d) for d in row(runs[0], "d_k")})
    raw = [[number(run, f"variance_{d}") for d in d_k] for run in runs]
    band(left, d_k, raw, r"$q \cdot k$", 4)
    band(left, d_k, [[v / d for v, d in zip(one, d_k, strict=True)] for one in raw], r"$q \cdot k / \sqrt{d_k}$", 0)
    left.set(xscale="log", yscale="log", xlabel="$d_k$", title=tr("random vectors: variance", "随机向量：方差"))
    tick_at(left, d_k)
    left.legend()
    for index, when in enumerate(("before", "after")):
        for at, kind in enumerate(KINDS):
            heads = [variance for run in runs for variance in row(run, f"{kind}_{when}")]
            x = [at + 0.3 * (index - 0.5) + 0.16 * (i / len(heads) - 0.5) for i in range(len(heads))]
            label = (tr("untrained", "训练前"), tr("trained", "训练后"))[index] if at == 0 else None
            right.plot(x, heads, "o", color=COLOURS[(6, 4)[index]], ms=4, alpha=0.45, mew=0, label=label)
    right.axhline(1, color=COLOURS[6], ls=":")
    words = (tr("encoder", "编码器"), tr("decoder", "解码器"), tr("cross-attention", "交叉注意力"))
    right.set_xticks(range(3), words)
    right.set(yscale="log", title=tr("a real model: variance of every head", "真实模型：每个头的方差"))
    right.legend()
    return picture


EXPERIMENT = Experiment("L4", measure, judge, draw, KNOBS, SEEDS)
