"""Which of the processes of a run this one is, as a launcher such as torchrun says it in the environment.

RANK=3 WORLD_SIZE=16 LOCAL_RANK=3 LOCAL_WORLD_SIZE=8: the fourth of sixteen, on the first of two machines.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass

from attendo.errors import ConfigError


@dataclass(frozen=True)
class Launch:
    rank: int = 0
    world: int = 1  # processes in all
    local_rank: int = 0  # among those on this machine; it has the GPU of this number
    local_world: int = 1

    def __post_init__(self) -> None:
        for number, count, names in (
            (self.rank, self.world, "RANK and WORLD_SIZE"),
            (self.local_rank, self.local_world, "LOCAL_RANK and LOCAL_WORLD_SIZE"),
        ):
            if not 0 <= number < count:
                raise ConfigError(f"{names} are {number} and {count}: expected a number from 0 and one above it")

    @property
    def on_one_machine(self) -> bool:
        return self.local_world == self.world


def launched(environment: Mapping[str, str] = os.environ) -> Launch | None:
    """None where nobody launched several: the process is alone."""
    if "RANK" not in environment or "WORLD_SIZE" not in environment:
        return None
    numbers = {
        name: environment.get(name, default)
        for name, default in (("RANK", ""), ("WORLD_SIZE", ""), ("LOCAL_RANK", "0"), ("LOCAL_WORLD_SIZE", "1"))
    }
    for name, text in numbers.items():
        if not (text.isascii() and text.isdecimal() and len(text) < 8):
            raise ConfigError(f"{name} is {text[:20]!r}: expected a number, as torchrun sets it")
    return Launch(*map(int, numbers.values()))
