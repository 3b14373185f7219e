"""attendo inspect: one sentence, its search step by step, and what every head looked at."""

import json
import sys
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

    from attendo.inspection.inspect import inspect as inspect_sentence
    from attendo.inspection.steps import inspection_lines, inspection_to_dict

    with Console(stderr=True).status("translating, drawing"):
        found = inspect_sentence(sentence, to, start, model, out, beam)
    for remark in found.remarks:
        typer.echo(f"attendo: {remark}", err=True)
    if as_json:
        answer = json.dumps(inspection_to_dict(found), ensure_ascii=False, indent=2)
    else:
        answer = "\n".join(inspection_lines(found))
    typer.echo(answer.encode(errors="replace"))  # UTF-8, whatever the terminal's own encoding is
    typer.echo(f"wrote {found.files[0]} and {len(found.files) - 1} pictures beside it", err=True)


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
