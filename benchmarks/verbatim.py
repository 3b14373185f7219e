"""Does a translator keep what no language translates? 100 sentences with identifiers, 100 with placeholders and tags.

    python -m benchmarks.verbatim [--model MODEL] [--show]

Each sentence (with_verbatim/) says itself what its translation must have, in so many characters and as often: that is
looked for here, and nothing of attendo's own rules is used. `--show` prints what was flagged and what was lost.
"""

import argparse
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import attendo
from benchmarks.machine import describe_machine

SENTENCES = Path(__file__).parent / "with_verbatim"
KINDS = ("identifiers", "placeholders")


class Asked(NamedTuple):
    source: str
    target: str
    text: str
    must: tuple[str, ...]

    def is_kept(self, answer: str) -> bool:
        """Everything as often as it is asked for, and no more than in the source."""
        wanted = Counter(self.must)
        return all(wanted[one] <= answer.count(one) <= self.text.count(one) for one in wanted)


def read(kind: str) -> list[Asked]:
    lines = (SENTENCES / f"{kind}.tsv").read_text(encoding="utf-8").split("\n")[:-1]
    rows = [line.split("\t") for line in lines]
    return [Asked(source, target, text, tuple(must.split("|"))) for source, target, text, must in rows]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--model", help="folder, or a name of the package; without it, the default one")
    parser.add_argument("--show", action="store_true", help="print the sentences that are flagged or lost")
    options = parser.parse_args()
    translator = attendo.load(options.model, engine="ct2")
    print(f"<!-- python -m benchmarks.verbatim; {describe_machine()}, {translator.engine.name} -->\n")
    print("| with | direction | sentences | kept | of them taken apart | lost, and flagged | lost in silence |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for kind in KINDS:
        asked = read(kind)
        for source, target in dict.fromkeys((one.source, one.target) for one in asked):
            of_direction = [one for one in asked if (one.source, one.target) == (source, target)]
            answers = translator.translate([one.text for one in of_direction], to=target, from_=source)
            row(kind, f"{source} → {target}", of_direction, answers, show=options.show)


def row(kind: str, direction: str, asked: list[Asked], answers: list[attendo.Translation], *, show: bool) -> None:
    kept = [one.is_kept(answer.text) for one, answer in zip(asked, answers, strict=True)]
    flagged = [bool(answer.ledger.flagged) for answer in answers]
    apart = sum(a and b for a, b in zip(kept, flagged, strict=True))
    said = sum(b and not a for a, b in zip(kept, flagged, strict=True))
    silent = sum(not a and not b for a, b in zip(kept, flagged, strict=True))
    print(f"| {kind} | {direction} | {len(asked)} | {sum(kept)} | {apart} | {said} | {silent} |")
    for one, answer, is_kept in zip(asked, answers, kept, strict=True):
        if show and (answer.ledger.flagged or not is_kept):
            print(f"    {one.text} -> {answer.text}")


if __name__ == "__main__":
    main()
