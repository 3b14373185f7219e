"""Could this text be in that language? Answered with no only when it is plain: the wrong script, or a long enough
text that the identifier is sure about. Short sentences deceive every identifier."""

from functools import cache, lru_cache
from typing import Any

from attendo.text.pretokenize import HAN_CHARACTER

SURE = 0.99
ENOUGH_LETTERS = 20


@lru_cache(maxsize=1_000)
def base_language(code: str) -> str:
    """zh-CN and zh_Hant are zh."""
    return code.lower().replace("_", "-").partition("-")[0]


def could_be(text: str, language: str) -> bool:
    language = base_language(language)
    letters = sum(map(str.isalpha, text))
    if not letters:
        return True
    if language in ("zh", "yue"):
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
    if text.isascii():
        return False
    return len(HAN_CHARACTER.findall(text)) * 4 > sum(map(str.isalpha, text))


@cache
def identifier() -> Any:
    """py3langid, 97 languages; its model is part of the library."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
