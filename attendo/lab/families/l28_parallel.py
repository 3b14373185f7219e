"""L28: what must wait for what in a training step, and how long the step takes: Transformer and LSTM by length."""

import math
from functools import partial
from itertools import pairwise
from typing import Any

import torch
from matplotlib.figure import Figure
from torch import Tensor, nn
from torch.nn import functional as F

from attendo.data.batch import Batch
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, for_each_seed, over_seeds, row
from attendo.lab.knobs import Settings, by_size
from attendo.lab.tools.chart import band, figure, tick_at
from attendo.lab.tools.measuring import interval, seconds
from attendo.model.config import LSTMConfig, TransformerConfig
from attendo.model.lstm import LSTMSeq2Seq
from attendo.model.transformer import Transformer
from attendo.training.step import train_step

VOCAB = 100
LENGTHS = by_size((4, 8), (8, 16, 32, 64, 128), (8, 16, 32, 64, 128, 256, 512, 1024))
TOKENS = by_size(16, 512, 8192)  # a step, on either side, at every length: fewer, longer sentences
REPEATS = by_size(1, 3, 15)


def build(name: str, seed: int) -> nn.Module:
    """About equally many weights; 2 + 2 layers each."""
    torch.manual_seed(seed)
    layers: dict[str, Any] = {"vocab_size": VOCAB, "encoder_layers": 2, "decoder_layers": 2, "dropout": 0.0}
    if name == "lstm":
        return LSTMSeq2Seq(LSTMConfig(d_model=80, **layers))
    return Transformer(TransformerConfig(d_model=64, d_ff=256, num_heads=4, **layers))


def sentences(count: int, length: int, seed: int) -> Batch:
    generator = torch.Generator().manual_seed(seed)
    sides = torch.randint(4, VOCAB, (2, count, length - 1), generator=generator).tolist()  # and </s>
    return Batch.from_pairs(list(zip(*sides, strict=True)))


def longest_chain(loss: Tensor) -> int:
    """Operations each of which needs the result of the one before: the longest path through autograd's graph."""
    chain: dict[Any, int] = {}
    waiting: list[Any] = [loss.grad_fn]
    while waiting:
        operation = waiting[-1]
        needed = [before for before, _ in operation.next_functions if before is not None]
        unknown = [before for before in needed if before not in chain]
        waiting.extend(unknown)
        if not unknown:
            chain[waiting.pop()] = 1 + max((chain[before] for before in needed), default=0)
    return chain[loss.grad_fn]


def measure_one(seed: int, at: Settings) -> Numbers:
    lengths = LENGTHS[at.size]
    models = {name: build(name, seed) for name in ("transformer", "lstm")}
    chains: dict[str, list[float]] = {name: [] for name in models}
    times: dict[str, list[float]] = {name: [] for name in models}
    for length in lengths:
        one, batch = (sentences(count, length, seed) for count in (1, TOKENS[at.size] // length))
        for name, model in models.items():  # in turn, so that both meet the same moods of the machine
            exact = build(name, seed).double()  # in double precision torch shows the LSTM's steps; else it fuses them
            logits = exact(one.source, one.target_in)
            chains[name].append(float(longest_chain(F.cross_entropy(logits.flatten(0, 1), one.target_out.flatten()))))
            step = partial(train_step, model, torch.optim.SGD(model.parameters()), [batch], 1e-3)
            times[name].append(1000 * seconds(step, REPEATS[at.size]))
    numbers: dict[str, float | list[float]] = {"lengths": list(lengths), "longest": lengths[-1], "shortest": lengths[0]}
    for name, model in models.items():
        numbers[f"parameters_{name}"] = sum(weight.numel() for weight in model.parameters())
        numbers[f"chain_{name}"], numbers[f"ms_{name}"] = chains[name], times[name]
        numbers[f"chain_{name}_longest"] = chains[name][-1]
        numbers[f"chain_{name}_per_token"] = (chains[name][-1] - chains[name][0]) / (lengths[-1] - lengths[0])
        numbers[f"slower_{name}"] = times[name][-1] / times[name][0]  # the longest sentences against the shortest
    ratio = [a / b for a, b in zip(times["lstm"], times["transformer"], strict=True)]
    return {**numbers, "ratio": ratio, "ratio_shortest": ratio[0], "ratio_longest": ratio[-1]}


def judge(runs: Runs) -> Verdict:
    """The chain of operations is as long at every length for the Transformer and grows with it for the LSTM. If so, and
    the ratio of their times grows from the shortest to the longest sentences, too (95 % interval), the claim holds; if
    it falls, only on a machine that has more to offer than this one."""
    for run in runs:
        constant, growing = row(run, "chain_transformer"), row(run, "chain_lstm")
        if max(constant) > min(constant) or any(b <= a for a, b in pairwise(growing)):
            return "does not hold"
    pairs = zip(over_seeds(runs, "ratio_longest"), over_seeds(runs, "ratio_shortest"), strict=True)
    growth = interval([math.log(longest / shortest) for longest, shortest in pairs])  # errors of a time are factors
    if growth.low > 0:
        return "holds"
    return "holds only if" if growth.high < 0 else "undecided"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, right) = figure(2, width=4.7)
    lengths = row(runs[0], "lengths")
    for index, (name, label) in enumerate((("transformer", "Transformer"), ("lstm", "LSTM"))):
        band(left, lengths, [row(run, f"chain_{name}") for run in runs], label, index)
        band(right, lengths, [row(run, f"ms_{name}") for run in runs], label, index)
    for axes in (left, right):
        axes.set(xlabel=tr("tokens in a sentence", "句子长度（token 数）"), xscale="log", yscale="log")
        tick_at(axes, lengths)
    left.set(ylabel=tr("longest chain of operations", "最长的操作链"))
    right.set(ylabel=tr("ms a training step", "每个训练步的毫秒数"), yscale="linear", ylim=(0, None))
    left.legend()
    return picture


EXPERIMENT = Experiment("L28", for_each_seed(measure_one), judge, draw, (), by_size(2, 5, 8))
