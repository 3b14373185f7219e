"""attendo lab: the claims of the notes, run."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from attendo.cli.help import INPUT_AND_OUTPUT, MACHINE, MEASURING, AttendoCommand, AttendoGroup
from attendo.cli.language import language_of
from attendo.cli.terminal import print_json, print_note, print_result
from attendo.errors import UsageError
from attendo.report.language import Language, Tr, in_language

if TYPE_CHECKING:
    from attendo.lab.claim import Experiment, Verdict
    from attendo.lab.run import ClaimResult, Wanted

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


def check_knobs(chosen: "list[Experiment]", wanted: "Wanted") -> None:
    """Before anything is measured: every claim has these knobs, and the values fit."""
    from attendo.lab.knobs import settings_of

    for experiment in chosen:
        settings_of(experiment.knobs, wanted.measured_size, wanted.turned)
    if wanted.turned and (real := [one.id for one in chosen if one.evidence == "real" and wanted.size != "full"]):
        raise UsageError(f"{', '.join(real)} trains real models: its knobs take --full, and a GPU")


def keep(results: "list[ClaimResult]", full: bool, everything: bool, tr: Tr) -> None:
    """Full runs as stored evidence, with the learning rates they found; and of all claims what lab list shows."""
    from attendo.lab.index import PATH as INDEX
    from attendo.lab.index import write_index
    from attendo.lab.run import tuned_to
    from attendo.lab.tools.evidence import stored_path, write_evidence
    from attendo.lab.tools.tuning import PATH, write_rows

    if everything:
        write_index(results)
        print_note(wrote(INDEX, tr))
    if not full:
        return
    for result in results:
        if result.experiment.evidence != "measured":
            write_evidence(stored_path(result.claim_id), result.evidence)
            print_note(wrote(stored_path(result.claim_id), tr))
    if rows := {result.claim_id: tuned_to(result) for result in results if result.experiment.tunes}:
        write_rows(rows)
        print_note(wrote(PATH, tr))


def in_words(result: "ClaimResult", table: dict[str, Any], tr: Tr) -> str:
    """Claim, verdict with steps and seeds, the numbers that decide, the reason, and where it comes from."""
    from attendo.lab.verdicts import beside
    from attendo.report.formulas import without_latex

    found = without_latex(table["finding"])
    lines = [
        f"{table['id']}  {without_latex(table['claim'])}",
        f"    {verdict_words(table['verdict'], tr)}{tr(': ', '：') if found else ''}{found} ({beside(result, tr)})",
        *(f"    {without_latex(label)}: {value}" for label, value in table["rows"]),
        *([f"    {without_latex(table['why'])}"] if table["why"] else []),
    ]
    return "\n".join(lines) + f"\n{origin(table, tr)}"


def verdict_words(verdict: "Verdict", tr: Tr) -> str:
    from attendo.lab.verdicts import VERDICTS

    return tr(*VERDICTS[verdict][1:])


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


def tune_and_keep(wanted: "list[Experiment]", workers: int, fresh: bool, tr: Tr) -> None:
    from attendo.lab.run import Wanted, run_all, tuned_to
    from attendo.lab.tools.tuning import ENDS, PATH, TUNING_SEED, read_rows, write_rows

    if not wanted:
        return
    read_rows()  # a broken table is found before the work, not after it
    with progress_on_stderr(len(wanted), tr) as on_result:
        results = run_all(wanted, Wanted("tuning", TUNING_SEED, fresh), workers, on_result)
    rows = {result.claim_id: tuned_to(result) for result in results}
    write_rows(rows)
    end = tr(" (end of the grid)", "（网格边缘）")
    for claim, row in rows.items():
        rates = ", ".join(f"{side} {rate:g}{end * (rate in ENDS)}" for side, rate in row.rates.items())
        print_result(f"{claim:4} {rates}")
    print_note(wrote(PATH, tr))


@contextmanager
def progress_on_stderr(num_claims: int, tr: Tr) -> "Iterator[Callable[[ClaimResult], None]]":
    """Which claim came out how, while others still run: a bar on a terminal; a line for each claim elsewhere."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda result: console.print(f"{result.claim_id} {describe(result, tr)}", highlight=False)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:
        task = progress.add_task(tr("claims", "论断"), total=num_claims)

        def on_result(result: "ClaimResult") -> None:
            progress.console.print(f"{result.claim_id:4} {describe(result, tr)}", highlight=False)
            progress.advance(task)

        yield on_result


def describe(result: "ClaimResult", tr: Tr) -> str:
    """holds (3.1 s), holds (stored, stale)"""
    verdict = verdict_words(result.verdict, tr)
    if not result.stored:
        return tr(f"{verdict} ({result.seconds:.1f} s)", f"{verdict}（{result.seconds:.1f} 秒）")
    return verdict + (
        tr(" (stored, stale)", "（存档数据，已过时）") if result.stale else tr(" (stored)", "（存档数据）")
    )


def wrote(path: Path, tr: Tr) -> str:
    return tr(f"wrote {path}", f"已写入 {path}")


def check_named(ids: list[str] | None, everything: bool) -> None:
    if everything == bool(ids):
        raise UsageError("name claims, such as L6 L18, or say --all")


def find_claim(experiments: dict[str, "Experiment"], name: str) -> "Experiment":
    if name.upper() not in experiments:
        raise UsageError(f"there is no claim '{name}' in the lab; attendo lab list shows them")
    return experiments[name.upper()]


def with_evidence(experiments: dict[str, "Experiment"], tr: Tr) -> "list[Experiment]":
    """Those that --quick can judge; of the others a line tells how to make them so."""
    from attendo.lab.tools.evidence import stored_path
    from attendo.lab.tools.tuning import rates_of

    found = []
    for experiment in experiments.values():
        trains = experiment.evidence == "real" or (experiment.tunes and not rates_of(experiment.id))
        if trains and not stored_path(experiment.id).exists():
            again = f"attendo lab run {experiment.id} --full --store"
            english = (
                f"{experiment.id} is left out: it has no stored evidence yet; {again} makes it, on a GPU in minutes"
            )
            print_note(tr(english, f"略过 {experiment.id}：还没有存档数据；可在 GPU 上用 {again} 生成，需几分钟"))
        else:
            found.append(experiment)
    return found


def warn_without_gpu(wanted: "list[Experiment]", tr: Tr) -> None:
    import torch

    real = ", ".join(experiment.id for experiment in wanted if experiment.evidence == "real")
    if real and not torch.cuda.is_available():
        english = f"{real}: there is no GPU here; what takes one minutes takes a CPU days"
        print_note(tr(english, f"{real}：这台机器没有 GPU；GPU 上几分钟的计算，CPU 上要几天"))


def origin(table: dict[str, Any], tr: Tr) -> str:
    """A line about evidence that was not measured now."""
    stored = table["stored"]
    if stored is None:
        return ""
    date, machine, code = stored["date"], stored["machine"], stored["code"]
    stale = tr("; stale: the code is another now", "；已过时：此后代码有改动") if stored["stale"] else ""
    words = tr(f"stored evidence of {date}, {machine}, code {code}", f"存档数据：{date}，{machine}，代码 {code}")
    return f"    {words}{stale}\n"


def table(result: "ClaimResult", language: Language) -> dict[str, Any]:
    from attendo.lab.run import numbers_table
    from attendo.lab.tools.texts import filled_rows, read_text
    from attendo.lab.verdicts import finding, why

    text = read_text(result.experiment, language)
    return {
        "id": result.experiment.id,
        "claim": text.claim,
        "source": ", ".join(quote.place for quote in text.quotes),
        "verdict": result.verdict,
        "finding": finding(result, language),
        "why": why(result, language),
        "rows": filled_rows(text, result.runs),
        "numbers": numbers_table(result.runs),
        "steps": result.steps,
        "seeds": list(result.seeds),
        "seconds": result.seconds,
        "knobs": dict(result.turned),
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
