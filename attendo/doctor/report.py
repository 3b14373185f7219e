"""An examination for people: a progress display, tables, advice in sentences, and two pictures of the lengths."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from attendo.doctor.checks import find_length_outliers, log_ratios
from attendo.doctor.examine import Examination, ExaminationProgress
from attendo.doctor.finding import Finding
from attendo.doctor.repair import REASONS, Repair
from attendo.errors import DataError
from attendo.report.formatting import count_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure  # heavy, and needed for pictures alone

LONGEST_EXAMPLE = 60  # characters of a side
EXAMPLES = 2

DROPPED = {
    "wrong_language": "{count} in a wrong language",
    "leak": "{count} of the test set, where a score would measure memory",
    "broken_encoding": "{count} with a broken encoding",
    "empty": "{count} with an empty side",
    "copy": "{count} with a copy of the source",
    "duplicate": "{count} for the second time",
}
MANY = 0.01  # of all pairs: from here on a soft finding is worth a sentence
SOFT = {
    "implausible": "{count} with words that hardly translate each other: read some before you trust the rest.",
    "length_outlier": "{count} with sides of very different length: look whether sentences were cut.",
    "number_mismatch": "{count} with a number on one side only.",
    "mixed_script": "{count} with simplified and traditional characters: convert them to one script (OpenCC does).",
    "mixed_punctuation": "{count} with half- and full-width punctuation: a normalisation before training would help.",
    "control_characters": "{count} with characters that nobody can see; --write takes them out.",
}

MOST_POINTS = 20_000  # more would only make the picture darker
POINT, OUTLIER = "#3b528b", "#d55e00"  # told apart by colour-blind eyes, and in print

EVERY = 1_000  # pairs; telling each would cost more than reading it


def print_report(examination: Examination, console: Console) -> None:
    source, target = examination.languages
    console.print(Text(f"{examination.corpus}: {examination.num_pairs:,} pairs, {source} → {target}", style="bold"))
    if examination.findings:
        table = Table("finding", "lines", "share", "where")
        table.columns[1].justify = table.columns[2].justify = "right"
        for finding in examination.findings:
            share = len(finding.lines) / examination.num_pairs
            table.add_row(name(finding), f"{len(finding.lines):,}", f"{share:.2%}", where(finding))
        console.print(table)
        for finding in examination.findings:
            console.print(Text(f"{name(finding)}, for example\n{examples(finding)}\n"))
    console.print(Text(recommend(examination)))


def name(finding: Finding) -> str:
    words = finding.kind.replace("_", " ")
    return words if finding.shift is None else f"{words} by {finding.shift:+d}"


def where(finding: Finding) -> str:
    """A block by its ends; scattered lines by the first few."""
    if finding.shift is not None:
        return f"{finding.first_line}-{finding.last_line}"
    first = ", ".join(str(line) for line in finding.lines[:3])
    return first if len(finding.lines) <= 3 else f"{first}, … {finding.last_line}"


def examples(finding: Finding) -> str:
    return "\n".join(
        f"{example.line:>9}  {shorten(example.source)}\n           {shorten(example.target)}"
        for example in finding.examples[:EXAMPLES]
    )


def shorten(text: str) -> str:
    """One line of printable characters: what is invisible must not play with the terminal."""
    visible = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
    return visible if len(visible) <= LONGEST_EXAMPLE else visible[: LONGEST_EXAMPLE - 1] + "…"


def print_repair(repair: Repair, path: str, console: Console) -> None:
    """An account that adds up."""
    dropped = "".join(f" + {count:,} {kind.replace('_', ' ')}" for kind, count in repair.dropped.items())
    console.print(Text(f"Wrote {path}: {repair.pairs_in:,} pairs = {repair.kept:,} kept{dropped}."))
    if repair.swapped_back or repair.paired_anew:
        changed = f"{repair.swapped_back:,} were swapped back and {repair.paired_anew:,} paired anew"
        console.print(Text(f"Of those kept, {changed}."))


def recommend(examination: Examination) -> str:
    """One or more sentences."""
    if examination.num_pairs == 0:
        return "There is nothing in it."
    sentences = about_blocks(examination)
    if count := len(examination.lines("swapped")):
        sentences.append(f"{count_text(count, 'pair')} with exchanged sides: --write swaps them back.")
    sentences += about_dropping(examination)
    for kind, sentence in SOFT.items():
        count = len(examination.lines(kind))
        if count > MANY * examination.num_pairs:
            sentences.append(sentence.format(count=count_text(count, "pair")))
    if examination.num_closely < examination.num_pairs:
        sentences.append(
            f"Languages, plausibility and shifts were checked in {examination.num_closely:,} of "
            f"{examination.num_pairs:,} pairs, in stretches spread over the corpus; expect the same elsewhere."
        )
    return " ".join(sentences) if sentences else "It looks good: use it as it is."


def about_blocks(examination: Examination) -> list[str]:
    return [
        f"Lines {block.first_line:,} to {block.last_line:,} are shifted: their sources belong to the targets "
        f"{abs(block.shift)} line{'s' if abs(block.shift) > 1 else ''} {'below' if block.shift > 0 else 'above'}; "
        f"--write pairs them anew."
        for block in examination.findings
        if block.shift is not None
    ]


def about_dropping(examination: Examination) -> list[str]:
    counts = {kind: len(examination.lines(kind)) for kind in REASONS}
    reasons = [DROPPED[kind].format(count=count_text(count, "pair")) for kind, count in counts.items() if count]
    return [f"Drop what cannot be repaired (--write does): {'; '.join(reasons)}."] if reasons else []


def draw_lengths(examination: Examination, folder: Path) -> list[Path]:
    """Write two pictures into a folder, lengths.png and ratios.png, and return their paths."""
    import matplotlib as mpl

    source, target = examination.source_lengths, examination.target_lengths
    if len(source) == 0:
        return []
    outlier = find_length_outliers(source, target)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with mpl.rc_context({"font.size": 9, "axes.titlesize": 10}):
            draw_scatter(examination, outlier).savefig(folder / "lengths.png", dpi=130)
            draw_histogram(examination).savefig(folder / "ratios.png", dpi=130)
    except OSError as error:
        raise DataError(f"cannot write into {folder}: {error.strerror or error}") from error
    return [folder / "lengths.png", folder / "ratios.png"]


def draw_scatter(examination: Examination, outlier: np.ndarray) -> "Figure":
    """A point a pair; a shifted or cut corpus shows as a cloud without a diagonal."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import ScalarFormatter, SymmetricalLogLocator

    source, target = examination.source_lengths, examination.target_lengths
    chosen = np.linspace(0, len(source) - 1, min(len(source), MOST_POINTS)).astype(np.int64)
    figure = Figure(figsize=(5, 4.6), layout="constrained")
    axis = figure.subplots()
    for flag, colour, label in ((False, POINT, "pairs"), (True, OUTLIER, "length outliers")):
        rows = chosen[outlier[chosen] == flag]
        if len(rows) == 0:
            continue
        axis.scatter(source[rows], target[rows], s=4, c=colour, alpha=0.4, linewidths=0, label=label)
    axis.set(xscale="symlog", yscale="symlog", title=f"{examination.num_pairs:,} pairs")
    axis.set_xlabel(f"source ({examination.languages[0]}), characters")
    axis.set_ylabel(f"target ({examination.languages[1]}), characters")
    for one in (axis.xaxis, axis.yaxis):  # 10, 20, 50, 100 …, as people count
        one.set_major_locator(SymmetricalLogLocator(base=10, linthresh=2, subs=[1, 2, 5]))
        one.set_major_formatter(ScalarFormatter())
    axis.legend(loc="upper left", markerscale=3)
    return figure


def draw_histogram(examination: Examination) -> "Figure":
    """How many target characters a source character becomes."""
    from matplotlib.figure import Figure

    ratios = np.exp(log_ratios(examination.source_lengths, examination.target_lengths))
    figure = Figure(figsize=(5, 3.2), layout="constrained")
    axis = figure.subplots()
    axis.hist(np.clip(ratios, 0, 3 * float(np.median(ratios))), bins=80, color=POINT)
    axis.axvline(float(np.median(ratios)), color=OUTLIER, label=f"median {np.median(ratios):.2f}")
    axis.set(title="target length / source length", xlabel="ratio (10 added to both)", ylabel="pairs", yscale="log")
    axis.legend()
    return figure


@contextmanager
def show_progress(name: str) -> Iterator[ExaminationProgress]:
    """Counters of the pairs read and of the texts identified; how many there will be, nobody knows yet."""
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}: {task.completed:,.0f}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        read = bars.add_task(f"{name}, pairs read", total=None)
        identified = bars.add_task("languages identified", total=None)
        waiting = {read: 0, identified: 0}

        def advance(task: TaskID, count: int) -> None:
            waiting[task] += count
            if waiting[task] >= EVERY:
                bars.advance(task, waiting[task])
                waiting[task] = 0

        yield ExaminationProgress(lambda count: advance(read, count), lambda count: advance(identified, count))
