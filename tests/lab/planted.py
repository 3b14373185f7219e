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


def verdict(name, **changes):
    """What the rule of a claim says when some of its numbers are others, in every seed."""
    experiment = EXPERIMENTS[name]
    return experiment.judge([{**numbers, **changes} for numbers in small_runs(experiment)])
