"""The command `attendo`: an error becomes one line on stderr and an exit code; nothing heavy is imported here."""

import errno
import logging
import os
import sys
from typing import Annotated, Any

import typer

from attendo import __version__
from attendo.cli import (
    average,
    compare,
    describe,
    doctor,
    draw,
    embed,
    evaluate,
    export,
    fill,
    generate,
    inspect,
    score,
    serve,
    train,
    translate,
)  # fmt: skip
from attendo.cli import explain as explain_command
from attendo.cli import import_ as import_command
from attendo.cli.bulk import app as bulk
from attendo.cli.help import AttendoCommand, AttendoGroup
from attendo.cli.lab import app as lab
from attendo.cli.language import choose_language
from attendo.cli.models import app as models
from attendo.cli.terminal import print_note, set_up_streams, wait_for_stdin
from attendo.cli.tokenizer import app as tokenizer
from attendo.errors import AttendoError, InputError
from attendo.report.language import Language
from attendo.report.messages import say

INTERRUPTED = 130
# What libraries say of it, in errors of many classes: C++, Python's threads, the loader of libraries, torch.
OUT_OF_MEMORY = (
    "bad_alloc", "allocate memory", "can't start new thread", "map segment from shared object",
    "thread pool has not been initialized",
)  # fmt: skip
NEEDS_TRAIN = ("torch", "numpy", "matplotlib", "safetensors", "sacrebleu", "sacremoses", "lxml", "py3langid", "opencc")
# The class that typer raises for a wrong option, wherever its version keeps it.
WrongUsage: Any = typer.BadParameter.__base__

app = typer.Typer(
    name="attendo",
    cls=AttendoGroup,
    help="""The Transformer of "Attention Is All You Need": train it, run it, measure it, look inside it.

    Examples:
        # Translate a sentence
        attendo translate 我爱机器学习 --to en
        # Look inside: every step of the search, what every head looks at
        attendo inspect 我爱机器学习 --to en --out out/
        # The options of a command, in Chinese
        attendo translate --help --lang zh
    """,
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    describe.describe, doctor.doctor, train.train, average.average, translate.translate, score.score,
    evaluate.evaluate, compare.compare, generate.generate, fill.fill, embed.embed, inspect.inspect,
    explain_command.explain, draw.draw, serve.serve, export.export,
):  # fmt: skip
    app.command(cls=AttendoCommand)(command)
app.command("import", cls=AttendoCommand)(import_command.import_)
app.add_typer(tokenizer, name="tokenizer")
app.add_typer(models, name="models")
app.add_typer(lab, name="lab")
app.add_typer(bulk, name="bulk")


def show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"attendo {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the full traceback of an error, for a bug report.")
    ] = False,
) -> None:
    """Read by `main` below: --debug must also hold for errors that come before options are read."""


class StderrHandler(logging.Handler):
    """What the library logs, as lines on whatever stderr is now."""

    language: Language = "en"

    def emit(self, record: logging.LogRecord) -> None:
        print_note(f"attendo: {one_line(say(record.getMessage(), self.language))}")


def log_to_stderr(language: Language) -> None:
    logger = logging.getLogger("attendo")
    ours = next((handler for handler in logger.handlers if isinstance(handler, StderrHandler)), None)
    if ours is None:
        ours = StderrHandler()
        logger.addHandler(ours)
    ours.language = language
    logger.setLevel(logging.INFO)
    logger.propagate = False


def main(arguments: list[str] | None = None) -> None:
    set_up_streams()
    wait_for_stdin()
    arguments = sys.argv[1:] if arguments is None else arguments
    debug = "--debug" in arguments
    # Wherever it stands, --debug is meant for the whole command.
    arguments = (["--debug"] if debug else []) + [word for word in arguments if word != "--debug"]
    sys.exit(run(arguments if arguments not in ([], ["--debug"]) else ["--help"], debug))


def run(arguments: list[str], debug: bool) -> int:
    language = choose_language(arguments, os.environ)
    log_to_stderr(language)
    try:
        check_current_folder()
        code = app(arguments, prog_name="attendo", standalone_mode=False)
        sys.stdout.flush()  # a full disk is an error like any other, and not one of Python's farewell
    except BaseException as error:
        sentence, code = explain(error)
        if debug or not sentence:
            raise
        return complain(say(sentence, language), code)
    # typer's newer versions turn Ctrl-C into a code of their own, the older ones into Abort.
    return complain(say("interrupted", language), INTERRUPTED) if code == INTERRUPTED else int(code or 0)


def check_current_folder() -> None:
    """Libraries that look for it end the process with a message of their own."""
    try:
        os.getcwd()  # noqa: PTH109 - nothing more is wanted
    except FileNotFoundError as error:
        raise InputError("the current folder was deleted: change to one that is there") from error


def complain(sentence: str, code: int) -> int:
    rank = os.environ.get("RANK", "0")  # of several processes that train together
    who = "attendo" if rank == "0" or not rank.isdecimal() else f"attendo (rank {rank})"
    print_note(f"{who}: {one_line(sentence)}")
    return code


def one_line(sentence: str) -> str:
    return " ".join(sentence.split())


def explain(error: BaseException) -> tuple[str, int]:
    """What went wrong in a sentence, and the exit code; without one it is a bug of ours, whose traceback is wanted."""
    if isinstance(error, (KeyboardInterrupt, typer.Abort)):
        return "interrupted", INTERRUPTED
    if isinstance(error, WrongUsage):
        command = error.ctx.command_path if error.ctx else "attendo"
        return f"{error.format_message()} (see {command} --help)", 2
    if isinstance(error, AttendoError):
        return str(error), error.exit_code
    if isinstance(error, ModuleNotFoundError) and error.name in NEEDS_TRAIN:
        return f"this command needs {error.name}: pip install 'attendo[train]' (in a clone: make install)", 1
    return of_the_machine(error), 1


def of_the_machine(error: BaseException) -> str:
    """What is neither the user's mistake nor ours: a file, the memory, a library of the system. Else nothing."""
    reason = str(error)
    if isinstance(error, OSError) and error.errno != errno.ENOMEM:
        name = os.fsdecode(error.filename) if isinstance(error.filename, bytes) else error.filename
        unnamed = "cannot read" if error.errno == errno.EISDIR else "cannot write"  # stdin, a folder; or stdout
        return f"{name or unnamed}: {error.strerror or error}"
    if isinstance(error, UnicodeEncodeError) and error.encoding == sys.getfilesystemencoding():
        return f"{error.object!r} is no file name in this locale ({error.encoding}): set LC_ALL=C.UTF-8"
    if isinstance(error, RuntimeError) and reason.startswith("Symlink loop"):  # Python's own word for it, up to 3.12
        return f"{reason.partition(' from ')[2] or reason}: too many levels of symbolic links"
    if isinstance(error, MemoryError) or any(words in reason.lower() for words in OUT_OF_MEMORY):
        return f"out of memory{': ' if reason else ''}{reason}"
    if isinstance(error, ImportError) and not isinstance(error, ModuleNotFoundError) and ".so" in reason:
        return f"cannot load a library: {reason}"
    return ""
