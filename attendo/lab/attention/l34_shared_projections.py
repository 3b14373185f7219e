"""L34: attention whose queries, keys and values share projections, alone in an encoder and in the whole Transformer."""

import math
from collections.abc import Mapping, Sequence
from functools import partial

import torch
from matplotlib.figure import Figure

from attendo.data.batch import Batch
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, number, over_seeds, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import figure, points
from attendo.lab.tools.measuring import count_weights, fails_more, log_ratio, settled, unseen_generator
from attendo.lab.tools.toy_tasks import turned
from attendo.lab.tools.toy_training import EncoderAlone, accuracy, toy_config
from attendo.lab.tools.tuning import train_side
from attendo.model.config import LayerConfig
from attendo.model.multi_head import MultiHeadAttention
from attendo.model.parts import Parts
from attendo.model.transformer import Transformer

SEEDS = by_size(2, 6, 16)
KNOBS = (
    Knob("steps", by_size(8, 1_000, 3_000), 8, 100_000),
    Knob("length", by_size(6, 6, 6), 3, 12),  # symbols that stand in a circle
)
D, SYMBOLS = 32, 8
# Which projection is another one: without K the values are also the keys; without Q the keys are also the queries.
SHARED = {"qkv": {}, "qv": {"key": "value"}, "kv": {"query": "key"}, "v": {"query": "value", "key": "value"}}
LABELS = {"qkv": "(Q, K, V)", "qv": "(Q, V)", "kv": "(K, V)", "v": "(V)"}
MODELS = {"alone": (1, 1), "whole": (3, 2)}  # attentions, layers
SHORTER = {"alone": 1, "whole": 4}  # the whole model has learnt long before, and takes a quarter of the steps
LEARNT = 0.05 * math.log(SYMBOLS)  # a loss: a twentieth of a random guess's; a single blind place of 12 costs more
SLOWER = 1.5  # times as many steps


class SharedAttention(MultiHeadAttention):
    """Some of its projections are one and the same."""

    def __init__(self, same: Mapping[str, str], config: LayerConfig) -> None:
        super().__init__(config.d_model, config.num_heads)
        for name, other in same.items():
            delattr(self, name)
            object.__setattr__(self, name, getattr(self, other))  # not as a part: torch.func wants each part once


def build(kind: str, model: str, seed: int) -> Transformer:
    """One head, one layer a stack; the weights that are saved, D² for each projection, go to the feed-forward parts."""
    attentions, layers = MODELS[model]
    d_ff = 2 * D + round(len(SHARED[kind]) * attentions / layers * D / 2)
    config = toy_config(SYMBOLS, D, d_ff, num_heads=1, tied_output=False)
    attention = partial(SharedAttention, SHARED[kind])
    parts = Parts(self_attention=attention, cross_attention=attention)
    return Transformer(config, parts) if model == "whole" else EncoderAlone(config, parts)


def in_a_circle(length: int, pairs: int, generator: torch.Generator) -> Batch:
    return turned(pairs, length, SYMBOLS, generator)


@torch.no_grad()
def scores_at_the_start(kind: str, seed: int, tokens: int = 20) -> dict[str, float]:
    """Before any training: by how much S = QKᵀ differs from Sᵀ, and how many random tokens look most at themselves."""
    torch.manual_seed(seed)
    attention = SharedAttention(SHARED[kind], toy_config(SYMBOLS, D, D, num_heads=1))
    x = torch.randn(tokens, D)
    scores = attention.query(x) @ attention.key(x).T
    return {
        "asymmetry": float((scores - scores.T).abs().max()),
        "itself": float((scores.argmax(-1) == torch.arange(tokens)).float().mean()),
    }


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    sequences = partial(in_a_circle, at.whole("length"))
    places = at.whole("length") + 1  # and </s>
    # What is right if all see their neighbour but for one, who guesses; and what that costs.
    runs = rows_to_fill(seeds, one_blind=1 - (1 - 1 / SYMBOLS) / places, one_blind_loss=math.log(SYMBOLS) / places)
    for kind in SHARED:
        for model in MODELS:
            name, steps = f"{model}_{kind}", at.whole("steps") // SHORTER[model]
            side = train_side("L34", name, at, seeds, partial(build, kind, model), sequences, pairs=32, steps=steps)
            side.add_to(runs, name, LEARNT)
            for run, seed, trained in zip(runs, seeds, side.models, strict=True):
                run[f"{name}_right"] = accuracy(trained, sequences(200, unseen_generator(seed)))
                run[f"{name}_weights"] = count_weights(trained)
        for run, seed in zip(runs, seeds, strict=True):
            run |= {f"{what}_{kind}": value for what, value in scores_at_the_start(kind, seed).items()}
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """The note asks: would it do? In an encoder alone, (Q, V), (K, V) and (V) would, each, if not more seeds fail to
    learn than with (Q, K, V) (Fisher's exact test) and it takes no more than SLOWER times the steps. All would: holds.
    None: does not hold. Some: only if it is one of these. Undecided if (Q, K, V) itself does not learn, if one that
    fails has not stopped improving, or if the steps straddle SLOWER."""
    name = "alone_{}".format
    if sum(over_seeds(runs, f"{name('qkv')}_failed")) > len(runs) / 4:
        return "undecided"
    would = []
    for kind in ("qv", "kv", "v"):
        fails = fails_more(*(over_seeds(runs, f"{name(one)}_failed") for one in (kind, "qkv")))
        _, low, high = log_ratio(*(over_seeds(runs, f"{name(one)}_learnt") for one in (kind, "qkv")))
        if (fails and not settled(runs, name(kind))) or (not fails and low <= SLOWER <= high):
            return "undecided"
        would.append(not fails and high < SLOWER)
    if all(would):
        return "holds"
    return "holds only if" if any(would) else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    page, panels = figure(columns=2)
    titles = (tr("an encoder alone", "单独的编码器"), tr("the whole Transformer", "完整的 Transformer"))
    for axes, model, title in zip(panels, MODELS, titles, strict=True):
        points(axes, list(LABELS.values()), [over_seeds(runs, f"{model}_{kind}_right") for kind in SHARED])
        axes.set(title=title, ylabel=tr("accuracy", "准确率"), ylim=(0, 1.05))
    blind = number(runs[0], "one_blind")
    panels[0].axhline(blind, color="grey", ls="--", lw=1)
    panels[0].text(-0.5, blind - 0.07, tr("all but one position see", "只有一个位置看不到"), fontsize=11)
    return page


EXPERIMENT = Experiment("L34", measure, judge, draw, KNOBS, SEEDS, evidence="trained", tunes=True)
