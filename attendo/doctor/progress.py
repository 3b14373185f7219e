"""How far an examination has come, on stderr, where somebody is watching."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress as Bars
from rich.progress import SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from attendo.doctor.examine import Progress

EVERY = 1_000  # pairs; telling each would cost more than reading it


@contextmanager
def shown_on_stderr(name: str) -> Iterator[Progress]:
    """Counters of the pairs read and of the texts identified; how many there will be, nobody knows yet."""
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}: {task.completed:,.0f}"), TimeElapsedColumn())
    with Bars(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        read = bars.add_task(f"{name}, pairs read", total=None)
        identified = bars.add_task("languages identified", total=None)
        waiting = {read: 0, identified: 0}

        def advance(task: TaskID, count: int) -> None:
            waiting[task] += count
            if waiting[task] >= EVERY:
                bars.advance(task, waiting[task])
                waiting[task] = 0

        yield Progress(lambda count: advance(read, count), lambda count: advance(identified, count))
