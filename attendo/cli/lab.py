"""attendo lab: the claims of the notes, run."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from attendo.errors import UsageError

if TYPE_CHECKING:
    from attendo.lab.claim import Experiment
    from attendo.lab.run import ClaimResult

app = typer.Typer(help="Every claim of the lecture notes, put to the test.", no_args_is_help=True)
LANGUAGES = ("en", "zh")


@app.command("list")
def list_claims(
    language: Annotated[str, typer.Option("--lang", help="en or zh.")] = "en",
) -> None:
    """The claims, by number."""
    from attendo.lab.claims import EXPERIMENTS
    from attendo.lab.tools.texts import read_text

    for experiment in EXPERIMENTS.values():
        typer.echo(f"{experiment.id:4} {read_text(experiment, known(language)).claim}")


@app.command("run")
def run(
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID]...", help="Such as L1 L18.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="All of them.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Small enough for a laptop; this is the default.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Larger, with more seeds; some claims want a GPU.")] = False,
    store: Annotated[
        bool, typer.Option("--store", help="With --full: keep for --quick what real models gave; and tune the others.")
    ] = False,
    language: Annotated[str, typer.Option("--lang", help="en or zh.")] = "en",
    as_json: Annotated[bool, typer.Option("--json", help="A list with an object for each claim.")] = False,
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Write the report there.")] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The first; others follow it.")] = 1,
    workers: Annotated[int, typer.Option("--workers", min=1, help="Experiments at a time.")] = 2,
    fresh: Annotated[bool, typer.Option("--fresh", help="Measure again what the cache has.")] = False,
) -> None:
    """Run experiments, and give each claim its verdict."""
    if quick and full:
        raise UsageError("--quick and --full exclude each other")
    check_named(ids, everything)
    if store and not full:
        raise UsageError("--store keeps what --full measures: say both")
    from attendo.lab.claims import EXPERIMENTS
    from attendo.lab.report import VERDICTS, in_language, write_report
    from attendo.lab.run import run_all
    from attendo.lab.tools.evidence import stored_path, write_evidence

    if everything:
        wanted = list(EXPERIMENTS.values()) if full else with_evidence(EXPERIMENTS)
    else:
        wanted = [find_claim(EXPERIMENTS, name) for name in ids or []]
        if store and (neither := [one.id for one in wanted if one.evidence == "measured" and not one.tunes]):
            raise UsageError(f"--store is for claims about real models and tuned ones, not for {', '.join(neither)}")
    if full:
        warn_without_gpu(wanted)
    with progress_on_stderr(len(wanted)) as on_result:
        results = run_all(wanted, "full" if full else "quick", workers, on_result, seed, fresh)
    for result in results:
        if store and result.experiment.evidence == "stored":
            write_evidence(stored_path(result.claim_id), result.evidence)
            typer.echo(f"wrote {stored_path(result.claim_id)}", err=True)
    if out:
        write_report(out, results)
        typer.echo(f"wrote {out}", err=True)
    tables = [table(result, known(language)) for result in results]
    if as_json:
        typer.echo(json.dumps(tables, ensure_ascii=False, indent=2).encode())
    else:
        for one in tables:
            verdict = in_language(known(language))(*VERDICTS[one["verdict"]][1:])
            typer.echo(f"{one['id']}  {one['claim']}\n    {verdict}\n    {one['why']}\n{origin(one)}".encode())
    if store:
        tune_and_keep([experiment for experiment in wanted if experiment.tunes], workers, fresh, on_stderr=True)


@app.command("tune")
def tune(
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID]...", help="Such as L6 L27.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="All claims that are tuned.")] = False,
    workers: Annotated[int, typer.Option("--workers", min=1, help="Experiments at a time.")] = 2,
    fresh: Annotated[bool, typer.Option("--fresh", help="Measure again what the cache has.")] = False,
) -> None:
    """Find the best learning rate of each side of a comparison, with seeds of its own, and keep it for lab run."""
    check_named(ids, everything)
    from attendo.lab.claims import EXPERIMENTS

    tuned = [experiment for experiment in EXPERIMENTS.values() if experiment.tunes]
    wanted = tuned if everything else [find_claim(EXPERIMENTS, name) for name in ids or []]
    if others := [experiment.id for experiment in wanted if not experiment.tunes]:
        among = ", ".join(experiment.id for experiment in tuned)
        raise UsageError(f"{', '.join(others)} has no learning rates to tune; these have: {among}")
    tune_and_keep(wanted, workers, fresh)


def tune_and_keep(wanted: "list[Experiment]", workers: int, fresh: bool, on_stderr: bool = False) -> None:
    from attendo.lab.run import TUNING_SEED, run_all, tuned_to
    from attendo.lab.tools.tuning import ENDS, PATH, read_rows, write_rows

    if not wanted:
        return
    read_rows()  # a broken table is found before the work, not after it
    with progress_on_stderr(len(wanted)) as on_result:
        results = run_all(wanted, "tuning", workers, on_result, TUNING_SEED, fresh)
    rows = {result.claim_id: tuned_to(result) for result in results}
    write_rows(rows)
    for claim, row in rows.items():
        rates = ", ".join(f"{side} {rate:g}{' (end of the grid)' * (rate in ENDS)}" for side, rate in row.rates.items())
        typer.echo(f"{claim:4} {rates}", err=on_stderr)
    typer.echo(f"wrote {PATH}", err=True)


@contextmanager
def progress_on_stderr(num_claims: int) -> "Iterator[Callable[[ClaimResult], None]]":
    """Which claim came out how, while others still run: a bar on a terminal; a line for each claim elsewhere."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda result: console.print(f"{result.claim_id} {describe(result)}", highlight=False)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("claims", total=num_claims)

        def on_result(result: "ClaimResult") -> None:
            progress.console.print(f"{result.claim_id:4} {describe(result)}", highlight=False)
            progress.advance(task)

        yield on_result


def describe(result: "ClaimResult") -> str:
    """holds (3.1 s), holds (stored, stale)"""
    if result.stored:
        return f"{result.verdict} ({'stored, stale' if result.stale else 'stored'})"
    return f"{result.verdict} ({result.seconds:.1f} s)"


def check_named(ids: list[str] | None, everything: bool) -> None:
    if everything == bool(ids):
        raise UsageError("name claims, such as L6 L18, or say --all")


def known(language: str) -> Any:
    if language not in LANGUAGES:
        raise UsageError(f"--lang is '{language}': expected en or zh")
    return language


def find_claim(experiments: dict[str, "Experiment"], name: str) -> "Experiment":
    if name.upper() not in experiments:
        raise UsageError(f"there is no claim '{name}' in the lab; attendo lab list shows them")
    return experiments[name.upper()]


def with_evidence(experiments: dict[str, "Experiment"]) -> "list[Experiment]":
    """Those that --quick can judge; of the others a line tells how to make them so."""
    from attendo.lab.run import how_to_store
    from attendo.lab.tools.evidence import stored_path

    found = []
    for experiment in experiments.values():
        if experiment.evidence == "stored" and not stored_path(experiment.id).exists():
            typer.echo(
                f"{experiment.id} is left out: it has no stored evidence yet; {how_to_store(experiment)}", err=True
            )
        else:
            found.append(experiment)
    return found


def warn_without_gpu(wanted: "list[Experiment]") -> None:
    import torch

    real = [experiment.id for experiment in wanted if experiment.evidence == "stored"]
    if real and not torch.cuda.is_available():
        typer.echo(f"{', '.join(real)}: there is no GPU here; what takes one minutes takes a CPU days", err=True)


def origin(table: dict[str, Any]) -> str:
    """A line about evidence that was not measured now."""
    stored = table["stored"]
    if stored is None:
        return ""
    stale = "; stale: the code is another now" if stored["stale"] else ""
    return f"    stored evidence of {stored['date']}, {stored['machine']}, code {stored['code']}{stale}\n"


def table(result: "ClaimResult", language: Any) -> dict[str, Any]:
    from attendo.lab.report import why
    from attendo.lab.run import numbers_table
    from attendo.lab.tools.texts import read_text

    text = read_text(result.experiment, language)
    return {
        "id": result.experiment.id,
        "claim": text.claim,
        "source": result.experiment.source,
        "verdict": result.verdict,
        "why": why(result, text),
        "numbers": numbers_table(result.runs),
        "seeds": list(result.seeds),
        "seconds": result.seconds,
        "stored": stored(result),
    }


def stored(result: "ClaimResult") -> dict[str, Any] | None:
    """Where stored evidence comes from; none for what was measured here."""
    evidence = result.evidence
    if not result.stored:
        return None
    return {
        "stale": result.stale,
        "code": evidence.code,
        "machine": evidence.machine,
        "date": evidence.date,
        "data": evidence.data,
    }
