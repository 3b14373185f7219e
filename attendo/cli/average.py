"""attendo average: the mean of several checkpoints as one model."""

from pathlib import Path
from typing import Annotated

import typer

from attendo.errors import UsageError


def average(
    run_dir: Annotated[Path, typer.Argument(metavar="RUN_DIR", help="The folder of a run of `attendo train`.")],
    out: Annotated[Path, typer.Option("--out", metavar="MODEL", help="Where to write the model folder.")],
    last: Annotated[int | None, typer.Option("--last", help="The newest N checkpoints (by default all kept).")] = None,
    best: Annotated[int | None, typer.Option("--best", help="The N with the best validation.")] = None,
) -> None:
    """Write the mean of a run's checkpoints as a model folder (section 6.1 of the paper)."""
    if last is not None and best is not None:
        raise UsageError("--last and --best exclude each other")
    if (last or best or 1) < 1 or 0 in (last, best):
        raise UsageError("--last and --best take a number of checkpoints, at least 1")

    from attendo.runs.average import average_run
    from attendo.runs.run_folder import RunFolder

    steps = average_run(RunFolder(run_dir), out, last=last, best=best)
    typer.echo(f"{out}: the mean of steps {', '.join(map(str, steps))}")
