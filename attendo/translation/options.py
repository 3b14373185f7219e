"""How to translate: what a user may ask for besides the languages, one value that is made once and passed along."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import InitVar, asdict, dataclass, field, replace
from typing import Any

from attendo.decoding.options import LARGEST_BEAM, SearchOptions, check_number, check_whole
from attendo.files.arguments import check_argument
from attendo.translation.glossary import Glossary


@dataclass(frozen=True, kw_only=True)
class TranslationOptions:
    """Options of `Translator.translate`, `translate_lines` and `stream`, and of the commands.

    >>> options = attendo.TranslationOptions(beam=8, n_best=3)
    >>> options.search.beam_size, options.search.n_best, options.wider_retry
    (8, 3, True)
    >>> search = attendo.SearchOptions(beam_size=8, length_penalty=0.6)
    >>> attendo.TranslationOptions(search=search, keep=True).search.length_penalty
    0.6

    `beam` and `n_best` are short for those of `search`, and are read there: `options.search.beam_size` (the attributes
    `options.beam` and `options.n_best` are None: nothing is kept twice). A beam that is not named is at least as wide
    as `n_best`. The glossary may be a dict of terms and their translations.
    """

    search: SearchOptions = field(default_factory=SearchOptions)
    glossary: Glossary | None = None  # terms that a translation must use; a dict becomes one
    keep: bool = False  # take a sentence apart rather than lose a number or an emoji; for all else that is so anyway
    wider_retry: bool = True  # where the first attempt lost something, attempt it again
    doubt: bool = True  # say which answers have a poor score, where the model knows what is poor
    doubt_below: float | None = None  # the user's own threshold, instead of the model's
    beam: InitVar[int | None] = None
    n_best: InitVar[int | None] = None

    def __post_init__(self, beam: int | None, n_best: int | None) -> None:
        check_argument("search", self.search, SearchOptions, "SearchOptions")
        if isinstance(self.glossary, Mapping):
            object.__setattr__(self, "glossary", Glossary.from_pairs(self.glossary))
        if self.glossary is not None:
            check_argument("glossary", self.glossary, Glossary, "a Glossary, or a dict of terms and their translations")
        for name in ("keep", "wider_retry", "doubt"):
            check_argument(name, getattr(self, name), bool, "True or False")
        if self.doubt_below is not None:
            check_number("doubt_below", self.doubt_below, -100.0, 0.0)
        if beam is None and n_best is None:
            return
        n_best = self.search.n_best if n_best is None else n_best
        check_whole("n_best", n_best, 1, LARGEST_BEAM)
        beam = max(self.search.beam_size, n_best) if beam is None else beam
        object.__setattr__(self, "search", replace(self.search, beam_size=beam, n_best=n_best))

    def to_dict(self) -> dict[str, Any]:
        """All that decides how a text is translated, for journals and reports; equal for equal options."""
        terms = [[term.source, term.target] for term in self.glossary.terms] if self.glossary else []
        return {
            "options": asdict(self.search),
            "keep": self.keep,
            "second_look": self.wider_retry,
            "doubt": self.doubt_below if self.doubt else False,
            "glossary": hashlib.sha256(json.dumps(terms).encode()).hexdigest(),
        }


DEFAULT = TranslationOptions()
