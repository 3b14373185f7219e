"""The tokenizer: text to ids and back.

For byte-pair encoding, unigram and characters any text comes back as its NFC form, whatever it holds. The file has
only pieces and merges (or scores); the way they are used is built here from `kind`, so a file cannot bring a rule, a
pattern or a control token of its own.
"""

from array import array
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

from tokenizers import Tokenizer as LibraryTokenizer

from attendo.errors import InputError
from attendo.special_tokens import SPECIAL
from attendo.text.chinese_words import cut_into_words
from attendo.text.kinds import Cutter, surface
from attendo.text.normalize import normalize
from attendo.text.pretokenize import cut
from attendo.text.tokenizer_file import read_tokenizer, write_tokenizer
from attendo.text.vocabulary import Layout, names, surfaces

# Parts of text whose pieces are remembered: words come again and again, and a look-up is cheaper than a search.
MOST_REMEMBERED = 200_000
LONGEST_REMEMBERED = 32  # characters


class Tokenizer:
    def __init__(self, cutter: Cutter, languages: Sequence[str]) -> None:
        self.cutter = cutter
        self.layout = Layout(tuple(languages), len(cutter.pieces))
        self._surfaces = surfaces(self.layout, [surface(cutter.kind)(piece) for piece in cutter.pieces])
        self._library = LibraryTokenizer(cutter.model())
        self._cut = cut_into_words if cutter.kind == "word" else cut
        self._remembered: dict[str, bytes] = {}

    @classmethod
    def load(cls, path: Path) -> "Tokenizer":
        return cls(*read_tokenizer(path))

    def save(self, path: Path) -> None:
        write_tokenizer(path, self.cutter, self.layout.languages)

    @property
    def vocab_size(self) -> int:
        return self.layout.size

    @property
    def languages(self) -> tuple[str, ...]:
        return self.layout.languages

    def tag(self, language: str) -> int:
        return self.layout.tag(language)

    def source_ids(self, text: str, to: str) -> tuple[int, ...]:
        """What a model reads of a sentence that it is to translate into `to`: >>to<<, pieces, </s>."""
        return (self.tag(to), *self.encode(text), SPECIAL.eos)

    def encode(self, text: str) -> list[int]:
        """Pieces alone: no tag, no </s>. No text gives a control id, save <unk> where the kind has unknowns."""
        try:
            parts = list(map(self._remembered.__getitem__, self._cut(normalize(text))))
        except KeyError:
            return self.encode_all([text])[0]
        return array("I", b"".join(parts)).tolist()

    def encode_all(self, texts: Iterable[str]) -> list[list[int]]:
        """Many texts at once: what is new in them is encoded on all cores, the rest is remembered."""
        parts = [self._cut(normalize(text)) for text in texts]
        remembered = self._remembered
        # Looked up in a dictionary of this call's own, because another thread may empty the shared one meanwhile.
        found = {part: remembered.get(part) for part in set(chain.from_iterable(parts))}
        known = {part: ids for part, ids in found.items() if ids is not None}
        new = [part for part, ids in found.items() if ids is None]
        if new:
            known.update(zip(new, self._encode_parts(new), strict=True))
            if len(remembered) + len(new) > MOST_REMEMBERED:
                remembered.clear()
            remembered.update((part, known[part]) for part in new if len(part) <= LONGEST_REMEMBERED)
        return [array("I", b"".join([known[part] for part in row])).tolist() for row in parts]

    def _encode_parts(self, parts: list[str]) -> list[bytes]:
        """Each part's ids as raw 32-bit numbers: millions of little lists would keep Python's memory keeper busy."""
        shift, end = self.layout.first_byte, self.layout.size
        return [
            # What kinds with unknowns say of an unknown stands behind the last piece.
            array("I", [number + shift if number + shift < end else SPECIAL.unk for number in encoding.ids]).tobytes()
            for encoding in self._library.encode_batch_fast(parts, add_special_tokens=False)
        ]

    def decode(self, ids: Iterable[int]) -> str:
        """Control ids say nothing; bytes that are no UTF-8 become U+FFFD."""
        surfaces = self._surfaces
        return b"".join([surfaces[number] for number in self._checked(ids)]).decode("utf-8", errors="replace")

    def _checked(self, ids: Iterable[int]) -> list[int]:
        numbers = list(ids)
        for number in (min(numbers), max(numbers)) if numbers else ():
            if not 0 <= number < len(self._surfaces):
                raise InputError(f"token id {number} is outside the vocabulary: expected 0 to {self.vocab_size - 1}")
        return numbers

    def names(self, ids: Iterable[int]) -> list[str]:
        """Ids as a person may read them."""
        every = names(self.layout, self.cutter.pieces)
        return [every[number] for number in self._checked(ids)]
