"""The hands as a person says them, cross:2:3 or 机器, and what they mean for one model and one sentence.

Layers, heads and steps count from 1, as all that is shown does; `Hands` counts layers and heads from 0.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from attendo.errors import InputError
from attendo.explain.labels import word_spans
from attendo.files.tables import short_repr
from attendo.glass.hands import Hands, PositionsHand, Where
from attendo.model.config import TransformerConfig
from attendo.special_tokens import SPECIAL
from attendo.text.normalize import for_model, repair
from attendo.text.tokenizer import Tokenizer

END = "</s>"
LAYERED: dict[str, Where] = {"encoder": "encoder", "decoder": "decoder", "cross": "cross"}


@dataclass(frozen=True, kw_only=True)
class HandWords:
    """Of each option what was typed; with none of them nothing is changed."""

    heads_off: Sequence[str] = ()  # cross:2:3; cross:2 for all heads of a layer
    feed_forward_off: Sequence[str] = ()  # encoder:1
    erase: Sequence[str] = ()  # 机器
    force: Sequence[str] = ()  # 2=adore
    causal_mask: bool = True
    scale: bool = True
    positions: PositionsHand = "on"
    seed: int = 1
    temperature: float = 1.0

    def for_sentence(self, config: TransformerConfig, source: Sequence[int], tokenizer: Tokenizer) -> Hands:
        hands = Hands(
            heads_off=frozenset(one for words in self.heads_off for one in heads_named(words, config)),
            feed_forward_off=frozenset(layer_named(words, config) for words in self.feed_forward_off),
            erase=frozenset(one for word in self.erase for one in positions_of(word, source, tokenizer)),
            force=dict(one for words in self.force for one in forced(words, tokenizer)),
            causal_mask=self.causal_mask,
            scale=self.scale,
            positions=self.positions,
            seed=self.seed if self.positions == "shuffled" else 1,
            temperature=self.temperature,
        )
        hands.check(config, len(source))
        return hands


def heads_named(words: str, config: TransformerConfig) -> Iterator[tuple[Where, int, int]]:
    """cross:2:3 -> ("cross", 1, 2); cross:2 -> all heads of that layer"""
    expected = "encoder, decoder or cross, a layer and a head, counted from 1, such as cross:2:3"
    where, *numbers = words.split(":")
    if where not in LAYERED or not 1 <= len(numbers) <= 2:
        raise InputError(f"--head-off is {short_repr(words)}: expected {expected}")
    layers = config.encoder_layers if where == "encoder" else config.decoder_layers
    layer = counted("--head-off", words, numbers[0], layers, "layers")
    heads = range(config.num_heads)
    if len(numbers) == 2:
        head = counted("--head-off", words, numbers[1], config.num_heads, "heads")
        heads = range(head, head + 1)
    for head in heads:
        yield LAYERED[where], layer, head


def layer_named(words: str, config: TransformerConfig) -> tuple[Where, int]:
    """encoder:1 -> ("encoder", 0)"""
    where, _, number = words.partition(":")
    if where not in ("encoder", "decoder"):
        expected = "encoder or decoder and a layer, counted from 1, such as encoder:1"
        raise InputError(f"--feed-forward-off is {short_repr(words)}: expected {expected}")
    layers = config.encoder_layers if where == "encoder" else config.decoder_layers
    return LAYERED[where], counted("--feed-forward-off", words, number, layers, "layers")


def counted(option: str, words: str, number: str, count: int, what: str) -> int:
    """From 1 as people count to 0 as lists do."""
    if not (is_count(number) and int(number) <= count):
        raise InputError(f"{option} is {short_repr(words)}: this model has the {what} 1 to {count}")
    return int(number) - 1


def is_count(text: str) -> bool:
    """From 1 to 99999, in plain digits: of more than that nobody has layers, heads or steps."""
    return text.isascii() and text.isdecimal() and len(text) <= 5 and int(text) > 0


def positions_of(word: str, source: Sequence[int], tokenizer: Tokenizer) -> Iterator[int]:
    """Every place in the source where this word, or this piece, stands."""
    spans = word_spans(source, tokenizer)
    wanted = for_model(repair(word)[0]).strip()
    found = [span for text, span in spans if wanted and text == wanted]
    if not found:
        known = ", ".join(dict.fromkeys(text for text, _ in spans if text))
        raise InputError(f"--erase is {short_repr(word)}: the words of the source are {known}")
    for span in found:
        yield from span


def forced(words: str, tokenizer: Tokenizer) -> Iterator[tuple[int, int]]:
    """2=adore -> (2, the id of ␣ad), (3, that of ore): pieces from this step on; a word after the first gets a space.

    "2==" forces an equals sign, "6=</s>" the end; Chinese is written without spaces, so there none is put before.
    """
    step, equals, text = words.partition("=")
    if not (equals and text.strip() and is_count(step)):
        expected = "a step, counted from 1, and the word to come there, such as 2=adore"
        raise InputError(f"--force is {short_repr(words)}: expected {expected}")
    if text.strip() == END:
        yield int(step), SPECIAL.eos
        return
    text = for_model(repair(text)[0]).strip()
    begins_word = int(step) > 1 and text[:1].isalpha() and text[:1].lower() != text[:1].upper()
    for offset, piece in enumerate(tokenizer.encode_target(f" {text}" if begins_word else text)):
        yield int(step) + offset, piece
