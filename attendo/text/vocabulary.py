"""Which id means what: pad, <s>, </s>, <unk>, then language tags, then the 256 bytes, then pieces.

Control ids have no text. Their names exist only here, for people, and are never looked for in a sentence.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from attendo.errors import InputError
from attendo.special_tokens import SPECIAL
from attendo.text.normalize import REPLACEMENT

FIRST_TAG = SPECIAL.unk + 1
NUM_BYTES = 256


@dataclass(frozen=True)
class Layout:
    """Where the ranges of ids begin and end, given the languages and the number of pieces."""

    languages: tuple[str, ...]
    num_pieces: int

    @property
    def first_byte(self) -> int:
        return FIRST_TAG + len(self.languages)

    @property
    def first_piece(self) -> int:
        return self.first_byte + NUM_BYTES

    @property
    def size(self) -> int:
        return self.first_piece + self.num_pieces

    def tag(self, language: str) -> int:
        """The id of >>language<<, which tells the model what language to say."""
        if language not in self.languages:
            known = ", ".join(self.languages)
            raise InputError(f"this tokenizer does not know the language '{language}': it knows {known}")
        return FIRST_TAG + self.languages.index(language)


def surfaces(layout: Layout, pieces: Sequence[str]) -> list[bytes]:
    """What each id looks like in a text: nothing for control ids, U+FFFD for <unk>."""
    control = [b""] * layout.first_byte
    control[SPECIAL.unk] = REPLACEMENT.encode()
    return [*control, *(bytes([byte]) for byte in range(NUM_BYTES)), *(piece.encode() for piece in pieces)]


def names(layout: Layout, pieces: Sequence[str]) -> list[str]:
    """What each id is called when a person looks at it."""
    tags = [f">>{language}<<" for language in layout.languages]
    return ["<pad>", "<s>", "</s>", "<unk>", *tags, *(f"<0x{byte:02X}>" for byte in range(NUM_BYTES)), *pieces]
