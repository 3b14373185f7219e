"""From corpora and a tokenizer to encoded pairs, to learn from and to validate with.

Whatever can be wrong with the files is found here, before the first step.
"""

import hashlib
import json
import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np

from attendo.data.batches import NO_TAG, DropoutCorpus, WeightedCorpus
from attendo.data.corpus import AlignedFiles, Corpus, CorpusFile, Pair, TextFile
from attendo.data.encoded import EncodedCorpus, EncodedSide, Indices, chunks, encode_corpus, encode_pairs, gather
from attendo.data.filters import Filter, FilterConfig, FilterCounts
from attendo.data.lines import Problem, ignore
from attendo.data.prepare.held_out import hashes, hold_out
from attendo.data.prepare.settings import NO_LANGUAGE, CorpusConfig, DataConfig, Languages
from attendo.errors import DataError
from attendo.text.tokenizer import Tokenizer

OnProgress = Callable[[str, int], None]  # the name of a corpus, and how many of its pairs were read

MOST_PROBLEMS = 3  # of a corpus, described in full

logger = logging.getLogger("attendo")


@dataclass(frozen=True)
class ValidationSet:
    """What one direction is measured with. All of `corpus` gives the loss; `pairs` are to translate and to show."""

    direction: str  # as the recipe spells it, such as zh-en; of plain text its language
    source: str  # its two languages; plain text has only the second
    target: str
    corpus: WeightedCorpus
    pairs: list[Pair]  # texts; at most validation.max_pairs


@dataclass(frozen=True)
class Datasets:
    corpora: list[WeightedCorpus]  # to train on, one a direction of each corpus
    validation: list[ValidationSet]  # one a direction, or of plain text one a language
    identity: dict[str, str]  # of their content: what must be the same for a run to be resumed
    counts: list[tuple[str, FilterCounts]]  # by the name of a corpus


@dataclass(frozen=True)
class OpenedCorpus:
    """A corpus, the languages of its columns, and its pairs as ids."""

    corpus: Corpus
    languages: Languages
    encoded: EncodedCorpus
    one_way: bool = False

    def side(self, language: str) -> EncodedSide:
        return self.encoded.source if language == self.languages[0] else self.encoded.target

    def serves(self, direction: Languages) -> bool:
        """Both ways round, unless the recipe says otherwise."""
        return direction == self.languages or (not self.one_way and direction == self.languages[::-1])


def no_progress(name: str, pairs: int) -> None:
    """For those who do not want to see it."""


@dataclass(frozen=True)
class Preparation:
    """How pairs are encoded; `bpe_dropout` and `max_pairs` (texts to validate with) are a recipe's settings."""

    data: DataConfig
    tokenizer: Tokenizer
    cache: Path  # for what took long
    bpe_dropout: float = 0.0
    max_pairs: int = 2_000
    on_progress: OnProgress = no_progress
    counts: list[tuple[str, FilterCounts]] = field(default_factory=list)

    def datasets(self) -> Datasets:
        data = self.data
        columns = [data.languages_of(config) for config in data.corpora]
        training = [
            replace(self.open(corpus_of(config, both), both, data.filters), one_way=config.one_way)
            for config, both in zip(data.corpora, columns, strict=True)
        ]
        if files := data.validation_files():
            alone = FilterConfig(max_length=data.filters.max_length)
            validation = [
                self.open(validation_corpus(data, file, both), both, alone)
                for file, both in zip(files, data.language_pairs(), strict=True)
            ]
            indices: list[Indices | None] = [None] * len(training)
            sets = self.sets_from_files(validation)
            warn_of_leaks(sets, training)
        else:
            sources = {source or target for _, (source, target) in data.learned()}  # a text is its own source
            splits = hold_out([one.encoded for one in training], columns, sources, data.held_out)
            indices = [split.indices for split in splits]
            sets = self.sets_held_out(training, [split.held for split in splits])
            what = "lines" if data.is_text else "pairs"
            held = ", ".join(f"{len(one.corpus):,} {what} of {one.direction}" for one in sets)
            logger.info("no validation file: %s held out", held)
            validation = []
        corpora = self.weighted_corpora(training, indices)
        return Datasets(corpora, sets, identity_of(data, training, validation), self.counts)

    def open(self, corpus: Corpus, languages: Languages, filters: FilterConfig) -> OpenedCorpus:
        """Encodes a corpus, and logs what became of its pairs."""
        name, problems, first = str(corpus), Counter[str](), list[Problem]()

        def report(problem: Problem) -> None:
            problems[problem.kind] += 1
            if len(first) < MOST_PROBLEMS:
                first.append(problem)

        advance = partial(self.on_progress, name)
        encoded = encode_corpus(corpus, self.tokenizer, languages, filters, self.cache, report=report, progress=advance)
        if problems:
            each = ", ".join(f"{count:,} {kind.replace('_', ' ')}" for kind, count in problems.most_common())
            examples = "; ".join(f"line {one.line}: {one.detail}" for one in first)
            logger.warning("%s has broken lines: %s (%s)", name, each, examples)
        what = "lines" if self.data.is_text else "pairs"
        counts_text = encoded.counts.summary(what)
        logger.info("%s: %s", name, counts_text)
        self.counts.append((name, encoded.counts))
        if len(encoded) == 0:
            raise DataError(f"{name} has no {what} to use: {counts_text}")
        return OpenedCorpus(corpus, languages, encoded)

    def weighted_corpora(
        self, training: Sequence[OpenedCorpus], indices: Sequence[Indices | None]
    ) -> list[WeightedCorpus]:
        """One for each direction of each corpus."""
        corpora: list[WeightedCorpus] = []
        for _, direction in self.data.learned():
            for config, one, drawn in zip(self.data.corpora, training, indices, strict=True):
                if not one.serves(direction):
                    continue
                if drawn is not None and len(drawn) == 0:
                    few = "too few different sentences to hold some out"
                    raise DataError(f"{one.corpus} has {few}: name a validation file")
                source, target = (one.side(language) for language in direction)
                tag = self.tag(direction)
                if self.bpe_dropout:
                    corpus: WeightedCorpus = DropoutCorpus(
                        source, target, tag, config.weight, drawn, tokenizer=self.tokenizer, rate=self.bpe_dropout
                    )
                else:
                    corpus = WeightedCorpus(source, target, tag, config.weight, drawn)
                corpora.append(corpus)
        return corpora

    def tag(self, direction: Languages) -> int | None:
        """Plain text has none: there is no source for it to stand in."""
        source, target = direction
        if source == NO_LANGUAGE:
            return None
        return next(iter(self.tokenizer.tag_ids(target)), NO_TAG)

    def sets_from_files(self, files: Sequence[OpenedCorpus]) -> list[ValidationSet]:
        sets = []
        for name, direction in self.data.learned():
            one = next(file for file in files if file.serves(direction))
            corpus = WeightedCorpus(one.side(direction[0]), one.side(direction[1]), self.tag(direction))
            pairs = self.texts_of(one)
            if direction != one.languages:
                pairs = [Pair(pair.line, pair.target, pair.source) for pair in pairs]
            sets.append(ValidationSet(name, *direction, corpus, pairs))
        return sets

    def texts_of(self, one: OpenedCorpus) -> list[Pair]:
        """The first pairs that were encoded, as they stand in the file: a score is taken on what people wrote."""
        judge = Filter(FilterConfig(max_length=self.data.filters.max_length), one.languages)
        kept: list[Pair] = []
        for pairs in chunks(one.corpus.pairs(ignore)):
            if len(kept) >= self.max_pairs:
                break
            lengths = [
                (len(source), len(target)) for source, target in encode_pairs(pairs, self.tokenizer, one.languages)
            ]
            kept += [pair for pair, wanted in zip(pairs, judge.keep(pairs, lengths), strict=True) if wanted]
        return kept[: self.max_pairs]

    def sets_held_out(self, training: Sequence[OpenedCorpus], held: Sequence[Indices]) -> list[ValidationSet]:
        sets = []
        for name, direction in self.data.learned():
            used = [(one, indices) for one, indices in zip(training, held, strict=True) if one.serves(direction)]
            source, target = (
                join_sides([one.side(language) for one, _ in used], [indices for _, indices in used])
                for language in direction
            )
            if len(source) == 0:
                raise DataError(f"there are too few pairs of {name} to hold some out: name a validation file")
            pairs = [
                Pair(index + 1, self.tokenizer.decode(source[index]), self.tokenizer.decode(target[index]))
                for index in range(min(len(source), self.max_pairs))
            ]
            corpus = WeightedCorpus(source, target, self.tag(direction))
            sets.append(ValidationSet(name, *direction, corpus, pairs))
        return sets


def corpus_of(config: CorpusConfig, languages: Languages) -> Corpus:
    if config.text is not None:
        return TextFile(Path(config.text), config.column)
    if config.file is not None:
        return CorpusFile(Path(config.file), languages)
    if config.source is not None and config.target is not None:
        return AlignedFiles(Path(config.source), Path(config.target))
    return config.synthetic()


def validation_corpus(data: DataConfig, file: str, languages: Languages) -> Corpus:
    """Read as the first corpus of these languages is."""
    first = next(config for config in data.corpora if set(data.languages_of(config)) == set(languages))
    return CorpusFile(Path(file), languages) if first.text is None else TextFile(Path(file), first.column)


def join_sides(sides: Sequence[EncodedSide], indices: Sequence[Indices]) -> EncodedSide:
    """These sentences of these sides, as a side of their own."""
    which = np.repeat(np.arange(len(sides)), [len(some) for some in indices])
    sentences = gather(sides, which, np.concatenate(indices))
    return EncodedSide(sentences.ids, np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(sentences.lengths))))


def warn_of_leaks(sets: Sequence[ValidationSet], training: Sequence[OpenedCorpus]) -> None:
    """A sentence that was learned says little about those that were not."""
    for one in sets:
        language = one.source or one.target  # a text is its own source
        seen = np.concatenate([hashes(other.side(language)) for other in training if language in other.languages])
        leaked = int(np.isin(hashes(one.corpus.source if one.source else one.corpus.target), seen).sum())
        if leaked:
            what = f"{leaked:,} of {len(one.corpus):,} validation sentences of {one.direction}"
            logger.warning("%s are also trained on", what)


def identity_of(
    data: DataConfig, training: Sequence[OpenedCorpus], validation: Sequence[OpenedCorpus]
) -> dict[str, str]:
    """Of content, never of names: a corpus may move, but not change."""
    known: dict[str, object] = {"data.languages": data.languages, "data.directions": data.directions}
    known["data.filters"] = asdict(data.filters)
    for index, (config, one) in enumerate(zip(data.corpora, training, strict=True)):
        known[f"data.corpora.{index}"] = hash_json([one.corpus.identity(), one.languages])
        known[f"data.corpora.{index}.weight"] = config.weight
        known |= {f"data.corpora.{index}.one_way": True} if config.one_way else {}
    for index, one in enumerate(validation):
        known[f"data.validation.{index}"] = hash_json([one.corpus.identity(), one.languages])
    if not validation:
        known["data.held_out"] = data.held_out
    return {name: value if isinstance(value, str) else json.dumps(value) for name, value in known.items()}


def hash_json(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
