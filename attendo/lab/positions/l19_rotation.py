"""L19: PE(pos + k) is PE(pos) times a matrix that depends on k alone."""

from collections.abc import Sequence

import torch
from matplotlib.figure import Figure
from torch import Tensor

from attendo.errors import UsageError
from attendo.lab.claim import ONE_SEED, Experiment, Numbers, Runs, Tr, Verdict, number, row
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, MARKERS, figure
from attendo.model.positions import position_angles, sinusoidal_encoding

KNOBS = (
    Knob("d", by_size(512, 512, 512), 2, 2048),
    Knob("k", by_size((-3, 7), (-50, -1, 1, 10, 100), (-200, -50, -7, -1, 1, 7, 10, 50, 100, 200)), -1000, 1000),
)
EXAMPLE = (0.9093, -0.4161, 0.1987, 0.9801, 0.0200, 0.9998, 0.0020, 0.999998)  # d = 8, pos = 2, as printed
DIGITS = (4, 4, 4, 4, 4, 4, 4, 6)
EXACT = 1e-6  # of numbers between -1 and 1: far above rounding, far below anything that would show


def even(d: int) -> int:
    """The width of an encoding, which has a sine and a cosine for each frequency."""
    if d % 2:
        raise UsageError(f"a width of {d} cannot be: expected an even number, as columns come in pairs")
    return d


def rotation_matrix(k: int, d: int, dtype: torch.dtype = torch.float64) -> Tensor:
    """R_k [d, d] with PE(pos + k) = R_k PE(pos): a block for each pair of columns,

    sin ω(pos + k) =  cos ωk · sin ω pos + sin ωk · cos ω pos
    cos ω(pos + k) = -sin ωk · sin ω pos + cos ωk · cos ω pos
    """
    angles = position_angles(torch.tensor([[k]]), d, 10_000.0, dtype)[0, 0]  # ω_i k
    blocks = [torch.stack((c, s, -s, c)).view(2, 2) for c, s in zip(angles.cos(), angles.sin(), strict=True)]
    return torch.block_diag(*blocks)


def largest_differences(table: Tensor, moved: Tensor, matrix: Tensor) -> Tensor:
    """How far R_k PE(pos) is from PE(pos + k), the largest number of each position."""
    return (table @ matrix.T - moved).abs().amax(-1)


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    positions = (
        torch.cat((torch.arange(64), torch.logspace(1.9, 4, 40).long())).sort().values[None]
    )  # positions to 10,000
    d, worst = even(at.whole("d")), {}
    for dtype in (torch.float64, torch.float32):
        table = sinusoidal_encoding(positions, d, dtype)[0]
        each = []
        for k in at.wholes("k"):
            moved = sinusoidal_encoding(positions + k, d, dtype)[0]
            each.append(largest_differences(table, moved, rotation_matrix(k, d, dtype)))
        worst[dtype] = torch.stack(each).amax(0)
    turn = rotation_matrix(10, d)
    example = sinusoidal_encoding(torch.tensor([[2]]), 8, torch.float64)[0, 0]
    rounded = [round(x, digits) for x, digits in zip(example.tolist(), DIGITS, strict=True)]
    numbers: Numbers = {
        "error": worst[torch.float64].max().item(),
        "error_float32": worst[torch.float32].max().item(),
        "not_orthogonal": (turn @ turn.T - torch.eye(d)).abs().max().item(),
        "of_random_rows": best_map_of_random_rows(),
        "example_error": max(abs(x - y) for x, y in zip(rounded, EXAMPLE, strict=True)),
        "at": positions[0].tolist(), "float64": worst[torch.float64].tolist(), "float32": worst[torch.float32].tolist(),
    }  # fmt: skip
    return [numbers for _ in seeds]


def best_map_of_random_rows(d: int = 64, length: int = 1000, k: int = 10) -> float:
    """The control: rows drawn by chance, and the best matrix from row pos to row pos + k. What share it leaves over."""
    rows = torch.randn(length + k, d, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    best = torch.linalg.lstsq(rows[:-k], rows[k:]).solution
    return ((rows[:-k] @ best - rows[k:]).norm() / rows[k:].norm()).item()


def judge(runs: Runs) -> Verdict:
    """One matrix for each k serves all positions to 1e-6, and the worked example has the digits that are printed."""
    right = number(runs[0], "error") <= EXACT and number(runs[0], "example_error") <= EXACT
    return "holds" if right else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, right) = figure(2, height=4.8)
    shown = left.imshow(rotation_matrix(5, 16).numpy(), cmap="PuOr", vmin=-1, vmax=1)
    left.set(
        xlabel=tr("column of $PE(pos)$", "$PE(pos)$ 的分量"), ylabel=tr("row of $PE(pos+5)$", "$PE(pos+5)$ 的分量")
    )
    left.set(xticks=range(0, 16, 3), yticks=range(0, 16, 3), title=tr("$R_5$ for $d = 16$", "$d = 16$ 时的 $R_5$"))
    left.grid(visible=False)
    picture.colorbar(shown, ax=left, shrink=0.85)
    for index, name in enumerate(("float32", "float64")):
        label = tr(f"{name[5:]} bits", f"{name[5:]} 位浮点数")
        right.loglog(row(runs[0], "at"), row(runs[0], name), MARKERS[index], ms=5, color=COLOURS[index], label=label)
    right.set(
        xlabel=tr("position", "位置 $pos$"), ylabel=tr("largest error", "最大误差"), xscale="symlog", xlim=(0, None)
    )
    right.legend()
    return picture


EXPERIMENT = Experiment("L19", measure, judge, draw, KNOBS, ONE_SEED)
