"""attendo doctor: examine a parallel corpus, and write what is good of it."""

from pathlib import Path
from typing import Annotated, Any

import typer

from attendo.cli.help import CHECKS, INPUT_AND_OUTPUT, LANGUAGES_AND_MODEL
from attendo.cli.language import tr_of
from attendo.cli.options import check_unpacked
from attendo.cli.terminal import print_json, print_note
from attendo.errors import UsageError

PICTURES = ("lengths.png", "ratios.png")


def doctor(
    context: typer.Context,
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[FILE]...",
            help="Parallel corpora to examine: .tsv, .jsonl or .tmx, also compressed (.gz, .xz, .zst).",
        ),
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option(
            "--source",
            metavar="FILE",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="Instead of FILE: a text file with the source sentences, one per line. Goes with --target.",
        ),
    ] = None,
    target: Annotated[
        Path | None,
        typer.Option(
            "--target",
            metavar="FILE",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="A text file with their translations: line n is the translation of line n of --source.",
        ),
    ] = None,
    languages: Annotated[
        str | None,
        typer.Option(
            "--languages",
            metavar="A,B",
            rich_help_panel=LANGUAGES_AND_MODEL,
            help="Source and target language, such as zh,en. By default they are guessed from the text.",
        ),
    ] = None,
    against: Annotated[
        list[Path] | None,
        typer.Option(
            "--against",
            metavar="FILE",
            rich_help_panel=CHECKS,
            help="A test set whose sentences must not be in the corpus. May be given several times.",
        ),
    ] = None,
    write: Annotated[
        Path | None,
        typer.Option(
            "--write",
            metavar="FILE",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="Write the repaired corpus to this file as .tsv; the report says what was dropped and why.",
        ),
    ] = None,
    pictures: Annotated[
        Path | None,
        typer.Option(
            "--pictures",
            metavar="DIR",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="Draw the sentence lengths and their ratios as pictures in this folder.",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", rich_help_panel=INPUT_AND_OUTPUT, help="Print JSON instead of tables.")
    ] = False,
) -> None:
    """Examine a parallel corpus: what is wrong with it, in which lines, and what to do about it.

    Examples:
        # Examine a corpus of source<TAB>target lines
        attendo doctor corpus.tsv --languages zh,en
        # Examine two aligned files, and look for sentences of the test set
        attendo doctor --source train.de --target train.en --against test.tsv
        # Write what is good of it to a new file
        attendo doctor corpus.tsv.xz --write clean.tsv
    """
    tr = tr_of(context)
    if (source is None) != (target is None):
        raise UsageError("--source and --target go together")
    if bool(files) == (source is not None):
        raise UsageError("name one or more corpora, or else --source and --target")
    if files and len(files) > 1 and (write or pictures):
        raise UsageError("--write and --pictures take one corpus at a time")
    check_unpacked("--write", write)
    both = two_languages(languages) if languages else None

    from attendo.files.apart import check_apart

    check_apart(
        reads={"FILE": files, "--source": source, "--target": target, "--against": against},
        writes={"--write": write, "--pictures": [pictures / name for name in PICTURES] if pictures else None},
    )

    from rich.console import Console

    from attendo.data.corpus import AlignedFiles, CorpusFile
    from attendo.doctor.examine import examine
    from attendo.doctor.repair import write_repaired
    from attendo.doctor.report import draw_lengths, print_repair, print_report, recommend, show_progress

    corpora = [AlignedFiles(source, target)] if source and target else [CorpusFile(path, both) for path in files or []]
    console = Console(soft_wrap=False)
    answers: list[dict[str, Any]] = []
    for corpus in corpora:
        with show_progress(str(corpus), tr) as progress:
            examination = examine(corpus, both, [CorpusFile(path, both) for path in against or []], progress)
        repair = write_repaired(examination, write) if write else None
        if as_json:
            name = {"file": str(corpus)} if len(corpora) > 1 else {}
            repaired = {"repair": repair.to_dict()} if repair else {}
            answers.append(name | examination.to_dict() | {"recommendation": recommend(examination)} | repaired)
        else:
            print_report(examination, console, tr)
            if repair:
                print_repair(repair, str(write), console, tr)
        for path in draw_lengths(examination, pictures, tr) if pictures else []:
            print_note(tr(f"wrote {path}", f"已写入 {path}"))
    if as_json:
        print_json(answers if len(answers) > 1 else answers[0])


def two_languages(text: str) -> tuple[str, str]:
    names = [name.strip().lower() for name in text.split(",")]
    if len(names) != 2 or not all(names):
        raise UsageError(f"--languages {text!r}: expected two, source first, such as zh,en")
    return names[0], names[1]
