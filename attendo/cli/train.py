"""attendo train: from a recipe to a model."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from attendo.recipe.recipe import Recipe


def train(
    recipe: Annotated[Path, typer.Argument(metavar="RECIPE.toml", help="What to train, on what, and how.")],
    run_dir: Annotated[Path, typer.Option("--run-dir", help="Folder of the run; the same line resumes it.")],
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="TABLE.KEY=VALUE", help="Change a setting of the recipe; may be repeated."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Tell what would happen, with a forecast of time and memory.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Resume a run although its data or settings have changed.")
    ] = False,
) -> None:
    """Train a model from a recipe. The same line resumes a stopped or killed run; a finished one is left alone."""
    import shlex

    from rich.console import Console

    from attendo.recipe.read import read_recipe

    read = read_recipe(recipe, settings or [])  # before anything heavy is imported, and once: it may be a pipe
    console = Console(stderr=True)
    if dry_run:
        show_forecast(read, console)
        return

    from attendo.runs.live_view import TrainingScreen
    from attendo.runs.train import train as run
    from attendo.training.stop import Stop

    with Stop(ends_process=True) as stop, TrainingScreen(console, run_dir.name) as screen:
        result = run(
            read, run_dir, callbacks=[screen], force=force, beside=recipe.resolve().parent,
            command=shlex.join(["attendo", *sys.argv[1:]]), on_progress=screen.show_corpus, stop=stop,
        )  # fmt: skip
    raise typer.Exit(result.exit_code)


def show_forecast(recipe: "Recipe", console: "Console") -> None:
    """A table on stdout, and advice where the recipe will hardly get there.

    Nothing is written but the cache of tokenizer and corpora, which the real run will use.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from attendo.files.cache_folder import cache_folder
    from attendo.runs.dry_run import forecast
    from attendo.runs.live_view import TrainingScreen
    from attendo.runs.prepare import prepare

    with TrainingScreen(console, "") as screen:
        prepared = prepare(recipe, cache_folder(), screen.show_corpus)
    with console.status("measuring a few steps"):
        expected = forecast(recipe, prepared)
    title = f"{recipe.training.max_steps:,} steps, validations not counted in the time"
    table = Table("what", "how much", title=title)
    for row in expected.rows:
        table.add_row(*row)
    out = Console()
    out.print(table)
    for advice in expected.advice:
        out.print(Text(f"{'Warning' if advice.grave else 'Advice'}: {advice.text}"), soft_wrap=True)
