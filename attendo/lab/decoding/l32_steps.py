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
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, for_each_seed, row
from attendo.lab.knobs import Settings, by_size
from attendo.lab.tools.chart import band, figure
from attendo.model.config import TransformerConfig
from attendo.model.transformer import Transformer
from attendo.training.step import train_step

SIZES = {"d_model": 64, "d_ff": 256, "num_heads": 4, "encoder_layers": 2, "decoder_layers": 2}
VOCAB = 50
LENGTHS = by_size((5, 20), (5, 10, 20, 40), (5, 10, 20, 40, 80, 160, 320))
REPEATS = by_size(1, 7, 31)


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
    for n in LENGTHS[at.size]:
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
    twenty = LENGTHS[at.size].index(20)
    slower = {name: found[f"{name}_ms_infer"][-1] / found[f"{name}_ms_train"][-1] for name in ("encoder", "decoder")}
    return {
        **found, "lengths": list(LENGTHS[at.size]), "longest": LENGTHS[at.size][-1],
        **{f"{name}_slower": ratio for name, ratio in slower.items()},
        "decoder_at_20": found["decoder_calls_infer"][twenty],
        "positions_at_20": found["decoder_positions_infer"][twenty],
    }  # fmt: skip


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
    picture, both = figure(2, width=4.7)
    kinds = {
        "train": tr("training", "训练"),
        "infer": tr("inference", "推理"),
        "score": tr("scoring", "给定译文打分"),
    }
    titles = (tr("encoder", "编码器"), tr("decoder", "解码器"))
    for axes, name, title in zip(both, ("encoder", "decoder"), titles, strict=True):
        for index, (kind, label) in enumerate(kinds.items()):
            band(axes, row(runs[0], "lengths"), [row(run, f"{name}_ms_{kind}") for run in runs], label, index)
        axes.set(xlabel=tr("tokens", "token 数"), ylabel=f"{title}, ms", ylim=(0, None))
    both[1].legend()
    return picture


EXPERIMENT = Experiment("L32", for_each_seed(measure_one), judge, draw)
