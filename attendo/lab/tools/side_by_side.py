"""Many trainings on one GPU: a model of the lab's size leaves most of it idle, so several learn at a time."""

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TypeVar

import torch

AT_A_TIME = 8

Task = TypeVar("Task")
Result = TypeVar("Result")


def side_by_side(work: Callable[[Task], Result], tasks: Sequence[Task]) -> list[Result]:
    """The work on each task, in their order. On a GPU each has a process of its own, so that none disturbs what another
    leaves to chance; without a GPU they are done one after the other."""
    if len(tasks) < 2 or not on_a_gpu():
        return [work(task) for task in tasks]
    with ProcessPoolExecutor(min(len(tasks), AT_A_TIME), get_context("spawn"), torch.set_num_threads, (1,)) as pool:
        return list(pool.map(work, tasks))


def on_a_gpu() -> bool:
    return torch.cuda.is_available()
