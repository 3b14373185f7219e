"""attendo embed: a vector for each sentence, and the sentences nearest to one."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from attendo.cli.help import INPUT_AND_OUTPUT, LANGUAGES_AND_MODEL
from attendo.cli.language import language_of
from attendo.cli.options import DEVICE, ENGINE, MODEL, THREADS, check_file_name, typed_path
from attendo.cli.terminal import as_utf8, print_note, print_result
from attendo.errors import DataError, UsageError
from attendo.report.language import Language, Tr, in_language

if TYPE_CHECKING:
    from attendo.documents.text_source import TextSource
    from attendo.reading.neighbours import Neighbour
    from attendo.reading.sentence_vectors import SentenceReader

NOT_CLEAN = 3
DIGITS = 6  # of a number that people read
TOP = 5  # neighbours
MOST_QUERIES = 10_000  # lines whose neighbours are wanted; each is held against every line of FILE


def embed(
    context: typer.Context,
    texts: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TEXT]...", help="Texts to read, one vector for each. Without any, lines of stdin."),
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
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="Write the vectors to this file, .npy or .safetensors, a row for each text, instead of stdout.",
        ),
    ] = None,
    neighbours: Annotated[
        Path | None,
        typer.Option(
            "--neighbours",
            metavar="FILE",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="Show the lines of this file that are nearest to each text, by cosine, instead of the vector.",
        ),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(
            "--top",
            min=1,
            max=1_000,
            metavar="N",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="With --neighbours: how many lines to show for each text. Default: 5.",
        ),
    ] = None,
    unit: Annotated[
        bool,
        typer.Option(
            "--unit",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="Give vectors of length 1, whose products are cosines. --neighbours does this by itself.",
        ),
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="Print one JSON object a line: the text and its vector, or its neighbours.",
        ),
    ] = False,
    model: Annotated[str | None, MODEL] = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="LANGUAGE",
            rich_help_panel=LANGUAGES_AND_MODEL,
            help="For an encoder-decoder: the language into which it would translate, whose tag it reads first.",
        ),
    ] = None,
    engine: Annotated[str, ENGINE] = "auto",
    device: Annotated[str, DEVICE] = "auto",
    threads: Annotated[int | None, THREADS] = None,
) -> None:
    """Give a vector for each sentence: the mean over its tokens of what the encoder's last layer makes of them.

    The model is an encoder-only one, or an encoder-decoder, whose encoder is used. The exit code is 3 where a text was
    too long for the model and only its beginning was read.

    Examples:
        # The lines of a file that are nearest to a sentence
        attendo embed "我喜欢音乐。" --neighbours sentences.txt --model runs/masked-zh/model
        # Vectors of all lines of a file, for numpy
        attendo embed -i sentences.txt --out vectors.npy --unit --model runs/masked-zh/model
        # By the encoder of the model that comes with attendo
        attendo embed "I like music." --to zh --json
    """
    if out and (neighbours or as_json):
        raise UsageError("--out holds vectors and nothing else: leave out --neighbours and --json")
    if top is not None and not neighbours:
        raise UsageError("--top belongs to --neighbours: a vector is shown whole")

    from attendo.documents.text_source import TextSource
    from attendo.files.apart import check_apart
    from attendo.model_folder.bundle import model_folder
    from attendo.reading.load import check_can_embed, load_encoder, open_bundle
    from attendo.reading.sentence_vectors import SentenceReader
    from attendo.reading.vector_file import check_ending

    language = language_of(context)
    tr = in_language(language)
    given = TextSource(tuple(map(as_utf8, texts or ())), source)
    if out:
        check_ending(out)
        check_file_name("--out", out)
    folder = model_folder(model)
    check_apart(
        reads={"-i": None if given.texts else given.path or Path("-"), "--neighbours": neighbours, "--model": folder},
        writes={"--out": out},
    )
    bundle = open_bundle(folder)
    check_can_embed(bundle)
    loaded = load_encoder(bundle, engine=engine, device=device, threads=threads)
    reader = SentenceReader(loaded.tokenizer, loaded.engine, loaded.tag(to), unit or bool(neighbours))
    if neighbours:
        show_neighbours(given, neighbours, reader, top or TOP, as_json, language)
    elif out:
        write_vectors(given, out, reader, language)
    else:
        print_vectors(given, reader, as_json)
    for remark in remarks_on(reader, tr):
        print_note(remark)
    raise typer.Exit(NOT_CLEAN if reader.cut else 0)


def remarks_on(reader: "SentenceReader", tr: Tr) -> list[str]:
    longest, cut, empty = reader.engine.longest, reader.cut, reader.empty
    said = []
    if cut:
        said.append(
            tr(
                f"texts of more than {longest:,} tokens, of which only the beginning was read: {cut:,}",
                f"{cut:,} 段文字超过 {longest:,} 个词元：只读了开头",
            )
        )
    if empty:
        said.append(tr(f"empty texts, whose vector is 0: {empty:,}", f"{empty:,} 段空白文字：向量为 0"))
    return said


def print_vectors(given: "TextSource", reader: "SentenceReader", as_json: bool) -> None:
    """A line for each text: its numbers, or a JSON object."""
    from attendo.translation.answer import json_line

    with given.opened() as stream:
        for chunk in given.chunks(stream, reader.engine.tokens_per_batch):
            for text, vector in zip(chunk.texts, reader.vectors(chunk.texts).tolist(), strict=True):
                if as_json:
                    line = json_line({"text": text, "vector": vector})
                else:
                    line = " ".join(f"{number:.{DIGITS}g}" for number in vector)
                sys.stdout.buffer.write(line.encode("utf-8", errors="replace") + b"\n")
            sys.stdout.buffer.flush()


def write_vectors(given: "TextSource", out: Path, reader: "SentenceReader", language: Language) -> None:
    from attendo.documents.progress import progress_on_stderr
    from attendo.reading.vector_file import VectorFile

    tr = in_language(language)
    with given.opened() as stream, progress_on_stderr("line", given.size, language=language) as progress:
        progress.passed(0, 0)
        with VectorFile(out, reader.width) as file:
            for chunk in given.chunks(stream, reader.engine.tokens_per_batch):
                file.add(reader.vectors(chunk.texts))
                progress.advance(chunk)
    count, width = f"{file.count:,}", file.d_model
    print_note(tr(f"wrote {out}: {count} vectors of {width} numbers", f"已写入 {out}：{count} 个 {width} 维向量"))


def show_neighbours(
    given: "TextSource", file: Path, reader: "SentenceReader", top: int, as_json: bool, language: Language
) -> None:
    from attendo.documents.progress import progress_on_stderr
    from attendo.documents.text_source import TextSource
    from attendo.reading.neighbours import nearest
    from attendo.translation.answer import json_line

    lines = TextSource(path=file)
    with given.opened() as stream, lines.opened() as others:
        queries: list[str] = []
        for chunk in given.chunks(stream, reader.engine.tokens_per_batch):
            queries += chunk.texts
            if len(queries) > MOST_QUERIES:
                raise UsageError(f"more than {MOST_QUERIES:,} texts: expected fewer whose neighbours are looked for")
        with progress_on_stderr("line", lines.size, language=language) as progress:
            progress.passed(0, 0)

            def passing() -> Iterator[tuple[int, list[str]]]:
                for chunk in lines.chunks(others, reader.engine.tokens_per_batch):
                    yield chunk.first, [text.rstrip("\r") for text in chunk.texts]
                    progress.advance(chunk)

            found = nearest(queries, passing(), reader, top)
    if queries and not any(found):
        raise DataError(f"{file} has no neighbours to find: every line is empty")
    for query, near in zip(queries, found, strict=True):
        if as_json:
            table = {"text": query, "neighbours": [neighbour_table(one) for one in near]}
            sys.stdout.buffer.write(json_line(table).encode("utf-8", errors="replace") + b"\n")
        else:
            print_result(query)
            for one in near:
                print_result(f"  {one.cosine:.3f}  {one.line_number:>7,}  {one.text}")


def neighbour_table(one: "Neighbour") -> dict[str, object]:
    return {"cosine": one.cosine, "line": one.line_number, "text": one.text}
