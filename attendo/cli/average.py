"""attendo average: the mean of several checkpoints as one model."""

from pathlib import Path
from typing import Annotated

import typer

from attendo.cli.help import INPUT_AND_OUTPUT, MEASURING
from attendo.cli.terminal import print_result
from attendo.errors import UsageError


def average(
    run_dir: Annotated[
        Path, typer.Argument(metavar="RUN_DIR", help="Folder of a run, as attendo train --run-dir made it.")
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out", metavar="MODEL", rich_help_panel=INPUT_AND_OUTPUT, help="Where to write the new model folder."
        ),
    ],
    last: Annotated[
        int | None,
        typer.Option(
            "--last",
            metavar="N",
            rich_help_panel=MEASURING,
            help="Average the newest N checkpoints. By default all that the run has kept.",
        ),
    ] = None,
    best: Annotated[
        int | None,
        typer.Option(
            "--best",
            metavar="N",
            rich_help_panel=MEASURING,
            help="Average the N checkpoints with the best validation scores instead.",
        ),
    ] = None,
) -> None:
    """Average the weights of a run's checkpoints and write them as one model (section 6.1 of the paper).

    Examples:
        # The mean of the last five checkpoints
        attendo average runs/mine --last 5 --out runs/mine-average
        # The mean of the three best
        attendo average runs/mine --best 3 --out runs/mine-best
    """
    if last is not None and best is not None:
        raise UsageError("--last and --best exclude each other")
    if (last or best or 1) < 1 or 0 in (last, best):
        raise UsageError("--last and --best take a number of checkpoints, at least 1")

    from attendo.files.apart import check_apart

    parts = ("config.json", "tokenizer.json", "recipe.toml", "checkpoints")
    check_apart(reads={"RUN_DIR": [run_dir / name for name in parts]}, writes={"--out": out})

    from attendo.runs.average import average_run
    from attendo.runs.run_folder import RunFolder

    steps = average_run(RunFolder(run_dir), out, last=last, best=best)
    print_result(f"{out}: the mean of steps {', '.join(map(str, steps))}")
