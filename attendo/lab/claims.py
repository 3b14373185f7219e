"""All claims, in the order of their numbers. A new one is written down here."""

from attendo.lab.claim import Experiment
from attendo.lab.softmax import curve, example

EXPERIMENTS: dict[str, Experiment] = {
    module.EXPERIMENT.id: module.EXPERIMENT
    for module in (
        curve,  # L1
        example,  # L38
    )
}
