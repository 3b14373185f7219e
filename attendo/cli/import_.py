"""attendo import: somebody else's model becomes a model folder."""

from pathlib import Path
from typing import Annotated

import typer

from attendo.cli.help import INPUT_AND_OUTPUT
from attendo.cli.terminal import print_result


def import_(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="A folder of a Marian model (OPUS-MT), or an Argos package.")
    ],
    out: Annotated[
        Path,
        typer.Option("--out", metavar="MODEL", rich_help_panel=INPUT_AND_OUTPUT, help="The model folder to write."),
    ],
    direction: Annotated[
        list[str] | None,
        typer.Option(
            "--direction",
            metavar="en-fr",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="What it translates, where the files do not say; with tags en-zh:cmn_Hans. May be repeated.",
        ),
    ] = None,
    licence: Annotated[
        str,
        typer.Option(
            "--licence",
            metavar="TEXT",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="Its licence, for the card. Default: what the files say.",
        ),
    ] = "",
    origin: Annotated[
        str,
        typer.Option(
            "--origin", metavar="TEXT", rich_help_panel=INPUT_AND_OUTPUT, help="Where it comes from, for the card."
        ),
    ] = "",
) -> None:
    """Import a model of OPUS-MT, Marian or Argos Translate; every command takes the result as --model.

    Examples:
        # A folder of Hugging Face, or one with an .npz of Marian's own
        attendo import opus-mt-en-fr --out models/en-fr
        # An Argos package
        attendo import translate-zh_en-1_9.argosmodel --out models/zh-en
        # A model of many targets: the ones that are wanted
        attendo import opus-mt-en-zh --direction en-zh:cmn_Hans --out models/en-zh
    """
    from attendo.exchange.import_model import import_model
    from attendo.exchange.language_tags import parse_given
    from attendo.files.apart import check_apart
    from attendo.model_folder.installed import describe_installed

    check_apart(reads={"PATH": path}, writes={"--out": out})
    import_model(path, out, directions=parse_given(direction or ()), licence=licence, origin=origin)
    made = describe_installed(out)
    arrows = ", ".join(" → ".join(one) for one in made.directions[:10])
    more = f" and {len(made.directions) - 10} more" if len(made.directions) > 10 else ""
    print_result(f"{out}: {arrows}{more}; {made.bytes / 1e6:.1f} MB; {made.licence}")
