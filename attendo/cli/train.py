"""attendo train: from a recipe to a model."""

import sys
from pathlib import Path
from typing import Annotated

import typer


def train(
    recipe: Annotated[Path, typer.Argument(metavar="RECIPE.toml", help="What to train, on what, and how.")],
    run_dir: Annotated[Path, typer.Option("--run-dir", help="Folder of the run; the same line goes on where it was.")],
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="TABLE.KEY=VALUE", help="Change a setting of the recipe; may be repeated."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Tell what would happen, with a forecast of time and memory.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Go on with a run although its data or settings have changed.")
    ] = False,
) -> None:
    """Train a model from a recipe. A stopped or killed run goes on by the same line; a finished one does nothing."""
    from rich.console import Console

    from attendo.recipe.read import read_recipe

    read = read_recipe(recipe, settings or [])
    console = Console(stderr=True)

    from attendo.runs.dry_run import dry_run as tell
    from attendo.runs.run_folder import RunFolder
    from attendo.runs.train import Call
    from attendo.runs.train import train as run

    if dry_run:
        tell(read, console)
        return
    call = Call(read, recipe.resolve(), RunFolder(run_dir), ["attendo", *sys.argv[1:]], console, force)
    raise typer.Exit(run(call))
