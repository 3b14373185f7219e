"""Which language a sentence is written in, where that is clear: by its letters, and if they are Latin by small words.

Made to be seldom wrong rather than to know every sentence: names, labels and single words are in no clear language. It
needs no model and a few microseconds; py3langid (scripts.identifier) knows 97 languages, takes longer, always has an
opinion, and is not part of a plain installation.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from functools import cache, lru_cache
from typing import NamedTuple

from attendo.text.function_words import ENDINGS, LETTERS, WORDS
from attendo.text.scripts import KANA_CHARACTER, base_language, is_mostly_han

SAMPLE = 600  # characters: a language is clear by then
WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")  # To-do-Liste is one
ASCII_WORD = re.compile("[a-z]+(?:['-][a-z]+)*")  # the same of a text in lower case and ASCII, in half the time
FEWEST_WORDS = 3  # of two letters and more: c = a + b is not French
FEWEST_HITS = 2  # small words of one language
SHARE = 0.4  # of the words must be of the language
# Or fewer, where it is expected: so many, of so many words, and so many times as many as of any other language.
FEWEST_OF_EXPECTED, SHARE_OF_EXPECTED, TIMES_RIVAL = 3, 0.2, 1.5
FEWEST_OWN = 2  # of these are no words of another that the sentence may be in
TIMES = 3  # as many must speak for it and not for another that the sentence may be in, as the other way round
FEWEST_BEFORE_ENDING = 6  # letters of a word that may speak by its end
ENDING_SIZES = sorted({len(ending) for ending in ENDINGS}, reverse=True)
FEWEST_LETTERS = 2  # of a script; Greek ones also stand in formulas
MOST_OF = 0.6  # of the letters are of the script
ALMOST_ALL = 0.9  # of them, where it is Latin: a few Chinese characters are as much as many Latin letters

# First code point, and the script from there on; "" where letters tell nothing.
BLOCKS = (
    (0x0, "Latin"), (0x370, "Greek"), (0x400, "Cyrillic"), (0x530, "Armenian"), (0x590, "Hebrew"), (0x600, "Arabic"),
    (0x700, ""), (0x900, "Devanagari"), (0x980, "Bengali"), (0xA00, "Gurmukhi"), (0xA80, "Gujarati"), (0xB00, ""),
    (0xB80, "Tamil"), (0xC00, "Telugu"), (0xC80, "Kannada"), (0xD00, "Malayalam"), (0xD80, "Sinhala"), (0xE00, "Thai"),
    (0xE80, "Lao"), (0xF00, "Tibetan"), (0x1000, "Burmese"), (0x10A0, "Georgian"), (0x1100, "Hangul"),
    (0x1200, "Ethiopic"), (0x13A0, ""), (0x1780, "Khmer"), (0x1800, ""), (0x1E00, "Latin"), (0x1F00, "Greek"),
    (0x2000, ""), (0x2E80, "Han"), (0x3040, "Kana"), (0x3100, ""), (0x3130, "Hangul"), (0x3190, ""), (0x31F0, "Kana"),
    (0x3200, ""), (0x3400, "Han"), (0xA000, ""), (0xAC00, "Hangul"), (0xD7FC, ""), (0xF900, "Han"), (0xFB00, ""),
    (0xFB1D, "Hebrew"), (0xFB50, "Arabic"), (0xFE00, ""), (0xFE70, "Arabic"), (0xFF00, "Latin"), (0xFF66, "Kana"),
    (0xFFA0, "Hangul"), (0xFFE0, ""), (0x20000, "Han"), (0x323B0, ""),
)  # fmt: skip
STARTS = [start for start, _ in BLOCKS]
FIRST_NOT_LATIN = chr(STARTS[1])
# Languages in letters that are not Latin; those in Latin letters are the keys of WORDS. Of others nothing is known.
SCRIPT_OF = {
    "zh": "Han", "yue": "Han", "ja": "Kana", "ko": "Hangul", "ru": "Cyrillic", "uk": "Cyrillic", "bg": "Cyrillic",
    "be": "Cyrillic", "mk": "Cyrillic", "el": "Greek", "ar": "Arabic", "fa": "Arabic", "ur": "Arabic", "he": "Hebrew",
    "hi": "Devanagari", "ne": "Devanagari", "mr": "Devanagari", "bn": "Bengali", "ta": "Tamil", "te": "Telugu",
    "th": "Thai", "ka": "Georgian", "hy": "Armenian", "am": "Ethiopic",
}  # fmt: skip
# Scripts of one language each, as far as this goes.
LANGUAGE_OF_SCRIPT = {"Han": "zh", "Kana": "ja", "Hangul": "ko", "Greek": "el", "Hebrew": "he", "Thai": "th"}


class Written(NamedTuple):
    """What a text is written in."""

    script: str  # "" where it has too few letters, or those of several
    language: str = ""  # "" where that is not clear


@lru_cache(maxsize=1_000)
def script_of_language(code: str) -> str:
    """Empty where it is not known."""
    language = base_language(code)
    return "Latin" if language in WORDS else SCRIPT_OF.get(language, "")


def written_in(text: str, expected: Collection[str]) -> Written:
    """What a text is clearly written in. `expected` are languages that it may well be in: any other must stand out
    against them all."""
    sample = text[:SAMPLE]
    script = script_of(sample)
    if script != "Latin":
        return Written(script, LANGUAGE_OF_SCRIPT.get(script, ""))
    return Written(script, latin_language(sample, expected))


def script_of(text: str) -> str:
    """Of most of its letters; Japanese is Kana, whatever Han characters stand among them."""
    if text.isascii():
        return "Latin"
    if is_mostly_han(text) and not KANA_CHARACTER.search(text):  # a quick look, as the rest would have it
        return "Han"
    letters = list(filter(str.isalpha, text))
    if letters and max(letters) < FIRST_NOT_LATIN:  # as in German or French: all of them are Latin
        return "Latin" if len(letters) >= FEWEST_LETTERS else ""
    counts = Counter(map(script_of_letter, letters))
    kana, han = counts["Kana"], counts["Han"]
    if kana and kana * 5 >= han:
        counts["Kana"], counts["Han"] = kana + han, 0
    script, most = counts.most_common(1)[0] if counts else ("", 0)
    # A word in Latin letters has many: a quarter of Han characters outweighs them.
    if han and not kana and han * 4 > counts.total():
        return "Han"
    fewest = 2 * FEWEST_LETTERS if script == "Greek" else FEWEST_LETTERS
    share = ALMOST_ALL if script == "Latin" else MOST_OF
    return script if most >= fewest and most >= share * counts.total() else ""


@lru_cache(maxsize=30_000)
def script_of_letter(letter: str) -> str:
    return BLOCKS[bisect_right(STARTS, ord(letter)) - 1][1]


def latin_language(text: str, expected: Collection[str]) -> str:
    """By the different words of a text: ha ha ha ha is not Spanish four times."""
    lower = text.lower()
    words = set((ASCII_WORD if lower.isascii() else WORD).findall(lower))
    if len(words) < FEWEST_WORDS or sum(map((1).__lt__, map(len, words))) < FEWEST_WORDS:
        return greeting_language(words)
    spoken: dict[str, set[str]] = {}
    for word in words:
        for language in languages_of_word(word):
            spoken.setdefault(language, set()).add(word)
    for language in ranked(spoken, expected):
        found = spoken[language]
        if is_clear(language, found, len(words), spoken, expected):
            return language
        if language in expected:
            return ""
    return ""


def ranked(spoken: Mapping[str, set[str]], expected: Collection[str]) -> Iterator[str]:
    """Those with the most words first, as long as they have enough. Most texts ask for the first alone, so that no more
    is compared than is wanted."""

    def among_equals(language: str) -> tuple[bool, int, str]:
        """A word of one language alone tells more than one of several; names last, as the order of a set is chance."""
        weight = sum(12 // len(languages_of_word(word)) for word in spoken[language])
        return language not in expected, -weight, language

    for number in sorted(set(map(len, spoken.values())), reverse=True):
        if number < FEWEST_HITS:
            return
        equals = [language for language, found in spoken.items() if len(found) == number]
        yield from sorted(equals, key=among_equals) if len(equals) > 1 else equals


def is_clear(
    language: str, found: set[str], words: int, spoken: Mapping[str, set[str]], expected: Collection[str]
) -> bool:
    """Many of the words, or some of an expected language that no other has as many of; and hardly one that speaks for
    another expected language instead."""
    for other in expected:
        instead = spoken.get(other, set())
        if other != language and not stands_out(found, instead, FEWEST_OWN if language in expected else 1):
            return False
    if len(found) >= SHARE * words:
        return True
    if language not in expected or len(found) < FEWEST_OF_EXPECTED or len(found) < SHARE_OF_EXPECTED * words:
        return False
    rivals = [len(instead) for other, instead in spoken.items() if other != language]
    return len(found) >= TIMES_RIVAL * max(rivals, default=0)


def greeting_language(words: set[str]) -> str:
    """Of two words: that in which both are, if they are in no other. Good morning, guten Morgen."""
    table = languages_by_word()
    languages = {table.get(word, ()) for word in words}
    return "".join(*languages) if len(words) == 2 and len(languages) == 1 and len(*languages) == 1 else ""


def stands_out(found: set[str], others: set[str], fewest: int) -> bool:
    """Words of one language, against those of another: "so man in" is English and German."""
    return len(found - others) >= max(fewest, TIMES * len(others - found)) if others else len(found) >= fewest


@cache
def small_words(language: str) -> frozenset[str]:
    return frozenset(WORDS.get(language, "").split())


@lru_cache(maxsize=50_000)
def languages_of_word(word: str) -> tuple[str, ...]:
    """That it is a small word of; else by its parts (l'homme), by a letter that few languages have, or by its end."""
    table = languages_by_word()
    if word in table:
        return table[word]
    if "'" in word or "’" in word:
        parts = re.split("['’]", word)
        return table.get("'".join(parts)) or table.get(parts[0], ())
    spoken_for = [set(LETTERS[letter].split()) for letter in set(word) if letter in LETTERS]
    if spoken_for:
        return tuple(sorted(set.intersection(*spoken_for)))
    if len(word) < FEWEST_BEFORE_ENDING:
        return ()
    return next((tuple(ENDINGS[word[-size:]].split()) for size in ENDING_SIZES if word[-size:] in ENDINGS), ())


@cache
def languages_by_word() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for language, words in WORDS.items():
        for word in words.split():
            found.setdefault(word, []).append(language)
    return {word: tuple(languages) for word, languages in found.items()}
