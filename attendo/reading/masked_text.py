"""A text with masks: how [MASK] is written becomes the id by which the model knows "hidden".

A mask stands for one token: a character or a piece, whatever the tokenizer has. Text on both sides is encoded by
itself, as no token crosses a mask. Elsewhere in the package no text becomes a control id; here the user asks for one.

A space before a mask belongs to the hidden token, as in training: to tokenizers of pieces and words a space belongs to
the word after it, so that what is guessed is "␣machine". Characters have their spaces for themselves.

    "I love [MASK] learning."  ->  I · ␣love · MASK · ␣learning · . · </s>
"""

from collections.abc import Sequence
from dataclasses import dataclass

from attendo.errors import InputError
from attendo.special_tokens import MASK, SPECIAL
from attendo.text.normalize import for_model, repair
from attendo.text.tokenizer import Tokenizer

MASK_TEXT = "[MASK]"
# What other programs and typing errors make of it; the search is for an explanation, never to guess what was meant.
LOOK_ALIKES = ("[mask]", "[Mask]", "<mask>", "<MASK>", "【MASK】", "［MASK］", "[ MASK ]", "[MASK", "MASK]")


@dataclass(frozen=True)
class MaskedText:
    """What the model reads, and what is needed to write the text again with something in place of a mask."""

    ids: tuple[int, ...]  # pieces and masks, </s>
    positions: tuple[int, ...]  # of the masks among the ids
    around: tuple[str, ...]  # the text before, between and after the masks: one more than there are masks
    spaces: tuple[str, ...]  # before each mask, if the hidden token has it
    mask: str  # how it was written

    @property
    def text(self) -> str:
        return self.with_tokens({})

    def with_tokens(self, tokens: dict[int, str]) -> str:
        """The text with these in place of the masks of these indices, from 0; other masks stay."""
        masks = (tokens.get(index, space + self.mask) for index, space in enumerate(self.spaces))
        return "".join(part for pair in zip(self.around, (*masks, ""), strict=True) for part in pair)


def read_masked(text: str, tokenizer: Tokenizer, mask: str = MASK_TEXT) -> MaskedText:
    """The masks of a text, or in one sentence why there are none."""
    if not mask.strip():
        raise InputError("the mask is empty: expected what stands for a hidden token, such as [MASK]")
    whole = for_model(repair(text)[0])
    *before, last = whole.split(mask)
    if not before:
        raise InputError(no_mask(whole, mask))
    own_space = tokenizer.subwords.kind != "char"
    ids: list[int] = []
    positions, around, spaces = [], [], []
    for part in before:
        kept = part.removesuffix(" ") if own_space else part
        around.append(kept)
        spaces.append(part[len(kept) :])
        ids += tokenizer.encode(kept)
        positions.append(len(ids))
        ids.append(MASK)
    ids += [*tokenizer.encode(last), SPECIAL.eos]
    return MaskedText(tuple(ids), tuple(positions), (*around, last), tuple(spaces), mask)


def no_mask(text: str, mask: str) -> str:
    expected = f"expected {mask} where a token is to be guessed"
    if mask == MASK_TEXT and (found := next((one for one in LOOK_ALIKES if one in text), "")):
        return f"the text has '{found}', which is no mask: {expected}"
    return f"the text has no mask: {expected}"


def check_length(ids: Sequence[int], longest: int) -> None:
    if len(ids) > longest:
        raise InputError(f"the text has {len(ids):,} tokens: this model reads at most {longest:,}")
