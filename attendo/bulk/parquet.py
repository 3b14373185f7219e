"""Shards of parquet files: a column in, a column added, all others as they are, row by row.

A shard is a range of rows. It is whole row groups where these are small, and part of one where it is large; a few
thousand rows are in memory at a time, whatever the size of the file. pyarrow reads and writes them: it is large, so it
is asked for here alone.
"""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from attendo.bulk.lines import Answers
from attendo.bulk.plan import Plan, Shard
from attendo.errors import ConfigError, DataError

TOGETHER = 1_000  # rows
BUFFER = 2**16  # bytes of a column read at once
LARGEST_GROUP = 64 * 2**20  # bytes of rows that wait to be written
NEEDS = "reading .parquet needs pyarrow: pip install 'attendo[bulk]'"


def pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ModuleNotFoundError as error:
        raise ConfigError(NEEDS) from error
    return pyarrow, parquet


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    """A file that is not read before its rows are wanted."""
    library, parquet = pyarrow()
    try:
        with parquet.ParquetFile(path, buffer_size=BUFFER, pre_buffer=False) as file:
            yield file
    except (OSError, library.ArrowException) as error:
        if isinstance(error, OSError) and error.strerror and error.errno:
            raise DataError(f"cannot read {path}: {error.strerror}") from error
        raise DataError(f"{path} is damaged or no parquet file: {' '.join(str(error).split())[:200]}") from error


def check_columns(file: Any, path: Path, column: str, into: str) -> None:
    library, _ = pyarrow()
    schema = file.schema_arrow
    if column not in schema.names:
        raise ConfigError(f"--column is {column!r}: {path} has {', '.join(schema.names[:10])}")
    if into in schema.names:
        raise ConfigError(f"--into is {into!r}: {path} has such a column already; name another")
    kind = schema.field(column).type
    if not (library.types.is_string(kind) or library.types.is_large_string(kind)):
        raise ConfigError(f"--column is {column!r}: in {path} it holds {kind}, expected texts")


def borders(file: Any, rows_per_shard: int) -> Iterator[tuple[int, int]]:
    """(first row, how many) of each shard; the first row of all is 0."""
    first = waiting = 0
    for index in range(file.num_row_groups):
        rows = file.metadata.row_group(index).num_rows
        if waiting and waiting + rows > rows_per_shard:
            yield first, waiting
            first, waiting = first + waiting, 0
        waiting += rows
        while waiting > rows_per_shard:
            yield first, rows_per_shard
            first, waiting = first + rows_per_shard, waiting - rows_per_shard
    if waiting:
        yield first, waiting


def rows_between(file: Any, first: int, count: int, columns: list[str] | None = None) -> Iterator[Any]:
    """Record batches of these rows, in order."""
    groups: list[int] = []
    before = skip = 0
    for index in range(file.num_row_groups):
        rows = file.metadata.row_group(index).num_rows
        if before < first + count and before + rows > first:
            if not groups:
                skip = first - before
            groups.append(index)
        before += rows
    for batch in file.iter_batches(batch_size=TOGETHER, row_groups=groups, columns=columns, use_threads=False):
        passed = min(skip, batch.num_rows)
        skip -= passed
        batch = batch.slice(passed, count)
        count -= batch.num_rows
        if batch.num_rows:
            yield batch
        if not count:
            return


def texts_hash(texts: list[str | None]) -> str:
    """By which a shard's texts are known; None is none of them, nor is the empty text."""
    found = hashlib.sha256()
    for text in texts:
        raw = b"" if text is None else text.encode("utf-8")
        found.update(b"-" if text is None else f"{len(raw)}:".encode())
        found.update(raw)
    return found.hexdigest()


def read_texts(file: Any, first: int, count: int, column: str) -> list[str | None]:
    return [text for batch in rows_between(file, first, count, [column]) for text in batch.column(0).to_pylist()]


class ParquetRows:
    """The rows of a shard, and a small parquet file of them with one column more."""

    ending = ".parquet"

    def __init__(self, plan: Plan, shard: Shard) -> None:
        self.plan, self.shard = plan, shard
        self.path = Path(plan.source_of(shard).path)
        with opened(self.path) as file:
            self.texts = read_texts(file, shard.first - 1, shard.lines, plan.settings.column)
        if texts_hash(self.texts) != shard.sha256:
            raise DataError(
                f"{self.path}, {shard.where}: not what they were when the plan was made; make a new plan elsewhere"
            )

    def write(self, path: Path, answers: Answers) -> None:
        library, _ = pyarrow()
        done = 0
        with opened(self.path) as file:
            schema = file.schema_arrow.append(library.field(self.plan.settings.into, library.string()))
            with RowsWriter(path, schema, compression_of(file)) as out:
                for batch in rows_between(file, self.shard.first - 1, self.shard.lines):
                    here = answers[done : done + batch.num_rows]
                    texts = library.array([one and sound(one.text) for one in here], library.string())
                    out.add(library.RecordBatch.from_arrays([*batch.columns, texts], schema=schema))
                    done += batch.num_rows

    def count(self, path: Path) -> int:
        with opened(path) as file:
            return int(file.metadata.num_rows)


def sound(text: str) -> str:
    """What UTF-8 can spell; the translator has mended what came in broken."""
    return text.encode("utf-8", errors="replace").decode("utf-8")


def compression_of(file: Any) -> str:
    """As the first column of the input has it."""
    if not file.num_row_groups or not file.metadata.num_columns:
        return "snappy"
    name = str(file.metadata.row_group(0).column(0).compression).lower()
    return "none" if name == "uncompressed" else name


class RowsWriter:
    """Rows into a file that is on the disk when the block ends; a row group is a shard, or less of wide rows."""

    def __init__(self, path: Path, schema: Any, compression: str) -> None:
        _, parquet = pyarrow()
        self.schema, self.waiting, self.size = schema, list[Any](), 0
        self.raw = path.open("wb")
        self.writer = parquet.ParquetWriter(self.raw, schema, compression=compression)

    def add(self, batch: Any) -> None:
        self.waiting.append(batch)
        self.size += batch.nbytes
        if self.size > LARGEST_GROUP:
            self.end_group()

    def end_group(self) -> None:
        library, _ = pyarrow()
        if self.waiting:
            self.writer.write_table(library.Table.from_batches(self.waiting, schema=self.schema))
        self.waiting, self.size = [], 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *rest: object) -> None:
        with self.raw:
            if kind is None:
                self.end_group()
                self.writer.close()
                self.raw.flush()
                os.fsync(self.raw.fileno())


def join_rows(parts: list[Path], path: Path) -> None:
    """One file of many, in their order, a part at a time."""
    with opened(parts[0]) as file:
        schema, compression = file.schema_arrow, compression_of(file)
    with RowsWriter(path, schema, compression) as out:
        for part in parts:
            with opened(part) as file:
                for batch in file.iter_batches(batch_size=TOGETHER, use_threads=False):
                    out.add(batch)
                out.end_group()
