"""How files name the language of a text: en-US, where a program checks spelling by it."""

from attendo.documents.document import Writing

LOCALES = {
    "ar": "ar-SA", "cs": "cs-CZ", "da": "da-DK", "de": "de-DE", "el": "el-GR", "en": "en-US", "es": "es-ES",
    "fi": "fi-FI", "fr": "fr-FR", "he": "he-IL", "hi": "hi-IN", "hu": "hu-HU", "it": "it-IT", "ja": "ja-JP",
    "ko": "ko-KR", "nl": "nl-NL", "no": "nb-NO", "pl": "pl-PL", "pt": "pt-PT", "ro": "ro-RO", "ru": "ru-RU",
    "sv": "sv-SE", "th": "th-TH", "tr": "tr-TR", "uk": "uk-UA", "vi": "vi-VN", "zh": "zh-CN",
}  # fmt: skip
EAST_ASIAN = frozenset({"zh", "ja", "ko"})


def locale_of(language: str) -> str:
    return LOCALES.get(language, language)


def in_locale(named: bytes, writing: Writing) -> bytes:
    """What a file names, if it is of the language that is written; else that language's locale."""
    same = writing.to == writing.source or named.lower().split(b"-")[0] == writing.to.encode()
    return named if same else locale_of(writing.to).encode()
