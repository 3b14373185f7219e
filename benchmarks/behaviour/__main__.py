"""Ask a model 200 short and odd things, and write what it answers, what is lost and what goes wrong to a page.

    python -m benchmarks.behaviour [--model MODEL] [--out docs/behaviour.md]

The model is a folder or the name of one of the package; without it, the default one. It is run by CTranslate2 in 8
bits, or by torch where CTranslate2 does not know it, with beam 4 and one thread. A direction the model does not
translate is left out, and that is said. The exit code is 1 if a goal is missed, and each miss is a line.
"""

import argparse
import shlex
import sys
from pathlib import Path

import attendo
from attendo.errors import AttendoError
from attendo.model_folder.bundle import DEFAULT
from attendo.translation.options import TranslationOptions
from benchmarks.behaviour.counts import missed_goals
from benchmarks.behaviour.inputs import DIRECTIONS, read_inputs
from benchmarks.behaviour.judgement import Judgement, judge
from benchmarks.behaviour.page import page
from benchmarks.machine import ROOT, describe_machine

OPTIONS = TranslationOptions(beam=4)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.behaviour", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--model", help="folder, or a name of the package; without it, the default one")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "behaviour.md")
    options = parser.parse_args()
    try:
        # "auto" on a CPU: CTranslate2 where it knows the model, else torch.
        translator = attendo.load(options.model, engine="auto", device="cpu", threads=1)
    except AttendoError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    asked = [each for each in DIRECTIONS if each in translator.bundle.directions]
    if not asked:
        known = ", ".join(map("-".join, translator.bundle.directions))
        print(f"this model translates {known}: expected one of {', '.join(map('-'.join, DIRECTIONS))}", file=sys.stderr)
        return 1
    judgements = [one for source, target in asked for one in judged(translator, source, target)]
    left_out = ", ".join("-".join(each) for each in DIRECTIONS if each not in asked)
    made = [
        f"Made by {shlex.join(['python', '-m', 'benchmarks.behaviour', *sys.argv[1:]])}; not edited by hand.",
        f"{describe_machine()}.",
        f"Model: {options.model or DEFAULT}, key {translator.bundle.key[:16]}.",
        f"{translator.engine.name}, one thread; beam {OPTIONS.search.beam_size}.",
        *([f"Left out, as this model does not translate it: {left_out}."] if left_out else []),
    ]
    options.out.write_text(page(judgements, made), encoding="utf-8")
    print(f"{len(judgements)} answers written to {options.out}" + (f", {left_out} left out" if left_out else ""))
    missed = missed_goals(judgements)
    for line in missed:
        print(line, file=sys.stderr)
    return 1 if missed else 0


def judged(translator: attendo.Translator, source: str, target: str) -> list[Judgement]:
    """One input a call, so that each has a time of its own; the first call of all is slow, and not counted."""
    inputs = read_inputs(source, target)
    translator.translate(inputs[0].text, to=target, from_=source, options=OPTIONS)
    return [judge(each, translator.translate(each.text, to=target, from_=source, options=OPTIONS)) for each in inputs]


if __name__ == "__main__":
    sys.exit(main())
