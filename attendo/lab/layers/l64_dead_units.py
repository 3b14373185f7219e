"""L64: how many units of ReLU are dead, always on, or at work, with LayerNorm and without."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from attendo.data.batch import Batch
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, figure
from attendo.lab.tools.measuring import difference, interval, is_more, settled, unseen_generator
from attendo.lab.tools.toy_tasks import reversal
from attendo.lab.tools.toy_training import toy_config
from attendo.lab.tools.tuning import build_seeded, train_side
from attendo.model.config import LayerConfig
from attendo.model.norms import build_norm
from attendo.model.parts import Parts
from attendo.model.transformer import Transformer

SEEDS = by_size(2, 8, 16)
KNOBS = (
    Knob("steps", by_size(4, 800, 800), 2, 100_000),
    Knob("depth", by_size(2, 4, 4), 1, 24),
)
KINDS = ("post", "pre", "none")
SYMBOLS, LENGTH = 8, 6
LEARNT = 0.2
MORE = 0.05  # of the units
ALWAYS = 1.0  # of the positions


def no_norm(config: LayerConfig) -> nn.Module:
    return nn.Identity()


class NormedReader(Transformer):
    """An encoder that says its source backwards; "none" has residual connections and no norm at all."""

    def __init__(self, depth: int, kind: str, seed: int) -> None:
        order = "pre" if kind == "pre" else "post"
        config = toy_config(SYMBOLS, 32, 64, 2, tied_output=False, encoder_layers=depth, norm_order=order)
        super().__init__(config, Parts(norm=no_norm if kind == "none" else build_norm))
        del self.decoder

    def forward(self, source: Tensor, target_in: Tensor) -> Tensor:  # type: ignore[override]
        return self.output(self.encode(source))


def sequences(pairs: int, generator: torch.Generator) -> Batch:
    return reversal(pairs, range(LENGTH, LENGTH + 1), SYMBOLS, generator)


@torch.no_grad()
def units(model: NormedReader, seed: int) -> dict[str, float]:
    """Over many sequences: the share of units that are on nowhere, everywhere, and at some positions alone."""
    source = sequences(300, unseen_generator(seed)).source
    x, _ = model.eval().embed(source, model.source_positions)
    on = []
    layers: Any = model.encoder.layers
    for layer in layers:
        inner: list[Tensor] = []
        handle = layer.feed_forward.inner.register_forward_hook(lambda _m, _x, out, to=inner: to.append(out))
        x = layer(x)
        handle.remove()
        on.append((inner[0] > 0).double().mean((0, 1)))  # [d_ff]
    share = torch.cat(on)
    dead, always = float((share == 0).double().mean()), float((share == ALWAYS).double().mean())
    return {"dead": dead, "always": always, "working": 1 - dead - always}


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    runs = rows_to_fill(seeds)
    for kind in KINDS:
        build = partial(NormedReader, at.whole("depth"), kind)
        side = train_side("L64", kind, at, seeds, build, sequences, pairs=32)
        for run, seed, model, numbers in zip(runs, seeds, side.models, side.numbers(kind, LEARNT), strict=True):
            run |= numbers
            run |= {f"{kind}_start_{what}": share for what, share in units(build_seeded(build, seed), seed).items()}
            run |= {f"{kind}_{what}": share for what, share in units(model, seed).items()}
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """At work: on at some positions and off at others. After training, more units by MORE than without a norm, in the
    mean and not by chance (95 % interval above 0), in both orders: holds. In one: only if. In neither: does not hold.
    Undecided where an interval allows both, or where the side without a norm, being behind, was still improving."""
    more = []
    for kind in ("post", "pre"):
        gain = difference(over_seeds(runs, f"{kind}_working"), over_seeds(runs, "none_working"))
        more.append(is_more(gain.mean, gain.low, gain.high, MORE, nothing=0.0))
    if None in more:
        return "undecided"
    if any(more) and not settled(runs, "none"):
        return "undecided"
    if all(more):
        return "holds"
    return "holds only if" if any(more) else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, axes = figure(columns=2, width=5.6)
    kinds = (tr("post-norm", "后归一化"), tr("pre-norm", "前归一化"), tr("no norm", "无归一化"))
    parts = {
        "working": tr("at work", "正常工作"), "always": tr("always on", "始终激活"), "dead": tr("dead", "失活"),
    }  # fmt: skip
    for panel, (when, title) in zip(
        axes, (("_start", tr("untrained", "未训练")), ("", tr("trained", "训练后"))), strict=True
    ):
        for place, kind in enumerate(KINDS):
            foot = 0.0
            for index, (part, label) in enumerate(parts.items()):
                mean = interval(over_seeds(runs, f"{kind}{when}_{part}")).mean
                panel.bar(place, mean, bottom=foot, color=COLOURS[index], width=0.6, label="" if place else label)
                foot += mean
        panel.set_xticks(range(len(KINDS)), kinds)
        panel.set(title=title, ylim=(0, 1))
        panel.grid(visible=False, axis="x")
    axes[0].set(ylabel=tr("share of the units", "单元占比"))
    axes[1].legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return picture


EXPERIMENT = Experiment("L64", measure, judge, draw, KNOBS, SEEDS, evidence="trained", tunes=True)
