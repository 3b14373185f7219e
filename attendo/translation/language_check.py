"""Sentences that the model should not have been given: in the target language already, or in one that it does not read.

What is in the target language already stays as it is. What is in a third language is translated, for judging by a few
words may err, and said; in letters that the model has never seen it stays as it is. Where the user says which language
a text is in (--from), only letters of another script are remarked on.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

from attendo.text.scripts import HAN_LANGUAGES, base_language
from attendo.text.verbatim import SIGN, without_verbatim
from attendo.text.written_language import Written, script_of_language, written_in
from attendo.translation.answer import LanguageNote

NAMES = {
    "en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "pt": "Portuguese",
    "nl": "Dutch", "sv": "Swedish", "da": "Danish or Norwegian", "pl": "Polish", "cs": "Czech", "tr": "Turkish",
    "fi": "Finnish", "hu": "Hungarian", "ro": "Romanian", "id": "Indonesian", "vi": "Vietnamese", "zh": "Chinese",
    "ja": "Japanese", "ko": "Korean", "el": "Greek", "he": "Hebrew", "th": "Thai",
}  # fmt: skip

Verdict = LanguageNote | Literal["expected"] | None  # None: it is not clear


@dataclass(frozen=True)
class LanguageCheck:
    """Of texts for one target."""

    sources: tuple[str, ...]  # languages that may come, without their regions: zh for zh-CN
    target: str
    to: str  # as the user calls it
    scripts: tuple[str, ...]  # all that the model has seen
    told: bool  # the user says which language the texts are in

    @cached_property
    def expected(self) -> tuple[str, ...]:
        return (*self.sources, self.target)

    def notes(self, text: str, segments: Mapping[int, str]) -> dict[int, LanguageNote]:
        """By segment. One that is too short to tell goes with the text, if no other is in an expected language."""
        verdicts = {index: self.judge(segment) for index, segment in segments.items()}
        if len(verdicts) > 1 and None in verdicts.values() and "expected" not in verdicts.values():
            whole = self.judge(text)
            verdicts = {index: verdict or whole for index, verdict in verdicts.items()}
        return {index: verdict for index, verdict in verdicts.items() if isinstance(verdict, LanguageNote)}

    def judge(self, text: str) -> Verdict:
        """A second look at what would be remarked on: the s of %s is not French. It takes time, and few need it."""
        verdict = self.judge_words(text)
        if isinstance(verdict, LanguageNote) and SIGN.search(text):
            return self.judge_words(without_verbatim(text))
        return verdict

    def judge_words(self, text: str) -> Verdict:
        written = written_in(text, self.expected)
        script, language = written
        if not script or (script == "Latin" and (self.told or not language)):
            return None
        if language in self.sources or (script != "Latin" and script in map(script_of_language, self.sources)):
            return "expected"
        if script == "Han" and HAN_LANGUAGES.intersection((*self.sources, self.target)) - {"zh"}:
            return None  # Japanese, or Cantonese, may well have nothing but Han characters
        if language == self.target:
            return None if self.told else self.note("already", written, copied=True)
        if script != "Latin" and script == script_of_language(self.target):
            return None  # Russian for a model that writes Ukrainian, or the other way round
        return self.note("foreign", written, copied=script not in self.scripts)

    def note(self, kind: Literal["already", "foreign"], written: Written, *, copied: bool) -> LanguageNote:
        name = NAMES.get(written.language, f"{written.script} letters")
        return LanguageNote(kind, name, copied, self.to, self.sources)


@lru_cache(maxsize=1_000)
def language_check(
    target: str, to: str, source: str | None, directions: tuple[tuple[str, str], ...]
) -> LanguageCheck | None:
    """`source`, where the user names it. None where nothing is known of one of the languages: then none is judged."""
    sources = (source,) if source else tuple(one for one, other in directions if other == target)
    languages = {base_language(name) for direction in directions for name in direction}
    if not all(map(script_of_language, languages)):
        return None
    scripts = tuple(sorted({*map(script_of_language, languages), *(["Han"] if "ja" in languages else [])}))
    bases = tuple(dict.fromkeys(map(base_language, sources)))
    return LanguageCheck(bases, base_language(target), to, scripts, told=source is not None)
