"""attendo models: those that came with the package."""

from typing import Annotated

import typer

from attendo.cli.help import INPUT_AND_OUTPUT
from attendo.cli.terminal import print_json, print_note, print_result


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
        print_json([model.to_dict() for model in found])
        return
    for model in found:
        arrows = ", ".join(" → ".join(direction) for direction in model.directions)
        print_result(f"{model.name}: {arrows}; {model.bytes / 1e6:.1f} MB; {model.licence}\n    {model.folder}")
    if not found:
        print_note("no model came with this installation; attendo train makes one")
