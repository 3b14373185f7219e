"""attendo models: those that came with the package."""

import json
from typing import Annotated

import typer

from attendo.cli.help import INPUT_AND_OUTPUT


def models(
    as_json: Annotated[
        bool,
        typer.Option(
            "--json", rich_help_panel=INPUT_AND_OUTPUT, help="Print a JSON list with one object for each model."
        ),
    ] = False,
) -> None:
    """List the models that are installed, whose names --model takes.

    Examples:
        # Names, directions, sizes and licences
        attendo models
        # The same for a program
        attendo models --json
    """
    from attendo.model_folder.installed import models as installed_models

    found = installed_models()
    if as_json:
        typer.echo(json.dumps([model.to_dict() for model in found], ensure_ascii=False, indent=2).encode())
        return
    for model in found:
        arrows = ", ".join(" → ".join(direction) for direction in model.directions)
        typer.echo(f"{model.name}: {arrows}; {model.bytes / 1e6:.1f} MB; {model.licence}\n    {model.folder}")
    if not found:
        typer.echo("no model came with this installation; attendo train makes one", err=True)
