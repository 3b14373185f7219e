"""What config.json may say of a model besides, each found when the model was trained already: two optional keys.

    "doubt": {"extra_tokens": 3, "below": {"zh-en": -0.35, "en-zh": -0.40}}

Which scores are poor. How sure a model sounds depends on how it was trained and on the direction, so the thresholds
belong to the model. They are found on answers that people have labelled (`python -m benchmarks.doubt --calibrate`). A
model without them has no doubts.

    "alignment": {"layer": 0, "heads": [5], "shift": 1}

Which heads of cross-attention say what a word was made from: of the decoder's layers, counted from 0, one, and of its
heads those whose mean is taken. Some heads look for the word that is about to be said (shift 0), others at the source
of the word that was said last and is now read (shift 1): what they look at in step n + 1 tells of token n. Which head
does what training decides, so they are found for each model, by how well its two directions agree
(attendo/inspection/agreement.py). A model without the key is asked for the first head of its last layer, as
CTranslate2 does.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attendo.errors import ConfigError, InputError
from attendo.files.tables import short_repr
from attendo.model.config import ModelConfig, NonAutoregressiveConfig, TransformerConfig
from attendo.text.scripts import parse_direction

EXTRA_TOKENS = 3.0  # of a model that does not say
MOST_EXTRA_TOKENS = 100
LOWEST = -100.0  # nats a token: nothing that a model says is so unlikely


# --- which scores are poor


@dataclass(frozen=True, kw_only=True)
class DoubtThresholds:
    below: dict[tuple[str, str], float]  # by source and target: a lower score is poor
    # A score is the log-probability / (tokens + extra_tokens): a mean of few tokens says little, and is drawn to 0.
    extra_tokens: float = EXTRA_TOKENS

    def to_dict(self) -> dict[str, Any]:
        below = {f"{source}-{target}": value for (source, target), value in self.below.items()}
        return {"extra_tokens": self.extra_tokens, "below": below}


def read_doubt(
    path: Path, table: object, languages: Sequence[str], directions: Sequence[tuple[str, str]]
) -> DoubtThresholds:
    """What stands in config.json at `path`, which may be hostile."""
    match table:
        case {"extra_tokens": extra, "below": dict(below), **rest} if not rest and 1 <= len(below) <= len(directions):
            pass
        case _:
            expected = "extra_tokens and below, a number for each direction"
            raise InputError(f"{path}: doubt is {short_repr(table)}, expected {expected}")
    thresholds: dict[tuple[str, str], float] = {}
    known = set(directions)
    for name, value in below.items():
        try:
            direction = parse_direction(name, languages)
        except ConfigError as error:
            raise InputError(f"{path}: doubt: {error}") from error
        if direction not in known:
            raise InputError(f"{path}: doubt: {short_repr(name)} is no direction of this model")
        thresholds[direction] = number(path, f"below {name}", value, LOWEST, 0.0)
    extra_tokens = number(path, "extra_tokens", extra, 0.0, MOST_EXTRA_TOKENS)
    return DoubtThresholds(below=thresholds, extra_tokens=extra_tokens)


def number(path: Path, name: str, value: object, low: float, high: float) -> float:
    if type(value) not in (int, float) or not low <= value <= high:  # type: ignore[operator]  # NaN is neither
        raise InputError(f"{path}: doubt: {name} is {short_repr(value)}, expected a number from {low:g} to {high:g}")
    return float(value)  # type: ignore[arg-type]


# --- which heads tell what a word was made from


@dataclass(frozen=True, kw_only=True)
class AlignmentHeads:
    layer: int
    heads: tuple[int, ...]
    shift: int = 0

    def to_dict(self) -> dict[str, Any]:
        return {"layer": self.layer, "heads": list(self.heads), **({"shift": self.shift} if self.shift else {})}

    def by_token(self, steps: Sequence[Sequence[float]]) -> Sequence[Sequence[float]]:
        """What the heads looked at step by step -> a row for each token that was said; of the last there is no step
        after it, and it is </s>, or where the answer was cut."""
        return [*steps[1:], steps[-1]] if self.shift and steps else steps


def read_alignment(path: Path, table: object) -> AlignmentHeads:
    """What stands in config.json at `path`, which may be hostile."""
    match table:
        case {"layer": int(layer), "heads": [*heads], **rest} if set(rest) <= {"shift"}:
            shift = rest.get("shift", 0)
            whole = all(type(number) is int and number >= 0 for number in (layer, *heads, shift))
            if whole and heads and len(set(heads)) == len(heads) and shift in (0, 1):
                return AlignmentHeads(layer=layer, heads=tuple(heads), shift=shift)
    expected = "a layer, different heads, and perhaps a shift of 0 or 1"
    raise InputError(f"{path}: alignment is {short_repr(table)}, expected {expected}")


def check_alignment(path: Path, alignment: AlignmentHeads, config: ModelConfig) -> None:
    """Whether the model has such heads."""
    if not isinstance(config, TransformerConfig | NonAutoregressiveConfig):
        raise InputError(f"{path}: alignment names heads, and this model has no heads that look at the source")
    layers, heads = config.decoder_layers, config.num_heads
    if alignment.layer >= layers or max(alignment.heads) >= heads:
        there = short_repr(alignment.to_dict())
        raise InputError(f"{path}: alignment is {there}, and the decoder has {layers} layers of {heads} heads")
