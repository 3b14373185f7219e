"""Which options of a search suit which family: a beam for models that give word after word, passes for one that gives
all words of a sentence at once. An option that a model cannot follow is an error, not a wish."""

from dataclasses import replace

from attendo.decoding.options import USUAL_PASSES, SearchOptions
from attendo.errors import UsageError
from attendo.translation.options import TranslationOptions

PLAIN = SearchOptions()


def suited(options: TranslationOptions, family: str) -> TranslationOptions:
    """The same for a model of this family, with the number of passes where it has any."""
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
