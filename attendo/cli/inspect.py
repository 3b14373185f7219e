"""attendo inspect: one sentence, its search step by step, and what every head looked at."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from attendo.cli.help import INPUT_AND_OUTPUT, LANGUAGES_AND_MODEL
from attendo.cli.language import language_of
from attendo.cli.options import BEAM, FROM, MODEL
from attendo.cli.terminal import as_utf8, print_json, print_note, print_result
from attendo.errors import InputError
from attendo.report.language import in_language
from attendo.report.messages import say

LARGEST_TEXT = 100_000  # bytes of stdin; far more than the maps can show


def inspect(
    context: typer.Context,
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="The sentence to translate and look at; - reads it from stdin.")
    ],
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="LANGUAGE",
            rich_help_panel=LANGUAGES_AND_MODEL,
            help="Language to translate into, such as en.",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            metavar="DIR",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="Folder to write the page (index.html) and the pictures of all heads to.",
        ),
    ],
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            metavar="TEXT",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="Look at this translation instead of the model's own: it is read as it stands, nothing is searched.",
        ),
    ] = None,
    start: Annotated[str | None, FROM] = None,
    model: Annotated[str | None, MODEL] = None,
    beam: Annotated[int, BEAM] = 4,
    as_json: Annotated[
        bool,
        typer.Option("--json", rich_help_panel=INPUT_AND_OUTPUT, help="Print one JSON object instead of text."),
    ] = False,
) -> None:
    """Translate a sentence, show every step of the search, and draw what every head of every layer looks at.

    Examples:
        # A page with all attention maps of one sentence
        attendo inspect 我爱机器学习 --to en --out out/
        # What the model looks at while it reads a translation of yours
        attendo inspect 我爱机器学习 --to en --target "I love machine learning." --out out/
        # Greedy search, everything in Chinese
        attendo inspect "Ich habe Hunger." --to en --beam 1 --out out/ --lang zh
    """
    sentence = read_stdin() if text == "-" else as_utf8(text)
    if not sentence.strip():
        raise InputError("the text is empty: expected a sentence to translate")

    from attendo.files.apart import check_apart
    from attendo.model_folder.bundle import model_folder

    check_apart(reads={"--model": model_folder(model)}, writes={"--out": out / "index.html"})

    from rich.console import Console

    from attendo.inspection.inspect import inspect as inspect_sentence
    from attendo.inspection.steps import inspection_lines, inspection_to_dict

    language = language_of(context)
    tr = in_language(language)
    with Console(stderr=True).status(tr("translating, drawing", "正在翻译、绘图")):
        found = inspect_sentence(sentence, to, start, model, out, beam, target=target, language=language)
    for remark in found.remarks:
        print_note(f"attendo: {say(remark, language)}")
    if as_json:
        print_json(inspection_to_dict(found))
    else:
        print_result("\n".join(inspection_lines(found, language)))
    page, pictures = found.files[0], len(found.files) - 1
    print_note(tr(f"wrote {page} and {pictures} pictures beside it", f"已写入 {page} 和旁边的 {pictures} 张图"))


def read_stdin() -> str:
    if sys.stdin is None:
        raise InputError("there is no stdin to read a text from")
    raw = sys.stdin.buffer.read(LARGEST_TEXT + 1)
    if len(raw) > LARGEST_TEXT:
        raise InputError(f"the text has more than {LARGEST_TEXT:,} bytes: expected a sentence")
    try:
        return raw.decode("utf-8").rstrip("\n")
    except UnicodeDecodeError as error:
        raise InputError(f"the text is not UTF-8: {error.reason} at byte {error.start}") from error
