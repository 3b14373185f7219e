"""L52: is what multi-head attention gives wider than its input, and does the feed-forward part bring it back?"""

from collections.abc import Sequence
from typing import Any

import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from attendo.lab.claim import ONE_SEED, Experiment, Numbers, Runs, Tr, Verdict, number, row
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, MARKERS, figure
from attendo.lab.tools.measuring import count_weights
from attendo.model.config import TransformerConfig
from attendo.model.encoder import EncoderLayer

KNOBS = (
    Knob("heads", by_size((1, 8), (1, 2, 4, 8, 16), (1, 2, 4, 8, 16)), 1, 512),
    Knob("width", by_size(64, 512, 512), 2, 4096),
)
TOKENS = 7
WIDER = 2.0  # times: what "much higher" should at least mean


class UncutHeads(nn.Module):
    """Every head as wide as the input, nothing cut: side by side they are h times as wide, and W_O brings them back."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.value = nn.Linear(width, heads * width)
        self.output = nn.Linear(heads * width, width)

    def forward(self, x: Tensor) -> Tensor:
        """Widths are what is asked: all weights of the attention may be those of a bag of words, 1/n."""
        return self.output(self.value(x).mean(1, keepdim=True).expand(-1, x.shape[1], -1))


def widths(layer: nn.Module, x: Tensor, parts: dict[str, nn.Module]) -> dict[str, float]:
    """Columns of what goes into each part and of what comes out of it, while the layer runs."""
    found: dict[str, float] = {}
    handles = []
    for name, part in parts.items():

        def note(module: nn.Module, given: Any, output: Tensor, name: str = name) -> None:
            found[f"{name}_in"], found[f"{name}_out"] = float(given[0].shape[-1]), float(output.shape[-1])

        handles.append(part.register_forward_hook(note))
    with torch.no_grad():
        layer(x)
    for handle in handles:
        handle.remove()
    return found


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    width, x = at.whole("width"), torch.zeros(1, TOKENS, at.whole("width"))
    numbers: dict[str, float | list[float]] = {}
    rows: dict[str, list[float]] = {name: [] for name in ("joined", "attention_out", "uncut_joined", "uncut_out")}
    for heads in at.wholes("heads"):
        config = TransformerConfig(vocab_size=4, d_model=width, d_ff=4 * width, num_heads=heads)
        layer = EncoderLayer(config)
        attention, merging = layer.self_attention, layer.self_attention.get_submodule("output")
        parts = {"attention": attention, "merging": merging, "feed_forward": layer.feed_forward}
        found = widths(layer, x, parts)
        uncut = UncutHeads(width, heads)
        wide = widths(uncut, x, {"merging": uncut.output})
        rows["joined"].append(found["merging_in"])
        rows["attention_out"].append(found["attention_out"])
        rows["uncut_joined"].append(wide["merging_in"])
        rows["uncut_out"].append(wide["merging_out"])
        numbers |= {"feed_forward_in": found["feed_forward_in"], "feed_forward_out": found["feed_forward_out"]}
        numbers |= {"weights_attention": count_weights(attention)}
        numbers |= {"weights_feed_forward": count_weights(layer.feed_forward), "inside_feed_forward": float(4 * width)}
    most = max(range(len(at.wholes("heads"))), key=lambda index: at.wholes("heads")[index])
    numbers |= {**rows, "ratio": max(rows["attention_out"]) / width, "joined_ratio": max(rows["joined"]) / width}
    numbers |= {"uncut_joined_most": rows["uncut_joined"][most], "uncut_out_most": rows["uncut_out"][most]}
    return [numbers for _ in seeds]


def judge(runs: Runs) -> Verdict:
    """Holds if attention's output is more than WIDER times as wide as its input for some number of heads, and the
    feed-forward part takes that width and gives back the input's. Does not hold if attention's output has the input's
    width for all, and the feed-forward part takes and gives the same. Between: undecided."""
    run = runs[0]
    aligns = number(run, "feed_forward_in") > WIDER * number(run, "feed_forward_out")
    if number(run, "ratio") > WIDER and aligns:
        return "holds"
    same = number(run, "ratio") == 1 and number(run, "feed_forward_in") == number(run, "feed_forward_out")
    return "does not hold" if same else "undecided"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (axes,) = figure(width=8.0)
    run = runs[0]
    heads = row(run, "heads")
    lines = {
        "uncut_joined": tr("heads side by side, if none were cut", "各头拼接（假如不切分）"),
        "joined": tr("heads side by side", "各头拼接（实际）"),
        "attention_out": tr("output of attention, behind $W^O$", "注意力输出（乘以 $W^O$ 之后）"),
    }
    styles = {"uncut_joined": (4, "--", 8), "joined": (1, "-", 14), "attention_out": (0, "-", 7)}
    for name, label in lines.items():
        colour, dash, size = styles[name]
        axes.plot(heads, row(run, name), f"{MARKERS[colour]}{dash}", color=COLOURS[colour], label=label, ms=size, lw=2)
    axes.axhline(number(run, "width"), color="grey", ls=":", lw=1.5)
    axes.set(xscale="log", yscale="log", xlabel=tr("heads $h$", "头数 $h$"), ylabel=tr("columns", "列数"))
    ticks = sorted({number(run, "width"), *row(run, "uncut_joined")})
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_xticks(heads, [f"{count:g}" for count in heads])
    axes.minorticks_off()
    axes.legend(loc="upper left")
    return picture


EXPERIMENT = Experiment("L52", measure, judge, draw, KNOBS, ONE_SEED)
