"""L14: what self-attention becomes when Q and K are zero."""

import torch
from matplotlib.figure import Figure
from torch import Tensor
from torch.autograd.functional import jacobian

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, for_each_seed, number, over_seeds, row
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import band, figure, tick_at
from attendo.model.config import LayerConfig
from attendo.model.feed_forward import build_feed_forward
from attendo.model.multi_head import MultiHeadAttention

SEEDS = by_size(2, 8, 8)
LENGTHS = (1, 2, 4, 8, 16, 32, 64)
KNOBS = (Knob("positions", by_size(6, 6, 6), 1, 48), Knob("lengths", by_size(LENGTHS, LENGTHS, LENGTHS), 1, 512))
D_MODEL, HEADS = 16, 4
WRITTEN_OUT = 8  # a table of up to that many rows has its numbers in the picture
ROUNDING = 1e-12  # two ways to compute one thing, in double precision
REAL = 0.1  # a tenth of the output is more than any rounding


def without_scores() -> MultiHeadAttention:
    """Self-attention with W_Q = W_K = 0 and no biases: every score is 0."""
    layer = MultiHeadAttention(D_MODEL, HEADS, bias=False).double()
    torch.nn.init.zeros_(layer.query.weight)
    torch.nn.init.zeros_(layer.key.weight)
    return layer


def relative_error(found: Tensor, expected: Tensor) -> float:
    return ((found - expected).norm() / expected.norm()).item()


def influence(changes: Tensor) -> list[float]:
    """[1, n, d, 1, n, d], all derivatives -> n × n: how strongly output i reacts to input j, of its whole reaction."""
    blocks = changes[0, :, :, 0].permute(0, 2, 1, 3).flatten(2).norm(dim=2)
    return (blocks / blocks.sum(1, keepdim=True)).flatten().tolist()


def measure_seed(seed: int, at: Settings) -> Numbers:
    torch.manual_seed(seed)
    layer = without_scores()
    feed_forward = build_feed_forward(LayerConfig(vocab_size=4, d_model=D_MODEL, d_ff=4 * D_MODEL)).double()
    texts = [torch.randn(1, n, D_MODEL, dtype=torch.float64) for n in at.wholes("lengths")]
    positions = at.whole("positions")
    x = torch.randn(1, positions, D_MODEL, dtype=torch.float64)
    only_itself = torch.eye(positions, dtype=torch.bool)[None, None]

    def each_by_itself(x: Tensor) -> Tensor:
        """What the notes expect, Z = V·X: every token's own value, and nothing of the others'."""
        return layer.output(layer.value(x))

    with torch.no_grad():
        z = layer(x, x)
        mean_of_values = layer.output(layer.value(x).mean(1, keepdim=True)).expand_as(z)
        numbers: dict[str, float | list[float]] = {
            "from_mean_of_values": relative_error(z, mean_of_values),
            "rows_differ": relative_error(z, z[:, :1].expand_as(z)),
            "from_own_value": relative_error(z, each_by_itself(x)),
            "from_own_value_if_it_sees_only_itself": relative_error(layer(x, x, only_itself), each_by_itself(x)),
            "from_own_value_by_length": [relative_error(layer(text, text), each_by_itself(text)) for text in texts],
        }
    return {
        **numbers,
        "influence_attention": influence(jacobian(lambda x: layer(x, x), x)),
        "influence_feed_forward": influence(jacobian(feed_forward, x)),
    }


def judge(runs: Runs) -> Verdict:
    """The claim holds if the output is each token's own value, to rounding; not, if it is far from that and equals the
    mean of all values, to rounding. Anything between is undecided."""
    if max(over_seeds(runs, "from_own_value")) <= ROUNDING:
        return "holds"
    is_the_mean = max(over_seeds(runs, "from_mean_of_values")) <= ROUNDING
    return "does not hold" if is_the_mean and min(over_seeds(runs, "from_own_value")) > REAL else "undecided"


def in_a_cell(share: float, positions: int) -> str:
    """1/6 where all are equal, 1 and 0 where one has everything."""
    if abs(share - 1 / positions) < 1e-6 and positions > 1:
        return f"1/{positions}"
    return f"{share:.2f}".rstrip("0").rstrip(".")


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, axes = figure(columns=3, width=4.9, height=4.8)
    names = {
        "influence_attention": tr("self-attention, $Q = K = 0$", "自注意力，$Q = K = 0$"),
        "influence_feed_forward": tr("feed-forward", "前馈层"),
    }
    n = int(number(runs[0], "positions"))
    for index, (name, title) in enumerate(names.items()):
        shares = torch.tensor([row(run, name) for run in runs]).mean(0).view(n, n).tolist()
        axes[index].pcolormesh(
            [i + 0.5 for i in range(n + 1)], [i + 0.5 for i in range(n + 1)], shares, cmap="Blues", vmin=0, vmax=1.4,
            edgecolors="white", lw=1.5,
        )  # fmt: skip
        axes[index].set(xlabel=tr("input at position", "输入位置"), ylabel=tr("output at position", "输出位置"))
        axes[index].set(title=title, aspect="equal", ylim=(n + 0.5, 0.5))
        axes[index].grid(visible=False)
        if n <= WRITTEN_OUT:
            axes[index].set(xticks=range(1, n + 1), yticks=range(1, n + 1))
            for i, j in ((i, j) for i in range(n) for j in range(n)):
                colour = "white" if shares[i][j] > 0.6 else "black"
                axes[index].text(j + 1, i + 1, in_a_cell(shares[i][j], n), ha="center", va="center", color=colour)
    lengths = sorted(set(row(runs[0], "lengths")))
    by_length = [dict(zip(row(run, "lengths"), row(run, "from_own_value_by_length"), strict=True)) for run in runs]
    band(axes[2], lengths, [[found[length] for length in lengths] for found in by_length], "", 4)
    axes[2].set(xscale="log", xlabel=tr("length of the sentence", "句子长度"), ylim=(-0.03, 1.1))
    axes[2].set_title(tr("distance from $Z = V X$", "与 $Z = V X$ 的相对距离"))
    tick_at(axes[2], lengths)
    return picture


EXPERIMENT = Experiment("L14", for_each_seed(measure_seed), judge, draw, KNOBS, SEEDS)
