"""All claims by their ids, in the order of their numbers.

A new one is a file whose name begins with its id, such as attention/l15_rank.py: it has an EXPERIMENT, and its words
stand beside it in English and in Chinese.
"""

from importlib import import_module
from pathlib import Path

from attendo.lab.claim import Experiment


def find_experiments() -> dict[str, Experiment]:
    files = Path(__file__).parent.glob("*/l[0-9]*_*.py")
    by_number = {int(file.stem.partition("_")[0][1:]): f"attendo.lab.{file.parent.name}.{file.stem}" for file in files}
    experiments: list[Experiment] = [import_module(by_number[number]).EXPERIMENT for number in sorted(by_number)]
    return {experiment.id: experiment for experiment in experiments}


EXPERIMENTS = find_experiments()
