"""An examination on the terminal: a table of what, how many and where, then a few examples of each."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from attendo.doctor.advice import recommend
from attendo.doctor.examine import Examination
from attendo.doctor.finding import Finding
from attendo.doctor.repair import Repair

LONGEST_EXAMPLE = 60  # characters of a side
EXAMPLES = 2


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
        console.print(
            Text(f"Of those kept, {repair.swapped_back:,} were swapped back and {repair.paired_anew:,} paired anew.")
        )
