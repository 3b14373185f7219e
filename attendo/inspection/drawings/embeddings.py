"""The table of embeddings, one for all languages of a model: who is near to whom, and a map of common words.

Without torch: the table is read from the model folder as numbers. A language's common words are the pieces of the
vocabulary that are whole words, the first in its order: byte-pair encoding merges the frequent first. A piece of
two Han characters and more counts as a Chinese word; in Latin letters a piece is a word of English or German if it
stands in the one list of everyday words (text/function_words.py) and not in the other.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attendo.errors import InputError
from attendo.inspection.drawings.slide import (
    BODY,
    GOOD,
    HEIGHT,
    INK,
    MARGIN,
    QUIET,
    SMALL,
    SOURCE,
    TARGET,
    WIDTH,
    Slide,
    shortened,
    text_width,
)  # fmt: skip
from attendo.inspection.readable import token_labels
from attendo.report.language import Bilingual, Language, in_language
from attendo.text.function_words import WORDS
from attendo.text.scripts import HAN
from attendo.text.tokenizer import Tokenizer

COMMON = 50  # words of each language
NEAREST = 8
MOST_WORDS = 20
ON_SLIDE = 3
CHINESE_WORD = re.compile(f"[{HAN}]{{2,}}")
COLOURS = {"zh": SOURCE, "en": TARGET, "de": GOOD, "": INK}
NAMES = {"zh": Bilingual("Chinese", "中文"), "en": Bilingual("English", "英文"), "de": Bilingual("German", "德文")}


@dataclass(frozen=True)
class MappedWord:
    label: str
    language: str  # "" of a word that was asked for
    token: int
    x: float
    y: float


@dataclass(frozen=True)
class NearWords:
    """The pieces nearest to a word, nearest first, with the product of the two rows, or the cosine of their angle."""

    label: str  # of its piece: ␣water and water are two
    token: int
    by_product: tuple[tuple[str, float], ...]
    by_cosine: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class EmbeddingMap:
    shape: tuple[int, int]  # of the table
    words: tuple[MappedWord, ...]
    explained: tuple[float, float]  # the share of the words' variance along x and y
    near: tuple[NearWords, ...]


def embedding_map(table: np.ndarray, tokenizer: Tokenizer, asked: Sequence[str], count: int = COMMON) -> EmbeddingMap:
    """table [vocabulary, d_model] -> the words on the plane of their two principal components, and neighbours."""
    if len(asked) > MOST_WORDS:
        raise InputError(f"{len(asked)} words: expected at most {MOST_WORDS}")
    tokens = {word: whole_piece(word, tokenizer) for word in asked}
    shown = [one for one in common_words(tokenizer, count) if one[2] not in tokens.values()]
    shown += [(word, "", token) for word, token in tokens.items()]
    if len(shown) < 3:
        raise InputError(f"the vocabulary has {len(shown)} whole words: expected at least 3 for a map")
    places, explained = principal_plane(table[[token for _, _, token in shown]])
    mapped = tuple(
        MappedWord(word, language, token, float(x), float(y))
        for (word, language, token), (x, y) in zip(shown, places, strict=True)
    )
    near = tuple(near_words(token, table, tokenizer) for token in tokens.values())
    return EmbeddingMap((table.shape[0], table.shape[1]), mapped, explained, near)


def whole_piece(word: str, tokenizer: Tokenizer) -> int:
    """The id of a word that is one piece: at the start of a text, or after a space."""
    for text in (f" {word}", word):
        ids = tokenizer.encode(text)
        if len(ids) == 1 and ids[0] >= tokenizer.layout.first_piece:
            return ids[0]
    raise InputError(f"'{word}' is not one piece of this vocabulary: expected words that are, such as common ones")


def common_words(tokenizer: Tokenizer, count: int) -> list[tuple[str, str, int]]:
    """(word, language, id), the first `count` of each language in the order of the vocabulary."""
    lists = {language: set(WORDS[language].split()) for language in ("en", "de")}
    found: dict[str, list[tuple[str, str, int]]] = {"zh": [], "en": [], "de": []}
    for index, piece in enumerate(tokenizer.subwords.pieces):
        token = tokenizer.layout.first_piece + index
        if CHINESE_WORD.fullmatch(piece):
            found["zh"].append((piece, "zh", token))
        elif piece.startswith(" ") and piece[1:].isalpha() and len(piece) > 3:
            knows = [language for language, words in lists.items() if piece[1:].lower() in words]
            if len(knows) == 1:
                found[knows[0]].append((piece[1:], knows[0], token))
    return [one for language in found for one in found[language][:count]]


def principal_plane(rows: np.ndarray) -> tuple[np.ndarray, tuple[float, float]]:
    """rows [words, d_model], as directions -> [words, 2] and the share of the variance each axis has.

    By the products of all pairs, [words, words], as there are fewer words than numbers in a row. An axis points to the
    word that is farthest out, so that the same rows give the same map on every machine.
    """
    directions = rows.astype(np.float64) / np.linalg.norm(rows, axis=1, keepdims=True)
    centred = directions - directions.mean(0)
    variances, axes = np.linalg.eigh(centred @ centred.T)  # the largest last
    first, second = axes[:, -1] * np.sqrt(variances[-1]), axes[:, -2] * np.sqrt(max(variances[-2], 0.0))
    places = np.stack([axis * np.sign(axis[np.abs(axis).argmax()]) for axis in (first, second)], axis=1)
    shares = variances / variances.sum()
    return places, (float(shares[-1]), float(shares[-2]))


def near_words(token: int, table: np.ndarray, tokenizer: Tokenizer) -> NearWords:
    first = tokenizer.layout.first_piece
    products = table[first:] @ table[token]
    cosines = products / (np.linalg.norm(table[first:], axis=1) * np.linalg.norm(table[token]))

    def nearest(numbers: np.ndarray) -> tuple[tuple[str, float], ...]:
        order = [int(index) for index in np.argsort(-numbers, kind="stable") if index + first != token][:NEAREST]
        labels = token_labels([index + first for index in order], tokenizer)
        return tuple((labels[index + first], float(numbers[index])) for index in order)

    return NearWords(token_labels([token], tokenizer)[token], token, nearest(products), nearest(cosines))


def draw_embeddings(shown: EmbeddingMap, language: Language) -> Slide:
    tr = in_language(language)
    rows, columns = shown.shape
    slide = Slide(
        tr("One table of embeddings for all languages", "所有语言共用一张词嵌入表"),
        tr(f"{rows:,} pieces × {columns} numbers, each piece a direction; the plane in which common words differ most",
           f"{rows:,} 个子词 × {columns} 个数，每个子词对应一个方向；图为常用词差别最大的平面"),
    )  # fmt: skip
    draw_map(slide, shown, (MARGIN, 0.75, 7.6, HEIGHT - 1.15 - 0.75), language)
    draw_near(slide, shown.near[:ON_SLIDE], 8.35, language)
    return slide


def draw_map(slide: Slide, shown: EmbeddingMap, box: tuple[float, float, float, float], language: Language) -> None:
    """A dot a word, and its name where there is room for it."""
    left, bottom, width, height = box
    slide.cell(left, bottom, width, height, "#fbfcfd")
    places = np.array([(one.x, one.y) for one in shown.words])
    low, high = places.min(0), places.max(0)
    scale = np.array([width - 1.3, height - 0.6]) / np.maximum(high - low, 1e-9)
    inches = (places - low) * scale + np.array([left + 0.3, bottom + 0.3])
    taken = [(x - 0.05, y - 0.05, x + 0.05, y + 0.05) for x, y in inches]
    # Those that were asked for first, then the others in the order of the vocabulary.
    for index in sorted(range(len(shown.words)), key=lambda at: (shown.words[at].language != "", at)):
        one, (x, y) = shown.words[index], inches[index]
        colour, size = COLOURS[one.language], BODY if one.language == "" else SMALL
        slide.canvas.plot([x], [y], "o", color=colour, markersize=8 if one.language == "" else 5, zorder=5)
        wide, high_ = text_width(one.label, size) + 0.04, 0.016 * size
        for at_x, at_y in ((x + 0.08, y - high_ / 2), (x - 0.08 - wide, y - high_ / 2), (x - wide / 2, y + 0.07),
                           (x - wide / 2, y - 0.07 - high_)):  # fmt: skip
            spot = (at_x, at_y, at_x + wide, at_y + high_)
            inside = spot[0] > left and spot[2] < left + width and spot[1] > bottom and spot[3] < bottom + height
            if inside and not any(covers(spot, other) for at, other in enumerate(taken) if at != index):
                slide.text(at_x, at_y + high_ / 2, one.label, size, colour, ha="left")
                taken.append(spot)
                break
    draw_key(slide, shown, left, language)


def covers(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def draw_key(slide: Slide, shown: EmbeddingMap, left: float, language: Language) -> None:
    tr = in_language(language)
    x = left
    present = dict.fromkeys(one.language for one in shown.words if one.language)
    for code in present:
        count = sum(one.language == code for one in shown.words)
        words = f"● {NAMES[code].of(language)} ({count})"
        slide.text(x, 0.5, words, SMALL, COLOURS[code], ha="left")
        x += text_width(words) + 0.25
    share = sum(shown.explained)
    note = tr(f"the plane holds {share:.0%} of the variance: near here is not always near in the table; ␣ is a space",
              f"这个平面占方差的 {share:.0%}：图上相近，在表中不一定相近；␣ 表示空格")  # fmt: skip
    slide.text(left, 0.22, note, SMALL, QUIET, ha="left")


def draw_near(slide: Slide, near: Sequence[NearWords], left: float, language: Language) -> None:
    """A table a word: its neighbours by cosine, and by product."""
    tr = in_language(language)
    right = WIDTH - MARGIN
    half = (right - left) / 2
    rows = 8 if len(near) == 1 else 5 if len(near) == 2 else 3
    y = HEIGHT - 1.35
    slide.text(left, y, tr("nearest, by cosine", "最近的，按余弦"), SMALL, QUIET, ha="left")
    slide.text(left + half, y, tr("by product", "按内积"), SMALL, QUIET, ha="left")
    for one in near:
        y -= 0.42
        slide.text(left, y, one.label, BODY + 2, INK, ha="left")
        for (label, cosine), (other, product) in zip(one.by_cosine[:rows], one.by_product[:rows], strict=True):
            y -= 0.33
            for x, words, number in ((left, label, f"{cosine:.2f}"), (left + half, other, f"{product:.2f}")):
                slide.text(x + 0.15, y, shortened(words, half - 0.85), SMALL + 1, ha="left")
                slide.text(x + half - 0.2, y, number, SMALL + 1, QUIET, ha="right")
        y -= 0.12
