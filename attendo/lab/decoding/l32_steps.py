"""L32: how often encoder and decoder run for a sentence of n tokens, in training and in inference."""

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from statistics import median
from typing import Any

import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from attendo.data.batch import Batch
from attendo.decoding.constraints import MinLength
from attendo.decoding.greedy import greedy_search
from attendo.decoding.scoring import score_targets
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, for_each_seed, number, row
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, MARKERS, band, figure
from attendo.model.config import TransformerConfig
from attendo.model.transformer import Transformer
from attendo.training.step import train_step

SIZES = {"d_model": 64, "d_ff": 256, "num_heads": 4, "encoder_layers": 2, "decoder_layers": 2}
VOCAB = 50
SEEDS = by_size(2, 8, 8)
KNOBS = (Knob("lengths", by_size((5, 20), (5, 10, 20, 40), (5, 10, 20, 40, 80, 160, 320)), 2, 1000),)
REPEATS = by_size(1, 5, 31)


class Counter:
    """Counts the calls of a part, the positions it is given, and its processor time (forward only)."""

    def __init__(self, part: nn.Module) -> None:
        self.calls, self.positions, self.seconds, self.started = 0, 0, 0.0, 0.0
        self.times: list[float] = []
        part.register_forward_pre_hook(self.begin)
        part.register_forward_hook(self.end)

    def begin(self, part: nn.Module, inputs: tuple[Any, ...]) -> None:
        self.calls += 1
        self.positions += inputs[0].shape[1]
        self.started = time.process_time()

    def end(self, part: nn.Module, inputs: tuple[Any, ...], output: Tensor) -> None:
        self.seconds += time.process_time() - self.started


def measure_one(seed: int, at: Settings) -> Numbers:
    torch.manual_seed(seed)
    model = Transformer(TransformerConfig(vocab_size=VOCAB, dropout=0.0, **SIZES))  # type: ignore[arg-type]
    optimizer = torch.optim.SGD(model.parameters())
    encoder, decoder = Counter(model.encoder), Counter(model.decoder)
    found: dict[str, list[float]] = defaultdict(list)
    lengths = at.wholes("lengths")
    for n in lengths:
        words = torch.randint(4, VOCAB, (2, n - 1)).tolist()  # with </s>, n tokens on either side
        batch = Batch.from_pairs([(words[0], words[1])])
        works: dict[str, Callable[[], object]] = {
            "train": partial(train_step, model, optimizer, [batch], 1e-3),
            "infer": partial(greedy_search, model, batch.source, n, [MinLength(n)]),
            "score": partial(score_targets, model, batch.source, batch.target_out),
        }
        for kind, work in works.items():
            watched(work, (encoder, decoder), REPEATS[at.size])
            for name, part in (("encoder", encoder), ("decoder", decoder)):
                found[f"{name}_calls_{kind}"].append(part.calls)
                found[f"{name}_positions_{kind}"].append(part.positions)
                found[f"{name}_ms_{kind}"].append(1000 * median(part.times))
    longest = lengths.index(max(lengths))
    numbers: dict[str, float | list[float]] = {**found, "longest": float(max(lengths))}
    for name in ("encoder", "decoder"):
        numbers[f"{name}_slower"] = found[f"{name}_ms_infer"][longest] / found[f"{name}_ms_train"][longest]
    for index, n in enumerate(lengths):
        numbers[f"encoder_at_{n}"] = found["encoder_calls_infer"][index]
        numbers[f"decoder_at_{n}"] = found["decoder_calls_infer"][index]
        numbers[f"decoder_at_{n}_train"] = found["decoder_calls_train"][index]
        numbers[f"positions_at_{n}"] = found["decoder_positions_infer"][index]
    return numbers


def watched(work: Callable[[], object], parts: Sequence[Counter], repeats: int) -> None:
    """What each part counts is of the last time, its times are of all but the first, which is slow."""
    for part in parts:
        part.times = []
    for _ in range(1 + repeats):
        for part in parts:
            part.calls, part.positions, part.seconds = 0, 0, 0.0
        work()
        for part in parts:
            part.times = [*part.times[-repeats + 1 :], part.seconds] if repeats > 1 else [part.seconds]


def judge(runs: Runs) -> Verdict:
    """The counts, which chance does not touch: the encoder runs once in both, the decoder once in training and n times
    in inference. Time is shown, but does not decide: it depends on the machine."""
    for run in runs:
        lengths = list(row(run, "lengths"))
        once = [1.0] * len(lengths)
        names = ("encoder_calls_train", "encoder_calls_infer", "decoder_calls_train")
        if any(list(row(run, name)) != once for name in names) or list(row(run, "decoder_calls_infer")) != lengths:
            return "does not hold"
    return "holds"


def draw(runs: Runs, tr: Tr) -> Figure:
    """What decides, the number of calls, and what it costs."""
    picture, (calls, cost) = figure(2)
    lengths = sorted(set(row(runs[0], "lengths")))
    at = [list(row(runs[0], "lengths")).index(n) for n in lengths]
    curves = {
        ("decoder", "infer"): tr("decoder, inference", "解码器，推理"),
        ("decoder", "train"): tr("decoder, training", "解码器，训练"),
        ("encoder", "infer"): tr("encoder, inference", "编码器，推理"),
    }
    for index, ((name, kind), label) in enumerate(curves.items()):
        counted = [row(runs[0], f"{name}_calls_{kind}")[i] for i in at]
        how: dict[str, Any] = {"lw": 2.5, "ls": ("-", "-", "--")[index], "color": COLOURS[(4, 0, 2)[index]]}
        calls.plot(lengths, counted, MARKERS[index], ms=7, label=label, **how)
        times = [[row(run, f"{name}_ms_{kind}")[i] for i in at] for run in runs]
        band(cost, lengths, times, label, (4, 0, 2)[index])
    for axes, words in (
        (calls, tr("calls", "调用次数")),
        (cost, tr("milliseconds, forward only", "毫秒（只计前向计算）")),
    ):
        axes.set(xlabel=tr("tokens", "词元数"), title=words, ylim=(0, None))
    longest = number(runs[0], "longest")
    calls.annotate(f"{max(row(runs[0], 'decoder_calls_infer')):.0f}", (longest, longest), (-30, -4),
                   textcoords="offset points")  # fmt: skip
    calls.legend()
    return picture


EXPERIMENT = Experiment("L32", for_each_seed(measure_one), judge, draw, KNOBS, SEEDS)
