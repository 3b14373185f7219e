"""attendo train: from a recipe to a model."""

import logging
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from attendo.cli.help import CHECKS, INPUT_AND_OUTPUT
from attendo.cli.language import language_of
from attendo.cli.terminal import print_note
from attendo.errors import UsageError
from attendo.report.language import Language, in_language
from attendo.report.messages import say

if TYPE_CHECKING:
    from rich.console import Console

    from attendo.recipe.recipe import Recipe
    from attendo.training.launch import Launch
    from attendo.training.stop import Stop

INTERRUPTED = 130


def folder_name(text: str) -> Path:
    """As a path, an empty name would be the current folder."""
    if not text:
        raise typer.BadParameter("an empty name: expected a folder")
    return Path(text)


def train(
    context: typer.Context,
    recipe: Annotated[
        Path, typer.Argument(metavar="RECIPE.toml", help="The recipe: what to train, on which data, and how.")
    ],
    run_dir: Annotated[
        Path,
        typer.Option(
            "--run-dir",
            metavar="DIR",
            parser=folder_name,
            rich_help_panel=INPUT_AND_OUTPUT,
            help="Folder for everything the run writes: checkpoints, log, report.html and the model.",
        ),
    ],
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="TABLE.KEY=VALUE",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="Change a setting of the recipe, such as training.seed=2. May be given several times.",
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            rich_help_panel=CHECKS,
            help="Train nothing: tell what would happen, with a forecast of time and memory.",
        ),
    ] = False,
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            rich_help_panel=CHECKS,
            help="Resume a run although its data or settings have changed since.",
        ),
    ] = False,
) -> None:
    """Train a model from a recipe.

    The same command resumes a run that was interrupted, and leaves a finished one alone.

    Examples:
        # Train a small model that reverses words, in a few minutes
        attendo train recipes/reverse.toml --run-dir runs/reverse
        # How long would it take, and how much memory?
        attendo train recipes/reverse.toml --run-dir runs/reverse --dry-run
        # Change settings of the recipe
        attendo train recipes/reverse.toml --run-dir runs/second --set training.seed=2 --set training.max_steps=500
        # On two GPUs, or in two processes of a CPU
        torchrun --nproc-per-node=2 -m attendo train recipes/reverse.toml --run-dir runs/both
    """
    from attendo.training.launch import launched
    from attendo.training.stop import Stop, Stopped

    language = language_of(context)
    launch = launched()
    if launch and dry_run:
        raise UsageError("--dry-run measures one process: expected it without torchrun")
    if launch and launch.rank > 0:  # rank 0 speaks for all; what ends another one is still told
        logging.getLogger("attendo").setLevel(logging.ERROR)
    try:
        with Stop(ends_process=True) as stop:  # before all that takes time: torch is a second on its way
            code = train_or_forecast(recipe, run_dir, settings or [], stop, language, dry_run=dry_run, force=force)
    except Stopped as stopped:
        code = stopped.exit_code
        if code != INTERRUPTED:  # of which `main` tells
            print_note(f"attendo: {say('stopped before the first step', language)}")
    raise typer.Exit(code)


def train_or_forecast(
    recipe: Path, run_dir: Path, settings: list[str], stop: "Stop", language: Language, *, dry_run: bool, force: bool
) -> int:
    """The exit code."""
    with stop.at_once():
        from rich.console import Console

        from attendo.recipe.read import read_recipe
        from attendo.training.launch import launched

        read = read_recipe(recipe, settings)  # before anything heavy is imported, and once: it may be a pipe
        launch = launched()
        console = Console(stderr=True, quiet=launch is not None and launch.rank > 0)
        if dry_run:
            show_forecast(read, console, language)
            return 0

        from attendo.files.apart import check_apart
        from attendo.runs.live_view import TrainingScreen
        from attendo.runs.run_folder import RunFolder
        from attendo.runs.train import train as run

        own = is_of_a_run(recipe, run_dir)
        check_apart(
            reads={"RECIPE.toml": None if own else recipe, "the recipe": [Path(file) for file in read.files()]},
            writes={"--run-dir": RunFolder(run_dir).written},
        )

    with TrainingScreen(console, run_dir.name) as screen:
        result = run(
            read, run_dir, callbacks=[screen], force=force, beside=recipe.resolve().parent,
            command=command_line(launch), on_progress=screen.show_corpus, stop=stop,
            language=language,
        )  # fmt: skip
    return result.exit_code


def command_line(launch: "Launch | None") -> str:
    """How to do it again, for the report."""
    words = ["attendo", *sys.argv[1:]]
    if launch:
        machines = [] if launch.on_one_machine else [f"--nnodes={launch.world // launch.local_world}"]
        words = ["torchrun", *machines, f"--nproc-per-node={launch.local_world}", "-m", *words]
    return shlex.join(words)


def is_of_a_run(recipe: Path, run_dir: Path) -> bool:
    """A run may be resumed by its own recipe.toml."""
    from attendo.runs.run_folder import is_as_written

    own = run_dir / "recipe.toml"
    return own.is_file() and recipe.is_file() and own.samefile(recipe) and is_as_written(own)


def show_forecast(recipe: "Recipe", console: "Console", language: Language) -> None:
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
    tr = in_language(language)
    with console.status(tr("measuring a few steps", "正在测量几步")):
        expected = forecast(recipe, prepared)
    steps = f"{recipe.training.max_steps:,}"
    title = tr(f"{steps} steps, validations not counted in the time", f"{steps} 步，用时不含验证")
    table = Table(tr("what", "项目"), tr("how much", "数量"), title=title)
    for row in expected.rows:
        table.add_row(*(say(cell, language) for cell in row))
    out = Console()
    out.print(table)
    for advice in expected.advice:
        kind = tr("Warning: ", "警告：") if advice.grave else tr("Advice: ", "建议：")
        out.print(Text(kind + say(advice.text, language)), soft_wrap=True)
