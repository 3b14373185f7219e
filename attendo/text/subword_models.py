"""The mainstream ways to cut a part of text into pieces, and the file that keeps them, tokenizer.json.

Each way is the data it needs and the library's model of it. Inside the library the 256 bytes are ids 0 to 255 and
pieces follow. The bytes are called <0x00> … <0xFF> there; no text can be mistaken for one, because the first cut
(tokenizer.py) sets digits and punctuation apart. The file:

    {"format": 1, "kind": "bpe", "languages": ["zh", "en"], "pieces": ["e", "t", …], "merges": [[0, 1], …]}

Merges are indices of pieces. A merge may only make a piece that is listed, so there are no cycles to run into, no ids
to collide and no special tokens to smuggle in.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from tokenizers import models

from attendo.errors import InputError
from attendo.files.durable import write_file
from attendo.files.tables import read_json, short_repr
from attendo.text.normalize import LONE_SURROGATE
from attendo.text.sentence_pieces import SPACE, SentencePieces

Kind = Literal["bpe", "unigram", "wordpiece", "char", "word"]
KINDS: tuple[Kind, ...] = ("bpe", "unigram", "wordpiece", "char", "word")
KINDS_IN_FILES = (*KINDS, SentencePieces.kind)  # the last is never learned here: it comes with an imported model
SENTENCE_PIECE_KEYS = {"tags", "bytes", "source", "target", "normaliser", "only_source", "only_target"}

NUM_BYTES = 256
BYTES = [f"<0x{byte:02X}>" for byte in range(NUM_BYTES)]
UNKNOWN = "<unk>"
# What a WordPiece inside a word begins with. The usual ## can begin a part of real text; this cannot, because
# a digit is always alone.
INSIDE = "0#"

FORMAT = 1
LARGEST_FILE = 64 * 2**20
MOST_PIECES = 1_000_000
LONGEST_PIECE = 128
MOST_LANGUAGES = 200
RESERVED = frozenset({*BYTES, UNKNOWN})
LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})?")


@dataclass(frozen=True)
class Bpe:
    """Byte-pair encoding (Sennrich et al. 2016): merges, in order, of neighbouring pieces."""

    pieces: tuple[str, ...]
    merges: tuple[tuple[int, int], ...]  # indices of pieces
    kind: ClassVar[Kind] = "bpe"

    def model(self) -> models.Model:
        merges = [(self.pieces[left], self.pieces[right]) for left, right in self.merges]
        return models.BPE(vocab=assign_ids(self.pieces), merges=merges, byte_fallback=True)


@dataclass(frozen=True)
class Characters:
    """A piece a character; a rare one is its bytes."""

    pieces: tuple[str, ...]
    kind: ClassVar[Kind] = "char"

    def model(self) -> models.Model:
        return models.BPE(vocab=assign_ids(self.pieces), merges=[], byte_fallback=True)


@dataclass(frozen=True)
class Unigram:
    """Kudo 2018: each piece has a log-probability, and the likeliest cut is taken."""

    pieces: tuple[str, ...]
    scores: tuple[float, ...]
    kind: ClassVar[Kind] = "unigram"

    def model(self) -> models.Model:
        scored = [*((name, 0.0) for name in BYTES), *zip(self.pieces, self.scores, strict=True)]
        return models.Unigram(vocab=scored, unk_id=0, byte_fallback=True)


@dataclass(frozen=True)
class WordPiece:
    """Schuster and Nakajima 2012, as in BERT: the longest piece first; a word that cannot be cut is unknown."""

    pieces: tuple[str, ...]
    kind: ClassVar[Kind] = "wordpiece"

    def model(self) -> models.Model:
        # The library wants its unknown word inside the vocabulary; it stands after the last piece.
        vocab = assign_ids((*self.pieces, UNKNOWN))
        return models.WordPiece(
            vocab=vocab, unk_token=UNKNOWN, max_input_chars_per_word=100, continuing_subword_prefix=INSIDE
        )


@dataclass(frozen=True)
class Words:
    """Whole words; Chinese ones are found by a segmenter. What is not in the list is unknown."""

    pieces: tuple[str, ...]
    kind: ClassVar[Kind] = "word"

    def model(self) -> models.Model:
        return models.WordLevel(vocab=assign_ids((*self.pieces, UNKNOWN)), unk_token=UNKNOWN)


SubwordModel = Bpe | Characters | Unigram | WordPiece | Words | SentencePieces


def assign_ids(pieces: Sequence[str]) -> dict[str, int]:
    return {piece: index for index, piece in enumerate([*BYTES, *pieces])}


def surface_pieces(subwords: SubwordModel) -> Sequence[str]:
    """How the pieces look in a text."""
    if subwords.kind == "sentencepiece":
        return [piece.replace(SPACE, " ") for piece in subwords.pieces]
    if subwords.kind == "wordpiece":
        return [piece.removeprefix(INSIDE) for piece in subwords.pieces]
    return subwords.pieces


def write_tokenizer(path: Path, subwords: SubwordModel, languages: Sequence[str]) -> None:
    write_file(path, tokenizer_bytes(subwords, languages))


def tokenizer_bytes(subwords: SubwordModel, languages: Sequence[str]) -> bytes:
    """The file's content: equal for equal tokenizers."""
    table: dict[str, Any] = {"format": FORMAT, "kind": subwords.kind, "languages": list(languages)}
    table["pieces"] = list(subwords.pieces)
    match subwords:
        case Bpe():
            table["merges"] = [list(merge) for merge in subwords.merges]
        case Unigram():
            table["scores"] = list(subwords.scores)
        case SentencePieces():
            table |= sentence_piece_table(subwords)
    return json.dumps(table, ensure_ascii=False, separators=(",", ":")).encode()


def sentence_piece_table(subwords: SentencePieces) -> dict[str, Any]:
    return {
        "tags": list(subwords.tags),
        "bytes": subwords.bytes,
        "only_source": list(subwords.only_source),
        "only_target": list(subwords.only_target),
        "source": [list(entry) for entry in subwords.source],
        "target": [list(entry) for entry in subwords.target],
        "normaliser": subwords.normaliser,
    }


def read_tokenizer(path: Path, sha256: str | None = None) -> tuple[SubwordModel, list[str]]:
    """Everything is checked before the library sees any of it; `sha256` is what a manifest says of the file."""
    table: Any = read_json(path, LARGEST_FILE, sha256)
    if not isinstance(table, dict) or table.get("format") != FORMAT:
        found = short_repr(table.get("format")) if isinstance(table, dict) else type(table).__name__
        raise InputError(f"{path} is not a tokenizer of attendo: format is {found}, expected {FORMAT}")
    return TokenizerTable(path, table).tokenizer()


@dataclass(frozen=True)
class TokenizerTable:
    """A tokenizer file as JSON; each part is checked before it is used."""

    path: Path
    table: dict[str, Any]

    def tokenizer(self) -> tuple[SubwordModel, list[str]]:
        kind = self.table.get("kind")
        if kind not in KINDS_IN_FILES:
            raise self.error(f"kind is {short_repr(kind)}, expected one of {', '.join(KINDS_IN_FILES)}")
        extra = {"bpe": {"merges"}, "unigram": {"scores"}, "sentencepiece": SENTENCE_PIECE_KEYS}.get(kind, set())
        unknown = set(self.table) - {"format", "kind", "languages", "pieces"} - extra
        if unknown:
            raise self.error(f"unknown key {min(unknown)[:40]!r}")
        return self.subword_model(kind, self.pieces()), self.languages()

    def subword_model(self, kind: str, pieces: tuple[str, ...]) -> SubwordModel:
        match kind:
            case "bpe":
                return Bpe(pieces, self.merges(pieces))
            case "unigram":
                return Unigram(pieces, self.scores(len(pieces)))
            case "char":
                return Characters(self.single_characters(pieces))
            case "wordpiece":
                return WordPiece(pieces)
            case "sentencepiece":
                return self.sentence_pieces(pieces)
            case _:
                return Words(pieces)

    def error(self, what: str) -> InputError:
        return InputError(f"{self.path}: {what}")

    def list_of(self, name: str, most: int) -> list[Any]:
        value = self.table.get(name)
        if not isinstance(value, list) or len(value) > most:
            raise self.error(f"expected a list of at most {most:,} {name}")
        return value

    def languages(self) -> list[str]:
        languages = self.list_of("languages", MOST_LANGUAGES)
        if not languages or not all(isinstance(name, str) and LANGUAGE.fullmatch(name) for name in languages):
            raise self.error("languages are names such as zh, en or pt-BR")
        if len(set(languages)) != len(languages):
            raise self.error("a language is listed twice")
        return languages

    def pieces(self) -> tuple[str, ...]:
        pieces = self.list_of("pieces", MOST_PIECES)
        for index, piece in enumerate(pieces):
            if not isinstance(piece, str) or not 1 <= len(piece) <= LONGEST_PIECE:
                raise self.error(f"piece {index} is not a text of 1 to {LONGEST_PIECE} characters")
        if LONE_SURROGATE.search("".join(pieces)):
            raise self.error("a piece holds half a surrogate pair")
        if len(set(pieces)) != len(pieces):
            raise self.error("a piece is listed twice")
        if reserved := RESERVED.intersection(pieces):
            raise self.error(f"{min(reserved)} is a name of the tokenizer's own and cannot be a piece")
        return tuple(pieces)

    def single_characters(self, pieces: tuple[str, ...]) -> tuple[str, ...]:
        for index, piece in enumerate(pieces):
            if len(piece) != 1:
                raise self.error(f"piece {index} has {len(piece)} characters, but kind = char")
        return pieces

    def merges(self, pieces: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
        listed = set(pieces)
        merges = []
        for index, merge in enumerate(self.list_of("merges", MOST_PIECES)):
            match merge:
                case [int(left), int(right)] if 0 <= left < len(pieces) and 0 <= right < len(pieces):
                    if pieces[left] + pieces[right] not in listed:
                        raise self.error(f"merge {index} makes a piece that is not listed")
                    merges.append((left, right))
                case _:
                    raise self.error(f"merge {index} is not a pair of numbers below {len(pieces)}")
        return tuple(merges)

    def sentence_pieces(self, pieces: tuple[str, ...]) -> SentencePieces:
        tags, with_bytes = self.list_of("tags", MOST_LANGUAGES), self.table.get("bytes")
        if not set(map(repr, tags)) <= set(map(repr, self.languages())):
            raise self.error("tags are some of the languages")
        if type(with_bytes) is not bool:
            raise self.error(f"bytes is {short_repr(with_bytes)}, expected true or false")
        source, target = self.scored("source"), self.scored("target")
        only = [self.indices(name, len(pieces)) for name in ("only_source", "only_target")]
        return SentencePieces(pieces, source, target, self.normaliser(), tuple(tags), with_bytes, *only)

    def indices(self, name: str, count: int) -> tuple[int, ...]:
        found = self.list_of(name, count)
        if not all(type(index) is int and 0 <= index < count for index in found) or len(set(found)) != len(found):
            raise self.error(f"{name} are no different numbers below {count:,}")
        return tuple(found)

    def scored(self, name: str) -> tuple[tuple[str, float], ...]:
        found: dict[str, float] = {}
        for index, entry in enumerate(self.list_of(name, MOST_PIECES)):
            match entry:
                case [str(piece), int() | float() as score] if (
                    1 <= len(piece) <= LONGEST_PIECE and -1e6 <= score <= 1e6
                ):
                    if piece in found or piece in RESERVED or LONE_SURROGATE.search(piece):
                        raise self.error(f"{name}: piece {index} is listed twice, or is no text")
                    found[piece] = float(score)
                case _:
                    raise self.error(f"{name}: entry {index} is not a piece and its score")
        return tuple(found.items())

    def normaliser(self) -> dict[str, str]:
        """Hundreds of thousands of entries, as every way to write a syllable of Korean is one."""
        table = self.table.get("normaliser")
        if not isinstance(table, dict) or len(table) > MOST_PIECES:
            raise self.error(f"normaliser is no object of at most {MOST_PIECES:,} texts and what replaces them")
        if not all(type(value) is str and len(value) <= LONGEST_PIECE for value in table.values()):
            raise self.error(f"normaliser: a replacement is no text of at most {LONGEST_PIECE} characters")
        if not all(1 <= len(key) <= LONGEST_PIECE for key in table):
            raise self.error(f"normaliser: what is replaced is no text of 1 to {LONGEST_PIECE} characters")
        if LONE_SURROGATE.search("".join(table)) or LONE_SURROGATE.search("".join(table.values())):
            raise self.error("normaliser: an entry holds half a surrogate pair")
        return table

    def scores(self, count: int) -> tuple[float, ...]:
        scores = self.list_of("scores", MOST_PIECES)
        if len(scores) != count:
            raise self.error(f"{len(scores)} scores for {count} pieces")
        for index, score in enumerate(scores):
            if type(score) not in (int, float) or not -1e6 <= score <= 0:  # NaN is in no range
                raise self.error(f"score {index} is not a log-probability")
        return tuple(float(score) for score in scores)
