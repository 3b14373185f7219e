"""How many files and types one short sentence goes through: python -m benchmarks.walk

The command `attendo translate 我爱机器学习 --to en`, with the fast engine, runs in a child under `sys.setprofile`.
Counted are the files of the package

    walked     whose functions run once everything is imported: what a reader of this one sentence has to open;
    in all     these, and those whose functions, or the bodies of whose classes, run while modules are imported.

What a module does at its top level is not counted, and code that a library generates, such as the `__init__` of a
dataclass, belongs to no file.

A type *carries the sentence* if it is a record of the package, a dataclass or a named tuple, and what its instances
hold changes with the sentence. So the command runs twice, for two sentences of different lengths: a type is counted if
what was made of it in the one run is not what was made of it in the other (durations apart). Options, limits and
vocabularies are the same for both and carry nothing; a ledger counts characters, so it does.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass
from pathlib import Path
from types import FrameType
from typing import Any

SENTENCES = ("我爱机器学习", "今天天气很好，我们去公园")
# In all: with what `draw` can be asked for and the commands of `bulk`, which help lists; sentencepiece's pieces; and
# where models are that were added.
MOST_WALKED, MOST_IN_ALL, MOST_TYPES = 39, 54, 8
ADDRESS = re.compile(" at 0x[0-9a-f]+")  # of an object that has no better name
DURATION = "seconds"  # the one field of a record that differs between two runs of the same sentence


@dataclass(frozen=True)
class Walk:
    """What one run went through, in the order in which it came there."""

    walked: list[str]  # files, relative to the package
    at_import: list[str]
    records: dict[str, list[str]]  # by the name of the type, what its instances held


class Tracer:
    """A profiler that notes the files of the package whose functions run, and the records that are made."""

    def __init__(self, package: Path) -> None:
        self.package = f"{package}{os.sep}"
        self.importing = 0  # module bodies on the stack
        self.walked: dict[str, None] = {}
        self.at_import: dict[str, None] = {}
        self.records: dict[str, list[str]] = {}

    def __call__(self, frame: FrameType, event: str, value: Any) -> None:
        code = frame.f_code
        if event == "call":
            if code.co_name == "<module>":
                self.importing += 1
            elif code.co_filename.startswith(self.package):
                files = self.at_import if self.importing else self.walked
                files.setdefault(code.co_filename.removeprefix(self.package))
        elif event == "return":
            if code.co_name == "<module>":
                self.importing -= 1
            elif not self.importing and code.co_filename == "<string>":  # generated, as those of records are
                self.note(frame.f_locals.get("self") if code.co_name == "__init__" else value)

    def note(self, made: Any) -> None:
        kind = type(made)
        if not kind.__module__.startswith("attendo."):
            return
        if is_dataclass(made):
            held = {field.name: getattr(made, field.name, None) for field in fields(made)}
        elif isinstance(made, tuple) and hasattr(made, "_fields"):
            held = dict(zip(made._fields, made, strict=True))
        else:
            return
        text = ADDRESS.sub("", repr({name: content for name, content in held.items() if name != DURATION}))
        self.records.setdefault(f"{kind.__module__.removeprefix('attendo.')}.{kind.__qualname__}", []).append(text)


def walk_through(sentence: str) -> Walk:
    """One run of the command in this process, which must not have imported the package yet."""
    from importlib.util import find_spec

    spec = find_spec("attendo")
    if spec is None or spec.origin is None:
        raise SystemExit("attendo is not installed")
    tracer = Tracer(Path(spec.origin).parent)
    sys.setprofile(tracer)
    try:
        from attendo.cli.main import main

        main(["translate", sentence, "--to", "en", "--engine", "ct2"])
    except SystemExit as end:
        if end.code:
            raise
    finally:
        sys.setprofile(None)
    return Walk(list(tracer.walked), list(tracer.at_import), tracer.records)


def in_a_child(sentence: str) -> Walk:
    child = subprocess.run(
        [sys.executable, "-m", "benchmarks.walk", "--child", sentence],
        stdout=subprocess.PIPE, check=True, text=True, encoding="utf-8",
    )  # fmt: skip
    return Walk(**json.loads(child.stdout.strip().split("\n")[-1]))


def carriers(one: Walk, other: Walk) -> list[str]:
    """The types whose instances are not the same in both, in the order in which the first run made them."""
    return [name for name, held in one.records.items() if held != other.records.get(name)]


def report(title: str, names: Sequence[str], most: int) -> bool:
    print(f"{title}: {len(names)} (at most {most})")
    print("".join(f"  {name}\n" for name in names), end="")
    return len(names) <= most


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--child", metavar="SENTENCE", help="Walk in this process, and print what was found as JSON.")
    arguments = parser.parse_args()
    if arguments.child:
        print(json.dumps(asdict(walk_through(arguments.child))))
        return
    # The very first use of a model also converts it for the fast engine; that is not the walk of a sentence.
    _, one, other = map(in_a_child, (SENTENCES[0], *SENTENCES))
    print(f"attendo translate {SENTENCES[0]} --to en\n")
    fits = [
        report("files whose functions run", one.walked, MOST_WALKED),
        report("and while modules are imported", [*one.walked, *(set(one.at_import) - set(one.walked))], MOST_IN_ALL),
        report("types that carry the sentence", carriers(one, other), MOST_TYPES),
    ]
    raise SystemExit(0 if all(fits) else 1)


if __name__ == "__main__":
    main()
