"""tokenizer.json, ours: what to believe of it, and how it is written.

    {"format": 1, "kind": "bpe", "languages": ["zh", "en"], "pieces": ["e", "t", …], "merges": [[0, 1], …]}

Merges are numbers of pieces. A merge may only make a piece that is listed, so there are no cycles to run into, no ids
to collide and no special tokens to smuggle in.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attendo.errors import InputError
from attendo.files.durable import write_file
from attendo.files.tables import read_json
from attendo.text.kinds import BYTES, KINDS, UNKNOWN, Bpe, Characters, Cutter, Unigram, WordPiece, Words

FORMAT = 1
LARGEST_FILE = 64 * 2**20
MOST_PIECES = 1_000_000
LONGEST_PIECE = 128
MOST_LANGUAGES = 200
RESERVED = frozenset({*BYTES, UNKNOWN})
LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})?")


def write_tokenizer(path: Path, cutter: Cutter, languages: Sequence[str]) -> None:
    write_file(path, tokenizer_bytes(cutter, languages))


def tokenizer_bytes(cutter: Cutter, languages: Sequence[str]) -> bytes:
    """The file's content: equal for equal tokenizers."""
    table: dict[str, Any] = {"format": FORMAT, "kind": cutter.kind, "languages": list(languages)}
    table["pieces"] = list(cutter.pieces)
    match cutter:
        case Bpe():
            table["merges"] = [list(merge) for merge in cutter.merges]
        case Unigram():
            table["scores"] = list(cutter.scores)
    return json.dumps(table, ensure_ascii=False, separators=(",", ":")).encode()


def read_tokenizer(path: Path) -> tuple[Cutter, list[str]]:
    """Everything is checked before the library sees any of it."""
    return Checked(path, load_table(path)).tokenizer()


def load_table(path: Path) -> dict[str, Any]:
    table: Any = read_json(path, LARGEST_FILE)
    if not isinstance(table, dict) or table.get("format") != FORMAT:
        found = table.get("format") if isinstance(table, dict) else type(table).__name__
        raise InputError(f"{path} is not a tokenizer of attendo: format is {str(found)[:40]}, expected {FORMAT}")
    return table


@dataclass(frozen=True)
class Checked:
    """The parts of a tokenizer file, each looked at before it is used."""

    path: Path
    table: dict[str, Any]

    def tokenizer(self) -> tuple[Cutter, list[str]]:
        kind = self.table.get("kind")
        if kind not in KINDS:
            raise self.wrong(f"kind is {str(kind)[:40]}, expected one of {', '.join(KINDS)}")
        extra = {"bpe": {"merges"}, "unigram": {"scores"}}.get(kind, set())
        unknown = set(self.table) - {"format", "kind", "languages", "pieces"} - extra
        if unknown:
            raise self.wrong(f"unknown key {min(unknown)[:40]!r}")
        pieces = self.pieces()
        return self.cutter(kind, pieces), self.languages()

    def cutter(self, kind: str, pieces: tuple[str, ...]) -> Cutter:
        match kind:
            case "bpe":
                return Bpe(pieces, self.merges(pieces))
            case "unigram":
                return Unigram(pieces, self.scores(len(pieces)))
            case "char":
                return Characters(self.single(pieces))
            case "wordpiece":
                return WordPiece(pieces)
            case _:
                return Words(pieces)

    def wrong(self, what: str) -> InputError:
        return InputError(f"{self.path}: {what}")

    def list_of(self, name: str, most: int) -> list[Any]:
        value = self.table.get(name)
        if not isinstance(value, list) or len(value) > most:
            raise self.wrong(f"expected a list of at most {most:,} {name}")
        return value

    def languages(self) -> list[str]:
        languages = self.list_of("languages", MOST_LANGUAGES)
        if not languages or not all(isinstance(name, str) and LANGUAGE.fullmatch(name) for name in languages):
            raise self.wrong("languages are names such as zh, en or pt-BR")
        if len(set(languages)) != len(languages):
            raise self.wrong("a language is listed twice")
        return languages

    def pieces(self) -> tuple[str, ...]:
        pieces = self.list_of("pieces", MOST_PIECES)
        for number, piece in enumerate(pieces):
            if not isinstance(piece, str) or not 1 <= len(piece) <= LONGEST_PIECE:
                raise self.wrong(f"piece {number} is not a text of 1 to {LONGEST_PIECE} characters")
            if any("\ud800" <= character <= "\udfff" for character in piece):
                raise self.wrong(f"piece {number} holds half a surrogate pair")
        if len(set(pieces)) != len(pieces):
            raise self.wrong("a piece is listed twice")
        if reserved := RESERVED.intersection(pieces):
            raise self.wrong(f"{min(reserved)} is a name of the tokenizer's own and cannot be a piece")
        return tuple(pieces)

    def single(self, pieces: tuple[str, ...]) -> tuple[str, ...]:
        for number, piece in enumerate(pieces):
            if len(piece) != 1:
                raise self.wrong(f"piece {number} has {len(piece)} characters, but kind = char")
        return pieces

    def merges(self, pieces: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
        listed = set(pieces)
        merges = []
        for number, merge in enumerate(self.list_of("merges", MOST_PIECES)):
            match merge:
                case [int(left), int(right)] if 0 <= left < len(pieces) and 0 <= right < len(pieces):
                    if pieces[left] + pieces[right] not in listed:
                        raise self.wrong(f"merge {number} makes a piece that is not listed")
                    merges.append((left, right))
                case _:
                    raise self.wrong(f"merge {number} is not a pair of numbers below {len(pieces)}")
        return tuple(merges)

    def scores(self, count: int) -> tuple[float, ...]:
        scores = self.list_of("scores", MOST_PIECES)
        if len(scores) != count:
            raise self.wrong(f"{len(scores)} scores for {count} pieces")
        for number, score in enumerate(scores):
            if type(score) not in (int, float) or not -1e6 <= score <= 0:  # NaN is in no range
                raise self.wrong(f"score {number} is not a log-probability")
        return tuple(float(score) for score in scores)
