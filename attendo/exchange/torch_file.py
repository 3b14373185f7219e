"""pytorch_model.bin: the one file of Python's pickles that is read, by the one call that runs nothing out of it.

`torch.load(weights_only=True)` knows tensors and no other classes. It works in a child process with little memory,
time and room for files, which writes safetensors; those are checked like any others. There is no second, laxer try.

    python -m attendo.exchange.torch_file pytorch_model.bin out.safetensors
"""

import subprocess
import sys
from pathlib import Path

from attendo.errors import InputError

LARGEST_FILE = 8 * 2**30
SECONDS = 600
FILES = 256  # open at once
SPARE_MEMORY = 12 * 2**30  # addresses, most of them of torch itself


def to_safetensors(path: Path, out: Path) -> None:
    """The tensors of `path` as float32 in `out`; or one sentence on why not."""
    size = path.stat().st_size if path.is_file() else -1
    if not 0 <= size <= LARGEST_FILE:
        raise InputError(f"{path} is no file of at most {LARGEST_FILE:,} bytes")
    command = [sys.executable, "-m", "attendo.exchange.torch_file", str(path.resolve()), str(out.resolve())]
    try:
        done = subprocess.run(  # noqa: S603 - Python itself, with a file of ours and the names of two files
            command, capture_output=True, timeout=SECONDS, check=False, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired as error:
        raise InputError(f"{path} was not read within {SECONDS} seconds") from error
    if done.returncode != 0 or not out.is_file():
        said = done.stderr.decode("utf-8", "replace").strip().split("\n")[-1]
        raise InputError(f"{path} holds more than tensors, or is damaged: {said[:200] or done.returncode}")


def limit(size: int) -> None:
    """Of this process and all that it starts."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows has no such limits
        return
    for what, most in (
        (resource.RLIMIT_AS, SPARE_MEMORY + 4 * size),
        (resource.RLIMIT_CPU, SECONDS),
        (resource.RLIMIT_FSIZE, 4 * size + 2**20),
        (resource.RLIMIT_NOFILE, FILES),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(what)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (most, most))


def convert(path: Path, out: Path) -> None:
    limit(path.stat().st_size)
    import torch
    from safetensors.torch import save_file

    torch.set_num_threads(1)
    found = torch.load(path, map_location="cpu", weights_only=True)
    if not isinstance(found, dict):
        raise TypeError(f"it holds {type(found).__name__}, expected tensors by name")
    tensors = {}
    for name, tensor in found.items():
        if not isinstance(name, str) or not isinstance(tensor, torch.Tensor):
            raise TypeError("it holds something that is no tensor with a name")
        tensors[name] = tensor.detach().float().clone().contiguous()
    save_file(tensors, out)


if __name__ == "__main__":
    try:
        convert(Path(sys.argv[1]), Path(sys.argv[2]))
    except Exception as error:
        sys.exit(f"{type(error).__name__}: {' '.join(str(error).split())}"[:300])
