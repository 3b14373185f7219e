"""How long something takes."""

import statistics
import time
from collections.abc import Callable


def seconds(work: Callable[[], object], repeats: int) -> float:
    """The median of several times, after one that does not count. Processor time: what else runs does not disturb."""
    work()
    times = []
    for _ in range(repeats):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return statistics.median(times)
