"""The language in which people are spoken to: English, or Chinese.

What a report says is written in both languages, one beside the other, where it is said: tr("loops", "重复"). Sentences
that come finished, such as errors, are looked up in a catalogue (messages.py).
"""

from collections.abc import Callable
from typing import Literal, NamedTuple, get_args

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
Tr = Callable[[str, str], str]  # of an English and a Chinese text, the one to show


def in_language(language: Language) -> Tr:
    return in_chinese if language == "zh" else in_english


def in_english(english: str, chinese: str) -> str:
    return english


def in_chinese(english: str, chinese: str) -> str:
    return chinese


class Bilingual(NamedTuple):
    """One thing that is said, in both languages."""

    english: str
    chinese: str

    @property
    def label(self) -> str:
        """Both in one line: tokens · 词元"""
        return f"{self.english} · {self.chinese}"

    def of(self, language: str) -> str:
        return self.chinese if language == "zh" else self.english

    def on_page(self, language: Language) -> str:
        """A page for readers of English says its labels in Chinese too, so that the two may look at it together."""
        return self.chinese if language == "zh" else self.label
