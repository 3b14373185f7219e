"""The mainstream ways to cut a part of text into pieces, each as the data it needs and the library's model of it.

Inside the library the 256 bytes are numbers 0 to 255 and pieces follow. The bytes are called <0x00> … <0xFF> there;
no text can be mistaken for one, because the first cut (cut.py) sets digits and punctuation apart.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from tokenizers import models

from attendo.text.vocabulary import NUM_BYTES

Kind = Literal["bpe", "unigram", "wordpiece", "char", "word"]
KINDS: tuple[Kind, ...] = ("bpe", "unigram", "wordpiece", "char", "word")

BYTES = [f"<0x{byte:02X}>" for byte in range(NUM_BYTES)]
UNKNOWN = "<unk>"
# What a WordPiece that continues a word begins with. The usual ## can begin a part of real text; this cannot, because
# a digit is always alone.
CONTINUES = "0#"


@dataclass(frozen=True)
class Bpe:
    """Byte-pair encoding (Sennrich et al. 2016): merges, in order, of neighbouring pieces."""

    pieces: tuple[str, ...]
    merges: tuple[tuple[int, int], ...]  # numbers of pieces
    kind: ClassVar[Kind] = "bpe"
    lossless: ClassVar[bool] = True

    def model(self) -> models.Model:
        merges = [(self.pieces[left], self.pieces[right]) for left, right in self.merges]
        return models.BPE(vocab=numbered(self.pieces), merges=merges, byte_fallback=True)


@dataclass(frozen=True)
class Characters:
    """A piece a character; a rare one is its bytes."""

    pieces: tuple[str, ...]
    kind: ClassVar[Kind] = "char"
    lossless: ClassVar[bool] = True

    def model(self) -> models.Model:
        return models.BPE(vocab=numbered(self.pieces), merges=[], byte_fallback=True)


@dataclass(frozen=True)
class Unigram:
    """Kudo 2018: each piece has a log-probability, and the likeliest cut is taken."""

    pieces: tuple[str, ...]
    scores: tuple[float, ...]
    kind: ClassVar[Kind] = "unigram"
    lossless: ClassVar[bool] = True

    def model(self) -> models.Model:
        scored = [*((name, 0.0) for name in BYTES), *zip(self.pieces, self.scores, strict=True)]
        return models.Unigram(vocab=scored, unk_id=0, byte_fallback=True)


@dataclass(frozen=True)
class WordPiece:
    """Schuster and Nakajima 2012, as in BERT: the longest piece first; a word that cannot be cut is unknown."""

    pieces: tuple[str, ...]
    kind: ClassVar[Kind] = "wordpiece"
    lossless: ClassVar[bool] = False

    def model(self) -> models.Model:
        # The library wants its unknown word inside the vocabulary; it stands behind the last piece.
        return models.WordPiece(
            vocab=numbered((*self.pieces, UNKNOWN)),
            unk_token=UNKNOWN,
            max_input_chars_per_word=100,
            continuing_subword_prefix=CONTINUES,
        )


@dataclass(frozen=True)
class Words:
    """Whole words; Chinese ones are found by a segmenter. What is not in the list is unknown."""

    pieces: tuple[str, ...]
    kind: ClassVar[Kind] = "word"
    lossless: ClassVar[bool] = False

    def model(self) -> models.Model:
        return models.WordLevel(vocab=numbered((*self.pieces, UNKNOWN)), unk_token=UNKNOWN)


Cutter = Bpe | Characters | Unigram | WordPiece | Words


def numbered(pieces: Sequence[str]) -> dict[str, int]:
    return {piece: number for number, piece in enumerate([*BYTES, *pieces])}


def surface(kind: Kind) -> Callable[[str], str]:
    """How a piece of that kind looks in a text."""
    return (lambda piece: piece.removeprefix(CONTINUES)) if kind == "wordpiece" else str
