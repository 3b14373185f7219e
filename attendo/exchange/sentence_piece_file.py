"""A SentencePiece model file (.spm, .model): its pieces, their scores, and the table of its normaliser.

The file is a protocol buffer, of which we read the few fields that we need, in Python alone: fifty lines that look at
every length before they follow it are less to trust than a library in C++ that is given a stranger's file.

    ModelProto      1 pieces (1 piece, 2 score, 3 type)   2 trainer (3 model type, 35 byte fallback, 24 suffix)
                    3 normaliser (2 table, 3 dummy prefix, 4 remove extra spaces, 5 escape spaces)
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from attendo.errors import InputError
from attendo.exchange.normaliser_table import read_normaliser_table
from attendo.files.tables import read_small_file
from attendo.text.subword_models import LONGEST_PIECE, MOST_PIECES

LARGEST_FILE = 64 * 2**20
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
UNIGRAM = 1

Field = tuple[int, int | bytes]  # number, and a whole number or bytes


@dataclass(frozen=True)
class SentencePieceFile:
    """`scored`: the pieces that a text can be cut into, in the order of the file; `names`: all, by their ids."""

    scored: tuple[tuple[str, float], ...]
    normaliser: dict[str, str]
    bytes: bool
    names: tuple[str, ...]


def read_sentence_piece_file(path: Path) -> SentencePieceFile:
    raw = read_small_file(path, LARGEST_FILE)
    try:
        return from_bytes(raw)
    except (ValueError, IndexError, struct.error) as error:
        raise InputError(f"{path} is no SentencePiece model that can be read: {error}") from error


def from_bytes(raw: bytes) -> SentencePieceFile:
    pieces: list[tuple[str, float, int]] = []
    trainer: dict[int, int | bytes] = {}
    normaliser: dict[int, int | bytes] = {}
    for number, value in fields(raw):
        if number == 1 and isinstance(value, bytes):
            if len(pieces) >= MOST_PIECES:
                raise ValueError(f"more than {MOST_PIECES:,} pieces")
            pieces.append(read_piece(dict(fields(value))))
        elif number in (2, 3) and isinstance(value, bytes):
            (trainer if number == 2 else normaliser).update(fields(value))
    if not pieces:
        raise ValueError("it has no pieces")
    if trainer.get(3, UNIGRAM) != UNIGRAM:
        raise ValueError("its pieces are not those of a unigram model")
    if trainer.get(24, 0):
        raise ValueError("its pieces have their spaces behind them")
    for number, name in ((3, "no space before the first word"), (4, "spaces kept"), (5, "spaces as they are")):
        if not normaliser.get(number, 1):
            raise ValueError(f"its normaliser has {name}, which is not supported")
    table = normaliser.get(2, b"")
    if not isinstance(table, bytes):
        raise ValueError("its normaliser has no table")
    return SentencePieceFile(
        scored(pieces),
        read_normaliser_table(table),
        any(kind == BYTE for *_, kind in pieces),
        tuple(text for text, *_ in pieces),
    )


def read_piece(found: dict[int, int | bytes]) -> tuple[str, float, int]:
    raw, score, kind = found.get(1, b""), found.get(2, b"\0\0\0\0"), found.get(3, NORMAL)
    if not isinstance(raw, bytes) or not isinstance(score, bytes) or not isinstance(kind, int):
        raise ValueError("a piece is no text with a score")
    text, number = raw.decode("utf-8"), struct.unpack("<f", score)[0]
    if not 1 <= len(text) <= LONGEST_PIECE:
        raise ValueError(f"a piece has {len(text):,} characters, expected 1 to {LONGEST_PIECE}")
    if not -1e6 <= number <= 1e6:
        raise ValueError(f"the score of a piece is {number}")
    return text, number, kind


def scored(pieces: list[tuple[str, float, int]]) -> tuple[tuple[str, float], ...]:
    """Pieces that the user of SentencePiece defined win over all others: its score for them, by their bytes."""
    normal = [score for _, score, kind in pieces if kind == NORMAL]
    highest = max(normal, default=0.0)
    found: dict[str, float] = {}
    for text, score, kind in pieces:
        if kind == USER_DEFINED:
            found[text] = len(text.encode()) * highest - 0.1
        elif kind == NORMAL:
            found[text] = score
    return tuple(found.items())


def fields(raw: bytes) -> Iterator[Field]:
    """Of one message: whole numbers, and what has a length or a fixed width as bytes."""
    at = 0
    while at < len(raw):
        key, at = whole_number(raw, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value: int | bytes
            value, at = whole_number(raw, at)
        elif wire in (1, 2, 5):
            length = {1: 8, 5: 4}.get(wire, 0)
            if wire == 2:
                length, at = whole_number(raw, at)
            if length > len(raw) - at:
                raise ValueError(f"a field of {length:,} bytes, and {len(raw) - at:,} are left")
            value, at = raw[at : at + length], at + length
        else:
            raise ValueError(f"a field of the unknown type {wire}")
        yield number, value


def whole_number(raw: bytes, at: int) -> tuple[int, int]:
    """Seven bits a byte, the lowest first; and where the next begins."""
    found = 0
    for shift in range(0, 70, 7):
        if at >= len(raw):
            raise ValueError("it ends in the middle of a number")
        found |= (raw[at] & 127) << shift
        at += 1
        if raw[at - 1] < 128:
            return found, at
    raise ValueError("a number of more than ten bytes")
