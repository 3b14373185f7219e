"""Run the ten steps and write their pages, notebooks and pictures.

    python -m benchmarks.ten_steps [STEP …]      STEP: a number; all, unless some are named

docs/ten-steps/source is what a person edits; docs/ten-steps/{en,zh,figures} and transformer.py are made from it.
`tests/test_ten_steps.py` holds the stored files against what the cells give now.
"""

import argparse
import time

from attendo.files.durable import write_file
from attendo.report.language import LANGUAGES
from benchmarks.ten_steps.run import run_step
from benchmarks.ten_steps.source import FOLDER, read_steps, whole_machine
from benchmarks.ten_steps.write import notebook, page, picture_files


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the pages and notebooks of docs/ten-steps.")
    parser.add_argument("steps", nargs="*", type=int, help="numbers from 1 to 10; all, unless some are named")
    wanted = parser.parse_args().steps
    steps = read_steps()
    for name in ("figures", *LANGUAGES):
        (FOLDER / name).mkdir(exist_ok=True)
    for step in steps:
        if wanted and step.number not in wanted:
            continue
        began = time.perf_counter()
        outputs = run_step(step)
        for name in step.cells:
            for file, picture in picture_files(step, outputs, name).items():
                write_file(FOLDER / "figures" / file, picture)
        for language in LANGUAGES:
            write_file(FOLDER / language / f"{step.file}.md", page(steps, step, outputs, language).encode())
            write_file(FOLDER / language / f"{step.file}.ipynb", notebook(step, outputs, language).encode())
        print(f"{step.file}   {time.perf_counter() - began:.1f} s")
    write_file(FOLDER / "transformer.py", whole_machine(steps).encode())


if __name__ == "__main__":
    main()
