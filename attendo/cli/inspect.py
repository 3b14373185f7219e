"""attendo inspect: one sentence, its search step by step, and what every head looked at."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from attendo.errors import InputError

LARGEST_TEXT = 100_000  # bytes of stdin; far more than the maps can show


def inspect(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The sentence to translate; - reads it from stdin.")],
    to: Annotated[str, typer.Option("--to", help="The language to translate into, such as en.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="A folder for index.html and the pictures.")],
    start: Annotated[str | None, typer.Option("--from", help="The language of the text; by default guessed.")] = None,
    model: Annotated[str | None, typer.Option("--model", metavar="M", help="A model folder, or a name.")] = None,
    beam: Annotated[int, typer.Option("--beam", min=1, max=256, help="Hypotheses kept at each step.")] = 4,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of text.")] = False,
) -> None:
    """Translate a sentence, show every step of the search, and draw what every head of every layer looked at."""
    sentence = read_stdin() if text == "-" else text
    if not sentence.strip():
        raise InputError("the text is empty: expected a sentence to translate")

    from rich.console import Console

    from attendo.model_folder.bundle import model_folder, read_bundle
    from attendo.translation.directions import choose_source, choose_target

    folder = model_folder(model)
    bundle = read_bundle(folder)
    target = choose_target(to, bundle.directions)
    source = choose_source(start, target, sentence, bundle.directions)

    from attendo.inspection.decoding_steps import inspection_lines
    from attendo.inspection.folder import make_folder, write_folder
    from attendo.inspection.inspection import inspect_text
    from attendo.inspection.inspection_table import inspection_table
    from attendo.model_folder.checkpoint import load_model
    from attendo.translation.wish import SEARCH

    make_folder(out)
    with Console(stderr=True).status("translating, drawing"):
        tokenizer = bundle.tokenizer()
        found = inspect_text(load_model(bundle), tokenizer, sentence, target, replace(SEARCH, beam_size=beam))
        written = write_folder(out, found, tokenizer, (source, target), folder.resolve().name)
    for remark in written.remarks:
        typer.echo(f"attendo: {remark}", err=True)
    if as_json:
        table = inspection_table(found, tokenizer, written.maps, written.aligned, written.files)
        answer = json.dumps(table | {"remarks": written.remarks}, ensure_ascii=False, indent=2)
    else:
        answer = "\n".join(inspection_lines(found, tokenizer))
    typer.echo(answer.encode(errors="replace"))  # UTF-8, whatever the terminal's own encoding is
    typer.echo(f"wrote {written.files[0]} and {len(written.files) - 1} pictures beside it", err=True)


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
