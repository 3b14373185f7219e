"""The ids that mean something to the machine rather than to a reader."""

from dataclasses import dataclass


@dataclass(frozen=True)
class SpecialTokens:
    """Fixed for every model, so that no file needs to carry them."""

    pad: int = 0
    bos: int = 1  # <s>, what the decoder is fed before the first word
    eos: int = 2  # </s>, what it says when it is done
    unk: int = 3


SPECIAL = SpecialTokens()

# Nothing in a lossless tokenizer's text is <unk>, so to a model that guesses words it can say "hidden".
MASK = SPECIAL.unk
