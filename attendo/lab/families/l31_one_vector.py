"""L31: quality by source length: an LSTM that knows the source by one vector, one with attention, a Transformer."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import fmean

from matplotlib.figure import Figure

from attendo.data.corpus import Pair
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, row
from attendo.lab.families.l29_features import BUDGETS, NOTHING, lstm
from attendo.lab.knobs import Settings, Size, by_size
from attendo.lab.tools.chart import band, figure
from attendo.lab.tools.measuring import Interval, count_weights, difference, interval
from attendo.lab.tools.real_sides import train_sides, translator
from attendo.lab.tools.real_training import bleu, real_data, transformer, translations

RATES: Mapping[Size, Sequence[float]] = {"small": (2e-3,), "full": (2e-3, 4e-3, 8e-3)}
SEEDS = by_size(2, 3, 4)  # a quarter of the test set is small
GROUPS = 4  # of the test set, from its shortest quarter to its longest
NAMES = ("fixed", "attention", "transformer")


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    data = real_data(at.size)
    sides = {
        "fixed": translator(lstm(data, at.size, "fixed")),
        "attention": translator(lstm(data, at.size, "attention")),
        "transformer": translator(transformer(data, at.size)),
    }
    groups = by_length(data.test)
    runs: list[Numbers] = []
    for models in train_sides(sides, data, BUDGETS[at.size], RATES[at.size], seeds):
        numbers: dict[str, float | list[float]] = {
            "words": [fmean(len(pair.source.split()) for pair in group) for group in groups]
        }
        for name, one in models.items():
            numbers[f"bleu_{name}"] = [bleu(translations(one.model, data, group), group) for group in groups]
            numbers[f"parameters_{name}"], numbers[f"rate_{name}"] = count_weights(one.model), one.rate
        runs.append({**numbers, **ends(numbers)})
    return runs


def by_length(pairs: Sequence[Pair]) -> list[list[Pair]]:
    """Groups of equal size, the sentences with the fewest words first."""
    order = sorted(pairs, key=lambda pair: len(pair.source.split()))
    cuts = [len(order) * index // GROUPS for index in range(GROUPS + 1)]
    return [order[start:end] for start, end in pairwise(cuts)]


def ends(numbers: Numbers) -> dict[str, float]:
    """What the words of the page need: the shortest and the longest group."""
    found = {"words_short": row(numbers, "words")[0], "words_long": row(numbers, "words")[-1]}
    for name in NAMES:
        scores = row(numbers, f"bleu_{name}")
        found |= {f"short_{name}": scores[0], f"long_{name}": scores[-1]}
    return found | {
        "behind_short": found["short_attention"] - found["short_fixed"],
        "behind_long": found["long_attention"] - found["long_fixed"],
        "left_short": found["short_transformer"] - found["short_attention"],
        "left_long": found["long_transformer"] - found["long_attention"],
    }


def judge(runs: Runs) -> Verdict:
    """How many points of BLEU the LSTM with one vector is behind the one with attention. If that is no more than
    NOTHING on the longest quarter of the test set, the claim does not hold. If it is more, and more than on the
    shortest quarter, the vector was too small for long sentences: then the claim holds if the LSTM with attention
    falls behind the Transformer with length, too, and else holds only if there is no attention. (95 % intervals.)"""
    behind = interval(over_seeds(runs, "behind_long"))
    if behind.high < NOTHING:
        return "does not hold"
    if behind.low <= NOTHING or growth(runs, "behind").low <= 0:
        return "undecided"
    return "holds" if growth(runs, "left").low > 0 else "holds only if"


def growth(runs: Runs, name: str) -> Interval:
    """From the shortest quarter to the longest."""
    return difference(over_seeds(runs, f"{name}_long"), over_seeds(runs, f"{name}_short"))


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, right) = figure(2, width=4.7)
    labels = {
        "fixed": tr("LSTM, one vector", "LSTM，单一向量"),
        "attention": tr("LSTM with attention", "带注意力的 LSTM"),
        "transformer": "Transformer",
    }
    words = row(runs[0], "words")
    for index, name in enumerate(NAMES):
        curves = [row(run, f"bleu_{name}") for run in runs]
        band(left, words, curves, labels[name], index)
        band(right, words, [[score - curve[0] for score in curve] for curve in curves], labels[name], index)
    left.set(ylabel="BLEU", ylim=(0, None))
    right.set(ylabel=tr("BLEU - that of the shortest quarter", "BLEU 与最短一组之差"))
    for axes in (left, right):
        axes.set(xlabel=tr("words in the source", "源句词数"))
    left.legend()
    return picture


EXPERIMENT = Experiment("L31", measure, judge, draw, (), SEEDS, evidence="real")
