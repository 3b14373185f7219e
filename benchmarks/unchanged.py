"""Whether an earlier commit and the code as it is now do the same, on one machine: bits hold only there.

    python -m benchmarks.unchanged [--commit c7b5a50] [--only translations weights lab speed]

translations   500 lines in each direction of the default model by the fast engine, and 60 by torch, half of them
               sentences of Tatoeba, half strings of programs with numbers and placeholders: every field of every answer
               but its remarks, which are words for people
weights        the run of recipes/reverse.toml on the CPU, to its end: the sha256 of the weights
lab            every claim by `lab run --quick`: verdict and numbers; some time the machine and differ by themselves
speed          seconds of the same commands by the old and the new code, in turn; medians of --repeats

The earlier commit is checked out beside, in a temporary folder, and run by this interpreter with its libraries. Exit
code 1: something else than a time is different.
"""

import argparse
import hashlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.machine import ROOT, data_folder, describe_machine

BEFORE = "c7b5a50"
PARTS = ("translations", "weights", "lab", "speed")
COLUMNS = {"zh-en": ("zh-en", 0), "en-zh": ("zh-en", 1), "de-en": ("de-en", 0), "en-de": ("de-en", 1)}
FILES = ("tatoeba.test.tsv", "mozilla.test.tsv")
LINES = {"ct2": 500, "torch": 60}
# Claims with seconds among their numbers (L10, L24, L28, L32), and two of which one and the same code gives others from
# run to run: L19 in the last digit of a least-squares fit, L37 where a tokenizer's trainer breaks ties by chance.
VARYING = {"L10", "L19", "L24", "L28", "L32", "L37"}
RECIPE = "recipes/reverse.toml"


@dataclass(frozen=True)
class Code:
    """One version of the code: where it stands, and a folder for what it makes."""

    name: str
    root: Path
    work: Path

    def run(self, *arguments: str) -> bytes:
        """stdout of `python -m …` with this code; its own cache, so that nothing is taken from the other."""
        environment = os.environ | {"PYTHONPATH": str(self.root), "ATTENDO_CACHE": str(self.work / "cache")}
        command = [sys.executable, "-m", *arguments]
        done = subprocess.run(command, cwd=self.root, env=environment, capture_output=True, check=False)
        if done.returncode not in (0, 3):  # 3: the ledger is not clean, which is a result like any other
            sys.exit(f"{self.name}: {' '.join(arguments)} ended with {done.returncode}\n{done.stderr.decode()[-2000:]}")
        return done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--commit", default=BEFORE)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--claims", nargs="+", metavar="ID", default=["--all"], help="of the lab; all by default")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    print(f"<!-- python -m benchmarks.unchanged --commit {options.commit}; {describe_machine()} -->\n", flush=True)
    same = True
    with versions(options.commit) as codes:
        if "translations" in options.only:
            for direction in COLUMNS:
                for engine in LINES:
                    same &= compare_translations(codes, direction, engine)
        if "weights" in options.only:
            same &= compare_weights(codes)
        if "lab" in options.only:
            same &= compare_lab(codes, options.claims)
        if "speed" in options.only:
            compare_speed(codes, options.repeats)
    sys.exit(0 if same else 1)


@contextmanager
def versions(commit: str) -> Iterator[tuple[Code, Code]]:
    """The code of the commit, and that of the working tree."""
    with tempfile.TemporaryDirectory(prefix="unchanged-") as folder:
        before = Path(folder) / "code"
        git = ["git", "-C", str(ROOT)]
        subprocess.run([*git, "worktree", "add", "--detach", "--quiet", str(before), commit], check=True)
        try:
            yield tuple(  # type: ignore[misc]
                Code(name, root, make_folder(Path(folder) / name)) for name, root in (("before", before), ("now", ROOT))
            )
        finally:
            subprocess.run([*git, "worktree", "remove", "--force", str(before)], check=True)


def make_folder(path: Path) -> Path:
    path.mkdir()
    return path


def source_lines(direction: str, count: int) -> list[str]:
    folder, column = COLUMNS[direction]
    per_file = count // len(FILES)
    return [
        line.split("\t")[column]
        for file in FILES
        for line in (data_folder() / folder / file).read_text(encoding="utf-8").split("\n")[:per_file]
    ]


def compare_translations(codes: tuple[Code, Code], direction: str, engine: str) -> bool:
    lines = source_lines(direction, LINES[engine])
    from_, to = direction.split("-")
    answers = []
    for code in codes:
        source = code.work / "source.txt"
        source.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        options = ("--to", to, "--from", from_, "--engine", engine, "--device", "cpu", "--json")
        output = code.run("attendo", "translate", "-i", str(source), *options)
        answers.append([comparable(json.loads(line)) for line in output.decode().split("\n") if line])
    different = [index for index, pair in enumerate(zip(*answers, strict=True), start=1) if pair[0] != pair[1]]
    report(f"translations {direction}, {engine}", f"{len(answers[0])} lines", different)
    return not different


def comparable(answer: dict[str, Any]) -> dict[str, Any]:
    """All that is no sentence for people and no time."""
    return {key: value for key, value in answer.items() if key not in ("remarks", "seconds")}


def compare_weights(codes: tuple[Code, Code]) -> bool:
    digests = []
    for code in codes:
        code.run("attendo", "train", str(code.root / RECIPE), "--run-dir", str(code.work / "run"))
        digests.append(hashlib.sha256((code.work / "run/model/model.safetensors").read_bytes()).hexdigest())
    report(f"weights of {RECIPE}", f"sha256 {digests[1][:12]}…", [] if digests[0] == digests[1] else digests)
    return digests[0] == digests[1]


def compare_lab(codes: tuple[Code, Code], claims: Sequence[str]) -> bool:
    tables = [
        {table["id"]: table for table in json.loads(code.run("attendo", "lab", "run", *claims, "--quick", "--json"))}
        for code in codes
    ]
    before, now = tables
    verdicts = [name for name in before if before[name]["verdict"] != now[name]["verdict"]]
    numbers = [name for name in before if before[name]["numbers"] != now[name]["numbers"]]
    varying = [name for name in numbers if name in VARYING]
    report("verdicts of the lab", f"{len(before)} claims", verdicts)
    differing = f"{len(before)} claims, differing by themselves: {', '.join(varying) or 'none'}"
    report("numbers of the lab", differing, [name for name in numbers if name not in VARYING])
    return not verdicts and set(numbers) <= VARYING


def compare_speed(codes: tuple[Code, Code], repeats: int) -> None:
    """Whole commands, so that start-up, reading and writing count too."""
    lines = "".join(f"{line}\n" for line in source_lines("zh-en", 500))
    commands = {
        "translate one sentence": ("attendo", "translate", "我爱机器学习", "--to", "en"),
        "translate 500 lines": ("attendo", "translate", "-i", "{work}/lines.txt", "--to", "en", "--from", "zh"),
        "train 150 steps": (
            "attendo", "train", "{root}/" + RECIPE, "--run-dir", "{work}/short", "--set", "training.max_steps=150",
            "--set", "validation.every=150",
        ),
    }  # fmt: skip
    print("| command | before | now | now / before |\n|---|--:|--:|--:|")
    for name, command in commands.items():
        seconds: dict[str, list[float]] = {code.name: [] for code in codes}
        for repeat in range(repeats + 1):
            for code in codes:
                (code.work / "lines.txt").write_text(lines, encoding="utf-8")
                subprocess.run(["rm", "-rf", str(code.work / "short")], check=True)  # noqa: S607
                words = [word.format(work=code.work, root=code.root) for word in command]
                started = time.perf_counter()
                code.run(*words)
                if repeat:  # the first fills the caches
                    seconds[code.name].append(time.perf_counter() - started)
        before, now = (statistics.median(seconds[code.name]) for code in codes)
        print(f"| {name} | {before:.2f} s | {now:.2f} s | {now / before:.2f} |", flush=True)


def report(what: str, how_many: str, different: Sequence[object]) -> None:
    found = "the same" if not different else f"DIFFERENT: {', '.join(map(str, different[:20]))}"
    print(f"{what} ({how_many}): {found}", flush=True)


if __name__ == "__main__":
    main()
