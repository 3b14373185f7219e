"""L41: self-attention fitted by an MLP: how many weights that takes, against the length and attention's own count."""

import math
from collections.abc import Callable, Sequence
from functools import cache, partial

import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, number, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, MARKERS, figure
from attendo.lab.tools.fitting import fit_side
from attendo.lab.tools.measuring import count_weights, interval, log_interval, settled, unseen_generator

SEEDS = by_size(2, 3, 8)  # each has an attention, an MLP and inputs of its own
KNOBS = (
    Knob("steps", by_size(4, 2_000, 4_000), 2, 100_000),
    Knob("lengths", by_size((2, 4), (2, 4), (2, 4, 8, 16)), 1, 64),
    Knob("widths", by_size((8, 16), (16, 64, 256), (16, 64, 256, 1024)), 1, 16_384),  # of the hidden layer
    Knob("error", by_size(0.1, 0.1, 0.1), 0.001, 1.0),  # the share of the variance that may stay unexplained
)
D = 8  # of a token's vector
PAIRS = 128  # a step
MANY = 10  # times attention's weights


class PlainAttention(nn.Module):
    """softmax(Q Kᵀ / √d) V with Q = X W_Q, K = X W_K, V = X W_V: 3 d² weights, for any number of tokens."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Parameter(torch.randn(D, D) / math.sqrt(D)) for _ in range(3))

    def forward(self, x: Tensor) -> Tensor:
        scores = (x @ self.query) @ (x @ self.key).transpose(-2, -1) / math.sqrt(D)
        return torch.softmax(scores, dim=-1) @ (x @ self.value)


class FlatMLP(nn.Module):
    """All tokens as one long vector, one hidden layer, all outputs at once: for n tokens, no more and no fewer."""

    def __init__(self, n: int, width: int, seed: int = 0) -> None:
        super().__init__()
        self.hidden, self.output = nn.Linear(n * D, width), nn.Linear(width, n * D)

    def forward(self, x: Tensor) -> Tensor:
        return self.output(torch.relu(self.hidden(x.flatten(1)))).unflatten(1, (-1, D))


class TokenByToken(nn.Module):
    """The Transformer's own feed-forward, d_ff = 4 d: each token for itself."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__()
        self.hidden, self.output = nn.Linear(D, 4 * D), nn.Linear(4 * D, D)

    def forward(self, x: Tensor) -> Tensor:
        return self.output(torch.relu(self.hidden(x)))


@cache
def drawn_attention(seed: int, n: int) -> tuple[Tensor, float]:
    """W_Q, W_K and W_V that this seed draws, [3, d, d]; and the spread of what attention makes of n tokens."""
    generator = torch.Generator().manual_seed(20_000 + seed)
    weights = torch.randn(3, D, D, generator=generator) / math.sqrt(D)
    spread = attend(torch.randn(1, 10_000, n, D, generator=generator), weights[:, None]).std()
    return weights, float(spread)


def attend(x: Tensor, weights: Tensor) -> Tensor:
    """x [seeds, pairs, n, d], weights [3, seeds, d, d] -> [seeds, pairs, n, d]."""
    q, k, v = (x @ w[:, None] for w in weights)
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(D), dim=-1) @ v


def teacher_of(n: int, seeds: Sequence[int], device: str) -> Callable[[Tensor], Tensor]:
    """What each seed's attention makes of its inputs, as multiples of its spread: to answer 0 is an error of 1."""
    weights, spreads = zip(*(drawn_attention(seed, n) for seed in seeds), strict=True)
    drawn, spread = torch.stack(weights, dim=1).to(device), torch.tensor(spreads, device=device).view(-1, 1, 1, 1)
    return lambda x: attend(x, drawn) / spread


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    own = count_weights(PlainAttention())
    lengths, widths = at.wholes("lengths"), sorted(at.wholes("widths"))
    runs = rows_to_fill(seeds, own=own, short=min(lengths), long=max(lengths))
    for n in lengths:
        fit = partial(fit_side, "L41", at=at, seeds=seeds, teacher_of=partial(teacher_of, n), shape=(PAIRS, n, D))
        students: dict[str, Callable[[int], nn.Module]] = {
            **{f"mlp_{n}_{width}": partial(FlatMLP, n, width) for width in widths},
            f"attention_{n}": PlainAttention,
            f"ffn_{n}": TokenByToken,
        }
        for name, build in students.items():
            side = fit(name=name, build=build)
            side.add_to(runs, name, at.real("error"))
            if build is PlainAttention:
                for run, seed, model in zip(runs, seeds, side.models, strict=True):
                    run[f"longer_{n}"] = error_at(model, seed, 2 * n, n)
        weights = [count_weights(FlatMLP(n, width)) for width in widths]
        for run in runs:
            errors = [number(run, f"mlp_{n}_{width}") for width in widths]
            needed = weights_for(at.real("error"), errors, weights)
            run |= {f"errors_{n}": errors, f"weights_{n}": weights, f"needed_{n}": needed, f"times_{n}": needed / own}
            run[f"reached_{n}"] = float(min(errors) <= at.real("error"))
    for run in runs:
        run["other_length"] = float(takes(FlatMLP(min(lengths), widths[0]), min(lengths) + 1))
        for name in ("needed", "times", "reached", "attention", "ffn", "longer"):
            run |= {f"{name}_{end}": number(run, f"{name}_{number(run, end):.0f}") for end in ("short", "long")}
        run |= {f"widest_{end}": row(run, f"errors_{number(run, end):.0f}")[-1] for end in ("short", "long")}
        run |= {f"most_{end}": row(run, f"weights_{number(run, end):.0f}")[-1] for end in ("short", "long")}
    return list(runs)


def weights_for(error: float, errors: Sequence[float], weights: Sequence[float]) -> float:
    """The weights with which the error falls to this level, on a straight line between two widths, both as logarithms.

    The narrowest one's if that is enough; the widest one's, a lower bound, if none is.
    """
    for index, (here, count) in enumerate(zip(errors, weights, strict=True)):
        if here <= error:
            if not index:
                return count
            before, fewer = errors[index - 1], weights[index - 1]
            share = math.log(before / error) / math.log(before / here)
            return math.exp(math.log(fewer) + share * math.log(count / fewer))
    return weights[-1]


def takes(model: nn.Module, n: int) -> bool:
    """Whether it can be given n tokens at all."""
    try:
        model(torch.zeros(1, n, D))
    except RuntimeError:  # of matrices that do not fit together
        return False
    return True


@torch.no_grad()
def error_at(model: nn.Module, seed: int, n: int, trained_at: int) -> float:
    """Of attention that was trained at one length and is asked at another."""
    x = torch.randn(1, 1000, n, D, generator=unseen_generator(seed))
    weights, spread = drawn_attention(seed, n)
    return float(
        ((model(x) * drawn_attention(seed, trained_at)[1] - attend(x, weights[:, None])) / spread).square().mean()
    )


def judge(runs: Runs) -> Verdict:
    """It can be done if the widest MLP comes below the error at the shortest length. It takes many more weights if at
    the longest length the first MLP with at least MANY times attention's weights stays above it.

    Both: holds, or only if, as an MLP takes one length alone. If MANY times the weights are enough at the longest
    length: does not hold. Undecided where it was not done at any length, an interval straddles the error, or that MLP
    has not stopped improving.
    """
    error, own = (number(runs[0], name) for name in ("error", "own"))
    longest = f"{number(runs[0], 'long'):.0f}"
    widths = sorted(row(runs[0], "widths"))
    enough = [index for index, weights in enumerate(row(runs[0], f"weights_{longest}")) if weights >= MANY * own]
    at = enough[0] if enough else len(widths) - 1
    there = interval([row(run, f"errors_{longest}")[at] for run in runs])
    can = interval(over_seeds(runs, "widest_short"))
    if there.high < error:
        return "does not hold"
    many = there.low > error and bool(enough) and settled(runs, f"mlp_{longest}_{widths[at]:.0f}")
    if not many or can.high >= error:
        return "undecided"
    return "holds" if number(runs[0], "other_length") else "holds only if"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (errors, needed) = figure(columns=2)
    own, level = number(runs[0], "own"), number(runs[0], "error")
    lengths = [f"{n:.0f}" for n in sorted(row(runs[0], "lengths"))]
    for index, n in enumerate(lengths):
        curves = [log_interval(values) for values in zip(*(row(run, f"errors_{n}") for run in runs), strict=True)]
        errors.plot(
            row(runs[0], f"weights_{n}"), [at[0] for at in curves], f"{MARKERS[index]}-",
            color=COLOURS[index], label=f"$n={n}$",
        )  # fmt: skip
        attention = log_interval(over_seeds(runs, f"attention_{n}"))[0]
        errors.plot(own, max(attention, 1e-4), "*", color=COLOURS[index], ms=14)
        points = over_seeds(runs, f"times_{n}")
        reached = all(over_seeds(runs, f"reached_{n}"))
        needed.plot([int(n)] * len(points), points, "o" if reached else "^", color=COLOURS[index], ms=8, alpha=0.7)
    errors.axhline(level, color="grey", ls=":", lw=1.5)
    errors.set(
        xscale="log", yscale="log", xlabel=tr("weights (★ attention itself)", "参数量（★ 为注意力本身）"),
        ylabel=tr("unexplained variance", "未能解释的方差"),
    )  # fmt: skip
    errors.legend(title=tr("tokens", "词元数"))
    needed.axhline(1, color="grey", ls=":", lw=1.5)
    needed.set(
        xscale="log", yscale="log", xlabel=tr("tokens $n$", "词元数 $n$"),
        ylabel=tr(f"times attention's weights for {level:.0%}", f"误差 {level:.0%} 所需参数量（注意力的倍数）"),
    )  # fmt: skip
    needed.set_xticks([int(n) for n in lengths], lengths)
    needed.minorticks_off()
    return picture


EXPERIMENT = Experiment("L41", measure, judge, draw, KNOBS, SEEDS, evidence="trained", tunes=True)
