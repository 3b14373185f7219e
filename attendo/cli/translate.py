"""attendo translate: texts, a file or stdin in, one line out for each line in."""

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from attendo.errors import UsageError

if TYPE_CHECKING:
    from attendo.translation.answer import Ledger
    from attendo.translation.options import TranslationOptions
    from attendo.translation.translator import Translator

NOT_CLEAN = 3
STANDARD = Path("-")


def translate(
    texts: Annotated[list[str] | None, typer.Argument(metavar="[TEXT]...", help="Without, lines of stdin.")] = None,
    source: Annotated[Path | None, typer.Option("-i", "--input", metavar="FILE", help="Translate its lines.")] = None,
    target: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write them there.")] = None,
    to: Annotated[str | None, typer.Option("--to", help="The language to translate into, such as en.")] = None,
    from_: Annotated[str | None, typer.Option("--from", help="That of the text; by default the text tells.")] = None,
    model: Annotated[str | None, typer.Option("--model", metavar="M", help="A model folder, or a name.")] = None,
    engine: Annotated[str, typer.Option("--engine", help="auto, torch or ct2.")] = "auto",
    beam: Annotated[int | None, typer.Option("--beam", min=1, max=256, help="Size of the beam; 4 by default.")] = None,
    n_best: Annotated[int, typer.Option("--n-best", min=1, max=256, help="So many translations; needs --json.")] = 1,
    glossary: Annotated[Path | None, typer.Option("--glossary", metavar="F", help="Terms: TERM<TAB>ITS WORD.")] = None,
    keep: Annotated[bool, typer.Option("--keep", help="Force numbers, addresses, emoji, placeholders.")] = False,
    no_wider_retry: Annotated[
        bool, typer.Option("--no-wider-retry", help="No attempt with a wider beam where a number was lost.")
    ] = False,
    no_second_look: Annotated[bool, typer.Option("--no-second-look", hidden=True)] = False,
    no_doubt: Annotated[bool, typer.Option("--no-doubt", help="No remarks on translations with a poor score.")] = False,
    doubt_below: Annotated[
        float | None, typer.Option("--doubt-below", metavar="X", min=-100, max=0, help="What a poor score is.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at a line that is no UTF-8.")] = False,
    device: Annotated[str, typer.Option("--device", help="auto, cpu or cuda.")] = "auto",
    threads: Annotated[int | None, typer.Option("--threads", min=1, max=256, help="Of the CPU.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Resume a run that was stopped; with -i and -o.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="A line is a JSON object, with score and ledger.")] = False,
    report: Annotated[Path | None, typer.Option("--report", metavar="F", help="Write the ledger as JSON.")] = None,
) -> None:
    """Translate texts, or the lines of a file or of stdin: N lines in, N lines out. Exit code 3: see the remarks."""
    if beam is not None and n_best > beam:
        raise UsageError(f"--n-best {n_best} needs a --beam of at least {n_best}, not {beam}")
    for option, path in (("-o", target), ("--report", report)):
        if path and (path.is_dir() or not path.parent.is_dir()):
            raise UsageError(f"{option} is {path}: expected the name of a file, in a folder that is there")
    if target:
        from attendo.data.lines import COMPRESSED

        if target.suffix in COMPRESSED:
            raise UsageError(f"-o is {target}: attendo writes plain text; pack it afterwards")
    if report and report != STANDARD and report.resolve() in [path.resolve() for path in (source, target) if path]:
        raise UsageError(f"--report is {report}, which is the text itself: expected a file of its own")
    texts = None if texts == ["-"] else texts
    if texts and len(texts) == 1 and is_file(texts[0]):
        typer.echo(f"attendo: {texts[0]!r} is also the name of a file: -i translates its lines", err=True)

    from attendo.model_folder.bundle import model_folder
    from attendo.translation.glossary import read_glossary
    from attendo.translation.load import load
    from attendo.translation.options import TranslationOptions

    folder = model_folder(model)  # before anything is read or written
    options = TranslationOptions(
        beam=beam, n_best=n_best, keep=keep, glossary=read_glossary(glossary) if glossary else None,
        wider_retry=not (no_wider_retry or no_second_look), doubt=not no_doubt, doubt_below=doubt_below,
    )  # fmt: skip
    if options.search.n_best > 1 and not as_json:
        raise UsageError(f"--n-best {n_best} needs --json: a line of text holds one translation")

    machine: dict[str, Any] = {"engine": engine, "device": device, "threads": threads}
    if texts and not (source or target or resume):
        translator = load(folder, **machine)
        ledger, seconds = translate_texts(texts, translator, to, from_, options, strict, as_json)
    else:
        from attendo.documents.file_translation import FileTranslation
        from attendo.documents.progress import progress_on_stderr

        work = FileTranslation(
            texts=tuple(texts or ()), source=None if source == STANDARD else source,
            target=None if target == STANDARD else target, to=to, from_=from_, options=options, strict=strict,
            as_json=as_json, resume=resume,
        )  # fmt: skip
        hidden = work.target is None and sys.stdout.isatty()  # a bar among the lines would help nobody
        with work.opened() as stream, progress_on_stderr(work.unit, work.size_read, hidden=hidden) as progress:
            translator = load(folder, **machine)
            account = work.run(translator, stream, sys.stdout.buffer, progress)
        ledger, seconds = account.ledger, account.seconds
    if report:
        table = ledger.to_dict() | {"seconds": round(seconds, 3), "engine": translator.engine.name}
        write_report(report, json.dumps(table, indent=2).encode() + b"\n")
    if remarks := ledger.remarks():
        typer.echo(f"attendo: done, with remarks: {'; '.join(remarks)}", err=True)
    raise typer.Exit(0 if ledger.is_clean else NOT_CLEAN)


def translate_texts(
    texts: list[str],
    translator: "Translator",
    to: str | None,
    from_: str | None,
    options: "TranslationOptions",
    strict: bool,
    as_json: bool,
) -> tuple["Ledger", float]:
    """Texts of the command line to stdout, a line each; their ledger, and the seconds it took."""
    from attendo.translation.answer import total

    if strict:
        from attendo.documents.line_reader import chunk_of_texts

        chunk_of_texts(texts, strict=True)
    started = time.perf_counter()
    answers = translator.translate(texts, to, from_, options)
    seconds = time.perf_counter() - started
    lines = "".join(f"{answer.to_line(as_json=as_json)}\n" for answer in answers)
    sys.stdout.buffer.write(lines.encode("utf-8", errors="replace"))
    sys.stdout.buffer.flush()
    if any(answer.warnings for answer in answers):
        from attendo.documents.progress import progress_on_stderr

        with progress_on_stderr("text", hidden=True) as progress:
            progress.warn_of(answers)
    return total(answer.ledger for answer in answers), seconds


def write_report(path: Path, data: bytes) -> None:
    """A small file in one piece; or to a pipe, a device, or - for stdout."""
    from attendo.documents.file_translation import is_special
    from attendo.files.durable import write_file

    if path == STANDARD:
        sys.stdout.buffer.write(data)
    elif is_special(path):
        path.write_bytes(data)
    else:
        write_file(path.resolve(), data)


def is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # far too long for a name, or with NUL
        return False
