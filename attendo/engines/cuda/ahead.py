"""What a process on a GPU has to wait for besides torch, begun while torch is being imported: half a second less.

Only time hangs on it. What cannot be done here is done later, by torch and Triton, and fails there if it must.
"""

import ctypes
import os
from collections.abc import Callable
from contextlib import suppress
from threading import Thread


def begin() -> None:
    os.environ.setdefault("CUDA_MODULE_LOADING", "LAZY")  # as torch has it, which is not there yet to say so
    for work in (open_device, know_triton):
        Thread(target=quietly, args=(work,), daemon=True).start()


def quietly(work: Callable[[], None]) -> None:
    with suppress(Exception):
        work()


def open_device() -> None:
    """The context that all in this process share on its first GPU, as torch takes it."""
    driver = ctypes.CDLL("libcuda.so.1")
    device, context = ctypes.c_int(), ctypes.c_void_p()
    if driver.cuInit(0) == driver.cuDeviceGet(ctypes.byref(device), 0) == 0:
        driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)


def know_triton() -> None:
    """Triton reads all of itself, 400 MB, before it knows which of the programs that it keeps it may use."""
    from triton.runtime.cache import triton_key

    triton_key()
