"""attendo translate: texts, a file or stdin in, one line out for each line in."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from attendo.errors import UsageError

NOT_CLEAN = 3


def translate(
    texts: Annotated[list[str] | None, typer.Argument(metavar="[TEXT]...", help="Without, lines of stdin.")] = None,
    source: Annotated[Path | None, typer.Option("-i", "--input", metavar="FILE", help="Translate its lines.")] = None,
    target: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write them there.")] = None,
    to: Annotated[str | None, typer.Option("--to", help="The language to translate into, such as en.")] = None,
    from_: Annotated[str | None, typer.Option("--from", help="That of the text; by default the text tells.")] = None,
    model: Annotated[str | None, typer.Option("--model", metavar="M", help="A model folder, or a name.")] = None,
    engine: Annotated[str, typer.Option("--engine", help="auto, torch or ct2.")] = "auto",
    beam: Annotated[int | None, typer.Option("--beam", min=1, max=256, help="Hypotheses kept; 4 by default.")] = None,
    n_best: Annotated[int, typer.Option("--n-best", min=1, max=256, help="So many translations; --json alone.")] = 1,
    glossary: Annotated[Path | None, typer.Option("--glossary", metavar="F", help="Terms: TERM<TAB>ITS WORD.")] = None,
    keep: Annotated[bool, typer.Option("--keep", help="Insist on numbers, addresses, emoji, placeholders.")] = False,
    no_second_look: Annotated[
        bool, typer.Option("--no-second-look", help="Take the first answer, though it may have lost a number.")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at a line that is no UTF-8.")] = False,
    device: Annotated[str, typer.Option("--device", help="auto, cpu or cuda.")] = "auto",
    threads: Annotated[int | None, typer.Option("--threads", min=1, max=256, help="Of the CPU.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where a stopped run was; with -i and -o.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="A line is a JSON object, with score and ledger.")] = False,
    report: Annotated[Path | None, typer.Option("--report", metavar="F", help="Write the ledger as JSON.")] = None,
) -> None:
    """Translate texts, or the lines of a file or of stdin: N lines in, N lines out. Exit code 3: see the remarks."""
    from attendo.data.lines import COMPRESSED

    if beam is not None and n_best > beam:
        raise UsageError(f"--n-best {n_best} needs a --beam of at least {n_best}, not {beam}")
    for option, path in (("-o", target), ("--report", report)):
        if path and (path.is_dir() or not path.parent.is_dir()):
            raise UsageError(f"{option} is {path}: expected the name of a file, in a folder that is there")
    if target and target.suffix in COMPRESSED:
        raise UsageError(f"-o is {target}: attendo writes plain text; pack it afterwards")
    if report and report != Path("-") and report.resolve() in [path.resolve() for path in (source, target) if path]:
        raise UsageError(f"--report is {report}, which is the text itself: expected a file of its own")

    if texts and len(texts) == 1 and is_file(texts[0]):
        typer.echo(f"attendo: {texts[0]!r} is also the name of a file: -i translates its lines", err=True)

    from attendo.documents.file_translation import STANDARD, Task, write_beside
    from attendo.documents.progress import shown_on_stderr
    from attendo.model_folder.bundle import model_folder
    from attendo.translation.glossary import read_glossary
    from attendo.translation.load import load
    from attendo.translation.wish import SEARCH

    folder = model_folder(model)  # before anything is read or written
    task = Task(
        texts=() if texts == ["-"] else tuple(texts or ()),
        source=None if source == STANDARD else source, target=None if target == STANDARD else target,
        to=to, from_=from_, options=replace(SEARCH, beam_size=beam or max(SEARCH.beam_size, n_best), n_best=n_best),
        glossary=read_glossary(glossary) if glossary else None,
        keep=keep, second_look=not no_second_look, strict=strict, as_json=as_json, resume=resume,
    )  # fmt: skip
    hidden = task.target is None and sys.stdout.isatty()  # a bar among the lines would help nobody
    with task.opened() as stream, shown_on_stderr(task.what, task.size_read, hidden=hidden) as watch:
        translator = load(folder, engine=cast(Any, engine), device=device, threads=threads, say=watch.say)
        account = task.run(translator, stream, sys.stdout.buffer, watch)
    ledger = account.ledger
    if report:
        table = ledger.to_dict() | {"seconds": round(account.seconds, 3), "engine": translator.engine.name}
        write_beside(report, json.dumps(table, indent=2).encode() + b"\n", sys.stdout.buffer)
    if remarks := ledger.remarks():
        typer.echo(f"attendo: done, with remarks: {'; '.join(remarks)}", err=True)
    raise typer.Exit(0 if ledger.is_clean else NOT_CLEAN)


def is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # far too long for a name, or with NUL
        return False
