"""attendo bulk: more text than one process should translate, in shards, on one machine or on many."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from attendo.cli.help import (
    INPUT_AND_OUTPUT,
    LANGUAGES_AND_MODEL,
    LIMITS,
    MACHINE,
    AttendoCommand,
    AttendoGroup,
)
from attendo.cli.language import language_of
from attendo.cli.options import BEAM, DEVICE, ENGINE, FROM, GLOSSARY, KEEP, MODEL, NO_WIDER_RETRY, PASSES
from attendo.cli.terminal import print_json, print_note, print_result
from attendo.errors import InputError, UsageError
from attendo.report.language import in_language
from attendo.report.messages import say

if TYPE_CHECKING:
    from attendo.bulk.run import RunnerMachine, Share
    from attendo.report.language import Language

NOT_CLEAN = 3
TELL_EVERY = 10.0  # seconds

FOLDER = typer.Argument(metavar="OUT", help="The folder of the plan.")

app = typer.Typer(
    cls=AttendoGroup,
    help="""Translate millions of lines in shards, by any number of processes and machines.

    A plan cuts the files into shards; runners take them one by one; what is done stays done, whatever is killed; the
    end is one file for each input, in order.

    Examples:
        # Cut a file into shards, translate them with all cores, put them together
        attendo bulk plan big.txt work/ --to en
        attendo bulk run work/
        attendo bulk join work/ --out big.en.txt
    """,
)


@app.command("plan", cls=AttendoCommand)
def plan(
    context: typer.Context,
    inputs: Annotated[
        list[Path],
        typer.Argument(
            metavar="IN...",
            help="Files to translate: plain text, .jsonl (also .gz, .xz, .zst of both) or .parquet.",
        ),
    ],
    folder: Annotated[
        Path, typer.Argument(metavar="OUT", help="A new folder for the plan, the shards and the translations.")
    ],
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="LANGUAGE",
            rich_help_panel=LANGUAGES_AND_MODEL,
            help="Language to translate into, such as en, de or zh-TW.",
        ),
    ],
    from_: Annotated[str | None, FROM] = None,
    model: Annotated[str | None, MODEL] = None,
    lines_per_shard: Annotated[
        int,
        typer.Option(
            "--lines-per-shard",
            min=1,
            max=10_000_000,
            metavar="N",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="Lines or rows of a shard, which is what a runner that is killed loses; fewer where they hold more "
            "than 1 MB. Default: 5000.",
        ),
    ] = 5_000,
    column: Annotated[
        str,
        typer.Option(
            "--column",
            metavar="NAME",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="The field of .jsonl, or column of .parquet, that is translated. Default: text.",
        ),
    ] = "text",
    into: Annotated[
        str,
        typer.Option(
            "--into",
            metavar="NAME",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="The field or column that is added for the translation. Default: translation.",
        ),
    ] = "translation",
    beam: Annotated[int | None, BEAM] = None,
    passes: Annotated[int | None, PASSES] = None,
    glossary: Annotated[Path | None, GLOSSARY] = None,
    keep: Annotated[bool, KEEP] = False,
    no_wider_retry: Annotated[bool, NO_WIDER_RETRY] = False,
    attempts: Annotated[
        int,
        typer.Option(
            "--attempts",
            min=1,
            max=1000,
            metavar="N",
            rich_help_panel=LIMITS,
            help="How often a shard is tried before it is set aside with its reason. Default: 3.",
        ),
    ] = 3,
    stale_after: Annotated[
        float,
        typer.Option(
            "--stale-after",
            min=1,
            max=1_000_000,
            metavar="SECONDS",
            rich_help_panel=LIMITS,
            help="How long a runner may be silent before another takes its shard. Default: 120.",
        ),
    ] = 120.0,
) -> None:
    """Cut files into shards and write down how they are to be translated.

    The same command again changes nothing; a folder that holds another plan is refused.

    Examples:
        # A text file, packed or not
        attendo bulk plan big.txt.gz work/ --to en
        # Two files of JSON lines, of which the field body is translated
        attendo bulk plan a.jsonl b.jsonl work/ --to en --column body --into body_en
    """
    from attendo.bulk.make_plan import known_model, make_plan
    from attendo.bulk.plan import PlanSettings
    from attendo.files.apart import check_apart
    from attendo.model_folder.bundle import model_folder
    from attendo.translation.glossary import read_glossary

    tr = in_language(language_of(context))
    where = model_folder(model)
    check_apart(reads={"IN": inputs, "--glossary": glossary, "--model": where}, writes={"OUT": folder})
    name, key = known_model(where, to, from_)
    terms = read_glossary(glossary).terms if glossary else ()
    settings = PlanSettings(
        model=name, model_key=key, to=to, from_=from_, lines_per_shard=lines_per_shard, column=column, into=into,
        beam=beam, passes=passes, keep=keep, wider_retry=not no_wider_retry, attempts=attempts, stale_after=stale_after,
        glossary=tuple((term.source, term.target) for term in terms),
    )  # fmt: skip
    made = make_plan(inputs, folder, settings)
    shards, lines = f"{len(made.shards):,}", f"{made.lines:,}"
    print_note(
        tr(
            f"{lines} lines in {shards} shards: attendo bulk run {folder}",
            f"共 {lines} 行，分为 {shards} 个分片：attendo bulk run {folder}",
        )
    )


@app.command("run", cls=AttendoCommand)
def run(
    context: typer.Context,
    folder: Annotated[Path, FOLDER],
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            min=1,
            max=1024,
            metavar="N",
            rich_help_panel=MACHINE,
            help="How many processes to start, each with its share of the cores or a GPU of its own. By default one "
            "for each core, or for each GPU.",
        ),
    ] = None,
    index: Annotated[
        int | None,
        typer.Option(
            "--index",
            min=0,
            max=1_000_000,
            metavar="I",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="Take only shards I, I + N, I + 2N and so on, N being that of --of: for a task of an array of jobs, "
            "the first of which is 0.",
        ),
    ] = None,
    of: Annotated[
        int | None,
        typer.Option(
            "--of",
            min=1,
            max=1_000_000,
            metavar="N",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="How many tasks there are. Goes with --index.",
        ),
    ] = None,
    ray: Annotated[
        str | None,
        typer.Option(
            "--ray",
            metavar="ADDRESS",
            rich_help_panel=MACHINE,
            help="Use a Ray cluster: its address, auto, or local for one on this machine. Needs attendo[ray].",
        ),
    ] = None,
    engine: Annotated[str, ENGINE] = "auto",
    device: Annotated[str, DEVICE] = "auto",
    threads: Annotated[
        int | None,
        typer.Option(
            "--threads",
            min=1,
            max=256,
            metavar="N",
            rich_help_panel=MACHINE,
            help="How many CPU threads each process uses. By default the cores divided by the processes.",
        ),
    ] = None,
    retry_failed: Annotated[
        bool,
        typer.Option(
            "--retry-failed",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="Try again the shards that were set aside after too many attempts.",
        ),
    ] = False,
) -> None:
    """Translate shards of a plan until none is left to take; any number of these may run at the same time.

    A runner that is killed loses the shard it was at, which another takes. Exit code 1: some shards were set aside.

    Examples:
        # All cores of this machine
        attendo bulk run work/
        # All its GPUs
        attendo bulk run work/ --device cuda
        # Task 7 of an array of 100 jobs, which count from 0
        attendo bulk run work/ --index 7 --of 100
    """
    if (index is None) != (of is None):
        raise UsageError("--index and --of go together")
    if ray is not None and index is not None:
        raise UsageError("--ray and --index exclude each other: a cluster shares out the shards itself")
    from attendo.bulk.plan import read_plan
    from attendo.bulk.run import RunnerMachine, Share, check_here, check_model
    from attendo.bulk.run import retry_failed as forget
    from attendo.bulk.status import status_of

    language = language_of(context)
    found = read_plan(folder)
    check_here(found)
    check_model(found)
    if retry_failed:
        forget(found)
    machine = RunnerMachine(engine=engine, device=chosen_device(engine, device), threads=threads)
    share = Share(index=index or 0, of=of or 1)
    tell = Teller(folder, language)
    code = run_with(folder, machine, share, workers, ray, tell)
    now = status_of(found)
    tell.say()
    if code:
        raise typer.Exit(code)
    if now.failed:
        first = min(now.failed)
        raise InputError(
            f"{len(now.failed):,} shards failed and were set aside, number {first}: {now.failed[first]}; "
            "--retry-failed tries them again"
        )


def chosen_device(engine: str, device: str) -> str:
    """`auto` is a GPU where there is one: the processes are started by it, and must know before."""
    from attendo.translation.load import wants_gpu

    if device == "auto" and engine != "ct2":
        return "cuda" if wants_gpu(device) else "cpu"
    return device


class Teller:
    """How far it is, on stderr, every now and then."""

    def __init__(self, folder: Path, language: "Language") -> None:
        self.folder, self.language = folder, language
        self.next = time.monotonic() + TELL_EVERY

    def __call__(self) -> None:
        if time.monotonic() >= self.next:
            self.say()
            self.next = time.monotonic() + TELL_EVERY

    def say(self) -> None:
        from attendo.bulk.plan import read_plan
        from attendo.bulk.status import status_of

        print_note(f"attendo: {status_of(read_plan(self.folder)).in_words(in_language(self.language))}")


def run_with(
    folder: Path, machine: "RunnerMachine", share: "Share", workers: int | None, ray: str | None, tell: Teller
) -> int:
    """The exit code."""
    from attendo.bulk.plan import read_plan
    from attendo.bulk.run import load_translator, unsettled
    from attendo.bulk.run import run as run_here
    from attendo.bulk.workers import run_workers, usual_workers
    from attendo.training.stop import Stop, Stopped

    if ray is not None:
        from attendo.bulk.ray_driver import run_on_ray

        run_on_ray(folder, ray, machine, workers or usual_workers(machine), tell)
        return 0
    workers = workers or usual_workers(machine)
    if min(workers, len(unsettled(read_plan(folder), share))) > 1:
        return run_workers(folder, machine, share, workers, tell, tell.language)
    try:
        with Stop(ends_process=True) as stop:
            run_here(folder, lambda plan: load_translator(plan, machine), stop, share, on_shard=tell)
    except Stopped as stopped:
        return stopped.exit_code
    return 0


@app.command("status", cls=AttendoCommand)
def status(
    context: typer.Context,
    folder: Annotated[Path, FOLDER],
    as_json: Annotated[
        bool,
        typer.Option("--json", rich_help_panel=INPUT_AND_OUTPUT, help="Print one JSON object instead of text."),
    ] = False,
) -> None:
    """Show how many shards are done, running, stale or failed, how fast it goes and how long it will take.

    Works from any machine that sees the folder, while runners are at work.

    Examples:
        # How far is it?
        attendo bulk status work/
        # The same for a program
        attendo bulk status work/ --json
    """
    from attendo.bulk.plan import read_plan
    from attendo.bulk.run import check_here
    from attendo.bulk.status import status_of

    found = read_plan(folder)
    check_here(found)
    now = status_of(found)
    if as_json:
        print_json(now.to_dict())
        return
    tr = in_language(language_of(context))
    print_result(now.in_words(tr))
    for number, reason in now.failed.items():
        print_result(tr(f"shard {number} failed: ", f"分片 {number} 失败：") + say(reason, language_of(context)))


@app.command("join", cls=AttendoCommand)
def join(
    context: typer.Context,
    folder: Annotated[Path, FOLDER],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="PATH",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="The file to write, or with several inputs the folder. By default OUT/joined/ with the names of the "
            "inputs.",
        ),
    ] = None,
) -> None:
    """Put the shards together, one file for each input, after checking every one of them.

    A shard that is missing or damaged is an error (exit code 1), and nothing is written. Exit code 3: all is written,
    but some lines deserve a look.

    Examples:
        # Into a file
        attendo bulk join work/ --out big.en.txt
        # Into work/joined/, one file for each input
        attendo bulk join work/
    """
    from attendo.bulk.join import join as join_shards
    from attendo.bulk.plan import read_plan
    from attendo.files.apart import check_apart

    language = language_of(context)
    found = read_plan(folder)
    check_apart(reads={"IN": [Path(source.path) for source in found.sources]}, writes={"--out": out})
    paths, ledger, left = join_shards(found, out)
    for path in paths:
        print_result(str(path))
    remarks = ledger.remarks() + ([f"{left} × row without a text, left as it is"] if left else [])
    if remarks:
        sentence = f"done, with remarks: {'; '.join(remarks)}"
        print_note(f"attendo: {say(sentence, language)}")
    raise typer.Exit(0 if ledger.is_clean and not left else NOT_CLEAN)
