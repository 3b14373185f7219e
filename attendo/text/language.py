"""Could this text be in that language? Answered with no only when it is plain: the wrong script, or a long enough
text that the identifier is sure about. Short sentences deceive every identifier."""

import unicodedata
from functools import cache, lru_cache
from typing import Any

SURE = 0.99
ENOUGH_LETTERS = 20


@lru_cache(maxsize=1_000)
def base_language(code: str) -> str:
    """zh-CN and zh_Hant are zh."""
    return code.lower().replace("_", "-").partition("-")[0]


def could_be(text: str, language: str) -> bool:
    language = base_language(language)
    letters = [character for character in text if character.isalpha()]
    if not letters:
        return True
    han = sum(is_han(character) for character in letters) / len(letters)
    if language in ("zh", "yue"):
        return han > 0.25
    if language in ("ja", "ko"):
        return True
    if han > 0.25:
        return False
    if len(letters) < ENOUGH_LETTERS:
        return True
    found, probability = identifier().classify(text)
    return bool(found == language or probability < SURE)


@lru_cache(maxsize=10_000)
def is_han(character: str) -> bool:
    return unicodedata.name(character, "").startswith("CJK")


@cache
def identifier() -> Any:
    """py3langid, 97 languages; its model is part of the library."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
