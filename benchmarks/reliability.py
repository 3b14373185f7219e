"""Run the tests and collect the numbers they give as evidence into docs/reliability.md.

make reliability
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.machine import ROOT, data_folder, describe_machine

ROWS = {
    "T1": "Training killed at random times",
    "T2": "Ended at every call that writes",
    "T3": "Stopped at every kind of point, and resumed",
    "T4": "The guard of the guard: each item of state left out",
    "T5": "Resumed with something else",
    "T6": "Checkpoints cut off or missing",
    "T7": "Bits that flip in a checkpoint",
    "T8": "A full disk",
    "T9": "Folders that cannot be written",
    "T10": "Leftovers, and two runs at once",
    "T11": "Signals",
    "T12": "Losses and gradients that are no numbers",
    "T13": "Training data that is broken: counts that differ, shifted or swapped sides, bad bytes",
    "T14": "The order of data: saved and restored, each pair exactly once an epoch",
    "T15": "Several ranks, and one of them dies or is stopped",
    "T16": "Several ranks train as one process does, and notice when one does not",
    "T17": "Out of memory, and data that fails to come",
    "F1": "Files that bring code",
    "F2": "No second loader",
    "F3": "Tensor files made to harm",
    "F4": "Configurations that ask for the absurd",
    "F5": "Tokenizer files made to harm",
    "F6": "Documents and archives made to harm",
    "F7": "Model folders that were changed",
    "F8": "Model folders that could not be written",
    "F9": "Formats of other versions",
    "S1": "Server: bodies made to harm, and requests drawn from the schema",
    "S2": "Server: bodies that are too large",
    "S3": "Server: heads that are too large, or made to smuggle",
    "S4": "Server: clients that are slow to send or to read",
    "S5": "Server: more requests than it has room for",
    "S6": "Server: every cost has a limit",
    "S7": "Server: an engine that hangs, a queue that is too long",
    "S8": "Server: clients that leave",
    "S9": "Server: a poisoned request; answers alone and under load",
    "S10": "Server: small requests beside large ones",
    "S11": "Server: SIGTERM under load",
    "S12": "Server: health and counts",
    "S13": "Server: keys",
    "S14": "Server: who can reach it",
    "S15": "Server: names and origins",
    "S16": "Server: text that would run on the page",
    "S17": "Server: paths and leaks",
    "S18": "Server: a mixed load for a while",
    "G1": "Page: every number is the model's",
    "G3": "Page: for everybody",
    "X1": "Alignment: N lines in are N lines out",
    "X2": "Nothing to say",
    "X3": "Broken text",
    "X4": "Very long lines",
    "X5": "Repetitive text",
    "X6": "Text that looks like control tokens",
    "X7": "All of Unicode",
    "X8": "The same answer every time",
    "X9": "Numbers, dates, addresses, emoji, placeholders, tags",
    "X10": "Doubtful translations: 220 answers labelled by hand",
    "X11": "Text already in the target language, or in a third one",
}


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder) / "evidence.jsonl"
        environment = {**os.environ, "ATTENDO_EVIDENCE": str(notes), "ATTENDO_DATA": str(data_folder())}
        command = [sys.executable, "-m", "pytest", "-n", "2", "-m", "not slow", *sys.argv[1:]]
        code = subprocess.run(command, env=environment, cwd=ROOT, check=False).returncode
        found = [json.loads(line) for line in notes.read_text(encoding="utf-8").split("\n") if line]
    if code:
        print("some tests failed; docs/reliability.md is left as it was", file=sys.stderr)
        return code
    (ROOT / "docs" / "reliability.md").write_text(page(found), encoding="utf-8")
    print(f"{len(found)} numbers written to docs/reliability.md")
    return 0


def page(found: list[list[str]]) -> str:
    """The rows are those of the reliability plan; each number comes from the test that would fail if it were worse."""
    lines = [
        "# Evidence of reliability",
        "",
        "Every number here was given by a test of the suite, which fails if the promise behind it does not hold. "
        "Made by `make reliability`; not edited by hand.",
        "",
        f"*{describe_machine()}*",
    ]
    for row, title in ROWS.items():
        numbers = sorted({(what, number) for name, what, number in found if name == row})
        lines += ["", f"## {row}. {title}", "", "| what | number |", "|---|---:|"]
        lines += [f"| {what.replace('|', '/')} | {number} |" for what, number in numbers]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
