"""L13: how many of a model's parameters are in its feed-forward layers."""

from collections.abc import Sequence

import torch
from matplotlib.figure import Figure
from torch import nn

from attendo.inspection.structure import owned_parameters
from attendo.lab.claim import ONE_SEED, Experiment, Numbers, Runs, Tr, Verdict, number
from attendo.lab.knobs import Settings
from attendo.lab.tools.chart import COLOURS, figure
from attendo.model.build import build_model
from attendo.model.config import DecoderOnlyConfig, ModelConfig
from attendo.model.multi_head import MultiHeadAttention
from attendo.model.presets import preset

# Sizes as published (Touvron et al. 2023, twice; Brown et al. 2020).
LLAMA_13B = DecoderOnlyConfig(vocab_size=32_000, d_model=5120, d_ff=13_824, num_heads=40, num_layers=40)
LLAMA_65B = DecoderOnlyConfig(vocab_size=32_000, d_model=8192, d_ff=22_016, num_heads=64, num_layers=80)
LLAMA_2_70B = DecoderOnlyConfig(vocab_size=32_000, d_model=8192, d_ff=28_672, num_heads=64, num_layers=80)
GPT_3 = DecoderOnlyConfig(
    vocab_size=50_257, d_model=12_288, d_ff=49_152, num_heads=96, num_layers=96, positions="learned", max_length=2048,
    norm="layer", activation="gelu", bias=True, tied_output=True,
)  # fmt: skip
MODELS: dict[str, ModelConfig] = {
    **{name: preset(name) for name in ("tiny", "base", "big", "bert-base", "llama-7b")},
    "llama-13b": LLAMA_13B, "llama-65b": LLAMA_65B, "llama-2-70b": LLAMA_2_70B, "gpt-3": GPT_3,
}  # fmt: skip
SHARED_KEYS = {"llama-2-70b": 1024}  # width of all keys together: eight heads of 128, each for eight heads of queries
LARGE = 10e9  # the notes speak of models above ten billion parameters
CLAIMED = 2 / 3
ABOUT = 1 / 30  # "about 2/3" is nearer to 2/3 than to the next plain fractions, 3/5 and 3/4


def count(name: str) -> dict[str, int]:
    """Parameters by part. On the meta device a tensor has a shape and no memory, so 175 billion are no trouble."""
    with torch.device("meta"):
        model = build_model(MODELS[name])
        if name in SHARED_KEYS:
            for attention in [part for part in model.modules() if isinstance(part, MultiHeadAttention)]:
                width = attention.query.in_features
                attention.key, attention.value = (nn.Linear(width, SHARED_KEYS[name], bias=False) for _ in range(2))
    counts = {"feed_forward": 0, "attention": 0, "rest": 0}
    for part, parameter in owned_parameters(model):
        counts[part if part in counts else "rest"] += parameter.numel()
    return counts


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    numbers: dict[str, float] = {}
    for name in MODELS:
        counts = count(name)
        key = name.replace("-", "_")
        numbers[f"parameters_{key}"] = float(sum(counts.values()))
        numbers[f"share_{key}"] = counts["feed_forward"] / sum(counts.values())
        numbers[f"attention_{key}"] = counts["attention"] / sum(counts.values())
        # Without embeddings, output and norms: what the layers themselves are made of.
        numbers[f"in_layers_{key}"] = counts["feed_forward"] / (counts["feed_forward"] + counts["attention"])
    return [numbers for _ in seeds]


def judge(runs: Runs) -> Verdict:
    """Of the models above ten billion parameters, as the notes limit it: if the share of all is about 2/3, the claim
    holds; if that of some is, it holds only for these; if that of none is, it does not hold."""
    keys = [name.replace("-", "_") for name in MODELS]
    large = [key for key in keys if number(runs[0], f"parameters_{key}") > LARGE]
    about = [abs(number(runs[0], f"share_{key}") - CLAIMED) <= ABOUT for key in large]
    if all(about):
        return "holds"
    return "holds only if" if any(about) else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (axes,) = figure(width=8.0, height=4.0)
    parts = (tr("feed-forward", "前馈层"), tr("attention", "注意力"), tr("embeddings and the rest", "词嵌入及其他"))
    for index, name in enumerate(MODELS):
        key = name.replace("-", "_")
        share, attention = number(runs[0], f"share_{key}"), number(runs[0], f"attention_{key}")
        ends = (0.0, share, share + attention, 1.0)
        for part, colour, start, end in zip(parts, (COLOURS[0], COLOURS[1], "0.8"), ends, ends[1:], strict=False):
            axes.barh(index, end - start, left=start, color=colour, label=part if index == 0 else None)
        axes.text(0.01, index, f"{share:.1%}", color="white", va="center")
        axes.text(1.01, index, f"{number(runs[0], f'in_layers_{key}'):.1%}", va="center")
    labels = [f"{name}  {number(runs[0], 'parameters_' + name.replace('-', '_')) / 1e9:.3g}" for name in MODELS]
    axes.set_yticks(range(len(MODELS)), labels)
    axes.invert_yaxis()
    axes.axvline(CLAIMED, color=COLOURS[6], ls="--", lw=1)
    axes.text(1.01, -0.75, tr("without\nembeddings", "不计词嵌入"), va="bottom", fontsize=8)
    axes.text(CLAIMED, -0.75, "2/3", ha="center", va="bottom")
    picture.legend(loc="outside lower center", ncols=3)
    axes.set(xlim=(0, 1), ylabel=tr("model, billions of parameters", "模型，参数量（十亿）"))
    axes.grid(visible=False)
    return picture


EXPERIMENT = Experiment("L13", measure, judge, draw, (), ONE_SEED)
