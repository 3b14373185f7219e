"""What to learn from: the tables [data] and [tokenizer] of a recipe, checked before any work starts.

They stand here, next to what they set, and not in recipe/: `data` imports nothing of the rooms to its right.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from attendo.data.filters import FilterConfig
from attendo.data.synthetic import SyntheticCorpus, SyntheticTask
from attendo.errors import ConfigError
from attendo.files.tables import short_repr
from attendo.text.scripts import parse_direction
from attendo.text.subword_models import LANGUAGE, MOST_LANGUAGES, MOST_PIECES, Kind

MOST_COLUMNS = 100  # of a text's lines

Languages = tuple[str, str]  # of the two columns of a corpus; plain text has no first one
NO_LANGUAGE = ""


@dataclass(frozen=True, kw_only=True)
class CorpusConfig:
    """Where pairs come from: one `file`, two aligned files, or a `task` whose pairs are synthetic.

    Or `text`, which is no pairs: each line is learnt by itself.
    """

    file: str | None = None
    source: str | None = None
    target: str | None = None

    text: str | None = None
    column: int | None = None  # of a text whose lines have several, parted by tabs; from 1
    language: str | None = None  # of the text

    task: SyntheticTask | None = None
    pairs: int | None = None  # how many words to make up
    shortest: int = 1  # letters of a word
    longest: int = 12
    letters: int = 26  # of the alphabet
    seed: int = 1  # of the words; the training's own is another

    languages: Languages | None = None  # of the file's columns, or of source and target; two of data.languages
    weight: float = 1.0  # 2: every pair twice an epoch
    one_way: bool = False  # learnt from the first language to the second alone, as when a model made the second

    def __post_init__(self) -> None:
        aligned = self.source is not None or self.target is not None
        ways = [self.file is not None, aligned, self.text is not None, self.task is not None]
        if sum(ways) != 1 or (self.source is None) != (self.target is None):
            raise ConfigError(
                "a corpus is a file, or source and target, or a text, or a task: expected exactly one of the four"
            )
        self.check_text()
        if not 0 < self.weight <= 1000:
            raise ConfigError(f"weight = {self.weight} of a corpus: expected a number above 0 and at most 1000")
        if self.task is None:
            for name in fields_changed(self, ("pairs", "shortest", "longest", "letters", "seed")):
                raise ConfigError(f"{name} of a corpus is for synthetic words: it goes with a task, not with files")
        else:
            self.synthetic()

    def check_text(self) -> None:
        """What goes with a text and what does not."""
        if self.text is None:
            for name in fields_changed(self, ("column", "language")):
                raise ConfigError(f"{name} of a corpus is for plain text: it goes with text, not with pairs")
            return
        for name in fields_changed(self, ("languages", "one_way")):
            raise ConfigError(f"{name} of a corpus is for pairs: it does not go with text")
        if self.column is not None and not 1 <= self.column <= MOST_COLUMNS:
            raise ConfigError(f"column = {self.column} of a corpus: expected 1 to {MOST_COLUMNS}")

    def synthetic(self) -> SyntheticCorpus:
        if self.task is None or self.pairs is None:
            raise ConfigError("a corpus with a task needs pairs, the number of words to make up")
        return SyntheticCorpus(self.task, self.pairs, self.shortest, self.longest, self.letters, self.seed)


@dataclass(frozen=True, kw_only=True)
class DataConfig:
    """The languages of the model, the directions it learns, and from what. Plain text has no directions."""

    languages: tuple[str, ...]
    directions: tuple[str, ...] = ()  # such as zh-en
    corpora: tuple[CorpusConfig, ...]
    # One file for each pair of languages, in the order in which the corpora first name them, with their columns. Of
    # plain text, one for each language.
    validation: str | tuple[str, ...] | None = None
    held_out: float = 0.01  # the share of each corpus that validates where there is no validation file
    filters: FilterConfig = field(default_factory=FilterConfig)

    def __post_init__(self) -> None:
        if not self.corpora:
            raise ConfigError("there are no corpora: expected at least one [[data.corpora]]")
        self.check_languages()
        if not 0 < self.held_out <= 0.5:
            raise ConfigError(f"held_out = {self.held_out}: expected a share above 0 and at most 0.5")
        if self.is_text:
            self.check_texts()
        else:
            self.check_directions()
        files = self.validation_files()
        if files and len(files) != len(self.language_pairs()):
            what = "language" if self.is_text else "pair of languages"
            names = ", ".join("-".join(filter(None, pair)) for pair in self.language_pairs())
            raise ConfigError(
                f"validation names {len(files)} files: expected one for each {what} of the corpora, {names}"
            )

    @property
    def is_text(self) -> bool:
        """Plain text, each line by itself, and no pairs."""
        return any(corpus.text is not None for corpus in self.corpora)

    def check_texts(self) -> None:
        if not all(corpus.text is not None for corpus in self.corpora):
            raise ConfigError("some corpora are pairs and some are plain text: expected all to be one or the other")
        if self.directions:
            raise ConfigError(
                f"directions = {short_repr(list(self.directions))} with plain text, which is translated into nothing: "
                f"expected no directions"
            )
        for corpus in self.corpora:
            self.languages_of(corpus)

    def check_directions(self) -> None:
        if not self.directions or len(set(self.directions)) != len(self.directions):
            raise ConfigError(f"directions = {short_repr(list(self.directions))}: expected at least one, none twice")
        served = [self.served_by(corpus) for corpus in self.corpora]
        wanted = self.parsed_directions()
        for direction, both in zip(self.directions, wanted, strict=True):
            if both[0] == both[1]:
                raise ConfigError(f"the direction {direction!r} goes from a language to itself")
            if not any(both in directions for directions in served):
                raise ConfigError(f"the direction {direction!r} has no corpus of {' and '.join(both)} to learn from")
        for index, directions in enumerate(served):
            if not directions & set(wanted):
                only = "-".join(self.languages_of(self.corpora[index]))
                what = f"for {only} alone" if len(directions) == 1 else f"of {' and '.join(sorted(max(directions)))}"
                raise ConfigError(f"corpus {index} is {what}: no direction uses it")

    def check_languages(self) -> None:
        least = 1 if self.is_text else 2
        if not least <= len(self.languages) <= MOST_LANGUAGES or len(set(self.languages)) != len(self.languages):
            names = short_repr(list(self.languages))
            raise ConfigError(f"languages = {names}: expected {least} to {MOST_LANGUAGES}, none of them twice")
        for language in self.languages:
            if not LANGUAGE.fullmatch(language):
                raise ConfigError(f"the language {short_repr(language)}: expected a code such as zh, en or pt-BR")

    def languages_of(self, corpus: CorpusConfig) -> Languages:
        """Of the corpus's columns; where it does not say, the two languages there are, or the one of a text."""
        if corpus.text is not None:
            return NO_LANGUAGE, self.language_of_text(corpus)
        if corpus.languages is None:
            if len(self.languages) != 2:
                raise ConfigError(
                    f"a corpus does not say its languages: with {len(self.languages)} of them, expected "
                    f'two of its own, such as languages = ["{self.languages[0]}", "{self.languages[1]}"]'
                )
            return self.languages[0], self.languages[1]
        first, second = corpus.languages
        for language in corpus.languages:
            if language not in self.languages:
                known = ", ".join(self.languages)
                raise ConfigError(f"a corpus is of {short_repr(language)}: expected one of the languages {known}")
        if first == second:
            raise ConfigError(f"a corpus is of {first} and {second}: expected two different languages")
        return corpus.languages

    def language_of_text(self, corpus: CorpusConfig) -> str:
        if corpus.language is None and len(self.languages) == 1:
            return self.languages[0]
        if corpus.language not in self.languages:
            raise ConfigError(
                f"a text is of {short_repr(corpus.language) if corpus.language else 'no language'}: "
                f"expected language to be one of {', '.join(self.languages)}"
            )
        return corpus.language

    def served_by(self, corpus: CorpusConfig) -> set[Languages]:
        """The directions that can be learnt from it: both ways, unless it says otherwise."""
        first, second = self.languages_of(corpus)
        return {(first, second)} if corpus.one_way else {(first, second), (second, first)}

    def parsed_directions(self) -> list[Languages]:
        return [parse_direction(direction, self.languages) for direction in self.directions]

    def learned(self) -> list[tuple[str, Languages]]:
        """What is learnt, by name: the directions, or of plain text the languages."""
        if self.is_text:
            return [(language, (NO_LANGUAGE, language)) for _, language in self.language_pairs()]
        return list(zip(self.directions, self.parsed_directions(), strict=True))

    def language_pairs(self) -> list[Languages]:
        """Each pair once, however its corpora turn it: in the order and with the columns of its first corpus."""
        pairs: dict[frozenset[str], Languages] = {}
        for corpus in self.corpora:
            languages = self.languages_of(corpus)
            pairs.setdefault(frozenset(languages), languages)
        return list(pairs.values())

    def validation_files(self) -> tuple[str, ...]:
        return (self.validation,) if isinstance(self.validation, str) else self.validation or ()


@dataclass(frozen=True, kw_only=True)
class TokenizerSettings:
    """How text becomes ids: pieces learned from the corpora, or a ready `file`."""

    kind: Kind = "bpe"
    vocab_size: int = 16_000  # at most; control ids, tags and bytes included
    file: str | None = None  # a tokenizer.json
    bpe_dropout: float = 0.0  # how often a merge is left out while training

    def __post_init__(self) -> None:
        if not 1 <= self.vocab_size <= MOST_PIECES:
            raise ConfigError(f"vocab_size = {self.vocab_size}: expected 1 to {MOST_PIECES:,}")
        if not 0 <= self.bpe_dropout < 1:
            raise ConfigError(f"bpe_dropout = {self.bpe_dropout}: expected at least 0 and below 1")
        if self.bpe_dropout and self.kind != "bpe":
            raise ConfigError(f"bpe_dropout = {self.bpe_dropout} with kind = {self.kind}: expected kind = bpe")
        if self.file is not None:
            for name in fields_changed(self, ("kind", "vocab_size")):
                raise ConfigError(f"{name} stands beside file: a ready tokenizer brings its own {name}")


def fields_changed(config: Any, names: Sequence[str]) -> list[str]:
    """Of these fields, those that are not as they are by default."""
    defaults = {field.name: field.default for field in fields(config)}
    return [name for name in names if getattr(config, name) != defaults[name]]
