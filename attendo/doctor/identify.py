"""Which language a sentence is in, by its script and by py3langid, as odds against the language it should be in."""

import math
import re
from collections import Counter
from collections.abc import Sequence

from attendo.errors import UsageError
from attendo.text.language import identifier

KANA = (0x3040, 0x30FF)
SCRIPTS = {  # of languages that are written in letters of their own; all others are taken to be Latin
    "zh": (0x3400, 0x9FFF), "ja": (0x3040, 0x9FFF), "ko": (0xAC00, 0xD7A3), "ru": (0x400, 0x4FF), "uk": (0x400, 0x4FF),
    "bg": (0x400, 0x4FF), "el": (0x370, 0x3FF), "ar": (0x600, 0x6FF), "fa": (0x600, 0x6FF), "he": (0x590, 0x5FF),
    "hi": (0x900, 0x97F), "th": (0xE00, 0xE7F),
}  # fmt: skip
LATIN = (0x41, 0x24F)
LETTER = re.compile("[A-Za-z]")
CERTAIN = 20.0  # nats: what a script says
ENOUGH = 100  # characters; a language is clear by then, and identifying takes time
MOSTLY_CHINESE = 0.3  # of the letters, because English names are long


def odds_against(text: str, language: str) -> float:
    """Nats of evidence that a text is not in the language: positive against it, negative for it."""
    share = share_in_script(text, language)
    if share is None:
        return -CERTAIN  # no letters: 12:30 is at home everywhere
    if language in SCRIPTS:
        return -CERTAIN if share > 0 else CERTAIN
    if share < 0.5:
        return CERTAIN
    best, probability = identifier().classify(text[:ENOUGH])
    if best == language:
        return math.log(max(1 - probability, 1e-3) / max(probability, 1e-3))
    right = dict(identifier().rank(text[:ENOUGH]))[language]
    return math.log(max(probability, 1e-4) / max(right, 1e-4))


def share_in_script(text: str, language: str) -> float | None:
    """How many of a text's letters are of the language's script; None where it has no letters."""
    if text.isascii() and language not in SCRIPTS:
        return 1.0 if LETTER.search(text) else None  # the same, but faster
    first, last = SCRIPTS.get(language, LATIN)
    letters = [ord(letter) for letter in text if letter.isalpha()]
    if not letters:
        return None
    if language == "zh" and any(KANA[0] <= letter <= KANA[1] for letter in letters):
        return 0.0  # Japanese
    return sum(first <= letter <= last for letter in letters) / len(letters)


def guess_language(texts: Sequence[str]) -> str:
    """The language of most of the texts; Chinese characters without a kana are Chinese."""
    votes: Counter[str] = Counter()
    for text in texts:
        if text.strip():
            chinese = (share_in_script(text, "zh") or 0.0) > MOSTLY_CHINESE
            votes["zh" if chinese else str(identifier().classify(text)[0])] += 1
    return votes.most_common(1)[0][0] if votes else "en"


def check_known(languages: tuple[str, str]) -> None:
    for language in languages:
        if language not in identifier().labels:
            raise UsageError(f"{language!r} is no language known here: expected codes such as zh, en, de, fr, cs")
