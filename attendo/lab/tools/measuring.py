"""What experiments measure: weights, processor time, curves; and what a few seeds allow to say of it.

A mean over seeds comes with the interval in which it lies with 95 % confidence.
"""

import math
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

# --- means over seeds

# Student's t, two sides, 95 %, for 1 to 30 degrees of freedom; beyond, the normal law's 1.96 is close enough.
T = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
    2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip


SMALLEST = 1e-9  # of what a logarithm is taken: a loss that has gone to 0 is no less than that


@dataclass(frozen=True)
class Interval:
    mean: float
    half: float  # of its width; 0 for a single value that no chance enters

    @property
    def low(self) -> float:
        return self.mean - self.half

    @property
    def high(self) -> float:
        return self.mean + self.half


def interval(values: Sequence[float]) -> Interval:
    """Of the mean of independent values, by Student's t."""
    mean = statistics.fmean(values)
    n = len(values)
    if n == 1:
        return Interval(mean, 0.0)
    t = T[n - 2] if n - 2 < len(T) else 1.96
    return Interval(mean, t * statistics.stdev(values) / math.sqrt(n))


def log_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Geometric mean, and the ends of its interval: for ratios, losses and times, which are multiplied, not added."""
    around = interval([math.log(max(value, SMALLEST)) for value in values])
    return math.exp(around.mean), math.exp(around.low), math.exp(around.high)


def log_ratio(first: Sequence[float], second: Sequence[float]) -> tuple[float, float, float]:
    """first / second, seed by seed: geometric mean, and the ends of its interval."""
    return log_interval([max(a, SMALLEST) / max(b, SMALLEST) for a, b in zip(first, second, strict=True)])


def difference(first: Sequence[float], second: Sequence[float]) -> Interval:
    """first - second, seed by seed: both sides of a comparison have the same seeds, and so the same data."""
    return interval([a - b for a, b in zip(first, second, strict=True)])


def is_more(mean: float, low: float, high: float, much: float, nothing: float) -> bool | None:
    """Whether an effect is there that matters, by its mean and interval. Yes: it is no chance (the interval lies above
    `nothing`, what no effect would give), and in the mean it is more than `much`. No: the interval lies below `much`.
    None: neither can be said."""
    if low > nothing and mean > much:
        return True
    return False if high < much else None


def fisher(first: int, second: int, seeds: int) -> float:
    """The probability that of first + second failures at least `first` fall on that side, both having as many seeds."""
    failed = first + second
    ways = [math.comb(seeds, n) * math.comb(seeds, failed - n) for n in range(first, min(seeds, failed) + 1)]
    return sum(ways) / math.comb(2 * seeds, failed)


CHANCE = 0.05  # a probability below which failures are not put down to chance


def fails_more(first: Sequence[float], second: Sequence[float]) -> bool:
    """Of each side a 1 for every seed that failed: more on the first side than chance would put there?"""
    return fisher(round(sum(first)), round(sum(second)), len(first)) < CHANCE


# --- models


def count_weights(model: nn.Module) -> float:
    return float(sum(weight.numel() for weight in model.parameters()))


def unseen_generator(seed: int) -> torch.Generator:
    """For data that a model of this seed has not seen in training."""
    return torch.Generator().manual_seed(10_000 + seed)


def seconds(work: Callable[[], object], repeats: int) -> float:
    """The median of several times, after one that does not count. Processor time: what else runs does not disturb."""
    work()
    times = []
    for _ in range(repeats):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return statistics.median(times)


# --- losses of training


def window_means(losses: Tensor, width: int) -> Tensor:
    """The losses of one model, [steps] -> the mean of each `width` of them; what is left at the end is cut off."""
    return losses.unfold(0, width, width).mean(1)


def curve(losses: Tensor, points: int) -> list[float]:
    """The losses of one model, [steps], for a picture: means over as many steps each, at about so many points."""
    return window_means(losses, steps_per_point(len(losses), points)).tolist()


def curve_steps(num_steps: int, points: int) -> list[float]:
    """The steps at which the points of such a curve stand: 300 steps, 20 points -> 15, 30, …, 300."""
    every = steps_per_point(num_steps, points)
    return [float(step) for step in range(every, num_steps + 1, every)]


def steps_per_point(num_steps: int, points: int) -> int:
    return max(1, num_steps // points)


def steps_until(level: float, losses: Tensor, width: int) -> float:
    """After how many steps one model has learnt something: windows of losses above this level, and the next one."""
    return float(width * (1 + (window_means(losses, width) > level).sum()))


def at_the_end(losses: Tensor) -> float:
    """Mean loss of the last tenth of the steps."""
    return float(losses[-max(1, len(losses) // 10) :].mean())


WITHIN = 0.1  # of the loss; or
NEAR = 0.02  # nats, where there is hardly a loss left


def stopped_improving(half: Sequence[float], whole: Sequence[float]) -> bool:
    """Whether a side has learnt what it can: trained with half the steps, it ended within a tenth of where it ends with
    all of them, or within NEAR nats. Each run has a schedule of its own, which goes down to 0 at its end."""
    gain = statistics.fmean(half) - statistics.fmean(whole)
    return gain <= max(NEAR, WITHIN * statistics.fmean(whole))


def settled(runs: Sequence[Mapping[str, float | Sequence[float]]], name: str) -> bool:
    """Whether a side, by its name among the numbers, has stopped improving; only a full run tells, and finds out.

    Where some seeds have learnt and others failed, those that failed are asked: a seed that learns late moves the mean
    of all, and says nothing of the others.
    """
    if any(f"{name}_half" not in run for run in runs):
        return True
    failed = [run for run in runs if run.get(f"{name}_failed")] or runs
    half, whole = ([run[key] for run in failed] for key in (f"{name}_half", name))
    return stopped_improving(
        *([float(value) for value in side if isinstance(value, int | float)] for side in (half, whole))
    )


def on_the_way(losses: Tensor) -> float:
    """Mean loss of all steps: for a claim about how soon something is learnt."""
    return float(losses.mean())


SAME = 0.005  # nats: where losses are nearer than that, the smaller rate is taken, with which fewer starts fail


def best_rate(losses: Mapping[float, float]) -> float:
    """losses by learning rate -> the rate of the lowest; of those that are SAME as that one, the smallest."""
    real = {rate: loss if loss == loss else math.inf for rate, loss in losses.items()}  # NaN has lost
    return min(rate for rate, loss in real.items() if loss <= min(real.values()) + SAME)
