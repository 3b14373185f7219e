"""A safetensors file written by numpy alone, for those who have no torch: header, then the numbers one after another.

See tensor_file.py for the form, and for the checks that read it again.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attendo.errors import InputError
from attendo.files.durable import cannot_write

NAMES = {np.dtype("<f2"): "F16", np.dtype("<f4"): "F32", np.dtype("<u2"): "U16", np.dtype("<u4"): "U32"}
ALIGNED = 8  # the header ends at a multiple of so many bytes


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]], metadata: Mapping[str, str] | None = None) -> None:
    table: dict[str, Any] = {"__metadata__": dict(metadata)} if metadata else {}
    start = 0
    for name, array in arrays.items():
        if array.dtype not in NAMES:
            raise InputError(f"the array {name!r} is {array.dtype}: expected one of {', '.join(map(str, NAMES))}")
        table[name] = {
            "dtype": NAMES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [start, start + array.nbytes],
        }
        start += array.nbytes
    header = json.dumps(table, separators=(",", ":")).encode()
    header += b" " * (-len(header) % ALIGNED)
    try:
        with path.open("wb") as file:
            file.write(len(header).to_bytes(8, "little") + header)
            for array in arrays.values():
                file.write(np.ascontiguousarray(array).data)
    except OSError as error:
        raise cannot_write(path, error, start) from error
