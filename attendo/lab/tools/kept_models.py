"""Real models that were trained, and what was measured of them, kept in the cache: what two claims ask for once.

L29, L31 and L33 compare some of the same translators; and a run that is stopped goes on where it was. All is kept under
a hash of what made it: the shape of a model and its objective, the data, the budget, the learning rate, the seed, the
machine and the code. Two processes that ask for the same thing at the same time get it from the first.
"""

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from torch import nn

from attendo.files.cache_folder import cache_folder
from attendo.files.durable import lock, write_file
from attendo.lab.claim import Numbers
from attendo.lab.tools.code_hash import code_hash
from attendo.lab.tools.evidence import hardware
from attendo.model_folder.weights import load_weights_, read_tensors, weights_of, write_tensors

PAUSE = 0.2  # seconds between two looks whether another process is done


@cache
def code_of(module: str) -> str:
    """The hash of a module and of all that it reaches."""
    return code_hash(module)


def kept_path(kind: str, *made_of: object) -> Path:
    """`kind`: how the name ends."""
    name = hashlib.sha256("\n".join([hardware(), *map(repr, made_of)]).encode()).hexdigest()[:32]
    return cache_folder() / "lab-models" / f"{name}.{kind}"


def kept_or_trained(path: Path, model: nn.Module, train: Callable[[], Sequence[float]]) -> list[float]:
    """The model gets the weights that are kept there; where none are, `train` trains it, and it is kept.

    Returns the losses of its training, which are kept beside the weights, and written last: then all is there.
    """
    beside = path.with_name(f"{path.name}.json")
    with alone(path):
        if beside.exists():
            expected = {name: (tuple(weight.shape), weight.dtype) for name, weight in weights_of(model).items()}
            load_weights_(model, read_tensors(path, expected))
            model.eval()
            losses: list[float] = json.loads(beside.read_text(encoding="utf-8"))
            return losses
        losses = list(train())
        unfinished = path.with_name(f"{path.name}.unfinished")
        write_tensors(unfinished, weights_of(model))
        unfinished.replace(path)
        write_file(beside, json.dumps(losses).encode())
        return losses


def kept_or_measured(path: Path, measure: Callable[[], Numbers]) -> Numbers:
    """What is kept there; where nothing is, it is measured now, and kept."""
    with alone(path):
        if path.exists():
            found: Numbers = json.loads(path.read_text(encoding="utf-8"))
            return found
        numbers = measure()
        unfinished = path.with_name(f"{path.name}.unfinished")
        unfinished.write_text(json.dumps(dict(numbers)), encoding="utf-8")
        unfinished.replace(path)
        return numbers


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """One process at a time; the others wait."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_name(f"{path.name}.lock").open("w") as file:
        while not lock(file.fileno()):
            time.sleep(PAUSE)
        yield
