"""L10: feed-forward parts one to eight times as wide as the model: what they learn, and what they cost."""

from collections.abc import Sequence
from functools import partial

import torch
from matplotlib.figure import Figure
from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from attendo.data.batch import Batch
from attendo.lab.attention.l6_heads import D_MODEL, LENGTH, Reader
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, number, over_seeds, rows_to_fill
from attendo.lab.knobs import Settings, by_size
from attendo.lab.tools.chart import band, figure, tick_at
from attendo.lab.tools.measuring import at_the_end, count_weights, difference, seconds
from attendo.lab.tools.toy_tasks import FIRST_SYMBOL
from attendo.lab.tools.tuning import budgets_of, train_tuned
from attendo.model.config import TransformerConfig
from attendo.model.encoder import EncoderLayer
from attendo.model.transformer import Transformer

SEEDS = by_size(2, 6, 12)
BETTER = 0.1  # in the loss: the right answer is given a probability higher by a tenth
STEPS = by_size(3, 300, 1500)
TIMES = (1, 2, 4, 8)  # d_ff / d_model
SYMBOLS = 8
TABLE = torch.randint(SYMBOLS, (SYMBOLS, SYMBOLS), generator=torch.Generator().manual_seed(0))
TASKS = {"moving": (1, 8), "table": TIMES}  # where nothing happens, the narrowest and the widest are enough
PAPER = partial(TransformerConfig, vocab_size=37_000, dropout=0.0)  # the base model: d_model = 512, 6 + 6 layers
COSTS = ("operations", "state", "kept", "microseconds")
TOKENS = 64  # on which they are counted, in two sentences
DEARER = 1.5  # "markedly": half as much again, from the narrowest to the widest


def sequences(task: str, pairs: int, generator: torch.Generator) -> Batch:
    """moving: y_i = x_{i+3}. table: y_i = T(x_i, x_{i+3}), where T is a table without rhyme or reason."""
    x = torch.randint(SYMBOLS, (pairs, LENGTH), generator=generator)
    far = x.roll(-3, dims=1)
    y = far if task == "moving" else TABLE[x, far]
    return Batch(FIRST_SYMBOL + x, FIRST_SYMBOL + x, FIRST_SYMBOL + y, y.numel())


def cost(times: int, repeats: int) -> list[dict[str, float]]:
    """A training step of the paper's model: bytes of the whole, then what one encoder layer takes for each token."""
    with torch.device("meta"):  # there a tensor has a shape and no memory
        weights = count_weights(Transformer(PAPER(d_ff=times * 512)))
    layer, x = EncoderLayer(PAPER(d_ff=times * 512)), torch.ones(2, TOKENS // 2, 512, requires_grad=True)
    kept: dict[int, int] = {}  # address -> bytes of what the forward pass keeps for the backward pass

    def keep(tensor: Tensor) -> Tensor:
        kept[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor

    counter = FlopCounterMode(display=False)
    with sdpa_kernel(SDPBackend.MATH), counter, saved_tensors_hooks(keep, lambda tensor: tensor):
        layer(x).sum().backward()
    own = {weight.data_ptr() for weight in layer.parameters()}  # these are there in any case
    counted = {
        "weights": weights, "state": 16 * weights,  # four bytes each for weight, gradient and Adam's two moments
        "operations": counter.get_total_flops() / TOKENS, "kept": sum(kept[it] for it in kept.keys() - own) / TOKENS,
    }  # fmt: skip
    taken = [seconds(lambda: layer(x).sum().backward(), 1) for _ in range(repeats)]  # this alone is left to chance
    return [{**counted, "microseconds": 1e6 * time / TOKENS} for time in taken]


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    """Small models of all seeds learn both tasks; the cost is that of the paper's model."""
    runs = rows_to_fill(seeds)
    for task, widths in TASKS.items():
        for times in widths:
            name, batches = f"{task}_{times}", partial(sequences, task)
            budgets = budgets_of("L10", name, at.size, STEPS[at.size], 16)
            models, losses, rate = train_tuned(partial(Reader, 2, times * D_MODEL), batches, seeds, budgets)
            for run, model, loss in zip(runs, models, losses.T, strict=True):
                run |= {name: at_the_end(loss), f"rate_{name}": rate, f"small_weights_{times}": count_weights(model)}
    for times in TIMES:
        for run, numbers in zip(runs, cost(times, len(seeds)), strict=True):
            run |= {f"{name}_{times}": value for name, value in numbers.items()}
    for run in runs:
        run |= {f"{name}_8_to_1": number(run, f"{name}_8") / number(run, f"{name}_1") for name in COSTS}
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """Better: the loss with 1x is higher than with 8x by more than BETTER, seed by seed. Dearer: operations, state and
    what is kept grow by DEARER or more; the time, which is not counted but measured, has no vote.
    Dearer and better on both tasks: holds. Better on one: only if. On neither, or not dearer: does not hold.
    """
    gains = [difference(over_seeds(runs, f"{task}_1"), over_seeds(runs, f"{task}_8")) for task in TASKS]
    if any(number(runs[0], f"{name}_8_to_1") < DEARER for name in COSTS[:3]):
        return "does not hold"
    if any(gain.low <= BETTER <= gain.high for gain in gains):
        return "undecided"
    verdicts: tuple[Verdict, ...] = ("does not hold", "holds only if", "holds")
    return verdicts[sum(gain.low > BETTER for gain in gains)]


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, right) = figure(columns=2, width=4.8)
    tasks = {"moving": tr("moving a symbol", "搬运符号"), "table": tr("looking up a table", "查表")}
    costs = (
        tr("operations", "运算次数"), tr("weights, gradients, Adam", "参数、梯度与 Adam 状态"),
        tr("kept for going back", "为反向传播保留的数据"), tr("time", "用时"),
    )  # fmt: skip
    for index, (task, label) in enumerate(tasks.items()):
        band(left, TASKS[task], [[number(run, f"{task}_{it}") for it in TASKS[task]] for run in runs], label, index)
    for index, (name, label) in enumerate(zip(COSTS, costs, strict=True), start=2):
        curves = [[number(run, f"{name}_{times}") / number(run, f"{name}_1") for times in TIMES] for run in runs]
        band(right, TIMES, curves, label, index)
    relative = tr("times what $d_{ff} = d_{model}$ costs", "相对 $d_{ff} = d_{model}$ 的倍数")
    for axes, label in ((left, tr("loss", "损失")), (right, relative)):
        axes.set(xscale="log", xlabel="$d_{ff} / d_{model}$", ylabel=label, ylim=(0, None))
        tick_at(axes, TIMES)
        axes.legend()
    return picture


EXPERIMENT = Experiment("L10", measure, judge, draw, (), SEEDS, evidence="trained", tunes=True)
