"""attendo models: those that came with the package, and those that were added."""

from pathlib import Path
from typing import Annotated

import typer

from attendo.cli.help import INPUT_AND_OUTPUT, AttendoCommand, AttendoGroup
from attendo.cli.terminal import print_json, print_note, print_result

app = typer.Typer(
    cls=AttendoGroup,
    invoke_without_command=True,
    help="""List the models that are installed, whose names --model takes; add one, or remove one.

    Examples:
        # Names, directions, sizes, how weights are stored, licences
        attendo models
        # The same for a program
        attendo models --json
        # Give a model folder a name: from then on --model en-fr
        attendo models add models/en-fr
    """,
)


@app.callback()
def models(
    context: typer.Context,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json", rich_help_panel=INPUT_AND_OUTPUT, help="Print a JSON list with one object for each model."
        ),
    ] = False,
) -> None:
    """Without add or remove: the list."""
    if context.invoked_subcommand is not None:
        return
    from attendo.model_folder.installed import models as installed_models

    found = installed_models()
    if as_json:
        print_json([model.to_dict() for model in found])
        return
    for model in found:
        arrows = ", ".join(" → ".join(direction) for direction in model.directions[:10])
        more = f" and {len(model.directions) - 10} more" if len(model.directions) > 10 else ""
        origin = f"\n    {model.origin}" if model.origin else ""
        size = f"{model.bytes / 1e6:.1f} MB, {model.storage}"
        print_result(f"{model.name}: {arrows}{more}; {size}; {model.licence}{origin}\n    {model.folder}")
    if not found:
        print_note("no model came with this installation; attendo train makes one")


@app.command(cls=AttendoCommand)
def add(
    folder: Annotated[Path, typer.Argument(metavar="MODEL", help="A model folder; it is copied.")],
    name: Annotated[
        str | None,
        typer.Option(
            "--name", metavar="NAME", rich_help_panel=INPUT_AND_OUTPUT, help="Its name. Default: that of the folder."
        ),
    ] = None,
) -> None:
    """Give a model folder a name that every --model takes.

    Examples:
        # An imported model
        attendo models add models/en-fr
        # By another name
        attendo models add runs/mine/model --name mine
    """
    from attendo.model_folder.installed import add_model

    added = add_model(folder, name)
    print_result(f"{added.name}: {added.folder}")


@app.command(cls=AttendoCommand)
def remove(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of a model that was added.")],
) -> None:
    """Remove a model that was added; those of the package stay.

    Examples:
        # The copy is deleted; the folder that it was made from stays
        attendo models remove en-fr
        # One that was added by another name
        attendo models remove mine
    """
    from attendo.model_folder.added import remove_model

    print_result(f"removed {remove_model(name)}")
