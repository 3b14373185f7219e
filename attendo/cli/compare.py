"""attendo compare: whether one translation of a test set is better than another, or may be so by chance."""

import json
from pathlib import Path
from typing import Annotated

import typer

from attendo.errors import UsageError


def compare(
    files: Annotated[list[Path], typer.Argument(metavar="A B", help="Two files of translations, a line each.")],
    references: Annotated[
        list[Path],
        typer.Option("--references", metavar="R...", help="One or more; or a TEST.tsv, which has the source."),
    ],
    to: Annotated[
        str | None, typer.Option("--to", help="Their language, such as en; by default the text tells.")
    ] = None,
    samples: Annotated[
        int | None, typer.Option("--samples", min=2, max=100_000, help="Of the bootstrap; 1000.")
    ] = None,
    trials: Annotated[
        int | None, typer.Option("--trials", min=2, max=1_000_000, help="Of the randomisation; 10000.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of a table.")] = False,
) -> None:
    """Tell whether the difference between two translations is real: paired bootstrap, approximate randomisation."""
    if len(files) < 2:
        raise UsageError("name two files of translations, A and B")

    from attendo.evaluation.compare import TRIALS
    from attendo.evaluation.compare import compare as test
    from attendo.evaluation.hypotheses import read_hypotheses
    from attendo.evaluation.metrics import SAMPLES
    from attendo.evaluation.report_text import comparison_lines, warnings_text
    from attendo.evaluation.suspicions import language_of
    from attendo.evaluation.test_set import file_in_bash, read_references

    # `A B --references R1 R2`: what no option takes is one more reference
    a, b, *more = files
    judged_by = read_references([*references, *more])
    language = to or language_of(judged_by.references[0])
    found = test(
        read_hypotheses(a, judged_by), read_hypotheses(b, judged_by), judged_by, language,
        (file_in_bash(a), file_in_bash(b)), samples or SAMPLES, trials or TRIALS,
    )  # fmt: skip
    for line in warnings_text(found.warnings):
        typer.echo(line, err=True)
    answer = (
        json.dumps(found.to_dict(), ensure_ascii=False, indent=2) if as_json else "\n".join(comparison_lines(found))
    )
    typer.echo(answer.encode(errors="replace"))  # UTF-8, whatever the terminal's own encoding is
