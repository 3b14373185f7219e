"""L31: how many symbols one vector can hold, by its width; and BLEU by length of translators that know the source by
one vector, by attention, or are Transformers."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean

from matplotlib.figure import Figure

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, number, over_seeds, row
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, band, figure, tick_at
from attendo.lab.tools.measuring import difference, log_interval, log_ratio, stopped_improving
from attendo.lab.tools.real_sides import do, side_by_side, work_on_sides
from attendo.lab.tools.real_training import DATA_FILES, real_data
from attendo.lab.tools.real_translators import budget, lstm_side, measure_translator, transformer_side
from attendo.lab.tools.vector_capacity import Cell, recall

KNOBS = (
    Knob("widths", by_size((4, 8), (8, 16, 32, 64), (8, 16, 32, 64)), 4, 512),
    Knob("lengths", by_size((2, 4), (3, 6, 12, 24), (3, 6, 12, 24)), 1, 200),
    Knob("steps", by_size(4, 4000, 4000), 4, 100_000),
    Knob("epochs", by_size(1, 40, 40), 1, 400),  # of the translators
)
SEEDS = by_size(2, 3, 5)
LOST = 0.1  # of the symbols: less is called no loss
LOOKING = ("attention", "transformer")  # models that look at the source; they get the narrowest width
TRANSLATORS = ("fixed", *LOOKING)

Key = tuple[int, str] | tuple[int, str, int]  # seed and translator; seed, name and length of a toy model


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    data = real_data(at.size)
    sides = {
        "fixed": lstm_side(data, at.size, "fixed"),
        "attention": lstm_side(data, at.size, "attention"),
        "transformer": transformer_side(data, at.size),
    }
    translators = iter(work_on_sides(sides, data, budget(at.size, at.whole("epochs")), seeds, measure_translator))
    jobs: dict[Key, Callable[[], Numbers]] = {}
    for seed in seeds:  # one seed after the other, so that the GPU and the cores have work all the time
        jobs |= {(seed, name): next(translators) for name in sides}
        jobs |= {(seed, *key): partial(recall, cell) for key, cell in cells_of(seed, at)}
    done = dict(zip(jobs, side_by_side(do, list(jobs.values()), at_a_time()), strict=True))
    return [in_one(seed, done, at) for seed in seeds]


def at_a_time() -> int:
    """Toy models take a core each, translators the GPU."""
    return max(2, (os.cpu_count() or 1) - 2)


def cells_of(seed: int, at: Settings) -> Iterator[tuple[tuple[str, int], Cell]]:
    """(name, length) and its model: the long ones first, so that none is left alone at the end.

    Whether training is what is missing, is asked where most is lost: there the narrowest and the widest also learn with
    half the steps.
    """
    widths, lengths, steps = at.wholes("widths"), at.wholes("lengths"), at.whole("steps")
    for length in sorted(lengths, reverse=True):
        for width in sorted(widths, reverse=True):
            yield (f"fixed_{width}", length), Cell("fixed", width, length, steps, seed)
            if length == max(lengths) and width in (min(widths), max(widths)):
                yield (f"fixed_{width}_half", length), Cell("fixed", width, length, steps // 2, seed)
        yield ("attention", length), Cell("attention", min(widths), length, steps, seed)
        yield ("transformer", length), Cell("transformer", min(widths), length, steps, seed)


def in_one(seed: int, done: Mapping[Key, Numbers], at: Settings) -> Numbers:
    """What one seed gave, under the names that rule, words and picture use."""
    lengths, widths = at.wholes("lengths"), at.wholes("widths")
    numbers: dict[str, float | Sequence[float]] = {"words": row(done[seed, "fixed"], "words")}
    for name in (*(f"fixed_{width}" for width in widths), *LOOKING):
        for what in ("right", "loss"):
            numbers[f"{what}_{name}"] = [number(done[seed, name, length], what) for length in lengths]
    for end, width in (("narrow", min(widths)), ("wide", max(widths))):
        for what in ("right", "loss"):
            half = done[seed, f"fixed_{width}_half", max(lengths)]
            numbers[f"{what}_long_{end}_half"] = number(half, what)
    for name in TRANSLATORS:
        found = done[seed, name]
        numbers |= {f"bleu_{name}": row(found, "bleu_by_length")}
        numbers |= {f"{what}_of_{name}": number(found, what) for what in ("rate", "parameters")}
    return {**numbers, **ends(numbers, at)}


def ends(numbers: Numbers, at: Settings) -> dict[str, float]:
    """The shortest and the longest, the narrowest and the widest."""
    lengths, widths = at.wholes("lengths"), at.wholes("widths")
    short, long = lengths.index(min(lengths)), lengths.index(max(lengths))
    narrow, wide = (f"fixed_{width}" for width in (min(widths), max(widths)))
    found = {"words_short": row(numbers, "words")[0], "words_long": row(numbers, "words")[-1]}
    for name, side in (("narrow", narrow), ("wide", wide), *zip(LOOKING, LOOKING, strict=True)):
        right = row(numbers, f"right_{side}")
        found |= {f"right_short_{name}": right[short], f"right_long_{name}": right[long]}
    found["loss_long_narrow"] = row(numbers, f"loss_{narrow}")[long]
    for end, index in (("short", 0), ("long", -1)):
        found |= {f"bleu_{end}_{name}": row(numbers, f"bleu_{name}")[index] for name in TRANSLATORS}
        found[f"kept_{end}"] = found[f"bleu_{end}_fixed"] / max(found[f"bleu_{end}_attention"], 1e-9)
    return found


def judge(runs: Runs) -> Verdict:
    """Two tests. Recall: at the longest length the narrowest vector gives back fewer symbols than attention of the same
    width, by more than LOST; it has stopped improving; it loses less at the shortest length, and a wider vector loses
    less: so it is the vector that is too small. Translation: the BLEU of the LSTM with one vector, divided by that of
    the one with attention, is below 1 on the longest quarter of the test set, and lower than on the shortest.

    Both: the claim holds. Recall alone, the other being refuted: it holds only if the source is long for the vector.
    No loss in recall, or none in translation with no loss at any length: it does not hold. (95 % intervals; of BLEU,
    those of the logarithms.)"""
    lost = difference(*(over_seeds(runs, f"right_long_{name}") for name in ("attention", "narrow")))
    if lost.high < LOST:
        return "does not hold"
    vector_is_too_small = (
        lost.low > LOST
        and difference(over_seeds(runs, "right_short_narrow"), over_seeds(runs, "right_long_narrow")).low > 0
        and difference(over_seeds(runs, "right_long_wide"), over_seeds(runs, "right_long_narrow")).low > 0
        and stopped_improving(over_seeds(runs, "loss_long_narrow_half"), over_seeds(runs, "loss_long_narrow"))
    )
    _, behind_low, behind_high = log_interval(over_seeds(runs, "kept_long"))
    _, falls_low, falls_high = log_ratio(over_seeds(runs, "kept_long"), over_seeds(runs, "kept_short"))
    if not vector_is_too_small:
        return "undecided"
    if behind_high < 1 and falls_high < 1:
        return "holds"
    return "holds only if" if behind_low > 1 or falls_low > 1 else "undecided"


def beside_attention(run: Numbers, name: str) -> list[float]:
    """BLEU of each quarter, divided by that of the LSTM with attention."""
    scores = zip(row(run, f"bleu_{name}"), row(run, "bleu_attention"), strict=True)
    return [score / max(of_attention, 1e-9) for score, of_attention in scores]


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, right) = figure(2, width=4.9)
    lengths = sorted(row(runs[0], "lengths"))
    order = [row(runs[0], "lengths").index(length) for length in lengths]
    widths = sorted(row(runs[0], "widths"), reverse=True)
    both = [[min(row(run, f"right_{name}")[at] for name in LOOKING) for at in order] for run in runs]
    looking = tr(f"attention, Transformer: width {min(widths):.0f}", f"注意力、Transformer：宽度 {min(widths):.0f}")
    band(left, lengths, both, looking, 2)
    for index, width in enumerate(widths):
        curve = [fmean(row(run, f"right_fixed_{width:.0f}")[at] for run in runs) for at in order]
        label = tr("one vector, by its width", "单一向量，各种宽度") if index == 0 else None
        left.plot(lengths, curve, "o-", color=COLOURS[0], lw=2, label=label)
        left.annotate(f"{width:.0f}", (lengths[-1], curve[-1]), (8, -5), textcoords="offset points", color=COLOURS[0])
    left.set(xscale="log", ylim=(0, 1.05), xlabel=tr("symbols to give back", "要复述的符号数"))
    left.set(xlim=(0.9 * lengths[0], 1.3 * lengths[-1]), ylabel=tr("share that is right", "准确率"))
    tick_at(left, lengths)
    left.legend(loc="lower left")
    words = row(runs[0], "words")
    for name, label, index in (
        ("fixed", tr("LSTM, one vector", "LSTM，单一向量"), 0),
        ("transformer", "Transformer", 2),
    ):
        band(right, words, [beside_attention(run, name) for run in runs], label, index)
    right.axhline(1, color=COLOURS[6], lw=0.8)
    right.set(ylim=(0, 1.2), xlabel=tr("words in the source", "源句词数"))
    right.set(ylabel=tr("BLEU / BLEU of the LSTM with attention", "BLEU 与带注意力的 LSTM 的 BLEU 之比"))
    right.legend(loc="lower left")
    return picture


EXPERIMENT = Experiment("L31", measure, judge, draw, KNOBS, SEEDS, evidence="real", data=DATA_FILES)
