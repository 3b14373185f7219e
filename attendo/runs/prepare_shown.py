"""Preparing the data of a run while a person watches: a large corpus takes minutes the first time."""

from pathlib import Path

from rich.console import Console
from rich.markup import escape

from attendo.files.cache_folder import cache_folder
from attendo.recipe.recipe import Recipe
from attendo.runs.prepare import Prepared, Say, prepare


def prepare_shown(recipe: Recipe, console: Console, say: Say) -> Prepared:
    """On a terminal the corpus and how far it was read; elsewhere nothing but what `say` hears."""
    with console.status("preparing the data") as status:

        def progress(name: str, pairs: int) -> None:
            status.update(f"encoding {escape(Path(name).name)}: {pairs:,} pairs")

        return prepare(recipe, cache_folder(), say, progress)
