"""Where do the tags of 200 sentences go, by alignment and by two other ways? Do elements that cross come back, and 500
placeholders?

    python -m benchmarks.markup [--model MODEL] [--out docs/markup.md] [--show]

The table is printed and written to the page. `--show` prints every answer of ours that is not exact. The exit code is 1
if a tag of ours is broken, crossing or not, or a placeholder lost.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path

import attendo
from attendo.model_folder.bundle import DEFAULT
from benchmarks.machine import ROOT, describe_machine
from benchmarks.markup import crossings
from benchmarks.markup.page import Row, page, table
from benchmarks.markup.placeholders import COUNT, lost, with_placeholders
from benchmarks.markup.sentences import DIRECTIONS, Tagged, is_whole, judge, read
from benchmarks.markup.ways import WAYS, Way

OURS = "by alignment"
HALVES = {"first half": slice(0, 25), "second half": slice(25, 50), "all": slice(0, 50)}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.markup", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", help="folder, or a name of the package; without it, the default one")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "markup.md")
    parser.add_argument("--show", action="store_true", help="print the answers of ours that are not exact")
    options = parser.parse_args()
    translator = attendo.load(options.model, engine="ct2")
    asked, crossing = with_placeholders(), crossings.with_crossings()
    rows: list[Row] = []
    for name, way in WAYS.items():
        answers = {direction: answered(translator, way, read(direction)) for direction in DIRECTIONS}
        for half, part in HALVES.items():
            of_half = [pair for direction in DIRECTIONS for pair in answers[direction][part]]
            verdicts = Counter(verdict for one, answer in of_half for verdict in judge(one, answer))
            broken = sum(not is_whole(one, answer) for one, answer in of_half)
            of_all = half == "all"
            crossed = crossings.broken(translator, way, crossing) if of_all else None
            rows.append(Row(name, half, verdicts, broken, crossed, lost(translator, way, asked) if of_all else None))
        if options.show and name == OURS:
            show([pair for direction in DIRECTIONS for pair in answers[direction]])
    print("\n".join(table(rows)))
    made = [
        "Made by python -m benchmarks.markup; not edited by hand.",
        f"{describe_machine()}.".replace("_", r"\_"),
        f"Model: {options.model or DEFAULT}, key {translator.bundle.key[:16]}; {translator.engine.name}.",
    ]
    options.out.write_text(page(rows, made, COUNT), encoding="utf-8")
    return int(any(row.broken or row.broken_crossings or row.lost_placeholders for row in rows if row.way == OURS))


def answered(translator: attendo.Translator, way: Way, sentences: list[Tagged]) -> list[tuple[Tagged, str]]:
    answers = way(translator, [one.text for one in sentences], sentences[0].source, sentences[0].target)
    return list(zip(sentences, answers, strict=True))


def show(pairs: list[tuple[Tagged, str]]) -> None:
    for one, answer in pairs:
        if wrong := sorted({verdict for verdict in judge(one, answer) if verdict != "exact"}):
            print(f"{', '.join(wrong)}: {one.text} -> {answer}")


if __name__ == "__main__":
    sys.exit(main())
