"""attendo inspect: one sentence, its search step by step, and what every head looked at."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from attendo.cli.evaluate_texts import kind_of, refuse_options_of_translators
from attendo.cli.help import INPUT_AND_OUTPUT, LANGUAGES_AND_MODEL
from attendo.cli.language import language_of
from attendo.cli.options import BEAM, FROM, MODEL
from attendo.cli.terminal import as_utf8, print_json, print_note, print_result
from attendo.errors import InputError
from attendo.report.language import Language, in_language
from attendo.report.messages import say

LARGEST_TEXT = 100_000  # bytes of stdin; far more than the maps can show


def inspect(
    context: typer.Context,
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="The sentence to translate and look at; - reads it from stdin.")
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
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="LANGUAGE",
            rich_help_panel=LANGUAGES_AND_MODEL,
            help="Language to translate into, such as en. May be left out if the model has one target language.",
        ),
    ] = None,
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
    beam: Annotated[int | None, BEAM] = None,
    as_json: Annotated[
        bool,
        typer.Option("--json", rich_help_panel=INPUT_AND_OUTPUT, help="Print one JSON object instead of text."),
    ] = False,
) -> None:
    """Translate a sentence, show every step of the search, and draw what every head of every layer looks at.

    Of an encoder-only model: what every head looks at, and the guesses for every [MASK] of the text. Of a language
    model: what every head looks at, and how well each token is foretold.

    Examples:
        # A page with all attention maps of one sentence
        attendo inspect 我爱机器学习 --to en --out out/
        # What the model looks at while it reads a translation of yours
        attendo inspect 我爱机器学习 --to en --target "I love machine learning." --out out/
        # Greedy search, everything in Chinese
        attendo inspect "Ich habe Hunger." --to en --beam 1 --out out/ --lang zh
        # An encoder-only model, and its guesses for a hidden character
        attendo inspect "机器[MASK]习很有趣" --model runs/masked-zh/model --out out/
        # A language model, and how it foretells a text
        attendo inspect "In spring it often rains." --model runs/text/model --out out/
    """
    sentence = read_stdin() if text == "-" else as_utf8(text)
    if not sentence.strip():
        raise InputError("the text is empty: expected a sentence to look at")

    from attendo.files.apart import check_apart
    from attendo.model_folder.bundle import model_folder

    check_apart(reads={"--model": model_folder(model)}, writes={"--out": out / "index.html"})

    from rich.console import Console

    language = language_of(context)
    tr = in_language(language)
    kind = kind_of(model) if model else None
    if model and kind:
        refuse_options_of_translators({"--to": to, "--from": start, "--target": target, "--beam": beam}, model, kind)
    if model and kind == "encoder-only model":
        from attendo.inspection.encoder_only import inspect_encoder
        from attendo.inspection.encoder_page import encoder_lines

        with Console(stderr=True).status(tr("reading, drawing", "正在阅读、绘图")):
            read = inspect_encoder(sentence, model, out, language=language)
        show(
            read.to_dict() if as_json else "\n".join(encoder_lines(read, language)), read.remarks, read.files, language
        )
        return

    if model and kind == "language model":
        from attendo.inspection.language_model import inspect_language_model
        from attendo.inspection.language_model_page import text_lines

        with Console(stderr=True).status(tr("reading, drawing", "正在阅读、绘图")):
            text_read = inspect_language_model(sentence, model, out, language=language)
        result = text_read.to_dict() if as_json else "\n".join(text_lines(text_read, language))
        show(result, text_read.remarks, text_read.files, language)
        return

    from attendo.inspection.inspect import inspect as inspect_sentence
    from attendo.inspection.steps import inspection_lines, inspection_to_dict

    with Console(stderr=True).status(tr("translating, drawing", "正在翻译、绘图")):
        found = inspect_sentence(sentence, to, start, model, out, beam or 4, target=target, language=language)
    result = inspection_to_dict(found) if as_json else "\n".join(inspection_lines(found, language))
    show(result, found.remarks, found.files, language)


def show(result: str | dict[str, object], remarks: Sequence[str], files: Sequence[Path], language: Language) -> None:
    """Lines or JSON on stdout; on stderr the remarks, and what was written."""
    tr = in_language(language)
    for remark in remarks:
        print_note(f"attendo: {say(remark, language)}")
    if isinstance(result, str):
        print_result(result)
    else:
        print_json(result)
    page, pictures = files[0], len(files) - 1
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
