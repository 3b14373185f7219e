"""Whether two runs of a recipe went the same way, step by step.

    python -m recipes.default.repeated runs/default/teacher/log.jsonl other/teacher/log.jsonl

All that is logged must be equal to the last digit, but for how fast it went. Exit code 1: it is not.
"""

import argparse
import sys
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from attendo.training.log import read_log

Record = dict[str, Any]
SPEED = "target_tokens_per_second"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("logs", type=Path, nargs=2, metavar="LOG")
    paths = parser.parse_args().logs
    logs = [read_log(path) for path in paths]
    for path, log in zip(paths, logs, strict=True):
        if not log:
            parser.error(f"{path} has no records: expected the log.jsonl of a run")
    first = first_difference(*logs)
    if first is None:
        print(f"all {len(logs[0]):,} records are the same")
        return
    print(f"the first {first:,} of {len(logs[0]):,} and {len(logs[1]):,} records are the same; then")
    for log in logs:
        print(f"  {without_speed(log[first]) if first < len(log) else 'nothing'}")
    sys.exit(1)


def first_difference(one: Sequence[Record], other: Sequence[Record]) -> int | None:
    """The index of the first record that only one has, or both have otherwise; None if there is none."""
    pairs = enumerate(zip_longest(one, other))
    return next((index for index, (ours, theirs) in pairs if without_speed(ours) != without_speed(theirs)), None)


def without_speed(record: Record | None) -> Record | None:
    return record and {key: value for key, value in record.items() if key != SPEED}


if __name__ == "__main__":
    main()
