"""L77: attention as a soft dictionary: with a temperature that goes to 0 it becomes the lookup of a dict."""

import math

import torch
from matplotlib.figure import Figure
from torch import Tensor
from torch.nn import functional as F

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, for_each_seed, over_seeds, row
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import band, figure

SEEDS = by_size(2, 8, 8)
TEMPERATURES = (1.0, 0.3, 0.1, 0.03, 0.01, 0.001)
KNOBS = (
    Knob("temperature", by_size((1.0, 0.001), TEMPERATURES, TEMPERATURES), 1e-6, 100),
    Knob("entries", by_size(8, 32, 32), 2, 1000),
)
D_K = 16
SAME = 1e-6
UNEQUAL = 3.0  # times as long is every other key


def soft_lookup(query: Tensor, keys: Tensor, values: Tensor, temperature: float) -> Tensor:
    """Attention: softmax(q Kᵀ / temperature) V."""
    return torch.softmax(query @ keys.T / temperature, dim=-1) @ values


def hard_lookup(query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """A Python dict, whose keys are the vectors as tuples."""
    table = {tuple(key): value for key, value in zip(keys.tolist(), values, strict=True)}
    return torch.stack([table[tuple(one)] for one in query.tolist()])


def error(found: Tensor, right: Tensor) -> float:
    return float((found - right).norm() / right.norm())


@for_each_seed
def measure(seed: int, at: Settings) -> Numbers:
    """Every key is asked for; then every key a little beside, which a dict does not have."""
    generator = torch.Generator().manual_seed(seed)
    drawn, values = (torch.randn(at.whole("entries"), D_K, dtype=torch.float64, generator=generator) for _ in range(2))
    keys = F.normalize(drawn, dim=1)
    beside = F.normalize(keys + 0.1 * torch.randn(keys.shape, dtype=torch.float64, generator=generator), dim=1)
    lengths = torch.ones(len(keys), 1, dtype=torch.float64)
    lengths[::2] = UNEQUAL
    temperatures = sorted(at.reals("temperature"), reverse=True)
    right = hard_lookup(keys, keys, values)
    asked = {"equal": (keys, keys), "beside": (beside, keys), "unequal": (keys * lengths, keys * lengths)}
    errors = {
        name: [error(soft_lookup(q, k, values, t), right) for t in temperatures] for name, (q, k) in asked.items()
    }
    weights = torch.softmax(keys @ keys.T / temperatures[0], dim=-1)
    ends = {f"{name}_{end}": each[at] for name, each in errors.items() for end, at in (("warm", 0), ("cold", -1))}
    tried: Numbers = {"tried": temperatures, "warmest": temperatures[0], "coldest": temperatures[-1]}
    own = weights.diagonal().mean().item()
    known = set(map(tuple, keys.tolist()))
    missed = sum(tuple(one) not in known for one in beside.tolist()) / len(keys)
    return {**errors, **ends, **tried, "own": own, "missed": missed, "attention_temperature": math.sqrt(D_K)}


def judge(runs: Runs) -> Verdict:
    """At the lowest temperature: does the soft lookup give what the dict gives (to SAME), for keys of equal length and
    for keys of different length?

    For both: holds. For keys of equal length alone: only if. Not even then: does not hold.
    """
    equal, unequal = (max(over_seeds(runs, f"{name}_cold")) < SAME for name in ("equal", "unequal"))
    if equal and unequal:
        return "holds"
    return "holds only if" if equal else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (axes,) = figure(width=8.5)
    labels = {
        "equal": tr("a key, all equally long", "查已有的键，各键等长"),
        "beside": tr("a little beside a key", "查与键略有不同的向量"),
        "unequal": tr("a key, lengths differ", "查已有的键，长短不一"),
    }
    for index, (name, label) in enumerate(labels.items()):
        band(axes, row(runs[0], "tried"), [row(run, name) for run in runs], label, index, lw=2)
    axes.set(
        xscale="log", xlabel=tr("temperature", "温度"), ylabel=tr("difference from the dict", "与字典查找结果的差")
    )
    axes.set_ylim(bottom=-0.03)
    axes.invert_xaxis()
    axes.legend()
    return picture


EXPERIMENT = Experiment("L77", measure, judge, draw, KNOBS, SEEDS)
