"""Which language texts are in: by their script where it has but one, else by py3langid."""

import re
from collections import Counter
from collections.abc import Iterable

from attendo.text.language import identifier

KANA = (0x3040, 0x30FF)
# One range each, which two comparisons tell: the doctor asks this of every letter of a corpus. Rarer characters stand
# elsewhere (attendo.text.pretokenize has them all); they do not decide what language a text is in.
SCRIPTS = {  # of languages that are written in letters of their own; all others are taken to be Latin
    "zh": (0x3400, 0x9FFF), "ja": (0x3040, 0x9FFF), "ko": (0xAC00, 0xD7A3), "ru": (0x400, 0x4FF), "uk": (0x400, 0x4FF),
    "bg": (0x400, 0x4FF), "el": (0x370, 0x3FF), "ar": (0x600, 0x6FF), "fa": (0x600, 0x6FF), "he": (0x590, 0x5FF),
    "hi": (0x900, 0x97F), "th": (0xE00, 0xE7F),
}  # fmt: skip
LATIN = (0x41, 0x24F)
LETTER = re.compile("[A-Za-z]")
MOSTLY_CHINESE = 0.3  # of the letters, because English names are long


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


def guess_language(texts: Iterable[str]) -> str:
    """The language of most of the texts; Chinese characters without a kana are Chinese."""
    votes: Counter[str] = Counter()
    for text in texts:
        if text.strip():
            chinese = (share_in_script(text, "zh") or 0.0) > MOSTLY_CHINESE
            votes["zh" if chinese else str(identifier().classify(text)[0])] += 1
    return votes.most_common(1)[0][0] if votes else "en"
