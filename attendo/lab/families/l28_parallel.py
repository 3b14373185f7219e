"""L28: what must wait for what in a training step, its cost on one core: Transformer, LSTM and RNN by length."""

from functools import cache, partial
from itertools import pairwise
from typing import Any, Literal, get_args

import torch
from matplotlib.figure import Figure
from torch import Tensor, nn
from torch.nn import functional as F

from attendo.data.batch import Batch
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, for_each_seed, row
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import figure, log_band, plain_log, tick_at
from attendo.lab.tools.measuring import count_weights, seconds
from attendo.model.config import RecurrentConfig, TransformerConfig
from attendo.model.recurrent import RecurrentSeq2Seq
from attendo.model.transformer import Transformer
from attendo.training.step import train_step

Name = Literal["transformer", "attending", "lstm", "rnn"]
NAMES: tuple[Name, ...] = get_args(Name)
RECURRENT = NAMES[1:]
SEEDS = by_size(2, 6, 8)
KNOBS = (Knob("lengths", by_size((4, 8), (8, 32, 128, 512), (8, 32, 128, 512)), 2, 2048),)
VOCAB = 100
REPEATS = by_size(1, 1, 5)


def build(name: Name, seed: int) -> nn.Module:
    """About equally many weights; 2 + 2 layers each. An LSTM with additive attention, one without, and a plain RNN."""
    torch.manual_seed(seed)
    layers: dict[str, Any] = {"vocab_size": VOCAB, "encoder_layers": 2, "decoder_layers": 2, "dropout": 0.0}
    if name == "transformer":
        return Transformer(TransformerConfig(d_model=64, d_ff=256, num_heads=4, **layers))
    if name == "attending":
        return RecurrentSeq2Seq(RecurrentConfig(d_model=80, **layers))
    if name == "lstm":
        return RecurrentSeq2Seq(RecurrentConfig(d_model=84, attention="none", **layers))
    return RecurrentSeq2Seq(RecurrentConfig(d_model=158, attention="none", cell="rnn", **layers))


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


@cache
def chain_of(name: Name, length: int) -> float:
    """Of one sentence. In double precision torch shows the LSTM's steps; else it fuses them into one operation."""
    one = sentences(1, length, seed=1)
    logits = build(name, seed=1).double()(one.source, one.target_in)
    return float(longest_chain(F.cross_entropy(logits.flatten(0, 1), one.target_out.flatten())))


def measure_one(seed: int, at: Settings) -> Numbers:
    """The batch has as many tokens at every length: one of the longest sentences, or more of the shorter ones."""
    lengths = sorted(at.wholes("lengths"))
    models = {name: build(name, seed) for name in NAMES}
    times: dict[str, list[float]] = {name: [] for name in NAMES}
    for length in lengths:
        batch = sentences(max(1, lengths[-1] // length), length, seed)
        for name, model in models.items():  # in turn, so that all meet the machine in the same state
            step = partial(train_step, model, torch.optim.SGD(model.parameters()), [batch], 1e-3)
            times[name].append(1000 * seconds(step, REPEATS[at.size]))
    numbers: dict[str, float | list[float]] = {"longest": lengths[-1], "shortest": lengths[0]}
    for name, model in models.items():
        chain = [chain_of(name, length) for length in lengths]
        numbers |= {f"{name}_chain": chain, f"{name}_chain_first": chain[0], f"{name}_chain_last": chain[-1]}
        numbers[f"{name}_chain_per_token"] = (chain[-1] - chain[0]) / max(1, lengths[-1] - lengths[0])
        numbers |= {f"{name}_ms": times[name], f"{name}_ms_first": times[name][0], f"{name}_ms_last": times[name][-1]}
        numbers[f"{name}_slower"] = times[name][-1] / times[name][0]  # the longest sentences against the shortest
        numbers[f"{name}_weights"] = count_weights(model)
    return numbers


def judge(runs: Runs) -> Verdict:
    """The chain of operations that wait for each other is as long at every length for the Transformer, and grows with
    it for the RNN, of which the note speaks, and for both LSTMs: holds. Anything else: does not hold.

    Times do not enter. On one core nothing runs in parallel; and what grew with length there, when they were judged,
    was the cost of attention, not of the recurrence: that of a plain LSTM does not grow."""
    for run in runs:
        constant = row(run, "transformer_chain")
        growing = [row(run, f"{name}_chain") for name in RECURRENT]
        if max(constant) > min(constant) or any(b <= a for chain in growing for a, b in pairwise(chain)):
            return "does not hold"
    return "holds"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, right) = figure(2)
    lengths = sorted(row(runs[0], "lengths"))
    labels = ("Transformer", tr("LSTM with attention", "带注意力的 LSTM"), "LSTM", "RNN")
    for index, (name, label) in enumerate(zip(NAMES, labels, strict=True)):
        log_band(left, lengths, [row(run, f"{name}_chain") for run in runs], label, index)
        log_band(right, lengths, [row(run, f"{name}_ms") for run in runs], label, index)
    for axes in (left, right):
        axes.set(xlabel=tr("tokens in a sentence", "句子长度（词元数）"), xscale="log")
        tick_at(axes, lengths)
        plain_log(axes)
    left.set(title=tr("on any machine", "任何机器上"), ylabel=tr("operations in a row", "必须依次进行的操作数"))
    right.set(title=tr("on one core", "单核上"), ylabel=tr("ms a training step", "每个训练步的毫秒数"))
    left.legend(fontsize=11)
    return picture


EXPERIMENT = Experiment("L28", for_each_seed(measure_one), judge, draw, KNOBS, SEEDS)
