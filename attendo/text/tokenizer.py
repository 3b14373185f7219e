"""The tokenizer: text to ids and back.

For byte-pair encoding, unigram and characters any text comes back as its NFC form, whatever it holds. The file has
only pieces and merges (or scores); the way they are used is built here from `kind`, so a file cannot bring a rule, a
pattern or a control token of its own.

Before that comes the first cut, the same for every kind, which pieces never cross. Scripts are kept apart (Han, kana,
Hangul, all other letters with their marks), every digit stands alone so that numbers are copied digit by digit,
punctuation is apart from letters, and a space belongs to the word after it. Spaces stay characters of the text, so
joining the parts gives it back exactly.

    "我爱AI，  see 2 of 3"  ->  我爱 · AI · ， · ␣ · ␣see · ␣ · 2 · ␣of · ␣ · 3

A tokenizer of whole words also needs the words of Chinese, which no space separates; they come from jieba.

Which id means what: pad, <s>, </s>, <unk>, then language tags, then the 256 bytes, then pieces. Control ids have no
text. Their names exist only here, for people, and are never looked for in a sentence.
"""

import logging
import re
import tempfile
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer as LibraryTokenizer

from attendo.errors import ConfigError, InputError
from attendo.special_tokens import SPECIAL
from attendo.text.normalize import REPLACEMENT, normalize
from attendo.text.scripts import HAN, HAN_CHARACTER, HANGUL, KANA, LETTERS, PUNCTUATION
from attendo.text.subword_models import NUM_BYTES, SubwordModel, read_tokenizer, surface_pieces, write_tokenizer

# Parts of text whose pieces are remembered: words come again and again, and a look-up is cheaper than a search.
MOST_REMEMBERED = 200_000
LONGEST_REMEMBERED = 32  # characters

# Characters of Chinese that jieba is given at once: it takes time by the square of their number.
LONGEST_RUN = 1_000

FIRST_TAG = SPECIAL.unk + 1

# Every character is in exactly one class, and no class can be matched in two ways: the time is linear in the text.
PARTS = re.compile(
    rf" ?{LETTERS}+| ?[{HAN}]+| ?[{PUNCTUATION}]+|\d"
    r"|\s+(?!\S)|\s+"  # of a run of spaces the last is left to the word after it
    rf"| ?[{KANA}]+| ?[{HANGUL}]+"
)


class Tokenizer:
    """Text to ids and back, by one of the subword models.

    >>> tokenizer = Tokenizer(Characters(("a", "b")), ["zh", "en"])
    >>> tokenizer.encode("abba"), tokenizer.source_ids("ab", to="en")
    ([262, 263, 263, 262], (5, 262, 263, 2))
    >>> tokenizer.decode([262, 263])
    'ab'
    """

    def __init__(self, subwords: SubwordModel, languages: Sequence[str]) -> None:
        self.subwords = subwords
        self.layout = Layout(tuple(languages), len(subwords.pieces))
        self._surfaces = id_surfaces(self.layout, surface_pieces(subwords))
        self._library = LibraryTokenizer(subwords.model())
        self._pretokenize = pretokenize_words if subwords.kind == "word" else pretokenize
        self._remembered: dict[str, bytes] = {}
        self._tags: dict[str, tuple[int, ...]] = {}

    @classmethod
    def load(cls, path: Path, sha256: str | None = None) -> "Tokenizer":
        return build_tokenizer(*read_tokenizer(path, sha256))

    def save(self, path: Path) -> None:
        write_tokenizer(path, self.subwords, self.layout.languages)

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
        tags = self._tags.get(to)
        if tags is None:
            tags = self._tags[to] = self.tag_ids(to)
        return (*tags, *self.encode(text), SPECIAL.eos)

    def tag_ids(self, language: str) -> tuple[int, ...]:
        """What stands before a source that is to become `language`: its tag; nothing, where a model has learnt none."""
        return (self.tag(language),)

    @property
    def is_sided(self) -> bool:
        """Whether source and target are cut differently."""
        return False

    def reads_into(self, language: str) -> bool:
        """Whether it is a language of the target side."""
        return language in self.languages

    def encode_target(self, text: str) -> list[int]:
        """The same of a translation."""
        return self.encode_all_targets([text])[0]

    def encode_all_targets(self, texts: Iterable[str]) -> list[list[int]]:
        return self.encode_all(texts)

    def encode(self, text: str) -> list[int]:
        """Pieces alone: no tag, no </s>. No text gives a control id, save <unk> where the kind has unknowns."""
        try:
            parts = list(map(self._remembered.__getitem__, self._pretokenize(normalize(text))))
        except KeyError:
            return self.encode_all([text])[0]
        return array("I", b"".join(parts)).tolist()

    def encode_all(self, texts: Iterable[str]) -> list[list[int]]:
        """Many texts at once: what is new in them is encoded on all cores, the rest is remembered."""
        parts = [self._pretokenize(normalize(text)) for text in texts]
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
        """Each part's ids as raw 32-bit numbers: millions of little lists would keep the garbage collector busy."""
        shift, end = self.layout.first_byte, self.layout.size
        return [
            # The id that kinds with unknowns give an unknown stands after the last piece.
            array("I", [token + shift if token + shift < end else SPECIAL.unk for token in encoding.ids]).tobytes()
            for encoding in self._library.encode_batch_fast(parts, add_special_tokens=False)
        ]

    def decode(self, ids: Iterable[int]) -> str:
        """Control ids have no text; bytes that are no UTF-8 become U+FFFD."""
        surfaces = self._surfaces
        return b"".join([surfaces[token] for token in self._check(ids)]).decode("utf-8", errors="replace")

    def surface(self, token: int) -> bytes:
        """What one id adds to a text: nothing, whole characters, or a byte of one."""
        return self._surfaces[self._check([token])[0]]

    def _check(self, ids: Iterable[int]) -> list[int]:
        tokens = list(ids)
        for token in (min(tokens), max(tokens)) if tokens else ():
            if not 0 <= token < len(self._surfaces):
                raise InputError(f"token id {token} is outside the vocabulary: expected 0 to {self.vocab_size - 1}")
        return tokens

    def names(self, ids: Iterable[int]) -> list[str]:
        """Ids as a person may read them."""
        every = name_ids(self.layout, self.subwords.pieces)
        return [every[token] for token in self._check(ids)]


def build_tokenizer(subwords: SubwordModel, languages: Sequence[str]) -> Tokenizer:
    """Of the class that its kind has."""
    if subwords.kind == "sentencepiece":
        from attendo.text.sentence_piece_tokenizer import SentencePieceTokenizer  # which is made from this file

        return SentencePieceTokenizer(subwords, languages)
    return Tokenizer(subwords, languages)


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
        """The id of >>language<<, which tells the model what language to translate into."""
        if language not in self.languages:
            known = ", ".join(self.languages)
            raise InputError(f"this tokenizer does not know the language '{language}': it knows {known}")
        return FIRST_TAG + self.languages.index(language)


def id_surfaces(layout: Layout, pieces: Sequence[str]) -> list[bytes]:
    """What each id looks like in a text: nothing for control ids, U+FFFD for <unk>."""
    control = [b""] * layout.first_byte
    control[SPECIAL.unk] = REPLACEMENT.encode()
    return [*control, *(bytes([byte]) for byte in range(NUM_BYTES)), *(piece.encode() for piece in pieces)]


def name_ids(layout: Layout, pieces: Sequence[str]) -> list[str]:
    """What each id is called when a person looks at it."""
    tags = [f">>{language}<<" for language in layout.languages]
    return ["<pad>", "<s>", "</s>", "<unk>", *tags, *(f"<0x{byte:02X}>" for byte in range(NUM_BYTES)), *pieces]


def pretokenize(text: str) -> list[str]:
    """The parts; joined they are the text."""
    return PARTS.findall(text)


@cache
def segmenter() -> Any:
    try:
        import jieba
    except ModuleNotFoundError as error:
        raise ConfigError("kind = 'word' cuts Chinese by jieba: pip install 'attendo[words]'") from error
    jieba.setLogLevel(logging.WARNING)
    words = jieba.Tokenizer()
    # jieba reads a cache file from the shared folder for temporary files, where another user could have put one;
    # a fresh folder of its own holds none.
    with tempfile.TemporaryDirectory(prefix="attendo-") as private:
        words.tmp_dir = private
        words.initialize()
    return words


def is_han(part: str) -> bool:
    """A part of the first cut is of one script, so one character tells (the first may be the space before it)."""
    return HAN_CHARACTER.match(part[-1]) is not None


def pretokenize_words(text: str) -> list[str]:
    """The first cut, with Chinese runs cut further; joined they are the text."""
    words: list[str] = []
    for part in pretokenize(text):
        if is_han(part):
            for start in range(0, len(part), LONGEST_RUN):
                words.extend(segmenter().cut(part[start : start + LONGEST_RUN]))
        else:
            words.append(part)
    return words
