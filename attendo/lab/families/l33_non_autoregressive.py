"""L33: a translator that says one word after the other, and one that says all at once: BLEU and time."""

import math
from collections.abc import Mapping, Sequence
from functools import partial

from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator
from torch import Tensor

from attendo.decoding.beam import beam_search
from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.mask_predict import mask_predict
from attendo.decoding.options import SearchOptions
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds
from attendo.lab.knobs import Settings, Size
from attendo.lab.tools.chart import COLOURS, MARKERS, figure
from attendo.lab.tools.measuring import Interval, count_weights, difference, interval
from attendo.lab.tools.real_searching import Search, search_test_set
from attendo.lab.tools.real_sides import RealSide, train_side
from attendo.lab.tools.real_training import REAL_SEEDS, TEACHER_FORCING, RealBudget, real_data, transformer
from attendo.model.non_autoregressive import NonAutoregressive
from attendo.model.transformer import Transformer
from attendo.training.masked_tokens import MaskPredict

# One pair a row for both: so they see the same batches, and a target can be guessed as a whole.
BUDGETS: Mapping[Size, RealBudget] = {
    "small": RealBudget(epochs=1, tokens=300, packed=False),
    "full": RealBudget(epochs=20, packed=False),
}
RATES: Mapping[Size, Sequence[float]] = {"small": (2e-3,), "full": (1e-3, 2e-3, 4e-3)}
ALONE: Mapping[Size, int] = {"small": 3, "full": 100}  # sentences of the test set that are translated one by one, too
BEAMS = {"greedy": 1, "beam": 4}
PASSES = {"k1": 1, "k2": 2, "k4": 4, "k10": 10}


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    data = real_data(at.size)
    config, budget, rates = transformer(data, at.size), BUDGETS[at.size], RATES[at.size]
    in_turn = train_side(RealSide(partial(Transformer, config)), data, budget, rates, seeds)
    guessing = MaskPredict(label_smoothing=TEACHER_FORCING.label_smoothing)
    at_once = train_side(RealSide(partial(NonAutoregressive, config), guessing), data, budget, rates, seeds)
    runs: list[Numbers] = []
    for one, other in zip(in_turn, at_once, strict=True):
        numbers = {"parameters_in_turn": count_weights(one), "parameters_at_once": count_weights(other)}
        searches: dict[str, Search] = {name: partial(best_of_beam, one, beam) for name, beam in BEAMS.items()}
        searches |= {name: partial(mask_predict, other, passes=passes) for name, passes in PASSES.items()}
        for name, search in searches.items():
            found = search_test_set(search, one, data, 32, ALONE[at.size])
            numbers |= {f"bleu_{name}": found.bleu, f"repeated_{name}": found.percent_repeated}
            numbers |= {f"ms_32_{name}": found.ms_together, f"ms_1_{name}": found.ms_alone}
            numbers |= {f"faster_{n}_{name}": numbers[f"ms_{n}_greedy"] / numbers[f"ms_{n}_{name}"] for n in (1, 32)}
        runs.append(numbers)
    return runs


def best_of_beam(model: Transformer, beam_size: int, source: Tensor) -> list[Hypothesis]:
    """With the cache of keys and values. A beam of 1 is greedy search."""
    found = beam_search(model, source, 2 * source.shape[1] + 10, SearchOptions(beam_size=beam_size, stop="exact"))
    return [best for best, *_ in found]


def judge(runs: Runs) -> Verdict:
    """One pass (k = 1) must be faster than greedy search, with one sentence and with 32 at a time, and greedy search
    have the higher BLEU; else the claim does not hold. If so, k = 10 decides, which buys quality by time: if it is
    faster, too, both ways, the claim holds; if it is slower, only if passes are few. (95 % intervals over seeds.)"""
    better = difference(over_seeds(runs, "bleu_greedy"), over_seeds(runs, "bleu_k1"))
    one_pass, ten = above_zero([better, *speed(runs, "k1")]), above_zero(speed(runs, "k10"))
    if one_pass is False:
        return "does not hold"
    if one_pass is None or ten is None:
        return "undecided"
    return "holds" if ten else "holds only if"


def speed(runs: Runs, name: str) -> list[Interval]:
    """log (greedy search's time / this one's), with 1 and with 32 sentences at a time."""
    return [interval([math.log(ratio) for ratio in over_seeds(runs, f"faster_{n}_{name}")]) for n in (1, 32)]


def above_zero(found: Sequence[Interval]) -> bool | None:
    """Whether all are; None where it cannot be told."""
    if any(one.high < 0 for one in found):
        return False
    return True if all(one.low > 0 for one in found) else None


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, both = figure(2, width=4.7)
    labels = (tr("one after the other", "自回归"), tr("all at once, $k$ passes", "非自回归，$k$ 遍"))
    for axes, n in zip(both, (1, 32), strict=True):
        for index, names in enumerate((BEAMS, PASSES)):
            ms, bleu = (
                [interval(over_seeds(runs, f"{what}_{name}")) for name in names] for what in (f"ms_{n}", "bleu")
            )
            x, y = ([one.mean for one in side] for side in (ms, bleu))
            axes.errorbar(
                x, y, [one.half for one in bleu], [one.half for one in ms], f"{MARKERS[index]}-",
                color=COLOURS[index], capsize=3, label=labels[index],
            )  # fmt: skip
            for name, x_at, y_at in zip(names, x, y, strict=True):
                axes.annotate(search_label(name, tr), (x_at, y_at), (5, -13), textcoords="offset points")
        axes.margins(x=0.2)
        axes.set(xscale="log", ylim=(0, None), xlabel=tr(f"ms a sentence, {n} at a time", f"每句毫秒数，每批 {n} 句"))
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter("{x:g}")
        axes.minorticks_off()
    both[0].set(ylabel="BLEU")
    both[0].legend(loc="lower right")
    return picture


def search_label(name: str, tr: Tr) -> str:
    return {"greedy": tr("greedy", "贪心"), "beam": tr("beam 4", "束宽 4")}.get(name) or f"$k$ = {PASSES[name]}"


EXPERIMENT = Experiment("L33", measure, judge, draw, (), REAL_SEEDS, evidence="real")
