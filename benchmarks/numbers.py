"""Does a translator keep the numbers of a sentence? 80 sentences a language, in four directions; most have one number,
some up to five.

    python -m benchmarks.numbers [--model MODEL]

The sentences (with_numbers/) were written for this, by somebody who had not seen the generator from which the default
model learns. Numbers may change their form; the rules are those of docs/behaviour.md.
"""

import argparse
from pathlib import Path

import attendo
from benchmarks.behaviour.inputs import DIRECTIONS
from benchmarks.behaviour.numbers_kept import lost_numbers
from benchmarks.machine import describe_machine

SENTENCES = Path(__file__).parent / "with_numbers"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--model", help="folder, or a name of the package; without it, the default one")
    options = parser.parse_args()
    translator = attendo.load(options.model) if options.model else attendo.load()
    print(f"<!-- python -m benchmarks.numbers; {describe_machine()}, {translator.engine.name} -->\n")
    print("| direction | sentences | recovered with a wider beam | a number is lost |\n|---|---:|---:|---:|")
    rows = [row(translator, source, target) for source, target in DIRECTIONS]
    for name, *counts in [*rows, ("all", *map(sum, zip(*(counts for _, *counts in rows), strict=True)))]:
        print(f"| {name} | {' | '.join(map(str, counts))} |")


def row(translator: attendo.Translator, source: str, target: str) -> tuple[str, int, int, int]:
    texts = (SENTENCES / f"{source}.txt").read_text(encoding="utf-8").split("\n")[:-1]
    answers = translator.translate(texts, to=target, from_=source)
    lost = [bool(lost_numbers(text, answer.text, target)) for text, answer in zip(texts, answers, strict=True)]
    recovered = sum(answer.recovered and not gone for answer, gone in zip(answers, lost, strict=True))
    return f"{source} → {target}", len(texts), recovered, sum(lost)


if __name__ == "__main__":
    main()
