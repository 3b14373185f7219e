"""A corpus as ids, encoded once: flat arrays on disk, read by memory map.

The folder's name is a hash of all that decides what is in it (the text, the tokenizer, the filters), so a change of
any makes another folder, and an old one can be deleted without a thought. It is written under another name and
renamed when it is whole: a build that is killed leaves nothing that could be mistaken for a corpus, and two builds at
once do no harm.
"""

import hashlib
import json
import os
import platform
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from attendo.data.corpus import Corpus, CorpusFile, Pair
from attendo.data.filters import Filter, FilterConfig, Ledger
from attendo.data.lines import Report, ignore
from attendo.errors import AttendoError, DataError
from attendo.json_file import read_json
from attendo.text.tokenizer import Tokenizer

FORMAT = 1
CHUNK = 10_000  # pairs held in memory at once while encoding
UNFINISHED = ".unfinished-"


@dataclass(frozen=True)
class Side:
    """All sentences of one side, one behind the other: sentence n is ids[starts[n] : starts[n + 1]]."""

    ids: NDArray[np.integer]
    starts: NDArray[np.int64]

    @property
    def lengths(self) -> NDArray[np.int64]:
        return np.diff(self.starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, number: int) -> list[int]:
        sentence: list[int] = self.ids[self.starts[number] : self.starts[number + 1]].tolist()
        return sentence


@dataclass(frozen=True)
class EncodedCorpus:
    """Pieces of both sides, without tags or </s>: those belong to a direction, and a batch adds them."""

    source: Side
    target: Side
    ledger: Ledger

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
    """Open the encoded corpus, making it first if it is not there. `progress` hears how many pairs were read."""
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
    paths = [corpus.path] if isinstance(corpus, CorpusFile) else [corpus.source, corpus.target]
    what = {
        "format": FORMAT,
        "text": [(path.suffixes, hash_file(path)) for path in paths],
        "read_as": corpus.languages if isinstance(corpus, CorpusFile) else "aligned",
        "tokenizer": hashlib.sha256(repr((tokenizer.cutter, tokenizer.languages)).encode()).hexdigest(),
        "languages": languages,
        "filters": asdict(filters),
    }
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:32]


def hash_file(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from error


def build(
    folder: Path,
    corpus: Corpus,
    tokenizer: Tokenizer,
    judge: Filter,
    report: Report,
    progress: Callable[[int], None],
) -> None:
    small = np.uint16 if tokenizer.vocab_size <= 2**16 else np.uint32
    unfinished = Path(tempfile.mkdtemp(prefix=f"{mark()}{os.getpid()}-", dir=folder.parent))
    try:
        with (
            (unfinished / "source.ids").open("wb") as source,
            (unfinished / "target.ids").open("wb") as target,
            (unfinished / "lengths").open("wb") as lengths,
        ):
            for pairs in chunks(corpus.pairs(report)):
                encoded = encode_pairs(pairs, tokenizer)
                keep = judge.keep(pairs, [(len(ours), len(theirs)) for ours, theirs in encoded])
                kept = [pair for pair, wanted in zip(encoded, keep, strict=True) if wanted]
                write_ids(source, [ours for ours, _ in kept], small)
                write_ids(target, [theirs for _, theirs in kept], small)
                np.array([(len(ours), len(theirs)) for ours, theirs in kept], dtype=np.int32).tofile(lengths)
                progress(judge.ledger.read)
            for file in (source, target, lengths):
                file.flush()
                os.fsync(file.fileno())
        ledger = judge.ledger
        meta = {"format": FORMAT, "dtype": np.dtype(small).name, "read": ledger.read, "kept": ledger.kept}
        meta["dropped"] = dict(ledger.dropped)
        with (unfinished / "meta.json").open("w", encoding="utf-8") as text:
            json.dump(meta, text)
            text.flush()
            os.fsync(text.fileno())
        unfinished.chmod(0o755)  # a temporary folder is for its owner alone; a cache may be shared
        try:
            unfinished.rename(folder)
        except OSError:
            if not folder.exists():  # otherwise another build was quicker, and made the same
                raise
    except OSError as error:
        raise DataError(f"cannot write the encoded corpus to {folder.parent}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def chunks(pairs: Iterator[Pair]) -> Iterator[list[Pair]]:
    while chunk := list(islice(pairs, CHUNK)):
        yield chunk


def encode_pairs(pairs: list[Pair], tokenizer: Tokenizer) -> list[tuple[list[int], list[int]]]:
    sources = tokenizer.encode_all(pair.source for pair in pairs)
    targets = tokenizer.encode_all(pair.target for pair in pairs)
    return list(zip(sources, targets, strict=True))


def write_ids(file: BinaryIO, sentences: list[list[int]], dtype: type[np.uint16] | type[np.uint32]) -> None:
    np.fromiter((number for sentence in sentences for number in sentence), dtype=dtype).tofile(file)


def open_encoded(folder: Path) -> EncodedCorpus:
    """Sizes are checked against each other, so a file that was cut off is found before it is used."""
    try:
        meta = read_json(folder / "meta.json", largest=100_000)
        lengths = np.fromfile(folder / "lengths", dtype=np.int32)
        if (meta["format"], lengths.size, lengths.min(initial=0)) != (FORMAT, 2 * meta["kept"], 0):
            raise damaged(folder)
        return read_sides(folder, meta, lengths)
    except (AttendoError, OSError, KeyError, TypeError, ValueError) as error:
        raise damaged(folder) from error


def read_sides(folder: Path, meta: dict[str, Any], lengths: NDArray[np.int32]) -> EncodedCorpus:
    ours, theirs = lengths.reshape(-1, 2).T
    source = open_side(folder / "source.ids", meta["dtype"], ours, folder)
    target = open_side(folder / "target.ids", meta["dtype"], theirs, folder)
    ledger = Ledger(meta["read"], meta["kept"])
    ledger.dropped.update(meta["dropped"])
    return EncodedCorpus(source, target, ledger)


def open_side(path: Path, dtype: str, lengths: NDArray[np.int32], folder: Path) -> Side:
    starts = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=starts[1:])
    if path.stat().st_size != starts[-1] * np.dtype(dtype).itemsize:
        raise damaged(folder)
    # An empty file cannot be mapped.
    ids = np.memmap(path, dtype=dtype, mode="r") if starts[-1] else np.empty(0, dtype=dtype)
    return Side(ids, starts)


def damaged(folder: Path) -> DataError:
    return DataError(f"the encoded corpus in {folder} is damaged: delete the folder and it will be made again")


def mark() -> str:
    """How unfinished folders made on this machine begin; a cache may be shared with others."""
    machine = hashlib.sha256(platform.node().encode()).hexdigest()[:8]
    return f"{UNFINISHED}{machine}-"


def sweep(cache: Path) -> None:
    """Remove what killed builds on this machine left behind; a folder names the process that was making it."""
    for leftover in cache.glob(f"{mark()}*"):
        process = leftover.name.removeprefix(mark()).split("-")[0]
        if process.isdigit() and not Path(f"/proc/{process}").exists() and Path("/proc").exists():
            shutil.rmtree(leftover, ignore_errors=True)
