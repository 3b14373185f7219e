"""L71: time and memory of a layer of a Transformer and of an LSTM, up to thousands of tokens."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from typing import Any

import torch
from matplotlib.figure import Figure
from torch import Tensor, nn
from torch.autograd.graph import saved_tensors_hooks

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, for_each_seed, over_seeds, row
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import band, figure, tick_at
from attendo.lab.tools.measuring import log_interval, seconds
from attendo.model.config import LayerConfig
from attendo.model.encoder import EncoderLayer
from attendo.model.recurrence import LSTMLayer

SEEDS = by_size(2, 3, 3)
# So long that attention's n × n products are most of the work: where the lines cross depends on the processor, and
# between 1,000 and 5,000 tokens one finds for the LSTM and another for the Transformer.
LENGTHS = (128, 512, 2048, 8192)
KNOBS = (
    Knob("lengths", by_size((16, 64), LENGTHS, LENGTHS), 2, 32_768),
    Knob("width", by_size(16, 512, 512), 8, 1_024),
)
HEADS = 8


def layers_of(width: int, seed: int) -> dict[str, nn.Module]:
    """With d_ff = 2 d both have 8 d² weights, but for biases and norms."""
    torch.manual_seed(seed)
    heads = math.gcd(HEADS, width)
    config = LayerConfig(vocab_size=4, d_model=width, d_ff=2 * width, num_heads=heads, dropout=0.0)
    return {"transformer": EncoderLayer(config), "lstm": LSTMLayer(width, width)}


def run_through(layer: nn.Module, x: Tensor, record: list[Tensor] | None = None) -> Tensor:
    """One sequence, [1, length, width]. With a record the weights of attention are written out, and kept."""
    if isinstance(layer, LSTMLayer):
        return layer.run(x)
    return layer(x, record=record)


def sum_of(layer: nn.Module, x: Tensor, record: list[Tensor] | None = None) -> Tensor:
    """A number of which the gradient can be asked."""
    return run_through(layer, x, record).sum()


def learn_from(layer: nn.Module, x: Tensor) -> None:
    sum_of(layer, x).backward()


def kept_bytes(work: Callable[[], object]) -> float:
    """What is kept for the backward pass: every tensor once, weights included."""
    found: dict[Any, int] = {}

    def keep(tensor: Tensor) -> Tensor:
        found[tensor.untyped_storage()._cdata] = tensor.untyped_storage().nbytes()
        return tensor

    with saved_tensors_hooks(keep, lambda tensor: tensor):
        alive = work()  # the graph: without it a place in memory could be given twice
    del alive
    return float(sum(found.values()))


def repeats(length: int) -> int:
    """A short time is measured more often: it is disturbed more easily."""
    return max(1, min(9, 2048 // length))


@contextmanager
def one_thread() -> Iterator[None]:
    """Threads that wait for each other count as time of the processor, too."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def measure_one(seed: int, at: Settings) -> Numbers:
    with one_thread():
        return measure_on_one_core(seed, at)


def measure_on_one_core(seed: int, at: Settings) -> Numbers:
    lengths, width = at.wholes("lengths"), at.whole("width")
    layers = layers_of(width, seed)
    numbers: dict[str, float | list[float]] = {}
    for name, layer in layers.items():
        times, megabytes = [], []
        for length in lengths:
            x = torch.randn(1, length, width)
            times.append(1000 * seconds(partial(learn_from, layer, x), repeats(length)))
            megabytes.append(kept_bytes(partial(sum_of, layer, x)) / 1e6)
        numbers |= {f"ms_{name}": times, f"mb_{name}": megabytes, f"mb_{name}_longest": megabytes[-1]}
        numbers |= {f"ms_{name}_longest": times[-1], f"ms_{name}_shortest": times[0]}
    on_meta = layers["transformer"].to("meta")  # shapes without numbers: nothing is allocated
    written: list[float] = []
    for length in lengths:
        x = torch.empty(1, length, width, device="meta")
        written.append(kept_bytes(partial(sum_of, on_meta, x, [])) / 1e6)
    ratio = [a / b for a, b in zip(numbers["ms_lstm"], numbers["ms_transformer"], strict=True)]  # type: ignore[arg-type]
    numbers |= {"mb_written": written, "mb_written_longest": written[-1], "ratio": ratio}
    numbers |= {"ratio_shortest": ratio[0], "ratio_longest": ratio[-1], "longest": lengths[-1], "shortest": lengths[0]}
    return {**numbers, "crossing": crossing(lengths, ratio)}


def crossing(lengths: tuple[int, ...], ratio: list[float]) -> float:
    """The length from which on the LSTM is faster, on a logarithmic scale between the two around it; the longest if it
    never is, the shortest if it always is."""
    if ratio[0] < 1:
        return float(lengths[0])
    for (a, b), (above, below) in zip(pairwise(lengths), pairwise(ratio), strict=True):
        if below < 1:
            share = math.log(above) / (math.log(above) - math.log(below))
            return a * (b / a) ** share
    return float(lengths[-1])


def judge(runs: Runs) -> Verdict:
    """The LSTM's time over the Transformer's, geometric mean and 95 % interval. Above 1 at the greatest length: holds.
    Above 1 at the least alone: only if the sequence is short enough. Below 1 at both: does not hold."""
    shortest, longest = (log_interval(over_seeds(runs, f"ratio_{end}")) for end in ("shortest", "longest"))
    if longest[1] > 1:
        return "holds"
    if any(low <= 1 <= high for _, low, high in (shortest, longest)):
        return "undecided"
    return "holds only if" if shortest[1] > 1 else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, right) = figure(columns=2, width=5.8)
    lengths = row(runs[0], "lengths")
    names = {"transformer": "Transformer", "lstm": "LSTM"}
    for index, (name, label) in enumerate(names.items()):
        band(left, lengths, [row(run, f"ms_{name}") for run in runs], label, index)
        band(right, lengths, [row(run, f"mb_{name}") for run in runs], label, index)
    written = tr("Transformer, weights stored", "Transformer，存下权重")
    band(right, lengths, [row(run, "mb_written") for run in runs], written, 2)
    for panel in (left, right):
        panel.set(xscale="log", yscale="log", xlabel=tr("tokens", "词元数"))
        tick_at(panel, lengths)
    left.set(ylabel=tr("milliseconds", "毫秒"))
    right.set(ylabel=tr("megabytes kept", "占用内存（MB）"))
    right.legend(fontsize=11)
    return picture


EXPERIMENT = Experiment("L71", for_each_seed(measure_one), judge, draw, KNOBS, SEEDS)
