"""L69: Llama 7B and 30B, laid side by side and counted: more layers, or another configuration of each?"""

import re
from collections.abc import Sequence
from dataclasses import replace

import torch
from matplotlib.figure import Figure

from attendo.inspection.structure import owned_parameters
from attendo.lab.claim import ONE_SEED, Experiment, Numbers, Runs, Tr, Verdict, number
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, figure
from attendo.model.build import build_model
from attendo.model.config import DecoderOnlyConfig
from attendo.model.presets import preset


def llama_preset(name: str) -> DecoderOnlyConfig:
    config = preset(name)
    if not isinstance(config, DecoderOnlyConfig):
        raise TypeError(f"{name} is a decoder alone")
    return config


SMALL, LARGE = (llama_preset(name) for name in ("llama-7b", "llama-30b"))
KNOBS = (
    Knob("layers", by_size(*3 * [LARGE.num_layers]), 1, 200),
    Knob("width", by_size(*3 * [LARGE.d_model]), 128, 65_536),
    Knob("feed_forward", by_size(*3 * [LARGE.d_ff]), 128, 262_144),
)
CLAIMED = 32.5e9  # Touvron et al. 2023, table 2; the notes, and Meta's files, call it 30B
ABOUT = 0.01


def kinds(config: DecoderOnlyConfig) -> tuple[float, set[str]]:
    """Parameters, and the names of all tensors with the number of the layer left out. Nothing is allocated."""
    with torch.device("meta"):
        model = build_model(config)
    names = {re.sub(r"\.\d+\.", ".i.", name) for name, _ in model.named_parameters()}
    return float(sum(parameter.numel() for _, parameter in owned_parameters(model))), names


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    layers, width, d_ff = (at.whole(name) for name in ("layers", "width", "feed_forward"))
    wide = {"d_model": width, "d_ff": d_ff, "num_heads": width // LARGE.head_dim}  # 128, as in all of Llama's sizes
    models = {
        "7b": SMALL,
        "deeper": replace(SMALL, num_layers=layers),
        "wider": replace(SMALL, **wide),  # type: ignore[arg-type]
        "30b": replace(SMALL, num_layers=layers, **wide),  # type: ignore[arg-type]
    }
    numbers: dict[str, float | Sequence[float]] = {}
    names = {}
    for name, config in models.items():
        parameters, names[name] = kinds(config)
        numbers[f"billions_{name}"] = parameters / 1e9
    numbers["layers_7b"], numbers["width_7b"] = SMALL.num_layers, SMALL.d_model
    numbers["kinds"] = len(names["7b"])
    numbers["kinds_of_one_alone"] = len(names["7b"] ^ names["30b"])
    # ln N_30 - ln N_7 as two parts: more layers at the old width, then the width.
    numbers["times"] = numbers["billions_30b"] / numbers["billions_7b"]  # type: ignore[operator]
    numbers["times_by_layers"] = numbers["billions_deeper"] / numbers["billions_7b"]  # type: ignore[operator]
    numbers["times_by_width"] = numbers["billions_30b"] / numbers["billions_deeper"]  # type: ignore[operator]
    return [numbers for _ in seeds]


def judge(runs: Runs) -> Verdict:
    """The same kinds of tensors in both, and with the configuration changed the published count, or it does not hold.
    If the number of layers alone gave that count, the second half of the sentence would be idle: only if."""
    (run, *_) = runs
    counted, deeper = (1e9 * number(run, f"billions_{name}") for name in ("30b", "deeper"))
    if number(run, "kinds_of_one_alone") or abs(counted / CLAIMED - 1) > ABOUT:
        return "does not hold"
    return "holds only if" if abs(deeper / CLAIMED - 1) <= ABOUT else "holds"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (axes,) = figure(width=9.5, height=4.6)
    (run, *_) = runs
    layers, width = number(run, "layers"), number(run, "width")
    short, narrow = number(run, "layers_7b"), number(run, "width_7b")
    sizes = {"7b": (short, narrow), "deeper": (layers, narrow), "wider": (short, width), "30b": (layers, width)}
    names = {
        "7b": "Llama 7B", "deeper": tr("more layers", "只加层数"), "wider": tr("wider layers", "只加宽度"),
        "30b": tr("both: 30B", "两者都加：30B"),
    }  # fmt: skip
    for index, (name, (depth, d_model)) in enumerate(sizes.items()):
        billions = number(run, f"billions_{name}")
        axes.barh(index, billions, color=COLOURS[index % len(COLOURS)], height=0.62)
        words = tr(f"{billions:.1f} billion", f"{10 * billions:.0f} 亿")
        axes.text(billions + 0.4, index, f"{words}\n{depth:.0f} × {d_model:.0f}", va="center")
    axes.set_yticks(range(len(sizes)), list(names.values()))
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    axes.set(xlim=(0, 1.25 * max(number(run, f"billions_{name}") for name in sizes)))
    axes.set(xlabel=tr("parameters, in billions (layers × width)", "参数量（单位：十亿；层数 × 宽度）"))
    return picture


EXPERIMENT = Experiment("L69", measure, judge, draw, KNOBS, ONE_SEED)
