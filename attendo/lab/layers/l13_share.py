"""L13: how many of a model's parameters are in its feed-forward layers."""

from collections.abc import Sequence

import torch
from matplotlib.figure import Figure
from torch import nn

from attendo.inspection.structure import owned_parameters
from attendo.lab.claim import ONE_SEED, Experiment, Numbers, Runs, Tr, Verdict, number
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, figure
from attendo.model.build import build_model
from attendo.model.config import DecoderOnlyConfig, ModelConfig
from attendo.model.multi_head import MultiHeadAttention
from attendo.model.presets import preset

# Above how many billions of parameters a model counts as large: the notes say ten.
KNOBS = (Knob("billions", by_size(10.0, 10.0, 10.0), 0, 170),)
# Sizes as published: Llama and Llama 2, Touvron et al. 2023 (two papers); GPT-3, Brown et al. 2020; Llama 3,
# Grattafiori et al. 2024, table 3; Qwen2.5, its technical report of 2024, table 1, with d_model and d_ff as in the
# config.json of each release.
LLAMA_13B = DecoderOnlyConfig(vocab_size=32_000, d_model=5120, d_ff=13_824, num_heads=40, num_layers=40)
LLAMA_65B = DecoderOnlyConfig(vocab_size=32_000, d_model=8192, d_ff=22_016, num_heads=64, num_layers=80)
LLAMA_2_70B = DecoderOnlyConfig(vocab_size=32_000, d_model=8192, d_ff=28_672, num_heads=64, num_layers=80)
LLAMA_3_70B = DecoderOnlyConfig(vocab_size=128_256, d_model=8192, d_ff=28_672, num_heads=64, num_layers=80)
QWEN_14B = DecoderOnlyConfig(vocab_size=152_064, d_model=5120, d_ff=13_824, num_heads=40, num_layers=48)
QWEN_32B = DecoderOnlyConfig(vocab_size=152_064, d_model=5120, d_ff=27_648, num_heads=40, num_layers=64)
QWEN_72B = DecoderOnlyConfig(vocab_size=152_064, d_model=8192, d_ff=29_568, num_heads=64, num_layers=80)
GPT_3 = DecoderOnlyConfig(
    vocab_size=50_257, d_model=12_288, d_ff=49_152, num_heads=96, num_layers=96, positions="learned", max_length=2048,
    norm="layer", activation="gelu", bias=True, tied_output=True,
)  # fmt: skip
MODELS: dict[str, ModelConfig] = {
    **{name: preset(name) for name in ("tiny", "base", "big", "bert-base", "llama-7b")},
    "llama-13b": LLAMA_13B, "llama-65b": LLAMA_65B, "gpt-3": GPT_3, "llama-2-70b": LLAMA_2_70B,
    "llama-3-70b": LLAMA_3_70B, "qwen2.5-14b": QWEN_14B, "qwen2.5-32b": QWEN_32B, "qwen2.5-72b": QWEN_72B,
}  # fmt: skip
# Width of all keys together: eight heads of 128, each for several heads of queries (grouped-query attention).
SHARED_KEYS = dict.fromkeys(("llama-2-70b", "llama-3-70b", "qwen2.5-14b", "qwen2.5-32b", "qwen2.5-72b"), 1024)
SHOWN = {
    "base": "Transformer base", "bert-base": "BERT base", "llama-13b": "Llama 13B", "llama-65b": "Llama 65B",
    "gpt-3": "GPT-3", "llama-2-70b": "Llama 2 70B", "llama-3-70b": "Llama 3 70B", "qwen2.5-14b": "Qwen2.5 14B",
    "qwen2.5-72b": "Qwen2.5 72B",
}  # fmt: skip
CLAIMED = 2 / 3
ABOUT = 1 / 30  # "about 2/3" is nearer to 2/3 than to the next plain fractions, 3/5 and 3/4


def key_of(name: str) -> str:
    """As it stands in the names of numbers: llama-2-70b -> llama_2_70b."""
    return name.replace("-", "_").replace(".", "_")


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
        key = key_of(name)
        numbers[f"parameters_{key}"] = float(sum(counts.values()))
        numbers[f"share_{key}"] = counts["feed_forward"] / sum(counts.values())
        numbers[f"attention_{key}"] = counts["attention"] / sum(counts.values())
        # Without embeddings, output and norms: what the layers themselves are made of.
        numbers[f"in_layers_{key}"] = counts["feed_forward"] / (counts["feed_forward"] + counts["attention"])
    large = [key for key in map(key_of, MODELS) if numbers[f"parameters_{key}"] > 1e9 * at.real("billions")]
    numbers["large"] = float(len(large))
    numbers["fit"] = float(sum(is_about(numbers[f"share_{key}"]) for key in large))
    return [numbers for _ in seeds]


def is_about(share: float) -> bool:
    return abs(share - CLAIMED) <= ABOUT


def judge(runs: Runs) -> Verdict:
    """Of the models above ten billion parameters, as the notes limit it: if the share of all is about 2/3, the claim
    holds; if that of some is, it holds only for these; if that of none is, it does not hold."""
    limit = 1e9 * number(runs[0], "billions")
    large = [key for key in map(key_of, MODELS) if number(runs[0], f"parameters_{key}") > limit]
    about = [is_about(number(runs[0], f"share_{key}")) for key in large]
    if all(about):
        return "holds"
    return "holds only if" if any(about) else "does not hold"


def in_words(parameters: float, tr: Tr) -> str:
    """13.0 B and 63 M; in Chinese 130 亿 and 6300 万."""
    english = f"{parameters / 1e9:.1f} B" if parameters >= 1e9 else f"{parameters / 1e6:.0f} M"
    return tr(
        english,
        f"{parameters / 1e8:.{0 if parameters >= 1e9 else 1}f} 亿"
        if parameters >= 1e8
        else f"{parameters / 1e4:.0f} 万",
    )


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (axes,) = figure(width=10.0, height=5.4)
    parts = (tr("feed-forward", "前馈层"), tr("attention", "注意力"), tr("embeddings and the rest", "词嵌入及其他"))
    for index, key in enumerate(map(key_of, SHOWN)):
        share, attention = number(runs[0], f"share_{key}"), number(runs[0], f"attention_{key}")
        ends = (0.0, share, share + attention, 1.0)
        for part, colour, start, end in zip(parts, (COLOURS[0], COLOURS[1], "0.8"), ends, ends[1:], strict=False):
            axes.barh(index, end - start, left=start, color=colour, label=part if index == 0 else None)
        axes.text(0.01, index, f"{share:.1%}", color="white", va="center")
    labels = [
        tr("{}, {}", "{}，{}").format(name, in_words(number(runs[0], f"parameters_{key_of(model)}"), tr))
        for model, name in SHOWN.items()
    ]
    axes.set_yticks(range(len(SHOWN)), labels)
    axes.invert_yaxis()
    axes.axvline(CLAIMED, color=COLOURS[6], ls="--", lw=1.5)
    axes.text(CLAIMED + 0.01, -0.55, "2/3", va="bottom")
    picture.legend(loc="outside lower center", ncols=3)
    axes.set(xlim=(0, 1), xlabel=tr("share of all parameters", "占全部参数的比例"))
    axes.grid(visible=False)
    return picture


EXPERIMENT = Experiment("L13", measure, judge, draw, KNOBS, ONE_SEED)
