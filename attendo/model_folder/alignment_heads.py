"""Which heads of cross-attention say what a word was made from: the optional key `alignment` of config.json.

    "alignment": {"layer": 0, "heads": [1], "shift": 1}

Of the decoder's layers, counted from 0, one, and of its heads those whose mean is taken. Some heads look for the word
that is about to be said (shift 0), others at the source of the word that was said last and is now read (shift 1): what
they look at in step n + 1 tells of token n. Which head does what training decides, so they are found for each model, by
how well its two directions agree (attendo/inspection/agreement.py). A model without the key is asked for the first head
of its last layer, as CTranslate2 does.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attendo.errors import InputError
from attendo.files.tables import short_repr
from attendo.model.config import ModelConfig, NonAutoregressiveConfig, TransformerConfig


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
