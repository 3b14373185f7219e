"""Terms with a translation of the user's own, and terms not to be translated: from a file to their matches in a text.

    attention<TAB>注意力      a term and its translation
    Tatoeba                   one column, or twice the same: not to be translated

From left to right, and of several at one position the longest. Words of scripts with spaces match as whole words, Han
and kana anywhere. A term in lower case matches in any case ("apple" finds Apple); one with a capital only as it is
written. Of a language whose endings we know a word of four letters or more is found with one of them, too: Bahnhof in
"des Bahnhofs", engine in "engines"; what is said for it is the term as the glossary has it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from attendo.errors import DataError
from attendo.files.arguments import as_list, check_argument
from attendo.files.tables import read_small_file
from attendo.text.normalize import CONTROLS, REPLACEMENT, edges, for_model, normalize
from attendo.text.scripts import base_language
from attendo.text.sentences import LETTER_OF_A_WORD

LONGEST_TERM = 200  # characters
MOST_TERMS = 100_000
LARGEST_FILE = 64 * 2**20  # bytes
ENDINGS = {"en": ("'s", "’s", "es", "s"), "de": ("ern", "en", "er", "es", "e", "n", "s")}
SHORTEST_INFLECTED = 4  # characters


class Match(NamedTuple):
    """text[start:end] is a term, to be said as `target`."""

    start: int
    end: int
    target: str


@dataclass(frozen=True)
class Term:
    """What a text has, and what its translation must have for it."""

    source: str
    target: str

    def __post_init__(self) -> None:
        for name, text in (("source", self.source), ("target", self.target)):
            check_argument(f"the {name} of a term", text, str, "a text")
            if not text:
                raise DataError(f"the {name} of a term is empty: expected a text")

    @property
    def any_case(self) -> bool:
        return fold(self.source) == self.source


class Glossary:
    """Terms to find in a text, each with what its translation must have for it.

    >>> glossary = attendo.Glossary.from_pairs({"Bahnhof": "central station", "Tatoeba": "Tatoeba"})
    >>> options = attendo.TranslationOptions(glossary=glossary)
    >>> attendo.load().translate("Wo ist der Bahnhof?", to="en", options=options).text
    'Where is the central station?'
    """

    def __init__(self, terms: Iterable[Term]) -> None:
        self.terms = terms = tuple(as_list("terms", terms, "a list of Term; from_pairs takes a dict"))
        check_number_of_terms(len(terms))
        for term in self.terms:
            check_argument("a term", term, Term, "a Term; from_pairs takes a dict")
        self._exact = {term.source: term.target for term in terms if not term.any_case}
        self._any_case = {term.source: term.target for term in terms if term.any_case}
        lengths: dict[str, set[int]] = {}  # by the first character, in lower case
        for term in terms:
            lengths.setdefault(fold(term.source[0]), set()).add(len(term.source))
        self._lengths = {first: sorted(found, reverse=True) for first, found in lengths.items()}

    @classmethod
    def from_pairs(cls, pairs: Mapping[str, str]) -> "Glossary":
        """Terms and their translations; a term that is its own translation is not to be translated."""
        check_argument("pairs", pairs, Mapping, "a dict of terms and their translations")
        check_number_of_terms(len(pairs))
        for each in (*pairs.keys(), *pairs.values()):
            check_argument("a term", each, str, "a text")
        lines = (f"{source}\t{target}" for source, target in pairs.items())
        terms = [parse(line.encode("utf-8", "surrogatepass"), f"term {n}") for n, line in enumerate(lines, start=1)]
        return cls([term for term in terms if term])

    def __len__(self) -> int:
        return len(self.terms)

    def matches(self, text: str, language: str = "") -> list[Match]:
        """Terms in a text in Unicode's form NFC, from left to right; they do not overlap."""
        found: list[Match] = []
        folded = fold(text) if self.terms else ""
        endings = ENDINGS.get(base_language(language), ())
        start = 0
        while start < len(folded):
            match = self._match_at(text, folded, start, endings) if folded[start] in self._lengths else None
            if match:
                found.append(match)
            start = match.end if match else start + 1
        return found

    def _match_at(self, text: str, folded: str, start: int, endings: tuple[str, ...]) -> Match | None:
        if start > 0 and is_letter(text[start - 1]) and is_letter(text[start]):  # no term begins within a word
            return None
        for length in self._lengths[folded[start]]:
            end = start + length
            if end > len(text):
                continue
            target = self._exact.get(text[start:end], self._any_case.get(folded[start:end]))
            if target is None:
                continue
            keeps = target in (text[start:end], folded[start:end])  # not to be translated: as the text has it
            said = text[start:end] if keeps else target
            inflected = endings if length >= SHORTEST_INFLECTED and not keeps else ()
            for ending in (*inflected, ""):
                if text.startswith(ending, end) and on_borders(text, start, end + len(ending)):
                    return Match(start, end + len(ending), said)
        return None


def check_number_of_terms(number: int) -> None:
    if number > MOST_TERMS:
        raise DataError(f"{number:,} terms: expected at most {MOST_TERMS:,}")


def on_borders(text: str, start: int, end: int) -> bool:
    return not (
        (start > 0 and is_letter(text[start - 1]) and is_letter(text[start]))
        or (end < len(text) and is_letter(text[end - 1]) and is_letter(text[end]))
    )


def is_letter(character: str) -> bool:
    """A letter or digit of a script with spaces."""
    return LETTER_OF_A_WORD.match(character) is not None


def fold(text: str) -> str:
    """Lower case, with every character where it was: the few that would become two stay."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(small if len(small := character.lower()) == 1 else character for character in text)


def read_glossary(path: Path) -> Glossary:
    """Terms of a UTF-8 file; every mistake is an error that names its line."""
    whole = read_small_file(path, LARGEST_FILE, "the glossary ", DataError)
    lines = whole.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    terms: dict[str, tuple[Term, int]] = {}
    for line_number, raw in enumerate(lines, start=1):
        where = f"{path}, line {line_number}"
        if (term := parse(raw, where)) is None:
            continue
        known, first = terms.setdefault(term.source, (term, line_number))
        if known != term:
            raise DataError(f"{where}: {shortened(term.source)} has another translation in line {first}: expected one")
        if len(terms) > MOST_TERMS:
            raise DataError(f"{where}: more than {MOST_TERMS:,} terms")
    return Glossary([term for term, _ in terms.values()])


def parse(raw: bytes, where: str) -> Term | None:
    """The term of a line, None for a blank one."""
    try:
        text = normalize(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise DataError(f"{where}: byte {error.start + 1} is not UTF-8") from error
    columns = [edges(column)[1] for column in text.rstrip("\r").split("\t")]
    if not any(columns):
        return None
    if len(columns) > 2:
        raise DataError(f"{where} has {len(columns)} columns: expected TERM or TERM<TAB>TRANSLATION")
    if not columns[0]:
        raise DataError(f"{where}: no term before the tab")
    if len(columns) == 2 and not columns[1]:
        raise DataError(f"{where}: no translation after the tab: leave the tab out for a term not to be translated")
    for column in columns:
        if len(column) > LONGEST_TERM:
            raise DataError(
                f"{where}: {shortened(column)} has {len(column)} characters: expected {LONGEST_TERM} at most"
            )
        if REPLACEMENT in column or any(character in CONTROLS for character in column):
            raise DataError(f"{where}: {shortened(column)} holds a control or broken character")
    return Term(for_model(columns[0]), for_model(columns[-1]))  # white space as in the texts it is looked for in


def shortened(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:37]}...")
