"""Numbers that no experiment gave, to see that a rule can say no."""

from attendo.lab.claims import EXPERIMENTS
from attendo.lab.run import run_experiment


def verdict(name, **changes):
    """What the rule of a claim says when some of its numbers are others, in every seed."""
    experiment = EXPERIMENTS[name]
    return experiment.judge([{**numbers, **changes} for numbers in run_experiment(experiment, "small").runs])
