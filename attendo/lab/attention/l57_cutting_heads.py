"""L57: how the heads are cut: from the embedding itself, or from what the matrices make of it."""

from collections.abc import Sequence

import torch
from matplotlib.figure import Figure
from torch import Tensor

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, for_each_seed, number, over_seeds, row
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, figure
from attendo.model.attention import dot_product_attention
from attendo.model.config import TransformerConfig
from attendo.model.multi_head import MultiHeadAttention

SEEDS = by_size(2, 8, 16)
KNOBS = (Knob("width", by_size(32, 512, 512), 2, 2048), Knob("heads", by_size(4, 8, 8), 2, 64))
TOKENS = 5
ROUNDING = 1e-12
REAL = 0.01  # above this, two results differ by more than rounding


def head(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """[tokens, head_dim] each."""
    output, _ = dot_product_attention(q[None, None], k[None, None], v[None, None])
    return output[0, 0]


def strips(x: Tensor, heads: int) -> Sequence[Tensor]:
    """The columns of x in equal parts."""
    return x.chunk(heads, dim=-1)


def project_then_cut(x: Tensor, matrices: Sequence[Tensor], heads: int) -> list[Tensor]:
    """X W with one matrix of d columns, then cut: what the layer does."""
    q, k, v = (strips(x @ matrix, heads) for matrix in matrices)
    return [head(*one) for one in zip(q, k, v, strict=True)]


def small_matrices(x: Tensor, matrices: Sequence[Tensor], heads: int) -> list[Tensor]:
    """D130: each head has its own W_i of d × d/h, by which all of X is multiplied; nothing is cut."""
    q, k, v = ([x @ own for own in strips(matrix, heads)] for matrix in matrices)
    return [head(*one) for one in zip(q, k, v, strict=True)]


def cut_then_project(x: Tensor, matrices: Sequence[Tensor], heads: int) -> list[Tensor]:
    """A266, taken at its word: the embedding is cut, and each part goes its own way, with its block of the matrix."""
    parts, width = strips(x, heads), x.shape[-1] // heads
    found = []
    for index, part in enumerate(parts):
        own = slice(index * width, (index + 1) * width)
        found.append(head(*(part @ matrix[own, own] for matrix in matrices)))
    return found


def apart(one: Sequence[Tensor], other: Sequence[Tensor]) -> float:
    """How far all heads are from the others', relative."""
    first, second = torch.cat(list(one), dim=-1), torch.cat(list(other), dim=-1)
    return float((first - second).norm() / second.norm())


def columns_seen(way: str, x: Tensor, matrices: Sequence[Tensor], heads: int) -> Tensor:
    """[heads, width]: how strongly each head's output depends on each column of X."""
    x = x.clone().requires_grad_()
    seen = []
    for output in WAYS[way](x, matrices, heads):
        (gradient,) = torch.autograd.grad(output.square().sum(), x, retain_graph=True)
        seen.append(gradient.square().sum(0).sqrt())
    return torch.stack(seen)


WAYS = {"projected": project_then_cut, "raw": cut_then_project}


def measure_seed(seed: int, at: Settings) -> Numbers:
    torch.manual_seed(seed)
    width, heads = at.whole("width"), at.whole("heads")
    config = TransformerConfig(vocab_size=4, d_model=width, num_heads=heads, bias=False)  # which checks that they fit
    layer = MultiHeadAttention.from_config(config).double()
    matrices = [part.weight.detach().T for part in (layer.query, layer.key, layer.value)]
    x = torch.randn(TOKENS, width, dtype=torch.float64)
    with torch.no_grad():
        projected = project_then_cut(x, matrices, heads)
        layers_own = layer(x[None], x[None])[0]
        merged = layer.output(torch.cat(projected, dim=-1))
    seen = {way: columns_seen(way, x, matrices, heads) for way in WAYS}
    blocks = {way: [float(part.norm()) for part in strips(table[0], heads)] for way, table in seen.items()}
    return {
        "head_width": float(projected[0].shape[-1]),
        "layer_error": float((merged - layers_own).norm() / layers_own.norm()),
        "matrices_error": apart(projected, small_matrices(x, matrices, heads)),
        "raw_error": apart(projected, cut_then_project(x, matrices, heads)),
        **{f"{way}_columns": float((table[0] > 0).sum()) for way, table in seen.items()},
        **{f"{way}_blocks": values for way, values in blocks.items()},
        "weights": 3.0 * width * width,
        "raw_weights": 3.0 * width * width / heads,
    }


def judge(runs: Runs) -> Verdict:
    """What the layer computes is, to rounding, h heads with a matrix of their own, each reading all columns; and it
    differs from cutting the embedding by more than REAL: holds. If it is the raw cut, to rounding, the other note is
    right: does not hold."""
    right = max(over_seeds(runs, "matrices_error") + over_seeds(runs, "layer_error")) <= ROUNDING
    if max(over_seeds(runs, "raw_error")) <= ROUNDING:
        return "does not hold"
    reads_all = min(over_seeds(runs, "projected_columns")) == number(runs[0], "width")
    return "holds" if right and reads_all and min(over_seeds(runs, "raw_error")) > REAL else "undecided"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, axes = figure(columns=2, height=4.2)
    titles = {
        "projected": tr("multiply, then cut (the layer)", "先乘矩阵再切分（实际做法）"),
        "raw": tr("cut the embedding itself", "直接切分词向量"),
    }
    for at, (way, title), colour in zip(axes, titles.items(), (COLOURS[0], COLOURS[4]), strict=True):
        blocks = torch.tensor([row(run, f"{way}_blocks") for run in runs]).mean(0)
        share = (blocks / blocks.sum()).tolist()
        at.bar(range(1, len(share) + 1), share, color=colour)
        at.set(title=title, xlabel=tr("part of the embedding", "词向量的第几份"), ylim=(0, 1.05))
        at.set_xticks(range(1, len(share) + 1))
        at.grid(visible=False, axis="x")
    axes[0].set_ylabel(tr("what head 1 depends on", "第 1 个头对各份的依赖"))
    return picture


EXPERIMENT = Experiment("L57", for_each_seed(measure_seed), judge, draw, KNOBS, SEEDS)
