"""The same training gives the same weights to the last bit, on a GPU, too.

Many threads of a GPU add to one number, and floating-point sums depend on who comes first. Where torch knows a program
with a fixed order, a step takes that one: in the backward pass of attention and of the embeddings, above all.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

# cuBLAS, too, adds in a fixed order only if its memory is of a fixed size, and reads so once, at its first product.
WORKSPACE = "CUBLAS_WORKSPACE_CONFIG"
FIXED_SIZES = (":4096:8", ":16:8")


def fix_workspace() -> None:
    """Before the first product on the GPU."""
    if os.environ.get(WORKSPACE) not in FIXED_SIZES:
        os.environ[WORKSPACE] = FIXED_SIZES[0]


@contextmanager
def repeatable(device: torch.device) -> Iterator[None]:
    """Programs with a fixed order only; an error where there is none. What we use of a CPU has a fixed order anyway."""
    if device.type != "cuda":
        yield
        return
    fix_workspace()
    before = torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()
    memory: Any = torch.utils.deterministic
    filled = memory.fill_uninitialized_memory
    torch.use_deterministic_algorithms(True)
    memory.fill_uninitialized_memory = False  # nothing here reads what it has not written
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before[0], warn_only=before[1])
        memory.fill_uninitialized_memory = filled
