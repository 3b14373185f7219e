"""Experiments so small that they take no time; and numbers that no experiment gave, to see that a rule can say no."""

from attendo.lab.claims import EXPERIMENTS
from attendo.lab.knobs import settings_of
from attendo.lab.run import Wanted, run_experiment


def small(experiment):
    """The settings of the smallest size."""
    return settings_of(experiment.knobs, "small")


def small_runs(experiment):
    """What it measures at that size."""
    return run_experiment(experiment, Wanted("small")).runs


def verdict(name, seeds=None, **changes):
    """What a claim's rule says when some of its numbers are others, in every seed; or in so many like the first."""
    experiment = EXPERIMENTS[name]
    runs = small_runs(experiment)
    return experiment.judge([{**numbers, **changes} for numbers in (runs if seeds is None else [runs[0]] * seeds)])
