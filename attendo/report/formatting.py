"""How text and numbers are written for people, the same on a terminal and on a page."""

import math

from attendo.report.language import Tr, in_english

JOINERS = "\u200c\u200d"  # inside words of some scripts and between parts of emoji; nothing is lost to the eye
ESCAPE_PICTURES = 0x2400  # ␀ ␁ ␂ …, one for each of the first 32 characters
PERCENTS = ("bleu", "chrf")  # 0 to 100; two decimals are as many as anybody quotes
UNITS = {"d": 86_400, "h": 3_600, "min": 60, "s": 1}
CHINESE_UNITS = {"d": "天", "h": "小时", "min": "分", "s": "秒"}


def visible(text: str, longest: int | None = None) -> str:
    """Text of strangers as one line, every character of which is a mark on paper; cut after `longest` characters.

    Without control codes, direction marks or broken characters:

    >>> visible("red:\\x1b[31m\\nnext\\u202eline")
    'red:␛[31m next\N{REPLACEMENT CHARACTER}line'
    """
    if longest is not None and len(text) > longest:
        text = text[: longest - 1] + "…"
    if text.isprintable():
        return text
    return "".join(map(visible_character, text))


def visible_lines(text: str) -> str:
    """The same of text whose line breaks are our own."""
    return "\n".join(map(visible, text.split("\n")))


def visible_character(character: str) -> str:
    if character.isprintable():
        return character
    if character in JOINERS:
        return ""
    if character.isspace() and not "\x1c" <= character <= "\x1f":
        return " "
    if character < " ":
        return chr(ESCAPE_PICTURES + ord(character))
    return "\N{REPLACEMENT CHARACTER}"


def score_text(name: str, value: float | None) -> str:
    """("bleu", 24.5) -> 24.50; ("loss", 3.2) -> 3.2000; NaN, infinity and None -> no number."""
    if value is None or not math.isfinite(value):
        return "no number"
    return f"{value:.2f}" if name in PERCENTS else f"{value:.4f}"


def scores_text(scores: dict[str, float]) -> str:
    return ", ".join(f"{name} {score_text(name, value)}" for name, value in scores.items())


def count_text(count: int, one: str, several: str = "") -> str:
    """1 sentence; 2,000 sentences; where the plural is no mere s it is given, too: 2 hypotheses."""
    return f"{count:,} {one if count == 1 else several or f'{one}s'}"


def duration_text(seconds: float, tr: Tr = in_english) -> str:
    """45 s; 12 min 5 s; 3 h 7 min; 2 d 5 h: two units, as people say it."""
    if not math.isfinite(seconds):
        return tr("unknown", "未知")
    rest = round(max(seconds, 0.0))
    counts = {}
    for unit, length in UNITS.items():
        counts[unit], rest = divmod(rest, length)
    largest = next((index for index, count in enumerate(counts.values()) if count), len(UNITS) - 1)
    words = [
        f"{count:,} {tr(unit, CHINESE_UNITS[unit])}"
        for unit, count in list(counts.items())[largest : largest + 2]
        if count
    ]
    return " ".join(words) or tr("0 s", "0 秒")
