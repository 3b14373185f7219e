"""The tokenizer of a recipe: a ready one, that of the model to go on from, or one learned from the corpora and kept."""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from attendo.data.corpus import Corpus
from attendo.data.lines import ignore
from attendo.errors import ConfigError, InputError, WriteError
from attendo.model_folder.bundle import Bundle
from attendo.recipe.recipe import Recipe
from attendo.text.subword_models import tokenizer_bytes
from attendo.text.tokenizer import Tokenizer
from attendo.text.train_tokenizer import TokenizerConfig, train_tokenizer

FORMAT = 1


def choose_tokenizer(
    recipe: Recipe, corpora: Sequence[Corpus], bundle: Bundle | None, cache: Path, say: Callable[[str], None]
) -> Tokenizer:
    """`bundle` is the model to go on from."""
    settings = recipe.tokenizer
    if settings.file is not None:
        tokenizer = Tokenizer.load(Path(settings.file))
        if bundle is not None and digest(tokenizer) != digest(bundle.tokenizer()):
            raise ConfigError(
                f"{settings.file} is not the tokenizer of {bundle.folder}: a model that goes on keeps its own, "
                f"so leave out file in [tokenizer]"
            )
    elif bundle is not None:
        tokenizer = bundle.tokenizer()
    else:
        tokenizer = learned(recipe, corpora, cache, say)
    for language in recipe.data.languages:
        if language not in tokenizer.languages:
            raise ConfigError(
                f"the tokenizer does not know the language {language!r} of [data]: "
                f"it knows {', '.join(tokenizer.languages)}"
            )
    if settings.bpe_dropout and tokenizer.subwords.kind != "bpe":
        raise ConfigError(f"bpe_dropout needs a tokenizer of kind bpe, this one is {tokenizer.subwords.kind}")
    return tokenizer


def learned(recipe: Recipe, corpora: Sequence[Corpus], cache: Path, say: Callable[[str], None]) -> Tokenizer:
    """Learned once: the file's name is a hash of all that decides what is in it."""
    config = TokenizerConfig(recipe.tokenizer.vocab_size, recipe.tokenizer.kind)
    what = {
        "format": FORMAT,
        "corpora": [corpus.identity() for corpus in corpora],
        "languages": recipe.data.languages,
        "kind": config.kind,
        "vocab_size": config.vocab_size,
    }
    path = cache / f"{hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:32]}.json"
    if path.exists():
        try:
            return Tokenizer.load(path)
        except InputError as error:
            say(f"{error}; it is learned again")
    say(f"learning a tokenizer of kind {config.kind}, at most {config.vocab_size:,} ids")
    tokenizer = train_tokenizer(lambda: texts(corpora), recipe.data.languages, config)
    try:
        cache.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteError(f"cannot make the folder {cache}: {error.strerror or error}") from error
    tokenizer.save(path)
    return tokenizer


def texts(corpora: Sequence[Corpus]) -> Iterator[str]:
    """Both sides of all pairs; what is wrong with them is said when they are encoded."""
    for corpus in corpora:
        for pair in corpus.pairs(ignore):
            yield pair.source
            yield pair.target


def digest(tokenizer: Tokenizer) -> str:
    """The sha256 of the file it would be."""
    return hashlib.sha256(tokenizer_bytes(tokenizer.subwords, tokenizer.languages)).hexdigest()
