"""Where pieces may never cross: the first cut of a text, the same for every kind of tokenizer.

Scripts are kept apart (Han, kana, Hangul, all other letters with their marks), every digit stands alone so that
numbers are copied digit by digit, punctuation is apart from letters, and a space belongs to the word after it.
Spaces stay characters of the text, so joining the parts gives it back exactly.

    "我爱AI，  see 2 of 3"  ->  我爱 · AI · ， · ␣ · ␣see · ␣ · 2 · ␣of · ␣ · 3

A tokenizer of whole words also needs the words of Chinese, which no space separates; they come from jieba.
"""

import logging
import re
import tempfile
from functools import cache
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
ENDS = re.compile(f"[.!?．‼⁇⁈⁉{WIDE_ENDS}{OTHER_ENDS}{ELLIPSES}]+")
HAN_CHARACTER = re.compile(f"[{HAN}]")
LETTERS = rf"[^\s\d{HAN}{KANA}{HANGUL}{PUNCTUATION}]"

# Every character is in exactly one class, and no class can be matched in two ways: the time is linear in the text.
PARTS = re.compile(
    "|".join(
        [
            rf" ?{LETTERS}+",
            rf" ?[{HAN}]+",
            rf" ?[{PUNCTUATION}]+",
            r"\d",
            r"\s+(?!\S)",  # of a run of spaces the last is left to the word after it
            r"\s+",
            rf" ?[{KANA}]+",
            rf" ?[{HANGUL}]+",
        ]
    )
)


def pretokenize(text: str) -> list[str]:
    """The parts; joined they are the text."""
    return PARTS.findall(text)


@cache
def segmenter() -> Any:
    try:
        import jieba
    except ModuleNotFoundError as error:
        raise ConfigError("kind = 'word' cuts Chinese by jieba: pip install 'attendo[words]'") from error
    jieba.setLogLevel(logging.WARNING)
    words = jieba.Tokenizer()
    # jieba reads a cache file from the shared folder for temporary files, where another user could have put one;
    # a fresh folder of its own holds none.
    with tempfile.TemporaryDirectory(prefix="attendo-") as private:
        words.tmp_dir = private
        words.initialize()
    return words


def is_han(part: str) -> bool:
    """A part of the first cut is of one script, so one character tells (the first may be the space before it)."""
    return HAN_CHARACTER.match(part[-1]) is not None


def pretokenize_words(text: str) -> list[str]:
    """The first cut, with Chinese runs cut further; joined they are the text."""
    words: list[str] = []
    for part in pretokenize(text):
        words.extend(segmenter().cut(part) if is_han(part) else [part])
    return words
