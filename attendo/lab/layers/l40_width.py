"""L40: the width of everything that flows through the base model."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from attendo.lab.claim import ONE_SEED, Experiment, Numbers, Runs, Tr, Verdict, number, row
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, figure
from attendo.model.add_and_norm import PostNorm
from attendo.model.build import build_model
from attendo.model.config import TransformerConfig
from attendo.model.decoder import DecoderLayer
from attendo.model.encoder import EncoderLayer
from attendo.model.feed_forward import FeedForward
from attendo.model.multi_head import MultiHeadAttention
from attendo.model.presets import preset

KNOBS = (Knob("d_model", by_size(512, 512, 512), 8, 4096), Knob("d_ff", by_size(2048, 2048, 2048), 1, 16_384))
SUBLAYERS = (MultiHeadAttention, FeedForward)  # 2 in each encoder layer, 3 in each decoder layer
LAYERS = (PostNorm, EncoderLayer, DecoderLayer)  # Add & Norm, and what it makes together with its sublayers
SOURCE, TARGET = 7, 5  # tokens


def linears_of(part: nn.Module) -> list[nn.Linear]:
    return [module for module in part.modules() if isinstance(module, nn.Linear)]


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    d_model = at.whole("d_model")
    path: list[tuple[nn.Module, int]] = []  # each module, when it has finished, and the width of its output

    def note(module: nn.Module, given: Any, output: Tensor) -> None:
        path.append((module, output.shape[-1]))

    base = preset("base")
    assert isinstance(base, TransformerConfig)  # noqa: S101 - a preset's family is known
    with torch.device("meta"):
        model = build_model(replace(base, d_model=d_model, d_ff=at.whole("d_ff"))).eval()
    model.to_empty(device="cpu")  # shapes are all we want: whatever stands in the memory will do as weights
    for module in model.modules():
        module.register_forward_hook(note)
    with torch.no_grad():
        model(torch.ones(1, SOURCE, dtype=torch.long), torch.ones(1, TARGET, dtype=torch.long))
    heads = [part for part in model.modules() if isinstance(part, MultiHeadAttention)]
    in_a_head = {part.split_heads(torch.zeros(1, SOURCE, d_model)).shape[-1] for part in heads}

    between = [width for module, width in path if isinstance(module, SUBLAYERS + LAYERS)]
    widened_by = [linears_of(part)[0] for part in model.modules() if isinstance(part, FeedForward)]
    numbers: Numbers = {
        "sublayers": float(sum(isinstance(module, SUBLAYERS) for module, _ in path)),
        "least_between": float(min(between)), "most_between": float(max(between)),
        "inside_feed_forward": float(max(width for module, width in path if module in widened_by)),
        "inside_a_head": float(max(in_a_head)),
        "logits": float(path[-1][1]),
        "path": [float(width) for module, width in path if isinstance(module, (nn.Linear, *SUBLAYERS, *LAYERS))],
    }  # fmt: skip
    return [numbers for _ in seeds]


def judge(runs: Runs) -> Verdict:
    """What every sublayer, every Add & Norm and every layer hands on has exactly d_model columns (512, if nobody turns
    the knob); else the claim is wrong. Widths inside a sublayer are told and do not count: the notes themselves give
    others there (2048, 64)."""
    ends = {number(runs[0], "least_between"), number(runs[0], "most_between")}
    return "holds" if ends == {number(runs[0], "d_model")} else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (axes,) = figure(width=9.0)
    path, head = row(runs[0], "path"), number(runs[0], "inside_a_head")
    axes.step(range(1, len(path) + 1), path, where="mid", color=COLOURS[0], lw=1.2)
    axes.set(yscale="log", ylim=(0.6 * min(*path, head), 2 * max(path)), xlim=(-5, 1.5 * len(path)))
    axes.minorticks_off()
    axes.axhline(head, color=COLOURS[4], ls=":", lw=1.5)
    marks = [
        (number(runs[0], "logits"), tr("logits", "logits（词表）")),
        (number(runs[0], "inside_feed_forward"), tr("inside feed-forward", "前馈层内部")),
        (number(runs[0], "d_model"), tr("between sublayers", "各子层之间")),
        (head, tr("each head", "每个头")),
    ]
    axes.set_yticks([width for width, _ in marks], [f"{width:g}" for width, _ in marks])
    for width, label in marks:
        axes.annotate(label, (len(path) + 3, width), (0, 4), textcoords="offset points")
    axes.set(xlabel=tr("step through the model", "计算的先后顺序"), ylabel=tr("width", "宽度"))
    return picture


EXPERIMENT = Experiment("L40", measure, judge, draw, KNOBS, ONE_SEED)
