"""JSON from a file that may be hostile: a bound on its size, and one sentence for whatever is wrong with it."""

import json
from pathlib import Path
from typing import Any

from attendo.errors import InputError


def read_json(path: Path, largest: int) -> Any:
    """At most `largest` bytes are read, whatever the file claims to be (a device has no size and no end)."""
    try:
        with path.open("rb") as file:
            raw = file.read(largest + 1)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    if len(raw) > largest:
        raise InputError(f"{path} is too large: expected at most {largest:,} bytes")
    try:
        return json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON: {error}") from error
