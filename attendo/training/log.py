"""log.jsonl: one JSON object a line, for every step, validation and event of a run."""

import json
import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from attendo.errors import InputError, WriteError
from attendo.files.durable import write_file
from attendo.training.callback import Callback, StepRecord, ValidationRecord


class RunLog(Callback):
    """Appended to as the run goes on; a resumed run first takes back what its checkpoint knows nothing of."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file: TextIO | None = None

    def trim(self, step: int, validated: int) -> None:
        """Forget steps after the checkpoint, validations after its last, and a line that was cut off."""
        kept = [
            record
            for record in read_log(self.path)
            if record.get("step", 0) <= (validated if "validation" in record else step)
        ]
        write_file(self.path, "".join(line(record) for record in kept).encode())

    def write(self, *records: dict[str, Any]) -> None:
        try:
            if self.file is None:
                self.file = self.path.open("a", encoding="utf-8")
            self.file.writelines(line(record) for record in records)
            self.file.flush()
        except OSError as error:
            raise WriteError(f"cannot write {self.path}: {error.strerror or error}") from error

    def on_steps(self, records: Sequence[StepRecord]) -> None:
        self.write(*map(step_line, records))

    def on_validation(self, record: ValidationRecord) -> None:
        self.write(validation_line(record))

    def on_message(self, step: int, text: str) -> None:
        self.write({"step": step, "event": "remark", "text": text})

    def on_end(self, error: BaseException | None) -> None:
        if self.file is not None:
            with suppress(OSError):  # every line was flushed when it was written, and told if that failed
                self.file.close()


def line(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False) + "\n"


def step_line(record: StepRecord) -> dict[str, Any]:
    """JSON has no NaN: a loss that is none is null."""
    numbers = {name: finite(value) for name, value in asdict(record).items() if name != "skipped"}
    return numbers | ({"skipped": True} if record.skipped else {})


def validation_line(record: ValidationRecord) -> dict[str, Any]:
    return {
        "step": record.step,
        "validation": {name: finite(score) for name, score in record.scores.items()},
        "best": record.best,
        "samples": [[sample.source, sample.reference, sample.translation] for sample in record.samples],
    }


def finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def read_log(path: Path) -> Sequence[dict[str, Any]]:
    """Every whole line; a killed run may leave half of one at the end."""
    records = []
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            for text in file:
                try:
                    record = json.loads(text)
                except (ValueError, RecursionError):
                    continue
                if isinstance(record, dict) and isinstance(record.get("step"), int):
                    records.append(record)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    return records
