"""From a recipe to what a training loop needs: tokenizer, sizes of the model, encoded pairs to learn from and to
validate with. Whatever can be wrong with the files is found here, before the first step."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path

import numpy as np

from attendo.data.batches import DropoutCorpus, WeightedCorpus
from attendo.data.corpus import AlignedFiles, Corpus, CorpusFile, Pair
from attendo.data.encoded import EncodedCorpus, EncodedSide, Indices, chunks, encode_corpus, encode_pairs, gather
from attendo.data.filters import Filter, FilterConfig, FilterCounts
from attendo.data.lines import Problem, ignore
from attendo.errors import ConfigError, DataError
from attendo.model.config import (
    DecoderOnlyConfig,
    EncoderOnlyConfig,
    LSTMConfig,
    ModelConfig,
    config_from_dict,
    config_to_dict,
)
from attendo.model_folder.bundle import Bundle, read_bundle
from attendo.recipe.recipe import CorpusConfig, Languages, Recipe
from attendo.runs.held_out import hashes, hold_out
from attendo.runs.tokenizer import choose_tokenizer, digest
from attendo.text.tokenizer import Tokenizer

Say = Callable[[str], None]
Progress = Callable[[str, int], None]  # the name of a corpus, and how many of its pairs were read

MOST_PROBLEMS = 3  # of a corpus, said in full


@dataclass(frozen=True)
class ValidationSet:
    """What one direction is measured with. All of `part` gives the loss; `pairs` are to translate and to show."""

    direction: str  # as the recipe spells it, such as zh-en
    source: str  # its two languages
    target: str
    part: WeightedCorpus
    pairs: list[Pair]  # texts; at most validation.max_pairs


@dataclass(frozen=True)
class Prepared:
    tokenizer: Tokenizer
    model: ModelConfig
    parts: list[WeightedCorpus]  # for training
    validation: list[ValidationSet]  # one a direction
    fingerprint: dict[str, str]  # what must be the same for a run to go on
    ledgers: list[tuple[str, FilterCounts]]


@dataclass(frozen=True)
class Opened:
    """A corpus, the languages of its columns, and its pairs as ids."""

    corpus: Corpus
    languages: Languages
    encoded: EncodedCorpus
    one_way: bool = False

    def side(self, language: str) -> EncodedSide:
        return self.encoded.source if language == self.languages[0] else self.encoded.target

    def goes(self, direction: Languages) -> bool:
        """A corpus serves both ways round, unless the recipe says otherwise."""
        return direction == self.languages or (not self.one_way and direction == self.languages[::-1])


def no_progress(name: str, pairs: int) -> None:
    """For those who do not want to see it."""


def prepare(recipe: Recipe, cache: Path, say: Say, progress: Progress = no_progress) -> Prepared:
    """`say` hears what a person should know, in sentences; what took long is kept in the folder `cache`."""
    data = recipe.data
    columns = [data.languages_of(config) for config in data.corpora]
    corpora = [corpus_of(config, both) for config, both in zip(data.corpora, columns, strict=True)]
    bundle = None if recipe.model.init_from is None else read_bundle(Path(recipe.model.init_from))
    tokenizer = choose_tokenizer(recipe, corpora, bundle, cache / "tokenizers", say)
    model = model_config(recipe, bundle, tokenizer)
    open_ = Opener(tokenizer, cache / "encoded", say, progress)
    training = [
        replace(open_(corpus, both, data.filters), one_way=config.one_way)
        for corpus, both, config in zip(corpora, columns, data.corpora, strict=True)
    ]
    if files := data.validation_files():
        alone = FilterConfig(max_length=data.filters.max_length)
        validation = [
            open_(CorpusFile(Path(file), both), both, alone)
            for file, both in zip(files, data.language_pairs(), strict=True)
        ]
        indices: list[Indices | None] = [None] * len(training)
        sets = sets_from_files(recipe, tokenizer, validation)
        warn_of_leaks(sets, training, say)
    else:
        sources = {source for source, _ in data.parsed_directions()}
        splits = hold_out([one.encoded for one in training], columns, sources, data.held_out)
        indices = [split.indices for split in splits]
        sets = sets_held_out(recipe, tokenizer, training, [split.held for split in splits])
        say(f"no validation file: {', '.join(f'{len(one.part):,} pairs of {one.direction}' for one in sets)} held out")
        validation = []
    return Prepared(
        tokenizer=tokenizer,
        model=model,
        parts=training_parts(recipe, tokenizer, training, indices),
        validation=sets,
        fingerprint=fingerprint(recipe, training, validation, tokenizer, model, bundle),
        ledgers=open_.ledgers,
    )


def corpus_of(config: CorpusConfig, languages: Languages) -> Corpus:
    if config.file is not None:
        return CorpusFile(Path(config.file), languages)
    if config.source is not None and config.target is not None:
        return AlignedFiles(Path(config.source), Path(config.target))
    return config.synthetic()


def model_config(recipe: Recipe, bundle: Bundle | None, tokenizer: Tokenizer) -> ModelConfig:
    if bundle is None:
        config = recipe.model.config(tokenizer.vocab_size)
    else:
        config = recipe.model.changed(config_from_dict(bundle.model))
    check_room(config, recipe.data.filters.max_length)
    check_metric(config, recipe.validation.metric)
    return config


def check_room(config: ModelConfig, longest: int | None) -> None:
    """A learned table of positions has an end, and a sentence beyond it would stop the run in the middle."""
    if isinstance(config, LSTMConfig) or config.positions != "learned":
        return
    control = 3 if isinstance(config, DecoderOnlyConfig) else 2  # a tag, </s> and, where both sides are in a row, <s>
    sides = 2 if isinstance(config, DecoderOnlyConfig) else 1
    if longest is None or sides * longest + control > config.max_length:
        needed = "any number" if longest is None else f"{sides * longest + control:,}"
        raise ConfigError(
            f"max_length = {config.max_length} in [model] is how many positions are learned, but a sentence may have "
            f"{needed}: expected max_length in [data.filters] of at most {(config.max_length - control) // sides}"
        )


def check_metric(config: ModelConfig, metric: str) -> None:
    guesses = isinstance(config, EncoderOnlyConfig)
    if guesses and metric not in ("loss", "accuracy"):
        raise ConfigError(
            f"metric = {metric} in [validation]: an encoder-only model translates nothing, expected loss or accuracy"
        )
    if not guesses and metric == "accuracy":
        raise ConfigError("metric = accuracy in [validation] is for encoder-only models: expected another")


@dataclass(frozen=True)
class Opener:
    """Encodes corpora, and tells what became of their pairs."""

    tokenizer: Tokenizer
    cache: Path
    say: Say
    progress: Progress
    ledgers: list[tuple[str, FilterCounts]] = field(default_factory=list)

    def __call__(self, corpus: Corpus, languages: Languages, filters: FilterConfig) -> Opened:
        name, problems, first = str(corpus), Counter[str](), list[Problem]()

        def report(problem: Problem) -> None:
            problems[problem.kind] += 1
            if len(first) < MOST_PROBLEMS:
                first.append(problem)

        encoded = encode_corpus(
            corpus,
            self.tokenizer,
            languages,
            filters,
            self.cache,
            report=report,
            progress=lambda pairs: self.progress(name, pairs),
        )
        if problems:
            counts = ", ".join(f"{count:,} {kind.replace('_', ' ')}" for kind, count in problems.most_common())
            self.say(
                f"{name} has broken lines: {counts} ({'; '.join(f'line {one.line}: {one.detail}' for one in first)})"
            )
        self.say(f"{name}: {encoded.counts}")
        self.ledgers.append((name, encoded.counts))
        if len(encoded) == 0:
            raise DataError(f"{name} has no pairs to use: {encoded.counts}")
        return Opened(corpus, languages, encoded)


def training_parts(
    recipe: Recipe, tokenizer: Tokenizer, training: Sequence[Opened], indices: Sequence[Indices | None]
) -> list[WeightedCorpus]:
    """A part for each direction of each corpus."""
    parts: list[WeightedCorpus] = []
    for direction in recipe.data.parsed_directions():
        for config, one, drawn in zip(recipe.data.corpora, training, indices, strict=True):
            if not one.goes(direction):
                continue
            if drawn is not None and len(drawn) == 0:
                raise DataError(
                    f"{one.corpus} has too few different sentences to hold some out: name a validation file"
                )
            source, target = (one.side(language) for language in direction)
            tag, rate = tokenizer.tag(direction[1]), recipe.tokenizer.bpe_dropout
            if rate:
                part: WeightedCorpus = DropoutCorpus(
                    source, target, tag, config.weight, drawn, tokenizer=tokenizer, rate=rate
                )
            else:
                part = WeightedCorpus(source, target, tag, config.weight, drawn)
            parts.append(part)
    return parts


def sets_from_files(recipe: Recipe, tokenizer: Tokenizer, files: Sequence[Opened]) -> list[ValidationSet]:
    sets = []
    for name, direction in zip(recipe.data.directions, recipe.data.parsed_directions(), strict=True):
        one = next(file for file in files if file.goes(direction))
        part = WeightedCorpus(one.side(direction[0]), one.side(direction[1]), tokenizer.tag(direction[1]))
        pairs = texts_of(one, tokenizer, recipe.data.filters.max_length, recipe.validation.max_pairs)
        if direction != one.languages:
            pairs = [Pair(pair.line, pair.target, pair.source) for pair in pairs]
        sets.append(ValidationSet(name, *direction, part, pairs))
    return sets


def texts_of(one: Opened, tokenizer: Tokenizer, max_length: int | None, most: int) -> list[Pair]:
    """The first pairs that were encoded, as they stand in the file: a score is taken on what people wrote."""
    judge = Filter(FilterConfig(max_length=max_length), one.languages)
    kept: list[Pair] = []
    for pairs in chunks(one.corpus.pairs(ignore)):
        if len(kept) >= most:
            break
        lengths = [(len(source), len(target)) for source, target in encode_pairs(pairs, tokenizer)]
        kept += [pair for pair, wanted in zip(pairs, judge.keep(pairs, lengths), strict=True) if wanted]
    return kept[:most]


def sets_held_out(
    recipe: Recipe, tokenizer: Tokenizer, training: Sequence[Opened], held: Sequence[Indices]
) -> list[ValidationSet]:
    sets = []
    for name, direction in zip(recipe.data.directions, recipe.data.parsed_directions(), strict=True):
        used = [(one, numbers) for one, numbers in zip(training, held, strict=True) if one.goes(direction)]
        source, target = (
            joined([one.side(language) for one, _ in used], [numbers for _, numbers in used]) for language in direction
        )
        if len(source) == 0:
            raise DataError(f"there are too few pairs of {name} to hold some out: name a validation file")
        pairs = [
            Pair(number + 1, tokenizer.decode(source[number]), tokenizer.decode(target[number]))
            for number in islice(range(len(source)), recipe.validation.max_pairs)
        ]
        part = WeightedCorpus(source, target, tokenizer.tag(direction[1]))
        sets.append(ValidationSet(name, *direction, part, pairs))
    return sets


def joined(sides: Sequence[EncodedSide], numbers: Sequence[Indices]) -> EncodedSide:
    """These sentences of these sides, as a side of their own."""
    which = np.repeat(np.arange(len(sides)), [len(some) for some in numbers])
    sentences = gather(sides, which, np.concatenate(numbers))
    return EncodedSide(sentences.ids, np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(sentences.lengths))))


def warn_of_leaks(sets: Sequence[ValidationSet], training: Sequence[Opened], say: Say) -> None:
    """A sentence that was learned says little about those that were not."""
    for one in sets:
        seen = np.concatenate([hashes(other.side(one.source)) for other in training if one.source in other.languages])
        leaked = int(np.isin(hashes(one.part.source), seen).sum())
        if leaked:
            say(f"{leaked:,} of {len(one.part):,} validation sentences of {one.direction} are also trained on")


def fingerprint(
    recipe: Recipe,
    training: Sequence[Opened],
    validation: Sequence[Opened],
    tokenizer: Tokenizer,
    model: ModelConfig,
    bundle: Bundle | None,
) -> dict[str, str]:
    """Of content, never of names: a corpus may move, but not change."""
    data = recipe.data
    known: dict[str, object] = {
        "data.languages": data.languages,
        "data.directions": data.directions,
        "data.filters": asdict(data.filters),
    }
    for number, (config, one) in enumerate(zip(data.corpora, training, strict=True)):
        known[f"data.corpora.{number}"] = hashed([one.corpus.identity(), one.languages])
        known[f"data.corpora.{number}.weight"] = config.weight
        known |= {f"data.corpora.{number}.one_way": True} if config.one_way else {}
    for number, one in enumerate(validation):
        known[f"data.validation.{number}"] = hashed([one.corpus.identity(), one.languages])
    if not validation:
        known["data.held_out"] = data.held_out
    known["tokenizer"] = digest(tokenizer)
    known["tokenizer.bpe_dropout"] = recipe.tokenizer.bpe_dropout
    known |= {f"model.{name}": value for name, value in config_to_dict(model).items()}
    if bundle is not None:
        known["model.init_from"] = bundle.key
    return {name: value if isinstance(value, str) else json.dumps(value) for name, value in known.items()}


def hashed(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
