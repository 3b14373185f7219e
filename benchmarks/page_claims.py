"""Write what the tour of the server's page tells of the lab and of the ten steps, from their own records.

python -m benchmarks.page_claims
"""

import json
import re
from typing import Any

from attendo.files.durable import write_file
from attendo.lab.claims import EXPERIMENTS
from attendo.lab.index import IndexEntry, read_index
from attendo.lab.tools.texts import Language, read_text
from attendo.lab.verdicts import VERDICTS
from attendo.server.page import FOLDER
from benchmarks.machine import ROOT

PATH = FOLDER / "claims.json"
STOPS = FOLDER / "tour_stops.js"
LANGUAGES: tuple[Language, ...] = ("en", "zh")
STEPS = ROOT / "docs" / "ten-steps" / "source"
CLAIM_OF_A_STOP = re.compile(r"claim: \"(L\d+)\"")
STEP_OF_A_STOP = re.compile(r"lesson: (\d+)")
# The lab writes formulas as LaTeX, which the page does not read.
PLAIN = (
    (re.compile(r"\\sqrt\{(\w+)\}"), r"√\1"),
    (re.compile(r"\\cdot"), "·"),
    (re.compile(r"\\top"), "ᵀ"),
    (re.compile(r"[\\${}^]"), ""),
)


def plain(text: str) -> str:
    for pattern, sign in PLAIN:
        text = pattern.sub(sign, text)
    return text


def claim_data(claim: str, entry: IndexEntry) -> dict[str, Any]:
    sign, *words = VERDICTS[entry.verdict]
    return {
        "sign": sign,
        **{
            language: {
                "claim": plain(read_text(EXPERIMENTS[claim], language).claim),
                "verdict": word,
                "finding": plain(entry.line(language).finding),
                "number": plain(entry.line(language).decides),
                "page": f"docs/lab/{language}/{claim}.md",
            }
            for language, word in zip(LANGUAGES, words, strict=True)
        },
    }


def step_data(number: int) -> dict[str, Any]:
    """As its title calls it."""
    (code,) = STEPS.glob(f"{number:02}-*.py")
    return {
        language: {
            "title": code.with_suffix(f".{language}.md").read_text(encoding="utf-8").split("\n")[0].removeprefix("# "),
            "page": f"docs/ten-steps/{language}/{code.stem}.md",
        }
        for language in LANGUAGES
    }


def page_claims() -> bytes:
    stops, index = STOPS.read_text(encoding="utf-8"), read_index()
    table = {
        "claims": {claim: claim_data(claim, index[claim]) for claim in CLAIM_OF_A_STOP.findall(stops)},
        "steps": {number: step_data(int(number)) for number in sorted(set(STEP_OF_A_STOP.findall(stops)), key=int)},
    }
    return (json.dumps(table, indent=1, ensure_ascii=False) + "\n").encode("utf-8")


if __name__ == "__main__":
    write_file(PATH, page_claims())
    print(f"wrote {PATH.relative_to(ROOT)}")
