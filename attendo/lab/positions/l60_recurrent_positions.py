"""L60: an LSTM and a Transformer, each with positions and without, where order counts and where the place does."""

import math
from collections.abc import Sequence
from functools import partial

import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from attendo.data.batch import Batch
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import figure, points
from attendo.lab.tools.measuring import count_weights, difference, settled, unseen_generator
from attendo.lab.tools.toy_tasks import FIRST_SYMBOL
from attendo.lab.tools.toy_training import EncoderAlone, accuracy, toy_config
from attendo.lab.tools.tuning import train_side
from attendo.model.embeddings import TokenEmbedding, build_output
from attendo.model.initialization import initialize_recurrent
from attendo.model.positions import NoPositions, Positions, SinusoidalPositions
from attendo.model.recurrence import LSTMLayer, RecurrentState
from attendo.special_tokens import SPECIAL

SEEDS = by_size(2, 4, 16)
KNOBS = (
    Knob("steps", by_size(4, 1_000, 1_500), 2, 100_000),
    Knob("length", by_size(8, 8, 8), 5, 200),
)
D_MODEL, SYMBOLS, BACK = 32, 8, 3
TASKS = ("order", "place")
MODELS = ("lstm", "transformer")
BLIND = math.log(SYMBOLS)
LEARNT = 0.1 * BLIND
WORSE = 0.1  # in the loss


class LSTMByStep(nn.Module):
    """Reads from left to right and answers at each position. Written out step by step, so that the models of all seeds
    can learn in one pass."""

    def __init__(self, positions: Positions) -> None:
        super().__init__()
        self.embedding = TokenEmbedding(FIRST_SYMBOL + SYMBOLS, D_MODEL)
        self.positions = positions
        self.layer = LSTMLayer(D_MODEL, D_MODEL)
        self.output = build_output(self.embedding, tied=False)
        initialize_recurrent(self)

    def forward(self, source: Tensor, target_in: Tensor) -> Tensor:
        length = source.shape[1]
        x = self.positions(self.embedding(source), torch.arange(length, device=source.device)[None], length)
        state: RecurrentState = torch.zeros_like(x[:, 0]), torch.zeros_like(x[:, 0])
        said = []
        for at in range(length):
            state = self.layer.step(x[:, at], state)
            said.append(state[0])
        return self.output(torch.stack(said, dim=1))


def build(model: str, placed: bool, seed: int) -> nn.Module:
    """With d_ff = 2 d_model a layer has 4 d² + 4 d² weights, as many as the four gates of an LSTM."""
    if model == "lstm":
        return LSTMByStep(SinusoidalPositions(D_MODEL) if placed else NoPositions())
    kind = "sinusoidal" if placed else "none"
    return EncoderAlone(toy_config(SYMBOLS, D_MODEL, 2 * D_MODEL, 2, tied_output=False, positions=kind))


def sequences(task: str, length: int, pairs: int, generator: torch.Generator) -> Batch:
    """order: y_i is the symbol BACK positions before, and nothing is asked before there is one.
    place: y_i is x_i + i, modulo the number of symbols."""
    x = torch.randint(0, SYMBOLS, (pairs, length), generator=generator)
    y = FIRST_SYMBOL + (x.roll(BACK, dims=1) if task == "order" else (x + torch.arange(length)) % SYMBOLS)
    if task == "order":
        y[:, :BACK] = SPECIAL.pad
    return Batch(FIRST_SYMBOL + x, FIRST_SYMBOL + x, y, int((y != SPECIAL.pad).sum()))


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    runs = rows_to_fill(seeds, blind=BLIND)
    for task in TASKS:
        drawn = partial(sequences, task, at.whole("length"))
        for model in MODELS:
            for how, placed in (("with", True), ("without", False)):
                name = f"{task}_{model}_{how}"
                side = train_side("L60", name, at, seeds, partial(build, model, placed), drawn, pairs=32)
                for run, seed, trained, numbers in zip(
                    runs, seeds, side.models, side.numbers(name, LEARNT), strict=True
                ):
                    run |= numbers
                    run[f"{name}_right"] = accuracy(trained, drawn(300, unseen_generator(seed)))
                    run[f"weights_{model}"] = count_weights(trained)
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """Worse: at the end the loss without positions is higher by more than WORSE (95 % interval), seed by seed.

    The Transformer must be worse on both tasks, or they say nothing about positions: undecided. The LSTM is worse on
    neither: holds; on one: only if; on both: does not hold. Undecided where an interval straddles WORSE, or where a
    side without positions, being behind, has not stopped improving.
    """
    worse: dict[str, list[bool]] = {model: [] for model in MODELS}
    for task in TASKS:
        for model in MODELS:
            name = f"{task}_{model}_without"
            loss = difference(over_seeds(runs, name), over_seeds(runs, f"{task}_{model}_with"))
            behind = loss.low > WORSE
            if loss.low <= WORSE <= loss.high or (behind and not settled(runs, name)):
                return "undecided"
            worse[model].append(behind)
    if not all(worse["transformer"]):
        return "undecided"
    if not any(worse["lstm"]):
        return "holds"
    return "does not hold" if all(worse["lstm"]) else "holds only if"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, axes = figure(columns=2, width=6.4)
    titles = (
        tr("the symbol 3 positions before", "往前第 3 个位置的符号"),
        tr("symbol + its place", "符号加上它的位置"),
    )
    hows = {"with": tr("with", "有位置编码"), "without": tr("without", "无位置编码")}
    for panel, task, title in zip(axes, TASKS, titles, strict=True):
        sides = [(model, how) for model in MODELS for how in hows]
        labels = [f"{'LSTM' if model == 'lstm' else 'Transformer'}\n{hows[how]}" for model, how in sides]
        points(panel, labels, [over_seeds(runs, f"{task}_{model}_{how}_right") for model, how in sides])
        panel.axhline(1 / SYMBOLS, color="grey", ls=":")
        panel.set(title=title, ylim=(0, 1.05))
    axes[0].set(ylabel=tr("accuracy", "准确率"))
    return picture


EXPERIMENT = Experiment("L60", measure, judge, draw, KNOBS, SEEDS, evidence="trained", tunes=True)
