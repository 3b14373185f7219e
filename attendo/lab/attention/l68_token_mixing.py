"""L68: a matrix that mixes the tokens, learned as it is, against attention, which computes one: what each costs."""

from collections.abc import Sequence

import torch
from matplotlib.figure import Figure
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, number, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import figure, tick_at
from attendo.lab.tools.measuring import count_weights
from attendo.model.attention import dot_product_attention

SEEDS = by_size(2, 4, 4)
LENGTHS = (16, 64, 256, 1024, 4096)
KNOBS = (
    Knob("lengths", by_size((16, 256), LENGTHS, LENGTHS), 2, 100_000),
    Knob("width", by_size(16, 64, 64), 1, 4_096),
)
ROUNDING = 1e-12


class TokenMixing(nn.Module):
    """The notes' transposed linear layer, X' = W X: one weight for each pair of positions."""

    def __init__(self, length: int) -> None:
        super().__init__()
        self.mix = nn.Linear(length, length, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """[length, d] -> [length, d]"""
        return self.mix(x.T).T


class ComputedMixing(nn.Module):
    """softmax(Q Kᵀ / √d) X: attention whose values are X itself, as the notes set it beside the other."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.query, self.key = (nn.Linear(width, width, bias=False) for _ in range(2))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """[length, d] -> [length, d], and the matrix that mixed them."""
        q, k, v = (part[None, None] for part in (self.query(x), self.key(x), x))
        output, weights = dot_product_attention(q, k, v)
        return output[0, 0], weights[0, 0]


def multiplications(layer: nn.Module, length: int, width: int) -> float:
    """Of one sequence, counted on tensors that have a shape and no numbers."""
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        layer(torch.empty(length, width, device="meta"))
    return counter.get_total_flops() / 2  # an addition goes with each


def reads(layer: nn.Module, length: int, width: int) -> bool:
    try:
        layer(torch.zeros(length, width, device="meta"))
    except RuntimeError:
        return False
    return True


@torch.no_grad()
def stand_in(width: int, seed: int) -> tuple[float, float]:
    """W is set to what attention computed for one sequence: how far the outputs are apart there, and on another."""
    torch.manual_seed(seed)
    length = 2 * width
    attention, mixing = ComputedMixing(width).double(), TokenMixing(length).double()
    first, second = torch.randn(2, length, width, dtype=torch.float64)
    mixing.mix.weight.copy_(attention(first)[1])
    apart = [(mixing(x) - attention(x)[0]).norm() / attention(x)[0].norm() for x in (first, second)]
    return float(apart[0]), float(apart[1])


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    lengths, width = at.wholes("lengths"), at.whole("width")
    with torch.device("meta"):
        mixings, attention = [TokenMixing(length) for length in lengths], ComputedMixing(width)
    longest = lengths[-1]
    counts = {
        "mixing_weights": [count_weights(layer) for layer in mixings],
        "attention_weights": [count_weights(attention)] * len(lengths),
        "mixing_work": [multiplications(layer, n, width) for layer, n in zip(mixings, lengths, strict=True)],
        "attention_work": [multiplications(attention, n, width) for n in lengths],
        "factors": [2.0 * n * width for n in lengths],  # what Q and K hold
    }
    runs = rows_to_fill(seeds, **counts, longest=longest)
    for run, seed in zip(runs, seeds, strict=True):
        run |= {f"{name}_longest": values[-1] for name, values in counts.items()}
        run["mixing_reads"] = float(sum(reads(mixings[-1], n, width) for n in (*lengths, longest + 1)))
        run["attention_reads"] = float(sum(reads(attention, n, width) for n in (*lengths, longest + 1)))
        run["tried"] = len(lengths) + 1
        run["same_there"], run["same_elsewhere"] = stand_in(width, seed)
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """At the greatest length. The weights of attention, and the numbers in its Q and K, are fewer than the n² of the
    matrix: or it does not hold. The multiplications are fewer, too: holds. If not: only if weights are counted.
    Undecided where W, set to what attention computed, does not give what attention gave."""
    if max(over_seeds(runs, "same_there")) > ROUNDING:
        return "undecided"
    (run, *_) = runs
    matrix = number(run, "mixing_weights_longest")
    if max(number(run, "attention_weights_longest"), number(run, "factors_longest")) >= matrix:
        return "does not hold"
    return "holds" if number(run, "attention_work_longest") < number(run, "mixing_work_longest") else "holds only if"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, right) = figure(columns=2, width=5.8)
    lengths = row(runs[0], "lengths")
    names = {"mixing": tr("learned matrix", "直接学习的矩阵"), "attention": tr("attention", "注意力")}
    for index, (name, label) in enumerate(names.items()):
        left.plot(lengths, row(runs[0], f"{name}_weights"), "os"[index] + "-", label=label)
        right.plot(lengths, row(runs[0], f"{name}_work"), "os"[index] + "-", label=label)
    left.plot(lengths, row(runs[0], "factors"), "k:", label=tr("numbers in Q and K", "Q 和 K 中数的个数"))
    for panel in (left, right):
        panel.set(xscale="log", yscale="log", xlabel=tr("tokens $n$", "词元数 $n$"))
        tick_at(panel, lengths)
    left.set(ylabel=tr("parameters", "参数量"))
    right.set(ylabel=tr("multiplications", "乘法次数"))
    left.legend()
    return picture


EXPERIMENT = Experiment("L68", measure, judge, draw, KNOBS, SEEDS)
