"""What is unfolded where not everything can be: a layer, a head, a position of the source, a step, a dimension."""

from dataclasses import dataclass

import numpy as np

from attendo.errors import InputError
from attendo.explain.explain import Explanation
from attendo.glass.trace import Array


@dataclass(frozen=True)
class View:
    """All from 0. A head that is None is the sharpest of its layer."""

    layer: int = 0
    head: int | None = None
    position: int = 1  # of the source; 0 is the tag
    step: int = 0
    dimension: int = 0


def view_of(
    found: Explanation,
    layer: int | None = None,
    head: int | None = None,
    position: int | None = None,
    step: int | None = None,
    dimension: int = 0,
) -> View:
    """Layer, head and step as people count them, from 1; or an error that says what there is."""
    config = found.config
    for name, value, first, last in (
        ("--layer", layer, 1, config.encoder_layers),
        ("--head", head, 1, config.num_heads),
        ("--position", position, 0, len(found.shown.source) - 1),
        ("--step", step, 1, len(found.shown.best.ids)),
        ("--dimension", dimension, 0, max(config.d_model, config.d_ff) - 1),
    ):
        if value is not None and not first <= value <= last:
            raise InputError(f"{name} is {value}: expected {first} to {last} here")
    return View(
        layer=(layer or 1) - 1,
        head=None if head is None else head - 1,
        position=min(1, len(found.shown.source) - 1) if position is None else position,
        step=(step or 1) - 1,
        dimension=dimension,
    )


def sharpest_head(weights: Array) -> int:
    """Of weights [h, queries, keys] the head whose rows are least spread: the lowest mean entropy."""
    logs = np.log(np.where(weights > 0, weights, np.float32(1)))
    entropy = -(weights * logs).sum(axis=-1).mean(axis=-1)  # [h]
    return int(entropy.argmin())
