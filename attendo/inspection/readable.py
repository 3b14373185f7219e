"""Tokens as a person reads them: bytes joined into characters, and pieces joined into words."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from attendo.report.formatting import visible
from attendo.special_tokens import SPECIAL
from attendo.text.scripts import HANGUL, LETTERS
from attendo.text.tokenizer import Tokenizer

SPACE = "␣"
LONGEST_LABEL = 24  # characters
LETTER = re.compile(rf"{LETTERS}|[{HANGUL}]")


@dataclass(frozen=True)
class Unit:
    """Neighbouring tokens that are shown as one."""

    text: str  # as it stands in the text; the name of a control token, such as </s>
    count: int  # of tokens
    control: bool = False

    @property
    def piece_label(self) -> str:
        """With its spaces made visible, for they belong to it."""
        return visible(self.text, LONGEST_LABEL).replace(" ", SPACE) or SPACE

    @property
    def word_label(self) -> str:
        return visible(self.text.strip(), LONGEST_LABEL) or SPACE


def pieces(ids: Sequence[int], tokenizer: Tokenizer) -> list[Unit]:
    """A unit a token, but for bytes, which make a unit a character: <0xE6> <0x88> <0x91> -> 我.

    Bytes that make no character stay alone, under their names.
    """
    bytes_begin, bytes_end = tokenizer.layout.first_byte, tokenizer.layout.first_piece
    names = tokenizer.names(ids)
    units = []
    index = 0
    while index < len(ids):
        length = 1
        if ids[index] < bytes_begin:
            text = names[index]
        elif ids[index] < bytes_end:
            bytes_here = takewhile(lambda token: bytes_begin <= token < bytes_end, ids[index : index + 4])
            length, character = first_character(bytes(token - bytes_begin for token in bytes_here))
            text = character or names[index]
        else:
            text = tokenizer.decode([ids[index]]) or names[index]
        units.append(Unit(text, length, control=ids[index] < bytes_begin))
        index += length
    return units


def token_labels(ids: Iterable[int], tokenizer: Tokenizer) -> dict[int, str]:
    """Each token by itself, wherever it may stand in a text."""
    different = sorted(set(ids))
    # A control token between them, so that no bytes are joined.
    apart = pieces([token for each in different for token in (each, SPECIAL.pad)], tokenizer)
    return dict(zip(different, (unit.piece_label for unit in apart[::2]), strict=True))


def first_character(run: bytes) -> tuple[int, str]:
    """How many bytes it has, and the character; without one, a single byte and nothing."""
    for length in range(1, len(run) + 1):
        try:
            return length, run[:length].decode("utf-8")
        except UnicodeDecodeError:
            continue
    return 1, ""


def words(units: Sequence[Unit]) -> list[Unit]:
    """Pieces of one word are joined, and the digits of one number; a piece of Chinese stays its own.

    ␣trans · lat · es · ␣ · 2 · 4 · 我们 · 爱  ->  translates · 24 · 我们 · 爱
    """
    joined: list[Unit] = []
    for unit in units:
        if joined and belong_together(joined[-1], unit):
            joined[-1] = Unit(joined[-1].text + unit.text, joined[-1].count + unit.count)
        else:
            joined.append(unit)
    return joined


def belong_together(left: Unit, right: Unit) -> bool:
    if left.control or right.control:
        return False
    if left.text.isspace():  # it belongs to the word after it
        return True
    last, first = left.text[-1], right.text[0]
    return (last.isdigit() and first.isdigit()) or bool(LETTER.fullmatch(last) and LETTER.fullmatch(first))
