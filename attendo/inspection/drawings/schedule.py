"""How fast to learn, step by step: the paper's equation 3 for several sizes, and the cosine, by the trainer's code."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.ticker import MaxNLocator

from attendo.inspection.drawings.slide import BODY, GOOD, HEIGHT, QUIET, RULE, SMALL, SOURCE, TARGET, WIDTH, Slide
from attendo.report.language import Language, Tr, in_language
from attendo.training.config import TrainingConfig
from attendo.training.optimizer import learning_rate

COLOURS, DASHES = (SOURCE, TARGET, GOOD), ("-", "--", "-.")
POINTS = 400  # of a curve


@dataclass(frozen=True)
class RateCurve:
    d_model: int
    config: TrainingConfig
    steps: np.ndarray
    rates: np.ndarray

    @property
    def peak(self) -> tuple[int, float]:
        at = int(self.rates.argmax())
        return int(self.steps[at]), float(self.rates[at])


@dataclass(frozen=True)
class Schedules:
    noam: tuple[RateCurve, ...]
    cosine: tuple[RateCurve, ...]


def schedules(d_model: int, warmup_steps: int, max_steps: int, peak: float = 1e-3) -> Schedules:
    """Noam: this size, twice the warmup, half the size. Cosine: as many steps, three peaks."""
    sizes = ((d_model, warmup_steps), (d_model, 2 * warmup_steps), (max(d_model // 2, 1), warmup_steps))
    noam = tuple(
        rate_curve(width, TrainingConfig(schedule="noam", warmup_steps=warmup, max_steps=max_steps))
        for width, warmup in sizes
    )
    cosine = tuple(
        rate_curve(
            d_model,
            TrainingConfig(
                schedule="cosine", warmup_steps=warmup_steps, max_steps=max_steps, learning_rate=factor * peak
            ),
        )
        for factor in (2.0, 1.0, 0.5)
    )
    return Schedules(noam, cosine)


def rate_curve(d_model: int, config: TrainingConfig) -> RateCurve:
    """By the trainer's own function; the peak is among the points."""
    steps = np.unique(np.linspace(1, config.max_steps, POINTS).round().astype(int))
    steps = np.unique([*steps, min(config.warmup_steps, config.max_steps)])
    rates = np.array([learning_rate(int(step), d_model, config) for step in steps])
    return RateCurve(d_model, config, steps, rates)


def draw_schedule(drawn: Schedules, language: Language) -> Slide:
    tr = in_language(language)
    first = drawn.noam[0].config
    slide = Slide(
        tr("How fast to learn: warmup, then decay", "学习率：先预热，再衰减"),
        tr(f"the learning rate at each of {first.max_steps:,} steps", f"{first.max_steps:,} 步中每一步的学习率"),
    )
    noam = [
        tr(
            f"d_model {curve.d_model}, warmup {curve.config.warmup_steps:,}",
            f"d_model {curve.d_model}，预热 {curve.config.warmup_steps:,} 步",
        )
        for curve in drawn.noam
    ]
    cosine = [
        tr(f"peak {curve.config.learning_rate:g}", f"峰值 {curve.config.learning_rate:g}") for curve in drawn.cosine
    ]
    half = (WIDTH - 2.0) / 2
    for left, title, formula, curves, labels in (
        (0.95, tr("Noam: the paper's equation 3", "Noam：论文的式 (3)"),
         r"$d_{model}^{-0.5}\,\cdot\,\min(step^{-0.5},\ step\,\cdot\,warmup^{-1.5})$", drawn.noam, noam),
        (0.95 + half + 0.65, tr(f"cosine, warmup {first.warmup_steps:,}", f"余弦，预热 {first.warmup_steps:,} 步"),
         r"$peak\,\cdot\,(1+\cos(\pi\,\cdot\,(step-warmup)\,/\,(steps-warmup)))\,/\,2$", drawn.cosine, cosine),
    ):  # fmt: skip
        draw_panel(slide, (left, 0.95, half - 0.35, 4.15), curves, labels, tr)
        slide.text(left - 0.3, 6.15, title, BODY + 2, ha="left")
        slide.text(left - 0.3, 5.75, formula, SMALL + 1, QUIET, ha="left", formula=True)
    return slide


def draw_panel(
    slide: Slide, box: tuple[float, float, float, float], curves: Sequence[RateCurve], labels: Sequence[str], tr: Tr
) -> None:
    left, bottom, width, height = box
    axes = slide.figure.add_axes((left / WIDTH, bottom / HEIGHT, width / WIDTH, height / HEIGHT), zorder=2)
    for curve, label, colour, dash in zip(curves, labels, COLOURS, DASHES, strict=True):
        axes.plot(curve.steps, curve.rates * 1000, dash, color=colour, linewidth=2.6, label=label)
        at, rate = curve.peak
        axes.plot([at], [rate * 1000], "o", color=colour, markersize=6)
    axes.set_ylim(0, 1000 * max(curve.peak[1] for curve in curves) * 1.12)
    axes.set_xlim(0, curves[0].config.max_steps)
    axes.grid(color=RULE, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.xaxis.set_major_locator(round_ticks(5))
    axes.yaxis.set_major_locator(round_ticks(6))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.tick_params(labelsize=SMALL)
    axes.set_xlabel(tr("step", "步"), fontsize=SMALL, loc="right")
    axes.set_title(tr("rate × 1000", "学习率 × 1000"), fontsize=SMALL, loc="left", color=QUIET)
    axes.legend(
        loc="upper right", fontsize=SMALL + 1, frameon=True, facecolor="white", edgecolor="none", framealpha=0.9
    )


def round_ticks(most: int) -> MaxNLocator:
    return MaxNLocator(most, steps=[1, 2, 2.5, 5, 10])
