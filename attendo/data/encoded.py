"""A corpus as ids, encoded once: flat arrays on disk, read by memory map.

The folder's name is a hash of all that decides what is in it (the text, the tokenizer, the filters), so a change of
any makes another folder, and an old one can be deleted without a thought. It is written under another name and
renamed when it is whole: a build that is killed leaves nothing that could be mistaken for a corpus, and two builds at
once do no harm.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from attendo.data.corpus import Corpus, Pair
from attendo.data.filters import Filter, FilterConfig, FilterCounts
from attendo.data.lines import Report, ignore
from attendo.errors import AttendoError, DataError
from attendo.files.durable import new_folder, sweep
from attendo.files.tables import read_json
from attendo.text.tokenizer import Tokenizer

FORMAT = 1
CHUNK = 10_000  # pairs held in memory at once while encoding

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class EncodedSide:
    """All sentences of one side, one after the other: sentence n is ids[starts[n] : starts[n + 1]]."""

    ids: NDArray[np.integer]
    starts: NDArray[np.int64]

    @property
    def lengths(self) -> NDArray[np.int64]:
        return np.diff(self.starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, index: int) -> list[int]:
        sentence: list[int] = self.ids[self.starts[index] : self.starts[index + 1]].tolist()
        return sentence


@dataclass(frozen=True)
class GatheredSentences:
    """Pieces of many sentences, one after the other."""

    ids: Indices
    lengths: Indices


def gather(sides: Sequence[EncodedSide], side_index: Indices, pair_index: Indices) -> GatheredSentences:
    """Sentence `pair_index[n]` of side `side_index[n]`, in this order."""
    if len(sides) == 1:
        starts = sides[0].starts[pair_index]
        lengths = sides[0].starts[pair_index + 1] - starts
        return GatheredSentences(sides[0].ids[ranges(starts, lengths)].astype(np.int64), lengths)
    starts, lengths = np.empty_like(pair_index), np.empty_like(pair_index)
    for index, side in enumerate(sides):
        mine = side_index == index
        starts[mine] = side.starts[pair_index[mine]]
        lengths[mine] = side.starts[pair_index[mine] + 1] - starts[mine]
    ids = np.empty(lengths.sum(), dtype=np.int64)
    offsets = np.cumsum(lengths) - lengths
    for index, side in enumerate(sides):
        mine = side_index == index
        ids[ranges(offsets[mine], lengths[mine])] = side.ids[ranges(starts[mine], lengths[mine])]
    return GatheredSentences(ids, lengths)


def ranges(starts: Indices, lengths: Indices) -> Indices:
    """[5, 9], [2, 3]  ->  [5, 6, 9, 10, 11]"""
    shift = starts - (np.cumsum(lengths) - lengths)
    return np.arange(lengths.sum()) + np.repeat(shift, lengths)


@dataclass(frozen=True)
class EncodedCorpus:
    """Pieces of both sides, without tags or </s>: those belong to a direction, and a batch adds them."""

    source: EncodedSide
    target: EncodedSide
    counts: FilterCounts

    def __len__(self) -> int:
        return len(self.source)


def encode_corpus(
    corpus: Corpus,
    tokenizer: Tokenizer,
    languages: tuple[str, str],
    filters: FilterConfig,
    cache: Path,
    *,
    report: Report = ignore,
    progress: Callable[[int], None] = lambda pairs: None,
) -> EncodedCorpus:
    """Open the encoded corpus, made first if it is not there; `progress` is called with the number of pairs read."""
    folder = cache / cache_key(corpus, tokenizer, languages, filters)
    if not folder.exists():
        try:
            cache.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DataError(f"cannot make the folder {cache}: {error.strerror or error}") from error
        sweep(cache)
        build(folder, corpus, tokenizer, Filter(filters, languages), report, progress)
    return open_encoded(folder)


def cache_key(corpus: Corpus, tokenizer: Tokenizer, languages: tuple[str, str], filters: FilterConfig) -> str:
    what = {
        "format": FORMAT,
        "corpus": corpus.identity(),
        "tokenizer": hashlib.sha256(repr((tokenizer.subwords, tokenizer.languages)).encode()).hexdigest(),
        "languages": languages,
        "filters": asdict(filters),
    }
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:32]


def build(
    folder: Path, corpus: Corpus, tokenizer: Tokenizer, judge: Filter, report: Report, progress: Callable[[int], None]
) -> None:
    small = np.uint16 if tokenizer.vocab_size <= 2**16 else np.uint32
    # Where another build was quicker, it made the same.
    with suppress(FileExistsError), new_folder(folder, shared=True) as unfinished:
        with (
            (unfinished / "source.ids").open("wb") as source,
            (unfinished / "target.ids").open("wb") as target,
            (unfinished / "lengths").open("wb") as lengths,
        ):
            for pairs in chunks(corpus.pairs(report)):
                encoded = encode_pairs(pairs, tokenizer, judge.languages)
                keep = judge.keep(pairs, [(len(ours), len(theirs)) for ours, theirs in encoded])
                kept = [pair for pair, wanted in zip(encoded, keep, strict=True) if wanted]
                write_ids(source, [ours for ours, _ in kept], small)
                write_ids(target, [theirs for _, theirs in kept], small)
                np.array([(len(ours), len(theirs)) for ours, theirs in kept], dtype=np.int32).tofile(lengths)
                progress(judge.counts.read)
        counts = judge.counts
        meta = {"format": FORMAT, "dtype": np.dtype(small).name, "read": counts.read, "kept": counts.kept}
        meta["dropped"] = dict(counts.dropped)
        (unfinished / "meta.json").write_text(json.dumps(meta), encoding="utf-8")


def chunks(pairs: Iterator[Pair]) -> Iterator[list[Pair]]:
    while chunk := list(islice(pairs, CHUNK)):
        yield chunk


def encode_pairs(
    pairs: list[Pair], tokenizer: Tokenizer, languages: tuple[str, str]
) -> list[tuple[list[int], list[int]]]:
    """`languages`: of the two columns of the file, which may stand the other way round than the model translates."""
    as_source, as_target = tokenizer.encode_all, tokenizer.encode_all_targets
    if tokenizer.is_sided and tokenizer.reads_into(languages[0]) and not tokenizer.reads_into(languages[1]):
        as_source, as_target = as_target, as_source
    sources = as_source(pair.source for pair in pairs)
    targets = as_target(pair.target for pair in pairs)
    return list(zip(sources, targets, strict=True))


def write_ids(file: BinaryIO, sentences: list[list[int]], dtype: type[np.uint16] | type[np.uint32]) -> None:
    np.fromiter((token for sentence in sentences for token in sentence), dtype=dtype).tofile(file)


def open_encoded(folder: Path) -> EncodedCorpus:
    """Sizes are checked against each other, so a file that was cut off is found before it is used."""
    try:
        meta = read_json(folder / "meta.json", largest=100_000)
        lengths = np.fromfile(folder / "lengths", dtype=np.int32)
        if (meta["format"], lengths.size, lengths.min(initial=0)) != (FORMAT, 2 * meta["kept"], 0):
            raise ValueError("the number of lengths is not that of the pairs")
        ours, theirs = lengths.reshape(-1, 2).T
        source = open_side(folder / "source.ids", meta["dtype"], ours)
        target = open_side(folder / "target.ids", meta["dtype"], theirs)
        counts = FilterCounts(meta["read"], meta["kept"], Counter(meta["dropped"]))
    except (AttendoError, OSError, KeyError, TypeError, ValueError) as error:
        damage = f"the encoded corpus in {folder} is damaged: delete the folder and it will be made again"
        raise DataError(damage) from error
    return EncodedCorpus(source, target, counts)


def open_side(path: Path, dtype: str, lengths: NDArray[np.int32]) -> EncodedSide:
    starts = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=starts[1:])
    if path.stat().st_size != starts[-1] * np.dtype(dtype).itemsize:
        raise ValueError("the number of ids is not the sum of the lengths")
    # An empty file cannot be mapped.
    ids = np.memmap(path, dtype=dtype, mode="r") if starts[-1] else np.empty(0, dtype=dtype)
    return EncodedSide(ids, starts)
