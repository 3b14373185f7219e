"""Translate the labelled sentences again, and count how many of the bad and of the good answers are doubtful.

    python -m benchmarks.doubt [--model MODEL] [--engine ct2]
    python -m benchmarks.doubt --calibrate [--write MODEL_FOLDER]

Thresholds come from the rows that calibrate, and what they are worth from those held out. An answer that is not what
was labelled is named and left out. `--calibrate` finds the thresholds anew; `--write` puts them into a model folder.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import attendo
from attendo.errors import AttendoError, UsageError
from attendo.files.durable import write_file
from attendo.files.manifest import write_manifest
from attendo.model_folder.bundle import CONFIG, read_bundle
from attendo.model_folder.optional_keys import DoubtThresholds
from benchmarks.doubt.labelled import LabelledAnswer, read_labelled
from benchmarks.doubt.thresholds import LENGTHS, FlaggedCounts, ScoredAnswer, calibrate, count_flagged, told_apart
from benchmarks.machine import describe_machine

SHARES = (0.02, 0.04, 0.06, 0.10, 0.15, 0.20)  # of good answers below the threshold, for the curve


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.doubt", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", help="folder, or a name of the package; without it, the default one")
    parser.add_argument("--engine", choices=["ct2", "torch"], default="ct2")
    parser.add_argument("--calibrate", action="store_true", help="find the thresholds anew")
    parser.add_argument("--write", type=Path, help="put them into this model folder")
    options = parser.parse_args()
    try:
        translator = attendo.load(options.model, engine=options.engine, device="cpu", threads=1)
        answers = scored(translator, read_labelled())
        thresholds = translator.bundle.doubt
        if options.calibrate:
            thresholds = calibrate([one for one in answers if one.labelled.calibrates])
        if thresholds is None:
            raise UsageError("this model has no thresholds: --calibrate finds them")
        if options.write:
            write_thresholds(options.write, thresholds)
    except AttendoError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    print(f"<!-- python -m benchmarks.doubt; {describe_machine()}; {translator.engine.name} -->\n")
    print("\n".join(report(answers, thresholds)))
    return 0


def scored(translator: attendo.Translator, labelled: Sequence[LabelledAnswer]) -> list[ScoredAnswer]:
    """Those whose translation is still what was labelled."""
    found = []
    for direction in dict.fromkeys(one.direction for one in labelled):
        rows = [one for one in labelled if one.direction == direction]
        answers = translator.translate([one.source for one in rows], to=direction[1], from_=direction[0])
        for row, answer in zip(rows, answers, strict=True):
            if answer.text == row.translation:
                hypotheses = tuple(one.hypothesis for one in answer.sentences if one.hypothesis)
                found.append(ScoredAnswer(row, hypotheses))
            else:
                print(f"changed: {row.source!r} is now {answer.text!r}, not {row.translation!r}", file=sys.stderr)
    print(f"{len(found)} of {len(labelled)} answers are what was labelled", file=sys.stderr)
    return found


def report(answers: Sequence[ScoredAnswer], thresholds: DoubtThresholds) -> list[str]:
    """Tables of Markdown."""
    held_out = [one for one in answers if not one.labelled.calibrates]
    directions = list(thresholds.below)
    lines = [
        f"Thresholds: {json.dumps(thresholds.to_dict())}",
        "",
        "| held out | threshold | bad answers flagged | good answers flagged | told apart |",
        "|---|---:|---:|---:|---:|",
    ]
    for source, target in directions:
        group = [one for one in held_out if one.labelled.direction == (source, target)]
        threshold, apart = thresholds.below[source, target], told_apart(group, thresholds.extra_tokens)
        flagged = cells(count_flagged(group, thresholds))
        lines.append(f"| {source}-{target} | {threshold:.2f} | {flagged} | {apart:.2f} |")
    for low, high in LENGTHS:
        group = [one for one in held_out if low <= one.tokens <= high]
        name = f"{low} to {high} tokens" if high < LENGTHS[-1][1] else f"{low} tokens and more"
        lines.append(f"| {name} | | {cells(count_flagged(group, thresholds))} | |")
    for kind in dict.fromkeys(one.labelled.kind for one in held_out):
        group = [one for one in held_out if one.labelled.kind == kind]
        lines.append(f"| {kind} | | {cells(count_flagged(group, thresholds))} | |")
    lines.append(f"| all | | {cells(count_flagged(held_out, thresholds))} | |")
    lines += [
        "",
        "| good answers below it in calibration | thresholds | bad held out flagged | good held out flagged |",
        "|---:|---|---:|---:|",
    ]
    for share in SHARES:
        other = calibrate([one for one in answers if one.labelled.calibrates], share)
        numbers = ", ".join(f"{other.below[direction]:.2f}" for direction in directions)
        lines.append(f"| {share:.0%} | {numbers} | {cells(count_flagged(held_out, other))} |")
    return lines


def cells(counts: FlaggedCounts) -> str:
    return " | ".join(
        f"{flagged} of {number} ({flagged / number:.0%})" if number else "none"
        for flagged, number in ((counts.bad_flagged, counts.bad), (counts.good_flagged, counts.good))
    )


def write_thresholds(folder: Path, thresholds: DoubtThresholds) -> None:
    """Into config.json, and its new hash into the manifest; then the folder is read as any other is."""
    read_bundle(folder)
    table = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    table["doubt"] = thresholds.to_dict()
    write_file(folder / CONFIG, (json.dumps(table, indent=2) + "\n").encode())
    write_manifest(folder)
    read_bundle(folder)


if __name__ == "__main__":
    sys.exit(main())
