"""attendo fill: candidates for what is masked in a text."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from attendo.cli.help import INPUT_AND_OUTPUT, LANGUAGES_AND_MODEL
from attendo.cli.language import language_of
from attendo.cli.options import DEVICE, ENGINE, THREADS, typed_path
from attendo.cli.terminal import as_utf8, print_note, print_result
from attendo.errors import DataError, InputError, UsageError
from attendo.report.language import Bilingual, Tr, in_language

if TYPE_CHECKING:
    from attendo.documents.line_reader import Chunk
    from attendo.documents.text_source import TextSource
    from attendo.reading.fill import FilledText
    from attendo.reading.load import LoadedEncoder
    from attendo.text.tokenizer import Tokenizer

SIDE_BY_SIDE = Bilingual(
    "several masks in a text are answered side by side: each is guessed while the others stay hidden, "
    "so the best candidates need not be the best pair",
    "一段文字里的多个掩码各自独立预测：预测每一个时，其余的仍然遮住，所以各自最好的候选不一定是最好的组合",
)


def fill(
    context: typer.Context,
    texts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TEXT]...", help="Texts with [MASK] where a token is to be guessed. Without any, lines of stdin."
        ),
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option(
            "-i",
            "--input",
            metavar="FILE",
            parser=typed_path,
            rich_help_panel=INPUT_AND_OUTPUT,
            help="Read the texts from the lines of this file (also .gz, .xz, .zst); - is stdin.",
        ),
    ] = None,
    model: Annotated[
        str,
        typer.Option(
            "--model",
            metavar="MODEL",
            rich_help_panel=LANGUAGES_AND_MODEL,
            help="The folder of an encoder-only model, such as runs/masked-zh/model.",
        ),
    ] = "",
    top: Annotated[
        int,
        typer.Option(
            "--top",
            min=1,
            max=1_000,
            metavar="N",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="How many candidates to give for each mask, the likeliest first. Default: 5.",
        ),
    ] = 5,
    mask: Annotated[
        str,
        typer.Option(
            "--mask",
            metavar="TEXT",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="How a mask is written, for texts in which [MASK] means itself. Default: [MASK].",
        ),
    ] = "[MASK]",
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="Print one JSON object a line, with every candidate and the text with it.",
        ),
    ] = False,
    engine: Annotated[str, ENGINE] = "auto",
    device: Annotated[str, DEVICE] = "auto",
    threads: Annotated[int | None, THREADS] = None,
) -> None:
    """Guess the tokens that are masked in a text, by an encoder-only model.

    A mask stands for one token of the model's tokenizer: a character, or a piece of a word. Several masks in a text
    are answered side by side: each is guessed while the others stay hidden.

    Examples:
        # Candidates for a hidden character
        attendo fill "机器[MASK]习很有趣" --model runs/masked-zh/model
        # Ten candidates for each line of a file, for a program
        attendo fill -i texts.txt --model runs/masked-zh/model --top 10 --json
    """
    if not mask.strip():
        raise UsageError("the mask is empty: expected what stands for a hidden token, such as [MASK]")
    if not model:
        raise UsageError("--model is missing: expected the folder of an encoder-only model, such as RUN/model")

    from attendo.documents.progress import progress_on_stderr
    from attendo.documents.text_source import TextSource
    from attendo.reading.load import check_can_fill, load_encoder, open_bundle
    from attendo.translation.answer import json_line

    language = language_of(context)
    tr = in_language(language)
    given = TextSource(tuple(map(as_utf8, texts or ())), source)
    bundle = open_bundle(model)
    check_can_fill(bundle)
    told = as_json
    hidden = bool(texts) or sys.stdout.isatty()  # a bar among the lines would help nobody
    with given.opened() as stream, progress_on_stderr("line", given.size, hidden=hidden, language=language) as progress:
        loaded = load_encoder(bundle, engine=engine, device=device, threads=threads)
        progress.passed(0, 0)
        for chunk in given.chunks(stream, loaded.engine.tokens_per_batch):
            for one in fill_chunk(chunk, given, loaded, top, as_utf8(mask)):
                if as_json:
                    sys.stdout.buffer.write(json_line(one.to_dict()).encode("utf-8", errors="replace") + b"\n")
                else:
                    print_result("\n".join(filled_lines(one, loaded.tokenizer, tr)))
                if len(one.masks) > 1 and not told:
                    print_note(tr(*SIDE_BY_SIDE))
                    told = True
            sys.stdout.flush()
            progress.advance(chunk)


def fill_chunk(
    chunk: "Chunk", given: "TextSource", loaded: "LoadedEncoder", top: int, mask: str
) -> "Iterator[FilledText]":
    """The texts of a chunk. One that cannot be read is an error that says where it stands, after those before it."""
    from attendo.reading.fill import fill_masks
    from attendo.reading.masked_text import check_length, read_masked

    asked, problem = [], None
    for number, text in enumerate(chunk.texts, start=chunk.first):
        try:
            one = read_masked(text, loaded.tokenizer, mask)
            check_length(one.ids, loaded.engine.longest)
        except InputError as error:
            alone = len(given.texts) == 1
            problem = error if alone else DataError(f"{given.where(number)}: {error}")
            break
        asked.append(one)
    yield from fill_masks(asked, loaded.tokenizer, loaded.engine, top)
    if problem:
        raise problem


def filled_lines(one: "FilledText", tokenizer: "Tokenizer", tr: Tr) -> Iterator[str]:
    """The text, and below it a line for each candidate: token, probability, the text with it."""
    from attendo.inspection.readable import token_labels
    from attendo.report.columns import num_columns, padded

    yield one.text
    for number, candidates in enumerate(one.masks, start=1):
        if len(one.masks) > 1:
            yield tr(f"  mask {number} of {len(one.masks)}", f"  第 {number} 个掩码，共 {len(one.masks)} 个")
        labels = token_labels((candidate.id for candidate in candidates), tokenizer)
        width = max(map(num_columns, labels.values()))
        for candidate in candidates:
            yield f"  {padded(labels[candidate.id], width)}  {candidate.probability:8.2%}  {candidate.text}"
