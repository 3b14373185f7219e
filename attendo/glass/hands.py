"""What a reader may change of a running model, as one frozen value; `Hands()` changes nothing.

    heads_off          (where, layer, head): the head gives zeros before W_O; where is encoder, decoder or cross
    causal_mask        False: a target position sees those after it, too, as far as they are written
    positions          "off": nothing is added, nothing is turned; "shuffled": the source's positions, tag and </s>
                       included, are dealt out anew by `seed`, and the target's stay
    scale              False: no 1/√d_k in any attention
    temperature        log_probs are those of softmax(logits / temperature)
    force              {step: id}: the only piece that may come at this step, counted from 1; its log-probability stays
    erase              source positions, the tag being 0, whose value vectors V are zeros, in the encoder's
                       self-attention and in cross-attention: they are looked at as before and give nothing
    feed_forward_off   (where, layer): the part gives zeros, so x goes on as it is; where is encoder or decoder

Layers, heads and positions count from 0. `Hands.from_dict` reads the same from JSON: lists for tuples and sets, texts
for the steps of `force`.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from attendo.errors import InputError
from attendo.files.tables import short_repr
from attendo.model.config import TransformerConfig
from attendo.model.field_ranges import LARGEST
from attendo.special_tokens import SPECIAL

Where = Literal["encoder", "decoder", "cross"]
PositionsHand = Literal["on", "off", "shuffled"]
LARGEST_SEED = 2**32 - 1
COLDEST, HOTTEST = 0.01, 100.0
MOST = 100_000  # no number, and no list, that anyone can mean is larger; what a model has, `check` says


@dataclass(frozen=True, kw_only=True)
class Hands:
    heads_off: Collection[tuple[Where, int, int]] = frozenset()
    causal_mask: bool = True
    positions: PositionsHand = "on"
    seed: int = 1
    scale: bool = True
    temperature: float = 1.0
    force: Mapping[int, int] | tuple[tuple[int, int], ...] = ()
    erase: Collection[int] = frozenset()
    feed_forward_off: Collection[tuple[Where, int]] = frozenset()

    def __post_init__(self) -> None:
        for name in ("causal_mask", "scale"):
            if type(getattr(self, name)) is not bool:
                raise wrong_hand(name, getattr(self, name), "true or false")
        if self.positions not in get_args(PositionsHand):
            raise wrong_hand("positions", self.positions, "on, off or shuffled")
        if not is_whole(self.seed, 0, LARGEST_SEED):
            raise wrong_hand("seed", self.seed, f"a whole number from 0 to {LARGEST_SEED:,}")
        if type(self.temperature) not in (int, float) or not COLDEST <= self.temperature <= HOTTEST:
            raise wrong_hand("temperature", self.temperature, f"a number from {COLDEST:g} to {HOTTEST:g}")
        freeze = object.__setattr__
        freeze(self, "heads_off", frozenset(rows("heads_off", self.heads_off, get_args(Where), 2)))
        stacks = ("encoder", "decoder")
        freeze(self, "feed_forward_off", frozenset(rows("feed_forward_off", self.feed_forward_off, stacks, 1)))
        for position in several("erase", self.erase):
            if not is_whole(position, 0, MOST):
                raise wrong_hand("erase", position, "the position of a source piece, counted from 0")
        freeze(self, "erase", frozenset(self.erase))
        freeze(self, "force", forced_pieces(self.force))

    @classmethod
    def from_dict(cls, table: object) -> "Hands":
        known = [field.name for field in fields(cls)]
        if not isinstance(table, Mapping):
            raise InputError(f"the hands are {short_repr(table)}: expected an object with some of {', '.join(known)}")
        for key in table:
            if key not in known:
                raise InputError(f"unknown hand {short_repr(key)}: expected some of {', '.join(known)}")
        return cls(**table)

    def to_dict(self) -> dict[str, Any]:
        """As `from_dict` reads it; what is as ever is left out."""
        plain: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if value != field.default:
                plain[field.name] = sorted(value) if isinstance(value, frozenset) else value
        if self.force:
            plain["force"] = {str(step): token for step, token in dict(self.force).items()}
        return plain

    def heads_off_in(self, where: Where, layer: int) -> set[int]:
        return {head for its_where, its_layer, head in self.heads_off if (its_where, its_layer) == (where, layer)}

    def check(self, config: TransformerConfig, source_length: int) -> None:
        """An error that names the first hand on something that this model, or this source, does not have."""
        layers = {"encoder": config.encoder_layers, "decoder": config.decoder_layers, "cross": config.decoder_layers}
        for where, layer, head in sorted(self.heads_off):
            check_below("heads_off", "layer", layer, layers[where])
            check_below("heads_off", "head", head, config.num_heads)
        for where, layer in sorted(self.feed_forward_off):
            check_below("feed_forward_off", "layer", layer, layers[where])
        if not self.scale and config.compatibility != "dot":
            raise wrong_hand("scale", self.scale, f"true: {config.compatibility} attention divides by nothing")
        for position in sorted(self.erase):
            check_below("erase", "position", position, source_length)
        for step, token in dict(self.force).items():
            check_below("force", f"the piece of step {step}", token, config.vocab_size)


def forced_pieces(value: object) -> tuple[tuple[int, int], ...]:
    """{3: 17} or {"3": 17} -> ((3, 17),), by ascending steps"""
    expected = "a piece's id for each step from 1 on, such as {3: 17}, neither <pad> nor <s>"
    try:
        given = dict(value)  # type: ignore[call-overload]
        pairs = {int(step) if isinstance(step, str) else step: token for step, token in given.items()}
    except (TypeError, ValueError):
        raise wrong_hand("force", value, expected) from None
    for step, token in pairs.items():
        if not is_whole(step, 1, MOST) or not is_whole(token, SPECIAL.eos, LARGEST["vocab_size"]):
            raise wrong_hand("force", value, expected)
    return tuple(sorted(pairs.items()))


def rows(name: str, value: object, wheres: tuple[str, ...], wholes_in_row: int) -> Iterable[Any]:
    """[["cross", 1, 2]] -> ("cross", 1, 2)"""
    what = "layer, head" if wholes_in_row == 2 else "layer"
    for row in several(name, value):
        match row:
            case [where, *numbers] if where in wheres and len(numbers) == wholes_in_row:
                if all(is_whole(number, 0, MOST) for number in numbers):
                    yield (where, *numbers)
                    continue
        raise wrong_hand(name, row, f"where ({', '.join(wheres)}), {what}, counted from 0")


def several(name: str, value: object) -> Collection[Any]:
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Collection) or len(value) > MOST:
        raise wrong_hand(name, value, "a list")
    return value


def is_whole(value: object, low: int, high: int) -> bool:
    return type(value) is int and low <= value <= high


def check_below(name: str, what: str, value: int, count: int) -> None:
    if value >= count:
        raise InputError(f"the hand {name} names {what} {value}: expected 0 to {count - 1}")


def wrong_hand(name: str, value: object, expected: str) -> InputError:
    return InputError(f"the hand {name} is {short_repr(value)}: expected {expected}")
