"""How many of 400 texts that people try first does a model translate acceptably?

    python -m benchmarks.first_tries                                what the answers that were written are worth
    python -m benchmarks.first_tries --model MODEL [--write]        those of this model; and write them
    python -m benchmarks.first_tries --model MODEL --unread FILE    the answers that wait for a label, to fill in
    python -m benchmarks.first_tries --seen TRAINING_FILE…          also without the texts that stand in these files
    python -m benchmarks.first_tries --loops [--model MODEL]        endless loops in 600 inputs; exit code 1 if any

Texts are translated as `attendo translate TEXT --to LANGUAGE` does on a CPU: by CTranslate2, with the default beam, the
language of the source found by attendo itself.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import attendo
from attendo.errors import AttendoError
from benchmarks.first_tries.endless import count_loops, inputs_of, loop_table
from benchmarks.first_tries.labels import Answer, read_answers, read_labels, write_answers, write_unread
from benchmarks.first_tries.seen import seen_in
from benchmarks.first_tries.shares import share_of, table
from benchmarks.first_tries.texts import DIRECTIONS, Text, read_texts
from benchmarks.machine import describe_machine


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.first_tries", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--model", help="folder, or a name of the package: translate by it")
    parser.add_argument("--write", action="store_true", help="keep its answers in answers.tsv")
    parser.add_argument("--unread", type=Path, metavar="FILE", help="write the answers without a label to this table")
    parser.add_argument("--seen", type=Path, nargs="+", default=[], metavar="FILE", help="training text, a pair a line")
    parser.add_argument("--loops", action="store_true", help="count endless loops instead")
    options = parser.parse_args()
    if options.write and not options.model:
        parser.error("--write needs --model: whose answers are to be kept?")
    try:
        texts = read_texts()
        if options.loops:
            return report_loops(texts, options.model)
        answers = translated(loaded(options.model), texts) if options.model else read_answers(texts)
        labels = read_labels()
        if options.write:
            write_answers(answers)
        if options.unread:
            print(f"{write_unread(answers, labels, options.unread)} answers to label in {options.unread}")
        seen = seen_in(texts, options.seen)
    except AttendoError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    print(f"<!-- python -m benchmarks.first_tries; {describe_machine()}; {options.model or 'answers.tsv'} -->\n")
    print("\n".join(table(answers, labels)))
    if options.seen:
        named = ", ".join(
            f"{count} × {kind}" for kind, count in Counter(one.kind for one in texts if one in seen).items()
        )
        print(f"\n{len(seen)} of {len(texts)} texts stand in training text as they are ({named}); without them:\n")
        print("\n".join(table([one for one in answers if one.text not in seen], labels)))
    unread = share_of(answers, labels).unread
    print(f"\n{unread} of {len(answers)} answers have no label yet")
    return 0


def loaded(model: str | None) -> attendo.Translator:
    return attendo.load(model, engine="ct2", device="cpu", threads=1)


def translated(translator: attendo.Translator, texts: Sequence[Text]) -> list[Answer]:
    found = []
    for direction in DIRECTIONS:
        rows = [one for one in texts if one.direction == direction]
        answers = translator.translate([one.text for one in rows], to=rows[0].languages[1])
        found += [Answer(row, answer.text) for row, answer in zip(rows, answers, strict=True)]
    return found


def report_loops(texts: Sequence[Text], model: str | None) -> int:
    translator = loaded(model)
    counts = {
        direction: count_loops(translator, inputs_of(direction, texts), direction.partition("-")[2])
        for direction in DIRECTIONS
    }
    print(f"<!-- python -m benchmarks.first_tries --loops; {describe_machine()}; {translator.engine.name} -->\n")
    print("\n".join(loop_table(counts)))
    return 0 if all(one.clean for one in counts.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
