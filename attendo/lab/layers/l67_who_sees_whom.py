"""L67: which sublayers mix tokens, seen from the pattern of their Jacobians."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from matplotlib.figure import Figure
from torch import Tensor
from torch.func import jacrev
from torch.nn.attention import SDPBackend, sdpa_kernel

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, number, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import figure
from attendo.lab.tools.toy_training import toy_config
from attendo.model import masks
from attendo.model.transformer import Transformer

SEEDS = by_size(2, 8, 8)
KNOBS = (Knob("tokens", by_size(4, 6, 6), 2, 24),)
D_MODEL = 16
NOTHING, SOMETHING = 1e-12, 1e-6  # of a block of a Jacobian
# What the notes say of each: tokens do not meet in it (alone), or they do (mixed). The last is what the notes have not
# got: cross-attention seen from the source.
ALONE = ("embedding", "feed_forward", "add_and_norm")
MIXED = ("self_attention", "masked", "cross")


def blocks(sublayer: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """How much the output at position i depends on the input at position j: the norms of the blocks ∂y_i/∂x_j."""
    with sdpa_kernel(SDPBackend.MATH):  # of the fused kernel there is no batched derivative
        return jacrev(sublayer)(x).norm(dim=(1, 3))  # [outputs, d_model, inputs, d_model] -> [outputs, inputs]


def embedding_blocks(model: Transformer, tokens: Tensor) -> Tensor:
    """Ids have no derivative: how much the vector at position i changes when the id at position j is another."""
    before = model.embed(tokens[None], model.source_positions)[0][0]
    columns = []
    for position in range(len(tokens)):
        other = tokens.clone()
        other[position] = tokens[position] - 1
        columns.append((model.embed(other[None], model.source_positions)[0][0] - before).norm(dim=-1))
    return torch.stack(columns, dim=1)


def patterns(count: int, seed: int) -> dict[str, Tensor]:
    """sublayer -> [outputs, inputs]."""
    torch.manual_seed(seed)
    model = Transformer(toy_config(20, D_MODEL, 4 * D_MODEL, 2)).double()
    tokens = torch.randint(5, 24, (count,))
    x, memory = torch.randn(2, count, D_MODEL, dtype=torch.float64)
    encoder: Any = model.encoder.layers[0]
    decoder: Any = model.decoder.layers[0]
    causal = masks.causal(count, count)
    return {
        "embedding": embedding_blocks(model, tokens),
        "feed_forward": blocks(encoder.feed_forward, x),
        # What the sublayer inside says is taken as given: Add & Norm itself is asked for.
        "add_and_norm": blocks(lambda x: encoder.around_feed_forward(x, lambda _: memory), x),
        "self_attention": blocks(lambda x: encoder.self_attention(x[None], x[None])[0], x),
        "masked": blocks(lambda x: decoder.self_attention(x[None], x[None], causal)[0], x),
        "cross": blocks(lambda x: decoder.cross_attention(x[None], memory[None])[0], x),
        "cross_source": blocks(lambda memory: decoder.cross_attention(x[None], memory[None])[0], memory),
    }


@torch.no_grad()
def row_by_row(count: int, seed: int) -> float:
    """Self-attention computed for each position by itself against all at once: the largest difference."""
    torch.manual_seed(seed)
    model = Transformer(toy_config(20, D_MODEL, 4 * D_MODEL, 2)).double()
    layer: Any = model.encoder.layers[0]
    attention = layer.self_attention
    x = torch.randn(1, count, D_MODEL, dtype=torch.float64)
    apart = torch.cat([attention(x[:, [i]], x) for i in range(count)], dim=1)
    return float((apart - attention(x, x)).abs().max())


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    runs = rows_to_fill(seeds)
    for run, seed in zip(runs, seeds, strict=True):
        count = at.whole("tokens")
        for name, pattern in patterns(count, seed).items():
            off = pattern.masked_select(~torch.eye(count, dtype=torch.bool))
            run |= {
                f"{name}_pattern": pattern.detach().flatten().tolist(),
                f"{name}_off_most": float(off.detach().max()),
            }
            run[f"{name}_share"] = float((pattern > SOMETHING).double().mean())
        run["row_by_row"] = row_by_row(count, seed)
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """Tokens do not meet in the sublayers ALONE (off the diagonal there is NOTHING) and meet in those MIXED (there is
    SOMETHING), in every seed: holds. Right of ALONE and of self-attention, but not of cross-attention: only if.
    Anything else: does not hold."""
    alone = all(max(over_seeds(runs, f"{name}_off_most")) <= NOTHING for name in ALONE)
    mixed = {name: min(over_seeds(runs, f"{name}_off_most")) > SOMETHING for name in MIXED}
    if not alone or not mixed["self_attention"] or not mixed["masked"]:
        return "does not hold"
    return "holds" if mixed["cross"] else "holds only if"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, axes = figure(columns=4, rows=2, width=3.0, height=3.1)
    titles = {
        "embedding": tr("embedding", "嵌入"), "feed_forward": tr("feed-forward", "前馈"), "add_and_norm": "Add & Norm",
        "self_attention": tr("self-attention", "自注意力"), "masked": tr("masked", "带掩码的自注意力"),
        "cross": tr("cross: target", "交叉注意力：对目标"), "cross_source": tr("cross: source", "交叉注意力：对源"),
    }  # fmt: skip
    count = int(number(runs[0], "tokens"))
    for panel, (name, title) in zip(axes, titles.items(), strict=False):
        pattern = torch.tensor(row(runs[0], f"{name}_pattern")).view(count, count)
        panel.imshow((pattern > SOMETHING).tolist(), cmap="Blues", vmin=0, vmax=1.4)
        panel.set_xticks([at - 0.5 for at in range(1, count)], [])
        panel.set_yticks([at - 0.5 for at in range(1, count)], [])
        panel.grid(visible=True, color="white", lw=1.5, alpha=1.0)
        panel.tick_params(length=0)
        panel.set_title(title, fontsize=13)
    axes[0].set(ylabel=tr("output at position", "输出位置"))
    axes[4].set(ylabel=tr("output at position", "输出位置"))
    for panel in axes[4:7]:
        panel.set(xlabel=tr("input at position", "输入位置"))
    axes[7].axis("off")
    return picture


EXPERIMENT = Experiment("L67", measure, judge, draw, KNOBS, SEEDS)
