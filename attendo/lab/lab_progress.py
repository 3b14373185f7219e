"""How far the lab is: which claim came out how, while others still run."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn


class HasVerdict(Protocol):
    @property
    def verdict(self) -> str: ...

    @property
    def seconds(self) -> float: ...

    @property
    def claim_id(self) -> str: ...

    @property
    def stored(self) -> bool: ...

    @property
    def stale(self) -> bool: ...


def how(outcome: HasVerdict) -> str:
    if outcome.stored:
        return "stored, stale" if outcome.stale else "stored"
    return f"{outcome.seconds:.1f} s"


@contextmanager
def shown_on_stderr(claims: int) -> Iterator[Callable[[HasVerdict], None]]:
    """A bar on a terminal; a line for each claim elsewhere."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda outcome: console.print(f"{outcome.claim_id} {outcome.verdict} ({how(outcome)})", highlight=False)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("claims", total=claims)

        def told(outcome: HasVerdict) -> None:
            progress.console.print(f"{outcome.claim_id:4} {outcome.verdict} ({how(outcome)})", highlight=False)
            progress.advance(task)

        yield told
