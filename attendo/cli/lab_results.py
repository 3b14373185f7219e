"""What attendo lab prints of a result: a line while others still run, a paragraph or a table at the end."""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from attendo.report.language import Language, Tr

if TYPE_CHECKING:
    from attendo.lab.check import CheckedClaim
    from attendo.lab.claim import Verdict
    from attendo.lab.run import ClaimResult


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


def verdict_words(verdict: "Verdict", tr: Tr) -> str:
    from attendo.lab.verdicts import VERDICTS

    return tr(*VERDICTS[verdict][1:])


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


def origin(table: dict[str, Any], tr: Tr) -> str:
    """A line about evidence that was not measured now."""
    stored = table["stored"]
    if stored is None:
        return ""
    date, machine, code = stored["date"], stored["machine"], stored["code"]
    stale = tr("; stale: the code is another now", "；已过时：此后代码有改动") if stored["stale"] else ""
    if stored["changed"] and not stored["stale"]:
        stale = tr("; today's code gives the same in a small run", "；当前代码的小规模运行结果相同")
    words = tr(f"stored evidence of {date}, {machine}, code {code}", f"存档数据：{date}，{machine}，代码 {code}")
    return f"    {words}{stale}\n"


def table(result: "ClaimResult", language: Language) -> dict[str, Any]:
    from attendo.lab.run import numbers_table
    from attendo.lab.tools.texts import read_text
    from attendo.lab.verdicts import finding, labelled_numbers, why

    text = read_text(result.experiment, language)
    return {
        "id": result.experiment.id,
        "claim": text.claim,
        "source": ", ".join(quote.place for quote in text.quotes),
        "verdict": result.verdict,
        "finding": finding(result, language),
        "why": why(result, language),
        "rows": labelled_numbers(result, language),
        "numbers": {name: in_json(values) for name, values in numbers_table(result.runs).items()},
        "steps": result.steps,
        "seeds": list(result.seeds),
        "seconds": result.seconds,
        "knobs": dict(result.turned),
        "stored": stored(result),
    }


def checked_in_words(checked: "CheckedClaim", tr: Tr) -> str:
    """L6   the code has changed, the numbers of a small run have not"""
    words = {
        "as measured": tr("measured by the code of today", "由当前代码测得"),
        "same numbers": tr(
            "the code has changed, the numbers of a small run have not", "代码有改动，小规模运行的结果不变"
        ),
        "other numbers": tr("stale: a small run gives other numbers", "已过时：小规模运行的结果不同"),
        "nothing to compare with": tr(
            "stale: the code has changed, and no small run of before is kept",
            "已过时：代码有改动，也没有改动前的小规模运行可比",
        ),
        "no evidence": tr("no stored evidence", "没有存档数据"),
    }[checked.found]
    names = f" ({', '.join(checked.names[:5])}{', …' * (len(checked.names) > 5)})" if checked.names else ""
    return f"{checked.claim:4} {words}{names}"


def in_json(value: Any) -> Any:
    """JSON has no infinities: there is null for these, which a turned knob may give."""
    if isinstance(value, Sequence):
        return [in_json(one) for one in value]
    return value if math.isfinite(value) else None


def stored(result: "ClaimResult") -> dict[str, Any] | None:
    """Where stored evidence comes from; none for what was measured here."""
    evidence = result.evidence
    if not result.stored:
        return None
    return {
        "changed": result.changed,
        "stale": result.stale,
        "code": evidence.code,
        "machine": evidence.machine,
        "date": evidence.date,
        "data": evidence.data,
    }
