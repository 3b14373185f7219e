"""attendo translate: texts, a file or stdin in, one line out for each line in."""

import json
import sys
import time
from contextlib import nullcontext
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from attendo.cli.help import CHECKS, INPUT_AND_OUTPUT, LANGUAGES_AND_MODEL, SEARCH
from attendo.cli.language import language_of
from attendo.cli.options import (
    BEAM,
    DEVICE,
    ENGINE,
    FROM,
    FULL_VOCABULARY,
    GLOSSARY,
    KEEP,
    MODEL,
    NO_WIDER_RETRY,
    PASSES,
    SAMPLE,
    SAMPLE_OR_BEAM,
    SAMPLE_OR_PASSES,
    SEED,
    STRICT,
    TEMPERATURE,
    THREADS,
    TOP_K,
    TOP_P,
    check_file_name,
    check_unpacked,
    sampling_asked_for,
    typed_path,
)
from attendo.cli.terminal import as_utf8, print_note
from attendo.errors import UsageError
from attendo.report.messages import say

if TYPE_CHECKING:
    from attendo.translation.answer import Ledger
    from attendo.translation.options import TranslationOptions
    from attendo.translation.translator import Translator

NOT_CLEAN = 3
STANDARD = Path("-")
FIRST_GPU = ("auto", "cuda", "cuda:0")


def translate(
    context: typer.Context,
    texts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TEXT]...", help="Texts to translate, one line of output for each. Without any, lines of stdin."
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
            help="Translate this file: its lines (also .gz, .xz, .zst), or a document such as .srt, .po, .html, .md or "
            ".docx as what it is; - is stdin.",
        ),
    ] = None,
    target: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            parser=typed_path,
            rich_help_panel=INPUT_AND_OUTPUT,
            help="Write the translations to this file instead of stdout. It appears under its name when all is done.",
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="LANGUAGE",
            rich_help_panel=LANGUAGES_AND_MODEL,
            help="Language to translate into, such as en, de or zh-TW. May be left out if the model has one target.",
        ),
    ] = None,
    from_: Annotated[str | None, FROM] = None,
    model: Annotated[str | None, MODEL] = None,
    engine: Annotated[str, ENGINE] = "auto",
    beam: Annotated[int | None, BEAM] = None,
    n_best: Annotated[
        int,
        typer.Option(
            "--n-best",
            min=1,
            max=256,
            metavar="N",
            rich_help_panel=SEARCH,
            help="How many translations to give for each text, the best first, or different draws with --sample; "
            "above 1 only with --json. Default: 1.",
        ),
    ] = 1,
    passes: Annotated[int | None, PASSES] = None,
    sample: Annotated[bool, SAMPLE] = False,
    temperature: Annotated[float | None, TEMPERATURE] = None,
    top_k: Annotated[int | None, TOP_K] = None,
    top_p: Annotated[float | None, TOP_P] = None,
    seed: Annotated[int | None, SEED] = None,
    glossary: Annotated[Path | None, GLOSSARY] = None,
    keep: Annotated[bool, KEEP] = False,
    no_wider_retry: Annotated[bool, NO_WIDER_RETRY] = False,
    no_second_look: Annotated[bool, typer.Option("--no-second-look", hidden=True)] = False,
    no_doubt: Annotated[
        bool,
        typer.Option("--no-doubt", rich_help_panel=CHECKS, help="Make no remarks on translations whose score is poor."),
    ] = False,
    doubt_below: Annotated[
        float | None,
        typer.Option(
            "--doubt-below",
            metavar="X",
            min=-100,
            max=0,
            rich_help_panel=CHECKS,
            help="Call a translation doubtful if its score is below this. By default the model's own thresholds.",
        ),
    ] = None,
    strict: Annotated[bool, STRICT] = False,
    as_lines: Annotated[
        bool,
        typer.Option(
            "--as-lines",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="Take the input for lines of plain text even if it looks like subtitles, JSON or another format.",
        ),
    ] = False,
    bilingual: Annotated[
        str | None,
        typer.Option(
            "--bilingual",
            metavar="under|over",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="Of a document such as subtitles, keep the source beside its translation: under it, or over it.",
        ),
    ] = None,
    memory: Annotated[
        Path | None,
        typer.Option(
            "--memory",
            metavar="FILE",
            parser=typed_path,
            rich_help_panel=CHECKS,
            help="Translation memory (.tmx, .tsv or .jsonl) for a document: texts that it knows are taken from it.",
        ),
    ] = None,
    device: Annotated[str, DEVICE] = "auto",
    threads: Annotated[int | None, THREADS] = None,
    full_vocabulary: Annotated[bool, FULL_VOCABULARY] = False,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="Continue a run with -i and -o that was interrupted, after the last line it finished.",
        ),
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="Print one JSON object a line, with translation, score, alignment, remarks and ledger.",
        ),
    ] = False,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            metavar="FILE",
            parser=typed_path,
            rich_help_panel=INPUT_AND_OUTPUT,
            help="Write the ledger of the whole run to this file as JSON: counts of lines, characters and remarks.",
        ),
    ] = None,
) -> None:
    """Translate texts, a document, or the lines of a file or of stdin: one line out for each line in.

    The exit code is 0 when all is well, and 3 when all is translated but some lines deserve a look (stderr says which).

    Examples:
        # Translate a sentence
        attendo translate 我爱机器学习 --to en
        # Translate a file line by line; run the same command again to continue after an interruption
        attendo translate -i in.txt -o out.txt --to en --resume
        # Translate subtitles, a page or a Word document, and touch nothing but its text
        attendo translate -i talk.srt -o talk.de.srt --to de
        # Use your own terms, and get scores and remarks as JSON
        attendo translate "Der Server ist neu." --to en --glossary terms.tsv --json
        # Draw five different translations instead of searching for the likeliest
        attendo translate 我爱机器学习 --to en --sample --temperature 0.7 --n-best 5 --json
    """
    language = language_of(context)
    sampling = None
    if sample or any(one is not None for one in (temperature, top_k, top_p, seed)):
        sampling = sampling_asked_for(sample, temperature, top_k, top_p, seed)
    if sampling and (beam is not None or passes is not None):
        raise UsageError(SAMPLE_OR_PASSES if beam is None else SAMPLE_OR_BEAM)
    if beam is not None and n_best > beam:
        raise UsageError(f"--n-best {n_best} needs a --beam of at least {n_best}, not {beam}")
    if bilingual not in (None, "under", "over"):
        raise UsageError(f"--bilingual is {bilingual!r}: expected under or over")
    if texts and (bilingual or memory) and not source:
        raise UsageError("--bilingual and --memory are for documents, and this is none: see attendo translate --help")
    for option, path in (("-o", target), ("--report", report)):
        if path:
            check_file_name(option, path)
    beside: dict[str, tuple[str, ...]] = {}
    if target:
        from attendo.documents.durable_output import BESIDE, BESIDE_DOCUMENT

        beside["-o"] = BESIDE + (BESIDE_DOCUMENT[:1] if report else BESIDE_DOCUMENT)
        check_unpacked("-o", target)
    texts = None if texts == ["-"] else [as_utf8(text) for text in texts or ()]
    if texts and len(texts) == 1 and is_file(texts[0]):
        sentence = f"{texts[0]!r} is also the name of a file: -i translates its lines"
        print_note(f"attendo: {say(sentence, language)}")

    from attendo.files.apart import check_apart
    from attendo.model_folder.bundle import model_folder
    from attendo.translation.glossary import read_glossary
    from attendo.translation.load import load, uses_gpu
    from attendo.translation.options import TranslationOptions

    folder = model_folder(model)  # before anything is read or written
    check_apart(
        reads={
            "-i": source if source or texts else STANDARD,
            "--glossary": glossary,
            "--memory": memory,
            "--model": folder,
        },
        writes={"-o": target, "--report": report},
        beside=beside,
    )
    options = TranslationOptions(
        beam=beam, n_best=n_best, passes=passes, sampling=sampling, keep=keep,
        glossary=read_glossary(glossary) if glossary else None,
        wider_retry=not (no_wider_retry or no_second_look), doubt=not no_doubt, doubt_below=doubt_below,
        alignment=as_json,
    )  # fmt: skip
    if options.search.n_best > 1 and not as_json:
        raise UsageError(f"--n-best {n_best} needs --json: a line of text holds one translation")

    document: dict[str, Any] = {}  # what became of one, if the input is one
    machine: dict[str, Any] = {"engine": engine, "device": device, "threads": threads}
    machine["full_vocabulary"] = full_vocabulary
    if texts and not (source or target or resume):
        translator = load(folder, **machine)
        ledger, seconds = translate_texts(texts, translator, to, from_, options, strict, as_json)
    else:
        from attendo.documents.document_report import DocumentAccount
        from attendo.documents.file_translation import FileTranslation, is_special
        from attendo.documents.progress import progress_on_stderr

        work = FileTranslation(
            texts=tuple(texts or ()), source=None if source == STANDARD else source,
            target=None if target == STANDARD else target, to=to, from_=from_, options=options, strict=strict,
            as_lines=as_lines, as_json=as_json, resume=resume, full_vocabulary=full_vocabulary,
            memory=memory,
            bilingual=bilingual or "none",  # type: ignore[arg-type]
        )  # fmt: skip
        hidden = work.target is None and sys.stdout.isatty()  # a bar among the lines would help nobody
        with (
            work.opened() as stream,
            progress_on_stderr(work.unit, work.size_read, hidden=hidden, language=language) as progress,
        ):
            on_gpu = uses_gpu(engine, device)
            load_it, on_first = partial(load, folder, **machine), engine != "ct2" and device in FIRST_GPU
            with work.several(stream, folder, load_it, begin_ahead=on_first) if on_gpu else nullcontext() as workers:
                translator = workers.translator(folder) if workers else load_it()
                account = work.run(translator, stream, sys.stdout.buffer, progress, workers)
        ledger, seconds = account.ledger, account.seconds
        if isinstance(account, DocumentAccount) and account.report:
            document = account.report.to_dict()
            print_note(f"attendo: {say(account.report.summary(), language)}")
            if report is None and work.target and not is_special(work.target):
                report = work.target.with_name(f"{work.target.name}.report.json")
    if report:
        table = document | ledger.to_dict() | {"seconds": round(seconds, 3), "engine": translator.engine.name}
        if sampling:
            table["sampling"] = asdict(sampling)
        write_report(report, json.dumps(table, indent=2).encode() + b"\n")
    if remarks := ledger.remarks():
        sentence = f"done, with remarks: {'; '.join(remarks)}"
        print_note(f"attendo: {say(sentence, language)}")
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
        from attendo.documents.pipeline import warnings_of
        from attendo.documents.progress import progress_on_stderr

        with progress_on_stderr("text", hidden=True) as progress:
            progress.warn_of(warnings_of(answers))
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
