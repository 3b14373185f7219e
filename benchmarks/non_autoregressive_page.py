"""What benchmarks/non_autoregressive.py found, as the table of docs/results.md."""

import re
import sys
from pathlib import Path
from typing import Any

BEGIN, END = "<!-- non-autoregressive: begin -->", "<!-- non-autoregressive: end -->"
ROWS = {
    "greedy": "Transformer, greedy search",
    "beam4": "Transformer, beam 4",
    "k1": "non-autoregressive, 1 pass",
    "k4": "non-autoregressive, 4 passes",
    "k10": "non-autoregressive, 10 passes",
    "k4l3": "4 passes, 3 lengths instead of 5",
    "k10l3": "10 passes, 3 lengths instead of 5",
}


def table_of(found: dict[str, Any]) -> str:
    sizes = list(found["times"])
    heads = "".join(f" ms a sentence, {size} at a time | times as fast |" for size in sizes)
    lines = [f"| search | BLEU | chrF2 |{heads}", f"|---|---:|---:|{'---:|' * (2 * len(sizes))}"]
    for name, words in ROWS.items():
        quality = found["quality"][name]
        low, high = quality["bleu"]["interval"]
        cells = [f"{quality['bleu']['score']:.2f} ± {(high - low) / 2:.2f}", f"{quality['chrf']['score']:.1f}"]
        for size in sizes:
            one = found["times"][size]["engine"][name]
            spread = f"{min(one['all_ms']):.2f}–{max(one['all_ms']):.2f}"
            cells += [f"{one['ms']:.2f} ({spread})", f"{one['times_as_fast']:.2f}"]
        lines.append(f"| {words} | {' | '.join(cells)} |")
    signature = found["quality"]["greedy"]["bleu"]["signature"]
    steps, parameters = (found[name] for name in ("steps", "parameters"))
    lines += [
        "",
        f"{found['machine']}, {found['device']}, torch {found['torch']}, {found['precision']}. Teacher "
        f"{parameters['teacher']:,} parameters, {steps['teacher']['steps']:,} steps; student "
        f"{parameters['student']:,}, {steps['student']['steps']:,} steps on {found['distilled_pairs']:,} pairs. "
        "One run of each. ±: 95 % bootstrap interval over the sentences; in brackets the fastest and the slowest turn. "
        f"Signature: `{signature}`.",
    ]
    return "\n".join(lines)


def write_into(page: Path, table: str) -> None:
    """Between the two marks of the page."""
    text = page.read_text(encoding="utf-8")
    found = re.compile(f"{re.escape(BEGIN)}\n.*?{re.escape(END)}", re.DOTALL)
    if not found.search(text):
        sys.exit(f"{page} has no {BEGIN} … {END}: expected both, and the table goes between them")
    page.write_text(found.sub(lambda _: f"{BEGIN}\n{table}\n{END}", text), encoding="utf-8")
