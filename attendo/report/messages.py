"""English sentences that come finished, errors, remarks and help, in Chinese: by a catalogue, for people to read.

An entry of chinese.toml is an English sentence with holes, and the same in Chinese:

    "{path} has {n} lines" = "{path} 有 {n} 行"

In {n}, {m}, {k} and {l} numbers stand, in others anything. A hole may be said to be a sentence of the catalogue itself,
{why:message}, or several, {things:list}. What has no entry stays English. Nothing is decided by what is found here.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Formatter

from attendo.report.language import Language

CATALOGUE = Path(__file__).with_name("chinese.toml")
DEEPEST = 4  # sentences within sentences
LONGEST = 1_000  # characters; to match holes takes long in a text that is made for it
NUMBERS = {"n", "m", "k", "l"}  # the names of holes in which a number stands
NUMBER, ANYTHING = r"([-+\d.,]+)", "(.+?)"
LISTS = ((re.compile("; "), "；"), (re.compile(", "), "、"))


@dataclass(frozen=True)
class Template:
    """A sentence with holes: one more text than there are holes, and the name and kind of each hole."""

    texts: tuple[str, ...]
    holes: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, text: str) -> "Template":
        """
        >>> Template.of("{path} has {n} lines").holes
        (('path', ''), ('n', ''))
        """
        texts, holes = [""], []
        for literal, name, kind, _ in Formatter().parse(text):
            texts[-1] += literal
            if name is not None:
                holes.append((name, kind or ""))
                texts.append("")
        return cls(tuple(texts), tuple(holes))

    @property
    def num_letters(self) -> int:
        """By which the more particular of two sentences is known."""
        return sum(map(len, self.texts))

    @property
    def has_words(self) -> bool:
        return any(letter.isalpha() for text in self.texts for letter in text)

    def match(self, text: str) -> dict[str, str] | None:
        """What stands in the holes, if `text` is this sentence."""
        if not (text.startswith(self.texts[0]) and text.endswith(self.texts[-1])):
            return None
        holes = (NUMBER if name in NUMBERS else ANYTHING for name, _ in self.holes)
        pattern = "".join(map(str.__add__, map(re.escape, self.texts), (*holes, "")))
        found = re.fullmatch(pattern, text, re.DOTALL)
        return dict(zip([name for name, _ in self.holes], found.groups(), strict=True)) if found else None


@cache
def read_catalogue() -> dict[str, str]:
    """All entries, in whatever table of the file they stand."""
    import tomllib  # English does without

    tables = tomllib.loads(CATALOGUE.read_text(encoding="utf-8"))
    return {english: chinese for table in tables.values() for english, chinese in table.items()}


@cache
def read_sentences() -> dict[str, str]:
    """The entries without holes."""
    entries = ((Template.of(english), Template.of(chinese)) for english, chinese in read_catalogue().items())
    return {english.texts[0]: chinese.texts[0] for english, chinese in entries if not english.holes}


@cache
def read_templates() -> list[tuple[Template, Template]]:
    """The entries with holes, English and Chinese, those with most words first."""
    entries = [(Template.of(english), Template.of(chinese)) for english, chinese in read_catalogue().items()]
    with_holes = [pair for pair in entries if pair[0].holes]
    return sorted(with_holes, key=lambda pair: -pair[0].num_letters)


def say(sentence: str, language: Language) -> str:
    """A finished English sentence in that language. English needs no catalogue, and reads none."""
    return to_chinese(sentence) if language == "zh" else sentence


def to_chinese(text: str, depth: int = 0) -> str:
    """As the catalogue has it; the text itself where it has none, or is longer than anything we say."""
    if len(text) > LONGEST:
        return text
    if (exact := read_sentences().get(text)) is not None:
        return exact
    if depth < DEEPEST:
        for english, chinese in read_templates():
            if (values := english.match(text)) is not None:
                found = fill(chinese, values, depth + 1)
                # A sentence of holes alone, "{where}: {what}", fits too much to be believed by itself.
                if english.has_words or any(chinese_letter(letter) for letter in set(found) - set(text)):
                    return found
    return text


def chinese_letter(letter: str) -> bool:
    return "\u4e00" <= letter <= "\u9fff"


def fill(template: Template, values: dict[str, str], depth: int) -> str:
    parts = [template.texts[0]]
    for (name, kind), text in zip(template.holes, template.texts[1:], strict=True):
        value = values[name]
        if kind == "message":
            value = to_chinese(value, depth)
        elif kind == "list":
            value = list_to_chinese(value, depth)
        parts += [value, text]
    return "".join(parts)


def list_to_chinese(text: str, depth: int) -> str:
    """Things with ; or , between them, each by itself."""
    for between, sign in LISTS:
        things = between.split(text)
        if len(things) > 1:
            return sign.join(to_chinese(thing, depth) for thing in things)
    return to_chinese(text, depth)
