"""Scripts and languages: classes of characters, codes, which language a text is in, simplified and traditional Chinese.

Nothing heavy is imported before it is needed: py3langid where only words tell two languages apart, OpenCC where
traditional Chinese is to be converted.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import Any

from attendo.errors import ConfigError

HAN = "\u2e80-\u2fdf\u3005\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
KANA = "\u3031-\u3035\u3041-\u3096\u3099-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7fb\uffa0-\uffdc"
PUNCTUATION = (
    "!-/:-@\\[-`{-~\xa1-\xa9\xab-\xb4\xb6-\xb9\xbb-\xbf\xd7\xf7"  # ASCII and Latin-1, symbols included
    "\u037e\u0387\u055a-\u055f\u0589\u05be\u05c0\u05c3\u060c\u061b\u061f\u066a-\u066d\u06d4\u0964\u0965\u0e2f\u0e5a"
    "\u200b\u200e\u200f\u2010-\u2027\u202a-\u202e\u2030-\u205e\u2060-\u2069"  # general punctuation, without spaces
    "\u20a0-\u20cf\u2100-\u2bff\u2e00-\u2e7f"  # currency, arrows, mathematics, shapes
    "\u3001-\u3004\u3006\u3008-\u3020\u302a-\u3030\u3036\u3037\u303c-\u303f\u30a0\u30fb\ufe10-\ufe6f"
    "\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\uffe0-\uffee\ufff0-\uffff"  # Chinese and full-width marks
    "\U0001f000-\U0001faff"  # emoji and pictures
)
# Signs that may end a sentence. The Arabic, Urdu, Indic, Burmese, Khmer, Ethiopic, Armenian, Tibetan have no other use.
WIDE_ENDS = "。！？｡"
OTHER_ENDS = "؟۔।॥။។።։༎"
ELLIPSES = "…⋯"
END = f"[.!?．‼⁇⁈⁉{WIDE_ENDS}{OTHER_ENDS}{ELLIPSES}]"
ENDS = re.compile(f"{END}{END}*")  # not END+, which is searched for more slowly
FIRST_HAN = HAN[0]
HAN_CHARACTER = re.compile(f"[{HAN}]")
LETTERS = rf"[^\s\d{HAN}{KANA}{HANGUL}{PUNCTUATION}]"

# Languages written in Han characters and without spaces between words, Japanese with kana among them.
CHINESE_LANGUAGES = frozenset({"zh", "yue"})
HAN_LANGUAGES = CHINESE_LANGUAGES | {"ja"}

SURE = 0.99
ENOUGH_LETTERS = 20
# One range each, which two comparisons tell: the doctor asks this of every letter of a corpus. Rarer characters stand
# elsewhere (HAN and KANA have them all); they do not decide what language a text is in.
SCRIPTS = {  # of languages that are written in letters of their own; all others are taken to be Latin
    "zh": (0x3400, 0x9FFF), "ja": (0x3040, 0x9FFF), "ko": (0xAC00, 0xD7A3), "ru": (0x400, 0x4FF), "uk": (0x400, 0x4FF),
    "bg": (0x400, 0x4FF), "el": (0x370, 0x3FF), "ar": (0x600, 0x6FF), "fa": (0x600, 0x6FF), "he": (0x590, 0x5FF),
    "hi": (0x900, 0x97F), "th": (0xE00, 0xE7F),
}  # fmt: skip
LATIN = (0x41, 0x24F)
LETTER = re.compile("[A-Za-z]")
KANA_CHARACTER = re.compile(f"[{KANA}]")

# The conversion for each way to say "traditional"; region codes mean it too.
TRADITIONAL = {"hant": "s2t", "tw": "s2tw", "hk": "s2hk", "mo": "s2hk"}
MISSING = "needs the package opencc: pip install opencc"
HAN_CODES = range(0x4E00, 0xA000)


@lru_cache(maxsize=1_000)
def base_language(code: str) -> str:
    """zh-CN and zh_Hant are zh."""
    return code.lower().replace("_", "-").partition("-")[0]


@lru_cache(maxsize=1_000)
def writes_han(language: str) -> bool:
    """Whether it is written in Han characters, and so without spaces between words: zh, yue-HK and ja are."""
    return base_language(language) in HAN_LANGUAGES


def could_be(text: str, language: str) -> bool:
    """Whether a text could be in that language. No only when it is plain: the wrong script, or a long enough text that
    the identifier is sure about. Short sentences deceive every identifier."""
    language = base_language(language)
    letters = sum(map(str.isalpha, text))
    if not letters:
        return True
    if language in CHINESE_LANGUAGES:
        return is_mostly_han(text)
    if language in ("ja", "ko"):
        return True
    if is_mostly_han(text):
        return False
    if letters < ENOUGH_LETTERS:
        return True
    found, probability = identifier().classify(text)
    return bool(found == language or probability < SURE)


def is_mostly_han(text: str) -> bool:
    """A quarter of the letters is enough, because words in Latin letters are long."""
    if text.isascii() or max(text) < FIRST_HAN:
        return False
    return len(HAN_CHARACTER.findall(text)) * 4 > sum(map(str.isalpha, text))


@cache
def identifier() -> Any:
    """py3langid, 97 languages; its model is part of the library."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def share_in_script(text: str, language: str) -> float | None:
    """How many of a text's letters are of the language's script; None where it has no letters."""
    if text.isascii() and language not in SCRIPTS:
        return 1.0 if LETTER.search(text) else None  # the same, but faster
    first, last = SCRIPTS.get(language, LATIN)
    letters = [ord(letter) for letter in text if letter.isalpha()]
    if not letters:
        return None
    if language == "zh" and any(0x3040 <= letter <= 0x30FF for letter in letters):
        return 0.0  # Japanese
    return sum(first <= letter <= last for letter in letters) / len(letters)


def guess_language(texts: Iterable[str]) -> str:
    """The language of most of the texts; Chinese characters without a kana are Chinese."""
    votes: Counter[str] = Counter()
    for text in texts:
        if text.strip():
            chinese = is_mostly_han(text) and not KANA_CHARACTER.search(text)
            votes["zh" if chinese else str(identifier().classify(text)[0])] += 1
    return votes.most_common(1)[0][0] if votes else "en"


def is_traditional(text: str) -> bool:
    """Whether some of the characters are traditional only; rare names are, so one of twenty must be, or two."""
    if traditional_only().isdisjoint(text):
        return False
    han = HAN_CHARACTER.findall(text)
    if len(KANA_CHARACTER.findall(text)) * 5 >= len(han):  # Japanese, or no Han at all
        return False
    found = sum(character in traditional_only() for character in han)
    return found >= 2 or found * 20 >= len(han)


def to_simplified(text: str) -> tuple[str, str]:
    """For a model of simplified Chinese, and what the user should know of it; other text comes back as it is."""
    if not is_traditional(text):
        return text, ""
    try:
        simplified = converter("t2s").convert(text)
    except ConfigError:
        return text, f"traditional Chinese for a model of simplified Chinese: to convert it {MISSING}"
    # Rare names are in Big5 alone and no other way to write them is known: they prove nothing.
    if traditional_only().isdisjoint(set(text) - set(simplified)):
        return text, ""
    # OpenCC keeps the length but for a few words.
    changed = sum(a != b for a, b in zip(text, simplified, strict=False)) + abs(len(text) - len(simplified))
    return simplified, f"{changed} traditional characters read as simplified"


@lru_cache(maxsize=1_000)
def writes_simplified(language: str) -> bool:
    """Chinese, but not zh-Hant, zh-TW or zh_HK."""
    return base_language(language) in CHINESE_LANGUAGES and traditional_form(language) is None


def to_traditional(text: str, language: str) -> str:
    """A model's simplified Chinese for a reader of zh-Hant, zh-TW or zh-HK; other languages as they are."""
    form = traditional_form(language)
    return text if form is None else str(converter(form).convert(text))


@lru_cache(maxsize=1_000)
def traditional_form(language: str) -> str | None:
    if base_language(language) not in CHINESE_LANGUAGES:
        return None
    parts = language.lower().replace("_", "-").split("-")[1:]
    if "hans" in parts:
        return None
    regions = [part for part in parts if part in TRADITIONAL and part != "hant"]
    return TRADITIONAL[regions[0]] if regions else "s2t" if "hant" in parts else None


@cache
def converter(form: str) -> Any:
    try:
        from opencc import OpenCC
    except ModuleNotFoundError as error:
        raise ConfigError(f"converting between simplified and traditional Chinese {MISSING}") from error
    return OpenCC(form)


@cache
def simplified_only() -> frozenset[str]:
    """Characters of the mainland's old standard GB 2312 that Taiwan's Big5 lacks; those of both prove nothing."""
    return frozenset(c for c in map(chr, HAN_CODES) if can_encode(c, "gb2312") and not can_encode(c, "big5"))


@cache
def traditional_only() -> frozenset[str]:
    """Characters of Big5 that GB 2312 lacks, such as 後 and 裡; 后 and 里 are in both."""
    return frozenset(c for c in map(chr, HAN_CODES) if can_encode(c, "big5") and not can_encode(c, "gb2312"))


def can_encode(character: str, encoding: str) -> bool:
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def parse_direction(text: str, languages: Sequence[str]) -> tuple[str, str]:
    """Source and target of zh-en. A language may itself hold a hyphen (pt-BR-en), so every one is tried."""
    parts = text[:100].split("-")
    splits = [("-".join(parts[:hyphen]), "-".join(parts[hyphen:])) for hyphen in range(1, len(parts))]
    found = [(source, target) for source, target in splits if source in languages and target in languages]
    if len(found) == 1:
        return found[0]
    if found:
        ways = " or ".join(f"{source} to {target}" for source, target in found)
        raise ConfigError(f"the direction {text[:100]!r} can be read as {ways}: the languages' names are too alike")
    known = ", ".join(languages)
    raise ConfigError(f"the direction {text[:100]!r} is not SOURCE-TARGET with two of the languages {known}")
