"""L40: the width of everything that flows through the base model."""

from collections.abc import Sequence
from typing import Any

import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from attendo.lab.claim import ONE_SEED, Experiment, Numbers, Runs, Tr, Verdict, number, row
from attendo.lab.knobs import Settings
from attendo.lab.tools.chart import COLOURS, figure
from attendo.model.add_and_norm import PostNorm
from attendo.model.build import build_model
from attendo.model.decoder import DecoderLayer
from attendo.model.encoder import EncoderLayer
from attendo.model.feed_forward import FeedForward
from attendo.model.multi_head import MultiHeadAttention
from attendo.model.presets import preset

CLAIMED = 512
SUBLAYERS = (MultiHeadAttention, FeedForward)  # 2 in each encoder layer, 3 in each decoder layer
LAYERS = (PostNorm, EncoderLayer, DecoderLayer)  # Add & Norm, and what it makes together with its sublayers
SOURCE, TARGET = 7, 5  # tokens


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    path: list[tuple[nn.Module, int]] = []  # each module, when it has finished, and the width of its output

    def note(module: nn.Module, given: Any, output: Tensor) -> None:
        path.append((module, output.shape[-1]))

    with torch.device("meta"):
        model = build_model(preset("base")).eval()
    model.to_empty(device="cpu")  # shapes are all we want: whatever stands in the memory will do as weights
    for module in model.modules():
        module.register_forward_hook(note)
    with torch.no_grad():
        model(torch.ones(1, SOURCE, dtype=torch.long), torch.ones(1, TARGET, dtype=torch.long))
    heads = [part for part in model.modules() if isinstance(part, MultiHeadAttention)]
    in_a_head = {part.split_heads(torch.zeros(1, SOURCE, CLAIMED)).shape[-1] for part in heads}

    between = [width for module, width in path if isinstance(module, SUBLAYERS + LAYERS)]
    inside = [width for module, width in path if isinstance(module, nn.Linear)]
    numbers: Numbers = {
        "sublayers": float(sum(isinstance(module, SUBLAYERS) for module, _ in path)),
        "least_between": float(min(between)), "most_between": float(max(between)),
        "inside_feed_forward": float(max(inside[:-1])),  # the last is the projection to the vocabulary
        "inside_a_head": float(max(in_a_head)),
        "logits": float(path[-1][1]),
        "path": [float(width) for module, width in path if isinstance(module, (nn.Linear, *SUBLAYERS, *LAYERS))],
    }  # fmt: skip
    return [numbers for _ in seeds]


def judge(runs: Runs) -> Verdict:
    """What every sublayer, every Add & Norm and every layer hands on has exactly 512 columns; else the claim is wrong.
    Widths inside a sublayer are reported and do not count: the notes themselves give others there (2048, 64)."""
    ends = {number(runs[0], "least_between"), number(runs[0], "most_between")}
    return "holds" if ends == {CLAIMED} else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (axes,) = figure(width=8.0)
    path = row(runs[0], "path")
    axes.step(range(1, len(path) + 1), path, where="mid", color=COLOURS[0], lw=1.2)
    axes.set(yscale="log", ylim=(40, 60_000), xlim=(-5, len(path) + 32))
    axes.minorticks_off()
    head = number(runs[0], "inside_a_head")
    axes.axhline(head, color=COLOURS[4], ls=":", lw=1.5)
    marks = [
        (number(runs[0], "logits"), tr("logits", "logits（词表）")),
        (number(runs[0], "inside_feed_forward"), tr("inside feed-forward", "前馈层内部")),
        (CLAIMED, tr("between sublayers", "各子层之间")),
        (head, tr("each head", "每个头")),
    ]
    axes.set_yticks([width for width, _ in marks], [f"{width:g}" for width, _ in marks])
    for width, label in marks:
        axes.annotate(label, (len(path) + 3, width), (0, 3), textcoords="offset points")
    axes.set(xlabel=tr("step through the model", "计算的先后顺序"), ylabel=tr("width", "宽度"))
    return picture


EXPERIMENT = Experiment("L40", measure, judge, draw, (), ONE_SEED)
