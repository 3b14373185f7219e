"""L14: what self-attention becomes when Q and K are zero."""

import torch
from matplotlib.figure import Figure
from torch import Tensor
from torch.autograd.functional import jacobian

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, for_each_seed, over_seeds, row
from attendo.lab.knobs import Settings
from attendo.lab.tools.chart import band, figure, tick_at
from attendo.model.config import LayerConfig
from attendo.model.feed_forward import build_feed_forward
from attendo.model.multi_head import MultiHeadAttention

D_MODEL, HEADS, POSITIONS = 16, 4, 6
LENGTHS = [1, 2, 4, 8, 16, 32, 64]
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
    texts = [torch.randn(1, n, D_MODEL, dtype=torch.float64) for n in LENGTHS]
    x = torch.randn(1, POSITIONS, D_MODEL, dtype=torch.float64)
    only_itself = torch.eye(POSITIONS, dtype=torch.bool)[None, None]

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


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, axes = figure(columns=3, width=4.0, height=3.4)
    names = {
        "influence_attention": tr("self-attention, $Q = K = 0$", "自注意力，$Q = K = 0$"),
        "influence_feed_forward": tr("feed-forward", "前馈层"),
    }
    for index, (name, title) in enumerate(names.items()):
        grid = torch.tensor([row(run, name) for run in runs]).mean(0).view(POSITIONS, POSITIONS).tolist()
        axes[index].imshow(grid, cmap="Blues", vmin=0, vmax=1, extent=(0.5, POSITIONS + 0.5, POSITIONS + 0.5, 0.5))
        axes[index].set(xlabel=tr("input at position", "输入位置"), ylabel=tr("output at position", "输出位置"))
        axes[index].set_title(title, fontsize=10)
        axes[index].grid(visible=False)
    curves = [row(run, "from_own_value_by_length") for run in runs]
    band(axes[2], LENGTHS, curves, tr("distance from $Z = V X$", "与 $Z = V X$ 的距离"), 4)
    axes[2].set(xscale="log", xlabel=tr("length of the sentence", "句子长度"), ylim=(-0.03, 1.1))
    tick_at(axes[2], LENGTHS)
    axes[2].legend(loc="lower right")
    return picture


EXPERIMENT = Experiment("L14", for_each_seed(measure_seed), judge, draw)
