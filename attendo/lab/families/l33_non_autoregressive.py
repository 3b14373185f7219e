"""L33: a translator that gives one token after the other, and one that gives all at once: time and BLEU."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator
from torch import Tensor

from attendo.decoding.beam import beam_search
from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.mask_predict import mask_predict
from attendo.decoding.options import SearchOptions
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, row
from attendo.lab.knobs import Knob, Settings, Size, by_size
from attendo.lab.tools.chart import COLOURS, MARKERS, figure
from attendo.lab.tools.distillation import distilled
from attendo.lab.tools.measuring import count_weights, interval, log_interval
from attendo.lab.tools.real_searching import Search, search_quality, search_times, times_as_fast
from attendo.lab.tools.real_sides import RealSide, TrainedModel, TrainingJob, recipe, side_by_side, trained
from attendo.lab.tools.real_training import DATA_FILES, TEACHER_FORCING, RealBudget, RealData, real_data
from attendo.lab.tools.real_translators import budget, transformer, transformer_side
from attendo.model.build import Model
from attendo.model.config import in_family
from attendo.model.non_autoregressive import NonAutoregressive
from attendo.model.transformer import Transformer
from attendo.training.masked_tokens import MaskPredict

KNOBS = (
    Knob("epochs", by_size(1, 40, 40), 1, 400),  # of the autoregressive one
    Knob("student_epochs", by_size(1, 80, 80), 1, 1000),  # of the other, which learns from the first
    Knob("distilled", by_size(1, 1, 1), 0, 1),  # 0: the other learns from what people wrote
    Knob("passes", by_size((1, 4, 10), (1, 4, 10), (1, 4, 10)), 1, 50),
)
SEEDS = by_size(2, 3, 4)
# 0.001 and 0.002 were as good after an eighth of the epochs (loss 2.597 on the validation set): then the smaller.
STUDENT_RATE = 1e-3
BEAM = 4  # of the beam search beside greedy search
TIMED: Mapping[Size, Mapping[int, int]] = by_size(  # sentences at a time -> of how many in all the time is taken
    {1: 2, 32: 6}, {1: 20, 32: 320}, {1: 20, 32: 320}
)
TURNS = by_size(2, 5, 5)


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    """The GPU does nothing else while time is taken, if nothing else was started."""
    data = real_data(at.size)
    both = [Translators(data, at, seed) for seed in seeds]
    quality = side_by_side(measure_quality, both)
    return [{**found, **measure_time(translators)} for found, translators in zip(quality, both, strict=True)]


@dataclass(frozen=True)
class Translators:
    """Both of one seed. The student learns from what its teacher made of the sources, and from no other translation;
    or, if it is not to be distilled, from what people wrote."""

    data: RealData
    at: Settings
    seed: int

    def teacher(self) -> Transformer:
        return cast(Transformer, trained(*self.teaching()).model)

    def student(self) -> TrainedModel[NonAutoregressive]:
        student_budget = budget(self.at.size, self.at.whole("student_epochs"))
        job = TrainingJob(student_side(self.data, self.at.size), STUDENT_RATE, self.seed)
        if not self.at.whole("distilled"):
            return trained(self.data, student_budget, job)
        retold = replace(self.data, identity=f"{self.data.identity} retold by {recipe(*self.teaching())}")
        return trained(retold, student_budget, job, lambda: distilled(self.data, self.teacher()))

    def teaching(self) -> tuple[RealData, RealBudget, TrainingJob[Model]]:
        side = transformer_side(self.data, self.at.size)
        return self.data, budget(self.at.size, self.at.whole("epochs")), TrainingJob(side, side.rates[0], self.seed)

    def searches(self) -> dict[str, Search]:
        teacher, student = self.teacher(), self.student().model
        return {
            "greedy": partial(best_of_beam, teacher, 1),
            **{f"k{k}": partial(mask_predict, student, passes=k) for k in self.at.wholes("passes")},
        }


def student_side(data: RealData, size: Size) -> RealSide[NonAutoregressive]:
    """All parts are the Transformer's, but for the length and the mask."""
    objective = MaskPredict(label_smoothing=TEACHER_FORCING.label_smoothing)
    config = in_family(transformer(data, size), "non-autoregressive")
    return RealSide(NonAutoregressive, config, (STUDENT_RATE,), objective)


def measure_quality(translators: Translators) -> Numbers:
    teacher, student = translators.teacher(), translators.student()
    numbers = {
        "parameters_in_turn": count_weights(teacher), "parameters_at_once": count_weights(student.model),
        "rate_at_once": student.rate, "steps": float(len(student.losses)),
    }  # fmt: skip
    searches = translators.searches()
    searches["beam"] = partial(best_of_beam, teacher, BEAM)
    for name, search in searches.items():
        found = search_quality(search, teacher, translators.data)
        numbers |= {f"bleu_{name}": found.bleu, f"repeated_{name}": found.percent_repeated}
    return numbers


def measure_time(translators: Translators) -> Numbers:
    """Milliseconds a sentence, and how many times as fast as greedy search: medians over the turns."""
    numbers: dict[str, float] = {}
    searches, size = translators.searches(), translators.at.size
    for together, sentences in TIMED[size].items():
        times = search_times(searches, translators.teacher(), translators.data, together, sentences, TURNS[size])
        numbers |= {f"ms_{together}_{name}": statistics.median(each) for name, each in times.items()}
        numbers |= {f"faster_{together}_{name}": ratio for name, ratio in times_as_fast(times, "greedy").items()}
    return numbers


def best_of_beam(model: Transformer, beam_size: int, source: Tensor) -> list[Hypothesis]:
    """With the cache of keys and values. A beam of 1 is greedy search."""
    found = beam_search(model, source, 2 * source.shape[1] + 10, SearchOptions(beam_size=beam_size, stop="exact"))
    return [best for best, *_ in found]


def judge(runs: Runs) -> Verdict:
    """The notes' definition is one pass, so k = 1 decides (the fewest passes there are): by how many times it is as
    fast as greedy search, with one sentence and with 32 at a time (95 % intervals of the logarithms). Faster both ways:
    the claim holds; slower both ways: it does not; faster one way and slower the other: it holds only if."""
    fewest = min(row(runs[0], "passes"))
    found = [log_interval(over_seeds(runs, f"faster_{together}_k{fewest:.0f}")) for together in TIMED["full"]]
    faster = [True if low > 1 else False if high < 1 else None for _, low, high in found]
    if None in faster:
        return "undecided"
    return "holds" if all(faster) else "holds only if" if any(faster) else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, both = figure(2, width=4.9)
    passes = sorted(row(runs[0], "passes"))
    names = [f"k{k:.0f}" for k in passes]
    labels = (
        tr("autoregressive, greedy", "自回归，贪心搜索"),
        tr("non-autoregressive, $k$ passes", "非自回归，$k$ 遍"),
    )
    top = 1.2 * max(1.0, *(interval(over_seeds(runs, f"bleu_{name}")).mean for name in ("greedy", *names)))
    for axes, together in zip(both, TIMED["full"], strict=True):
        for index, side in enumerate((["greedy"], names)):
            ms = [log_interval(over_seeds(runs, f"ms_{together}_{name}"))[0] for name in side]
            bleu = [interval(over_seeds(runs, f"bleu_{name}")).mean for name in side]
            label = labels[index]
            axes.plot(ms, bleu, f"{MARKERS[index]}-", color=COLOURS[index], ms=10, lw=2, label=label)
            for run in runs:
                each = [(run[f"ms_{together}_{name}"], run[f"bleu_{name}"]) for name in side]
                axes.plot(*zip(*each, strict=True), ".", color=COLOURS[index], alpha=0.5, ms=6)
            for name, x, y in zip(side, ms, bleu, strict=True):
                if index:
                    axes.annotate(f"$k$ = {name[1:]}", (x, y), (0, -26), textcoords="offset points", ha="center")
        axes.margins(x=0.25)
        title = tr(f"{together} at a time", f"一次译 {together} 句")
        axes.set(xscale="log", ylim=(0, top), xlabel=tr("ms a sentence", "每句毫秒数"), title=title)
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 3)))
        axes.xaxis.set_major_formatter("{x:g}")
        axes.minorticks_off()
    both[0].set(ylabel="BLEU")
    both[0].legend(loc="lower left")
    return picture


EXPERIMENT = Experiment("L33", measure, judge, draw, KNOBS, SEEDS, evidence="real", data=DATA_FILES)
