"""L29: a Transformer and an LSTM with attention learn to translate from the same pairs, with as many weights."""

from collections.abc import Mapping, Sequence

import torch
from matplotlib.figure import Figure

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, row
from attendo.lab.knobs import Settings, Size
from attendo.lab.tools.chart import band, bars, figure
from attendo.lab.tools.measuring import count_weights, difference
from attendo.lab.tools.real_sides import train_sides, translator
from attendo.lab.tools.real_training import (
    REAL_SEEDS,
    RealBudget,
    RealData,
    bleu_of,
    real_data,
    transformer,
    validation_loss,
)
from attendo.model.config import Context, LSTMConfig

# One pair a row for both: the same batches in the same order.
BUDGETS: Mapping[Size, RealBudget] = {
    "small": RealBudget(epochs=1, tokens=300, packed=False),
    "full": RealBudget(epochs=40, packed=False),
}
RATES: Mapping[Size, Sequence[float]] = {"small": (1e-3, 4e-3), "full": (1e-3, 2e-3, 4e-3)}
# The widths that give an LSTM as many weights as the Transformer has.
WIDTHS: Mapping[Context, Mapping[Size, int]] = {
    "attention": {"small": 16, "full": 312},
    "fixed": {"small": 18, "full": 326},
}
POINTS = 30  # of a curve in the picture
NOTHING = 0.5  # points of BLEU, about what another seed changes (docs/experiments.md): less than this says nothing
NAMES = {"transformer": "Transformer", "lstm": "LSTM"}


def lstm(data: RealData, size: Size, context: Context) -> LSTMConfig:
    """Two layers on each side, as in recipes/multi30k-lstm.toml."""
    layers = 1 if size == "small" else 2
    return LSTMConfig(
        vocab_size=data.vocab_size, d_model=WIDTHS[context][size], encoder_layers=layers, decoder_layers=layers,
        dropout=0.3, context=context,
    )  # fmt: skip


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    data = real_data(at.size)
    sides = {
        "transformer": translator(transformer(data, at.size)),
        "lstm": translator(lstm(data, at.size, "attention")),
    }
    runs: list[Numbers] = []
    for models in train_sides(sides, data, BUDGETS[at.size], RATES[at.size], seeds):
        numbers: dict[str, float | list[float]] = {"epochs": BUDGETS[at.size].epochs}
        for name, one in models.items():
            numbers[f"bleu_{name}"] = bleu_of(one.model, data)
            numbers[f"validation_loss_{name}"] = validation_loss(one.model, data)
            numbers[f"parameters_{name}"], numbers[f"rate_{name}"] = count_weights(one.model), one.rate
            numbers[f"steps_{name}"], numbers[f"losses_{name}"] = float(len(one.losses)), smooth(one.losses)
        runs.append(numbers)
    return runs


def smooth(losses: Sequence[float]) -> list[float]:
    """The mean of each of POINTS stretches."""
    return [float(part.mean()) for part in torch.tensor(losses).tensor_split(min(POINTS, len(losses)))]


def judge(runs: Runs) -> Verdict:
    """BLEU on sentences never seen, Transformer - LSTM, seed by seed: the claim holds if the 95 % interval of the mean
    lies above NOTHING, does not if it lies below, and is undecided if NOTHING is inside."""
    ahead = difference(over_seeds(runs, "bleu_transformer"), over_seeds(runs, "bleu_lstm"))
    if ahead.low > NOTHING:
        return "holds"
    return "does not hold" if ahead.high < NOTHING else "undecided"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, right) = figure(2, width=4.7)
    labels = [NAMES["transformer"], tr("LSTM with attention", "带注意力的 LSTM")]
    bars(left, labels, [over_seeds(runs, f"bleu_{name}") for name in NAMES])
    left.set(ylabel=tr("BLEU, test2016", "BLEU（test2016）"))
    for index, (name, label) in enumerate(zip(NAMES, labels, strict=True)):
        curves = [row(run, f"losses_{name}") for run in runs]
        epochs = [over_seeds(runs, "epochs")[0] * (step + 0.5) / len(curves[0]) for step in range(len(curves[0]))]
        band(right, epochs, curves, label, index)
    right.set(xlabel=tr("times through the corpus", "训练轮数"))
    right.set(ylabel=tr("training loss, nats a token", "训练损失（nat / token）"))
    right.legend()
    return picture


EXPERIMENT = Experiment("L29", measure, judge, draw, (), REAL_SEEDS, evidence="real")
