"""What each token is called where every token has a row of its own: bytes keep the character that they make."""

from collections.abc import Sequence
from itertools import accumulate, pairwise

from attendo.inspection.readable import Unit, pieces, words
from attendo.text.tokenizer import Tokenizer

SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def labels_of(ids: Sequence[int], tokenizer: Tokenizer) -> list[str]:
    """One a token: 我 is 我, and the four bytes of a rare 𠮷 are 𠮷₁ 𠮷₂ 𠮷₃ 𠮷₄."""
    labels = []
    for unit in pieces(ids, tokenizer):
        if unit.count == 1:
            labels.append(unit.piece_label)
        else:
            labels += [f"{unit.piece_label}{index + 1}".translate(SUBSCRIPTS) for index in range(unit.count)]
    return labels


def word_spans(ids: Sequence[int], tokenizer: Tokenizer) -> list[tuple[str, range]]:
    """Each word, and alone each piece that is part of one, with the positions of its tokens; no control tokens."""
    units = pieces(ids, tokenizer)
    return [*spans(words(units)), *spans(units)]


def word_ranges(ids: Sequence[int], tokenizer: Tokenizer) -> list[tuple[int, int]]:
    """Which tokens make up a word, its end not included; each control token is a word of its own."""
    counts = [unit.count for unit in words(pieces(ids, tokenizer))]
    return list(pairwise(accumulate(counts, initial=0)))


def spans(units: Sequence[Unit]) -> list[tuple[str, range]]:
    found, begin = [], 0
    for unit in units:
        if not unit.control:
            found.append((unit.text.strip(), range(begin, begin + unit.count)))
        begin += unit.count
    return found
