"""On which device to compute."""

import torch

from attendo.errors import ConfigError


def choose_device(name: str, setting: str) -> torch.device:
    """`auto` is a GPU where there is one. `setting` is what the user calls it, for the message."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except (RuntimeError, ValueError):
        raise ConfigError(f"{setting} is {name[:60]!r}: expected auto, cpu or cuda") from None
    if device.type == "cuda" and not torch.cuda.is_available():
        raise ConfigError(f"{setting} is {name[:60]!r}, but torch finds no GPU here: expected auto or cpu")
    if device.type not in ("cpu", "cuda"):
        raise ConfigError(f"{setting} is {name[:60]!r}: expected auto, cpu or cuda")
    return device
