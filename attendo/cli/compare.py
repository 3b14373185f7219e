"""attendo compare: whether one translation of a test set is better than another, or may be so by chance."""

from pathlib import Path
from typing import Annotated

import typer

from attendo.cli.help import INPUT_AND_OUTPUT, LANGUAGES_AND_MODEL, MEASURING
from attendo.cli.language import language_of
from attendo.cli.terminal import print_json, print_note, print_result
from attendo.errors import UsageError
from attendo.report.language import in_language


def compare(
    context: typer.Context,
    files: Annotated[
        list[Path], typer.Argument(metavar="A B", help="Two files of translations of the same test set, one per line.")
    ],
    references: Annotated[
        list[Path],
        typer.Option(
            "--references",
            metavar="FILE...",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="One or more files of reference translations, or a .tsv of source<TAB>reference.",
        ),
    ],
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="LANGUAGE",
            rich_help_panel=LANGUAGES_AND_MODEL,
            help="Language of the translations, such as en. By default it is detected from the references.",
        ),
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option(
            "--samples",
            min=2,
            max=100_000,
            metavar="N",
            rich_help_panel=MEASURING,
            help="Number of samples of the paired bootstrap. Default: 1000.",
        ),
    ] = None,
    trials: Annotated[
        int | None,
        typer.Option(
            "--trials",
            min=2,
            max=1_000_000,
            metavar="N",
            rich_help_panel=MEASURING,
            help="Number of trials of the approximate randomisation test. Default: 10000.",
        ),
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option("--json", rich_help_panel=INPUT_AND_OUTPUT, help="Print a JSON object instead of a table."),
    ] = False,
) -> None:
    """Test whether one of two translations is really better, or may be so by chance.

    Scores are BLEU, chrF and TER; the tests are the paired bootstrap and approximate randomisation, as in sacreBLEU.

    Examples:
        # Two systems against one reference
        attendo compare old.txt new.txt --references reference.txt
        # Against a test set of source<TAB>reference, as JSON
        attendo compare old.txt new.txt --references test.tsv --to en --json
    """
    language = language_of(context)
    if len(files) < 2:
        raise UsageError("name two files of translations, A and B")

    from attendo.files.apart import check_apart

    check_apart(reads={"A B": files, "--references": references}, writes={})
    from attendo.evaluation.compare import TRIALS
    from attendo.evaluation.compare import compare as compare_files
    from attendo.evaluation.metrics import SAMPLES
    from attendo.evaluation.report_text import comparison_lines, warnings_text

    # `A B --references R1 R2`: what no option takes is one more reference
    a, b, *more = files
    found = compare_files(a, b, [*references, *more], to=to, samples=samples or SAMPLES, trials=trials or TRIALS)
    for line in warnings_text(found.warnings, language=language):
        print_note(line)
    if as_json:
        print_json(found.to_dict())
    else:
        print_result("\n".join(comparison_lines(found, in_language(language))))
