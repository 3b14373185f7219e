"""Chinese words, which no space separates, by the segmenter jieba; only the word tokenizer needs them."""

import logging
import tempfile
from functools import cache
from typing import Any

from attendo.errors import ConfigError
from attendo.text.pretokenize import HAN_CHARACTER, cut


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


def cut_into_words(text: str) -> list[str]:
    """The first cut, with Chinese runs cut further; joined they are the text."""
    words: list[str] = []
    for part in cut(text):
        words.extend(segmenter().cut(part) if is_han(part) else [part])
    return words
