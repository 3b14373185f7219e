"""attendo lab: the claims of the notes, run."""

import os
from pathlib import Path
from typing import Annotated

import typer

from attendo.cli.help import INPUT_AND_OUTPUT, MACHINE, MEASURING, AttendoCommand, AttendoGroup
from attendo.cli.lab_claims import check_knobs, check_named, find_claim, warn_without_gpu, with_evidence
from attendo.cli.lab_keeping import keep, tune_and_keep, wrote
from attendo.cli.lab_results import checked_in_words, in_words, progress_on_stderr, table, verdict_words
from attendo.cli.language import language_of
from attendo.cli.terminal import print_json, print_note, print_result
from attendo.errors import UsageError
from attendo.report.language import in_language

WORKERS = typer.Option(
    "--workers",
    min=1,
    metavar="N",
    rich_help_panel=MACHINE,
    help="How many experiments to run at the same time, each in a process of its own. Default: 2.",
)
FRESH = typer.Option(
    "--fresh", rich_help_panel=MEASURING, help="Measure again, even what an earlier run has left in the cache."
)

app = typer.Typer(
    cls=AttendoGroup,
    help="""Put every claim of the lecture notes about the Transformer to the test.

    Examples:
        # Which claims there are, in Chinese
        attendo lab list --lang zh
        # Test one of them, in seconds
        attendo lab run L15
    """,
)


@app.command("list", cls=AttendoCommand)
def list_claims(context: typer.Context) -> None:
    """List the claims by number, each with its verdict and what came out.

    Examples:
        # In English, or in Chinese
        attendo lab list
        attendo lab list --lang zh
    """
    from attendo.lab.claims import EXPERIMENTS
    from attendo.lab.index import read_index
    from attendo.lab.tools.texts import read_text
    from attendo.report.formulas import without_latex

    language = language_of(context)
    tr = in_language(language)
    index = read_index()
    for experiment in EXPERIMENTS.values():
        print_result(f"{experiment.id:4} {without_latex(read_text(experiment, language).claim)}")
        if entry := index.get(experiment.id):
            line = entry.line(language)
            found = f"{tr(': ', '：')}{line.finding}" if line.finding else ""
            print_result(without_latex(f"     {verdict_words(entry.verdict, tr)}{found}"))
            print_result(without_latex(f"     {tr('; ', '；').join(filter(None, (line.decides, line.beside)))}"))


@app.command("run", cls=AttendoCommand)
def run(
    context: typer.Context,
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ID]...", help="Claims to test, such as L1 L18; attendo lab list shows all."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", rich_help_panel=MEASURING, help="Test all claims instead of naming some.")
    ] = False,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            rich_help_panel=MEASURING,
            help="Measure on this machine with few seeds: seconds to minutes for each claim. Without --quick and "
            "--full, claims that take seconds are measured, and of the others the stored full run is shown.",
        ),
    ] = False,
    full: Annotated[
        bool,
        typer.Option(
            "--full",
            rich_help_panel=MEASURING,
            help="More seeds, every learning rate, and real models: minutes to hours, and some claims want a GPU.",
        ),
    ] = False,
    store: Annotated[
        bool,
        typer.Option(
            "--store",
            rich_help_panel=MEASURING,
            help="With --full: keep what was measured as the stored evidence of claims that train models. With --all: "
            "keep the verdicts for attendo lab list.",
        ),
    ] = False,
    stale: Annotated[
        bool,
        typer.Option(
            "--stale",
            rich_help_panel=MEASURING,
            help="Run again, as --full --store does, those claims whose stored evidence was measured by other code.",
        ),
    ] = False,
    knobs: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KNOB=VALUE",
            rich_help_panel=MEASURING,
            help="Turn a knob of the claim, such as steps=3000 or heads=1,16; its page lists them. May be repeated.",
        ),
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json", rich_help_panel=INPUT_AND_OUTPUT, help="Print a JSON list with one object for each claim."
        ),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="Write the report, a page and a picture for each claim in both languages, to this folder.",
        ),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            "--seed",
            min=0,
            metavar="N",
            rich_help_panel=MEASURING,
            help="The first random seed; the others follow it. Default: 1.",
        ),
    ] = 1,
    workers: Annotated[int, WORKERS] = 2,
    fresh: Annotated[bool, FRESH] = False,
) -> None:
    """Run the experiments of claims, and give each its verdict with the numbers it stands on.

    Examples:
        # One claim, in Chinese
        attendo lab run L15 --lang zh
        # All claims, with a report in a folder
        attendo lab run --all --out lab-report
        # Measured on this machine, with other seeds
        attendo lab run L6 L18 --quick --seed 100
        # With a knob turned: more heads, fewer steps
        attendo lab run L6 --set heads=1,16 --set steps=1500
    """
    if quick and full:
        raise UsageError("--quick and --full exclude each other")
    if stale and (ids or everything or quick or knobs):
        raise UsageError(
            "--stale chooses the claims and the size itself: name no claim, and no --all, --quick or --set"
        )
    if store and not (full or everything):
        raise UsageError("--store keeps what --full measures, or the verdicts of --all: say one of them")
    if store and knobs:
        raise UsageError("--store keeps a claim as it is: --set would keep another")
    if not stale:
        check_named(ids, everything)
    from attendo.lab.claims import EXPERIMENTS
    from attendo.lab.knobs import read_knobs
    from attendo.lab.report import write_report
    from attendo.lab.run import Wanted, run_all, stale_claims

    language = language_of(context)
    tr = in_language(language)
    full, store = full or stale, store or stale
    wanted = Wanted("full" if full else "quick" if quick else None, seed, fresh, read_knobs(knobs or []))
    if stale:
        chosen = stale_claims(list(EXPERIMENTS.values()))
    elif everything:
        chosen = list(EXPERIMENTS.values()) if full else with_evidence(EXPERIMENTS, tr)
    else:
        chosen = [find_claim(EXPERIMENTS, name) for name in ids or []]
    check_knobs(chosen, wanted)
    if store and full and (never := [one.id for one in chosen if one.evidence == "measured"]) and not everything:
        raise UsageError(f"--store is for claims that train models, not for {', '.join(never)}")
    if full:
        warn_without_gpu(chosen, tr)
    with progress_on_stderr(len(chosen), tr) as on_result:
        results = run_all(chosen, wanted, workers, on_result)
    if store:
        keep(results, full, everything, tr)
    if out:
        write_report(out, results, whole=everything)
        print_note(wrote(out, tr))
    tables = [table(result, language) for result in results]
    if as_json:
        print_json(tables)
    else:
        for result, one in zip(results, tables, strict=True):
            print_result(in_words(result, one, tr))


@app.command("check", cls=AttendoCommand)
def check(
    context: typer.Context,
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID]...", help="Claims to check, such as L6 L27.")] = None,
    everything: Annotated[
        bool, typer.Option("--all", rich_help_panel=MEASURING, help="Check all claims that have stored evidence.")
    ] = False,
) -> None:
    """See whether the code still gives the numbers that stored evidence stands on, by small runs of seconds.

    Exit code 3: some evidence is stale, or there is none.

    Examples:
        # All claims that have stored evidence
        attendo lab check --all
        # Two of them
        attendo lab check L6 L27
    """
    check_named(ids, everything)
    os.environ["CUDA_VISIBLE_DEVICES"] = ""  # what is compared was computed without a GPU; torch is not here yet
    from attendo.lab.check import check_claims
    from attendo.lab.claims import EXPERIMENTS

    tr = in_language(language_of(context))
    stored = [experiment for experiment in EXPERIMENTS.values() if experiment.evidence != "measured"]
    wanted = stored if everything else [find_claim(EXPERIMENTS, name) for name in ids or []]
    if others := [experiment.id for experiment in wanted if experiment.evidence == "measured"]:
        raise UsageError(f"{', '.join(others)} is measured anew every time: it has no stored evidence to check")
    stale = False
    for experiment in wanted:  # one by one: each is kept, and said, as soon as it is known
        (one,) = check_claims([experiment])
        print_result(checked_in_words(one, tr))
        stale = stale or one.is_stale
    if stale:
        raise typer.Exit(3)


@app.command("tune", cls=AttendoCommand)
def tune(
    context: typer.Context,
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID]...", help="Claims to tune, such as L6 L27.")] = None,
    everything: Annotated[
        bool, typer.Option("--all", rich_help_panel=MEASURING, help="Tune all claims that compare trained models.")
    ] = False,
    workers: Annotated[int, WORKERS] = 2,
    fresh: Annotated[bool, FRESH] = False,
) -> None:
    """Find the best learning rate of each side of a comparison, with seeds of its own, and keep it for lab run.

    Examples:
        # The learning rates of two claims
        attendo lab tune L6 L27
        # Those of all that are tuned, four at a time
        attendo lab tune --all --workers 4
    """
    check_named(ids, everything)
    from attendo.lab.claims import EXPERIMENTS

    tuned = [experiment for experiment in EXPERIMENTS.values() if experiment.tunes]
    wanted = tuned if everything else [find_claim(EXPERIMENTS, name) for name in ids or []]
    if others := [experiment.id for experiment in wanted if not experiment.tunes]:
        among = ", ".join(experiment.id for experiment in tuned)
        raise UsageError(f"{', '.join(others)} has no learning rates to tune; these have: {among}")
    tune_and_keep(wanted, workers, fresh, in_language(language_of(context)))
