"""Options that several commands have, said once."""

from pathlib import Path

import typer

from attendo.cli.help import CHECKS, LANGUAGES_AND_MODEL, MACHINE, SEARCH
from attendo.errors import UsageError

MODEL = typer.Option(
    "--model",
    metavar="MODEL",
    rich_help_panel=LANGUAGES_AND_MODEL,
    help="A model folder, or the name of an installed model (see attendo models). "
    "By default the model that comes with attendo.",
)
ENGINE = typer.Option(
    "--engine",
    metavar="auto|torch|ct2",
    rich_help_panel=MACHINE,
    help="The engine that computes: ct2 (CTranslate2, fast on a CPU), torch (also on a GPU), or auto, "
    "which takes ct2 on a CPU where it knows the model, and torch elsewhere. Default: auto.",
)
DEVICE = typer.Option(
    "--device",
    metavar="auto|cpu|cuda",
    rich_help_panel=MACHINE,
    help="Where to compute: cpu, cuda (an NVIDIA GPU), or auto, a GPU if there is one. Default: auto.",
)
THREADS = typer.Option(
    "--threads",
    min=1,
    max=256,
    metavar="N",
    rich_help_panel=MACHINE,
    help="How many CPU threads to use. By default as many as the machine has cores.",
)
BEAM = typer.Option(
    "--beam",
    min=1,
    max=256,
    metavar="N",
    rich_help_panel=SEARCH,
    help="How many hypotheses beam search keeps at each step; 1 is greedy search. Default: 4.",
)
NO_WIDER_RETRY = typer.Option(
    "--no-wider-retry",
    rich_help_panel=SEARCH,
    help="Do not try again with a wider beam where a number or an address was lost. Faster, less careful.",
)
FROM = typer.Option(
    "--from",
    metavar="LANGUAGE",
    rich_help_panel=LANGUAGES_AND_MODEL,
    help="Language of the text, such as zh. By default it is detected from the text itself.",
)
STRICT = typer.Option(
    "--strict",
    rich_help_panel=CHECKS,
    help="Stop with an error at the first line that is not UTF-8, instead of replacing what is broken.",
)


def check_file_name(option: str, path: Path) -> None:
    """Of a file that will be written, before the work begins that would be lost."""
    if path.is_dir() or not path.parent.is_dir():
        raise UsageError(f"{option} is {path}: expected the name of a file, in a folder that is there")


def check_unpacked(option: str, path: Path | None) -> None:
    """Plain text under the name of a packed file could be read by nobody, not even by us."""
    from attendo.files.packed import ENDINGS

    if path and path.suffix in ENDINGS:
        raise UsageError(f"{option} is {path}: attendo writes plain text; pack it afterwards")


def typed_path(text: str) -> Path:
    """A path of the command line: - is stdin or stdout, and ./- a file of that name, which Path would take for one."""
    path = Path(text)
    return Path.cwd() / path if path == Path("-") and text != "-" else path
