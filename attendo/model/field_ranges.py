"""What a configuration may ask for: the range of each size and fraction, checked before anything is allocated."""

import math
from dataclasses import fields
from typing import Any, get_args

from attendo.errors import ConfigError
from attendo.files.tables import short_repr

# A file may ask for any size; these are what we are willing to believe.
LARGEST = {
    "vocab_size": 10_000_000,
    "d_model": 65_536,
    "d_ff": 1_048_576,
    "num_heads": 4_096,
    "num_kv_heads": 4_096,
    "num_layers": 1_000,
    "encoder_layers": 1_000,
    "decoder_layers": 1_000,
    "max_length": 1_000_000,
    "num_token_types": 1_000,
}

SMALLEST = {"vocab_size": 4, "num_kv_heads": 0}  # pad, <s>, </s>, <unk>; 0 is "as many as there are heads"

# From, to; other fractions lie in [0, 1). BERT has the smallest ε, and models of long texts have the largest bases.
RANGES = {"norm_eps": (1e-12, 0.1), "rotary_base": (1.0, 1e9)}


def check_fields(config: Any) -> None:
    """Each field has the type it says and lies in its range; the first that does not is named."""
    for field in fields(config):
        value, where = getattr(config, field.name), f"{field.name} in {type(config).__name__}"
        if field.type is int:
            largest = LARGEST[field.name]
            smallest = SMALLEST.get(field.name, 1)
            if type(value) is not int or not smallest <= value <= largest:
                raise ConfigError(
                    f"{where} is {short_repr(value)}: expected a whole number from {smallest} to {largest:,}"
                )
        elif field.type is bool:
            if type(value) is not bool:
                raise ConfigError(f"{where} is {short_repr(value)}: expected true or false")
        elif field.type is float:
            low, high = RANGES.get(field.name, (0.0, math.nextafter(1.0, 0.0)))
            if type(value) not in (int, float) or not low <= value <= high:  # NaN is in no range
                rule = f"a positive number from {low:g} to {high:g}" if field.name in RANGES else "a number in [0, 1)"
                raise ConfigError(f"{where} is {short_repr(value)}: expected {rule}")
        elif value not in get_args(field.type):
            raise ConfigError(f"{where} is {short_repr(value)}: expected one of {', '.join(get_args(field.type))}")
