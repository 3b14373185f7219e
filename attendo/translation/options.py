"""How to translate: what a user may ask for besides the languages, one value that is made once and passed along."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import InitVar, asdict, dataclass, field, replace
from typing import Any

from attendo.decoding.options import (
    LARGEST_BEAM,
    USUAL_PASSES,
    SamplingOptions,
    SearchOptions,
    check_number,
    check_whole,
)
from attendo.errors import ConfigError, UsageError
from attendo.files.arguments import check_argument
from attendo.translation.glossary import Glossary

DRAWS_FOR_EACH = 4  # at most, until as many texts as are wanted are different


@dataclass(frozen=True, kw_only=True)
class TranslationOptions:
    """Options of `Translator.translate`, `translate_lines` and `stream`, and of the commands.

    >>> options = attendo.TranslationOptions(beam=8, n_best=3)
    >>> options.search.beam_size, options.search.n_best, options.wider_retry
    (8, 3, True)
    >>> search = attendo.SearchOptions(beam_size=8, length_penalty=0.6)
    >>> attendo.TranslationOptions(search=search, keep=True).search.length_penalty
    0.6

    >>> attendo.TranslationOptions(sampling=attendo.SamplingOptions(temperature=0.7), n_best=3).sampling.temperature
    0.7

    `beam`, `n_best` and `passes` (those of a non-autoregressive model, which has no beam) are short for those of
    `search`, and are read there: `options.search.beam_size` (the attributes `options.beam` and so on are None: nothing
    is kept twice). A beam that is not named is at least as wide as `n_best`. The glossary may be a dict of terms and
    their translations. With `sampling` a translation is drawn, not searched for, and `n_best` is how many are drawn:
    nothing else of `search` may be asked for beside it.
    """

    search: SearchOptions = field(default_factory=SearchOptions)
    sampling: SamplingOptions | None = None  # draw by the model's probabilities instead of searching
    glossary: Glossary | None = None  # terms that a translation must use; a dict becomes one
    keep: bool = False  # take a sentence apart rather than lose a number or an emoji; for all else that is so anyway
    wider_retry: bool = True  # where the first attempt lost something, attempt it again
    doubt: bool = True  # say which answers have a poor score, where the model knows what is poor
    doubt_below: float | None = None  # the user's own threshold, instead of the model's
    alignment: bool = False  # say which words of the source each word of the translation was made from
    one_sentence: bool = False  # each text is one, whatever stops and line breaks it has; cut only where it is too long
    beam: InitVar[int | None] = None
    n_best: InitVar[int | None] = None
    passes: InitVar[int | None] = None

    def __post_init__(self, beam: int | None, n_best: int | None, passes: int | None) -> None:
        check_argument("search", self.search, SearchOptions, "SearchOptions")
        if isinstance(self.glossary, Mapping):
            object.__setattr__(self, "glossary", Glossary.from_pairs(self.glossary))
        if self.glossary is not None:
            check_argument("glossary", self.glossary, Glossary, "a Glossary, or a dict of terms and their translations")
        for name in ("keep", "wider_retry", "doubt", "alignment", "one_sentence"):
            check_argument(name, getattr(self, name), bool, "True or False")
        if self.doubt_below is not None:
            check_number("doubt_below", self.doubt_below, -100.0, 0.0)
        if passes is not None:
            object.__setattr__(self, "search", replace(self.search, passes=passes))
        if self.sampling is not None:
            check_argument("sampling", self.sampling, SamplingOptions, "SamplingOptions")
            check_nothing_to_search(self.search, beam)
        if beam is None and n_best is None:
            return
        n_best = self.search.n_best if n_best is None else n_best
        check_whole("n_best", n_best, 1, LARGEST_BEAM)
        beam = max(self.search.beam_size, n_best) if beam is None else beam
        object.__setattr__(self, "search", replace(self.search, beam_size=beam, n_best=n_best))

    def to_dict(self) -> dict[str, Any]:
        """All that decides how a text is translated, for journals and reports; equal for equal options.

        Alignment changes no text, and a run that was begun without it is resumed with it.
        """
        terms = [[term.source, term.target] for term in self.glossary.terms] if self.glossary else []
        search = asdict(self.search)
        if self.search.passes is None:  # says nothing of a beam search, and journals from before passes have no such
            del search["passes"], search["lengths"]
        return {
            "options": search,
            "keep": self.keep,
            "second_look": self.wider_retry,
            "doubt": self.doubt_below if self.doubt else False,
            "glossary": hashlib.sha256(json.dumps(terms).encode()).hexdigest(),
            # Left out where there is none, as by earlier versions, whose runs are resumed.
            **({"sampling": asdict(self.sampling)} if self.sampling else {}),
            **({"one_sentence": True} if self.one_sentence else {}),
        }


def check_nothing_to_search(search: SearchOptions, beam: int | None) -> None:
    """Beside sampling, what would be ignored is refused."""
    plain = SearchOptions(beam_size=max(SearchOptions().beam_size, search.n_best), n_best=search.n_best)
    if beam is not None or search != plain:
        raise ConfigError("sampling and a search exclude each other: leave out beam and search (n_best draws several)")


@dataclass(frozen=True, slots=True)
class Draws:
    """To sample a sentence: as many draws as are wanted, and more of them until their texts are different."""

    sampling: SamplingOptions
    count: int = 1
    most: int = 1  # a multiple of the count
    again: bool = False  # by other numbers than at first

    @classmethod
    def different(cls, sampling: SamplingOptions, count: int) -> "Draws":
        """For so many texts, each another one; of a model that is sure of itself there may be fewer."""
        return cls(sampling, count, most=count if count == 1 else DRAWS_FOR_EACH * count)

    def name(self, draw: int) -> str:
        """Of one of them, by which its random numbers follow from the seed."""
        return f"again {draw}" if self.again else f"{draw}"


DEFAULT = TranslationOptions()


# --- which options suit which family

PLAIN = SearchOptions()


def suited(options: TranslationOptions, family: str) -> TranslationOptions:
    """The same for a model of this family, with the number of passes where it has any. A beam is for models that give
    word after word, passes for one that gives all at once: what a model cannot follow is an error, not a wish."""
    search = options.search
    if family != "non-autoregressive":
        if search.passes is None:
            return options
        raise UsageError(
            f"passes = {search.passes}: a {family} model gives one token after the other; "
            f"only a non-autoregressive model is asked for passes"
        )
    if options.sampling is not None:
        raise UsageError("sampling: a non-autoregressive model gives all words at once, none is drawn after the other")
    if search.beam_size not in (PLAIN.beam_size, search.n_best):
        raise UsageError(
            f"beam = {search.beam_size}: a non-autoregressive model gives all words at once and has no beam; "
            f"expected passes"
        )
    for name in ("min_length", "no_repeat_ngram", "repetition_penalty"):
        if (value := getattr(search, name)) != getattr(PLAIN, name):
            raise UsageError(
                f"{name} = {value}: a non-autoregressive model gives all words at once, none with regard to those "
                f"before it"
            )
    if search.passes is None:
        return replace(options, search=replace(search, passes=USUAL_PASSES))
    return options
