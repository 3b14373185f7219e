"""attendo doctor: examine a parallel corpus, and write what is good of it."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from attendo.errors import UsageError


def doctor(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILE]...", help="Parallel corpora: .tsv, .jsonl or .tmx, optionally compressed."),
    ] = None,
    source: Annotated[Path | None, typer.Option("--source", help="Instead of FILE: one of source lines …")] = None,
    target: Annotated[Path | None, typer.Option("--target", help="… and one of target lines.")] = None,
    languages: Annotated[
        str | None, typer.Option("--languages", help="Source and target language, such as zh,en; guessed by default.")
    ] = None,
    against: Annotated[
        list[Path] | None, typer.Option("--against", help="Test set that must not occur in the corpus; repeatable.")
    ] = None,
    write: Annotated[Path | None, typer.Option("--write", help="Write the repaired corpus as TSV.")] = None,
    pictures: Annotated[Path | None, typer.Option("--pictures", help="Folder for plots of sentence lengths.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Examine a parallel corpus: what is wrong with it, where, and what to do about it."""
    if (source is None) != (target is None):
        raise UsageError("--source and --target go together")
    if bool(files) == (source is not None):
        raise UsageError("name one or more corpora, or else --source and --target")
    if files and len(files) > 1 and (write or pictures):
        raise UsageError("--write and --pictures take one corpus at a time")
    both = two_languages(languages) if languages else None

    from rich.console import Console

    from attendo.data.corpus import AlignedFiles, CorpusFile
    from attendo.doctor.examine import examine
    from attendo.doctor.repair import write_repaired
    from attendo.doctor.report import draw_lengths, print_repair, print_report, recommend, show_progress

    corpora = [AlignedFiles(source, target)] if source and target else [CorpusFile(path, both) for path in files or []]
    console = Console(soft_wrap=False)
    answers: list[dict[str, Any]] = []
    for corpus in corpora:
        with show_progress(str(corpus)) as progress:
            examination = examine(corpus, both, [CorpusFile(path, both) for path in against or []], progress)
        repair = write_repaired(examination, write) if write else None
        if as_json:
            name = {"file": str(corpus)} if len(corpora) > 1 else {}
            repaired = {"repair": repair.to_dict()} if repair else {}
            answers.append(name | examination.to_dict() | {"recommendation": recommend(examination)} | repaired)
        else:
            print_report(examination, console)
            if repair:
                print_repair(repair, str(write), console)
        for path in draw_lengths(examination, pictures) if pictures else []:
            typer.echo(f"wrote {path}", err=True)
    if as_json:
        typer.echo(json.dumps(answers if len(answers) > 1 else answers[0], ensure_ascii=False, indent=2))


def two_languages(text: str) -> tuple[str, str]:
    names = [name.strip().lower() for name in text.split(",")]
    if len(names) != 2 or not all(names):
        raise UsageError(f"--languages {text!r}: expected two, source first, such as zh,en")
    return names[0], names[1]
