"""The tokenizer of a recipe: a ready one, or one learned from the corpora and kept."""

import hashlib
import json
import logging
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from attendo.data.corpus import Corpus
from attendo.data.lines import ignore
from attendo.data.prepare.settings import TokenizerSettings
from attendo.errors import ConfigError, InputError, WriteError
from attendo.text.subword_models import tokenizer_bytes
from attendo.text.tokenizer import Tokenizer
from attendo.text.train_tokenizer import TokenizerConfig, train_tokenizer

FORMAT = 1

logger = logging.getLogger("attendo")


def choose_tokenizer(
    settings: TokenizerSettings,
    languages: Sequence[str],
    corpora: Sequence[Corpus],
    cache: Path,
    own: Tokenizer | None = None,
) -> Tokenizer:
    """`own`: of the model whose training is continued; without it one is learned, where the settings name no file."""
    if settings.file is not None:
        tokenizer = Tokenizer.load(Path(settings.file))
    else:
        tokenizer = own or learn_tokenizer(settings, languages, corpora, cache)
    for language in languages:
        if language not in tokenizer.languages:
            known = ", ".join(tokenizer.languages)
            raise ConfigError(f"the tokenizer does not know the language {language!r} of [data]: it knows {known}")
    if settings.bpe_dropout and tokenizer.subwords.kind != "bpe":
        raise ConfigError(f"bpe_dropout needs a tokenizer of kind bpe, this one is {tokenizer.subwords.kind}")
    return tokenizer


def learn_tokenizer(
    settings: TokenizerSettings, languages: Sequence[str], corpora: Sequence[Corpus], cache: Path
) -> Tokenizer:
    """Learned once: the file's name is a hash of all that decides what is in it."""
    config = TokenizerConfig(settings.vocab_size, settings.kind)
    identities = [corpus.identity() for corpus in corpora]
    what = {"format": FORMAT, "corpora": identities, "languages": languages, **asdict(config)}
    path = cache / f"{hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:32]}.json"
    if path.exists():
        try:
            return Tokenizer.load(path)
        except InputError as error:
            logger.warning("%s; it is learned again", error)
    logger.info("learning a tokenizer of kind %s, at most %s ids", config.kind, f"{config.vocab_size:,}")
    tokenizer = train_tokenizer(lambda: texts(corpora), languages, config)
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
