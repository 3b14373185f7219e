"""attendo compare: whether one translation of a test set is better than another, or may be so by chance."""

import json
from pathlib import Path
from typing import Annotated

import typer

from attendo.errors import UsageError


def compare(
    files: Annotated[list[Path], typer.Argument(metavar="A B", help="Two files of translations, one per line.")],
    references: Annotated[
        list[Path],
        typer.Option("--references", metavar="R...", help="One or more reference files, or a TEST.tsv with sources."),
    ],
    to: Annotated[str | None, typer.Option("--to", help="Their language, such as en; detected by default.")] = None,
    samples: Annotated[
        int | None, typer.Option("--samples", min=2, max=100_000, help="Bootstrap samples; 1000 by default.")
    ] = None,
    trials: Annotated[
        int | None, typer.Option("--trials", min=2, max=1_000_000, help="Randomisation trials; 10000 by default.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object instead of a table.")] = False,
) -> None:
    """Test whether two translations differ significantly: paired bootstrap and approximate randomisation."""
    if len(files) < 2:
        raise UsageError("name two files of translations, A and B")

    from attendo.evaluation.compare import TRIALS
    from attendo.evaluation.compare import compare as compare_files
    from attendo.evaluation.metrics import SAMPLES
    from attendo.evaluation.report_text import comparison_lines, warnings_text

    # `A B --references R1 R2`: what no option takes is one more reference
    a, b, *more = files
    found = compare_files(a, b, [*references, *more], to=to, samples=samples or SAMPLES, trials=trials or TRIALS)
    for line in warnings_text(found.warnings):
        typer.echo(line, err=True)
    as_text = "\n".join(comparison_lines(found))
    answer = json.dumps(found.to_dict(), ensure_ascii=False, indent=2) if as_json else as_text
    typer.echo(answer.encode(errors="replace"))  # UTF-8, whatever the terminal's own encoding is
