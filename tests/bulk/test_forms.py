"""JSON lines and parquet: something is added, and all else is as it was, in its order."""

import json
import os
import signal
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attendo.bulk import parquet
from attendo.bulk.lines import object_of, with_field
from attendo.bulk.parquet import borders
from attendo.bulk.plan import read_plan
from attendo.bulk.status import status_of
from attendo.errors import ConfigError, DataError
from tests.bulk.job import Job
from tests.forked import end_of, forked

NAMES = st.text(min_size=1, max_size=5)
VALUES = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)


@given(table=st.dictionaries(NAMES.filter(lambda name: name != "new"), VALUES, min_size=1, max_size=4),
       text=st.text(), ascii_only=st.booleans(), edges=st.sampled_from(["", " ", "\t", "\r"]))  # fmt: skip
@settings(max_examples=50)
def test_a_field_is_added_and_every_other_byte_stays(table, text, ascii_only, edges):
    line = (edges + json.dumps(table, ensure_ascii=ascii_only) + edges).encode("utf-8", "surrogatepass")
    if object_of(line) is None:  # half a character, or a space that JSON does not know
        return
    made = with_field(line, "new", text)
    head = line.rstrip()[:-1]
    assert made.startswith(head)
    assert made.endswith(line[len(head) :])
    assert b"\n" not in made
    assert json.loads(made) == json.loads(line) | {"new": text.encode("utf-8", "replace").decode()}


ROWS = [
    b'{"id": 1, "text": "\xe6\x88\x91\xe7\x88\xb1 the sea", "more": {"a": [1, 2.50, null]}}',
    b'{ "text":"how are\\nyou" , "id":1e3}  ',
    b'{"id": 3}',
    b"",
    b"not json",
    b'{"text": 7}',
    b'{"text": null, "x": NaN}',
    b'["text"]',
    b'{"text": "and three books", "id": "\\u00e9"}\r',
]


@pytest.mark.parametrize("ended", [True, False])
def test_json_lines(model, tmp_path, ended):
    source = tmp_path / "in.jsonl"
    source.write_bytes(b"\n".join(ROWS * 5) + b"\n" * ended)
    job = Job(model, source, tmp_path / "work")
    job.plan(lines_per_shard=7)
    job.run()
    out = job.join()
    assert out.endswith(b"\n") == ended
    made = out.removesuffix(b"\n").split(b"\n")
    assert len(made) == 45
    for before, after in zip(ROWS * 5, made, strict=True):
        table = object_of(before)
        if table is not None and isinstance(table.get("text"), str):
            text = job.translator().translate(table["text"], "en", "zh").text
            assert json.loads(after) == json.loads(before) | {"translation": text}
            assert after.startswith(before.rstrip()[:-1])
        else:
            assert after == before
    status = status_of(read_plan(job.folder))
    assert status.left == 30
    assert status.ledger.lines_in == status.ledger.lines_out == 15


def test_json_lines_that_cannot_be(model, tmp_path):
    source = tmp_path / "in.jsonl"
    source.write_bytes(b'\n{"text": "a", "translation": "b"}\n')
    job = Job(model, source, tmp_path / "work")
    with pytest.raises(ConfigError, match="has such a field already"):
        job.plan()
    with pytest.raises(ConfigError, match=r"--column is 'body': .*in\.jsonl has text, translation"):
        job.plan(column="body", into="x")
    source.write_bytes(b'{"text": "a"}\n{"text": "a", "translation": "b"}\n')
    job.plan(attempts=1)
    job.run()
    assert "line 2: has a field 'translation' already" in status_of(read_plan(job.folder)).failed[0]


def table_of(rows):
    texts = [None if n % 7 == 3 else "" if n % 7 == 5 else f"the sea {n}" for n in range(rows)]
    schema = pa.schema([
        pa.field("id", pa.int64()), pa.field("text", pa.string(), metadata={b"k": b"v"}),
        pa.field("list", pa.list_(pa.float32())), pa.field("kind", pa.dictionary(pa.int32(), pa.string())),
        pa.field("when", pa.timestamp("us", tz="UTC")), pa.field("raw", pa.binary()),
    ], metadata={b"whose": b"mine"})  # fmt: skip
    columns = [
        pa.array(range(rows), pa.int64()), pa.array(texts, pa.string()),
        pa.array([[n, 0.5] if n % 3 else None for n in range(rows)], pa.list_(pa.float32())),
        pa.array([f"k{n % 3}" for n in range(rows)]).dictionary_encode(),
        pa.array([n * 1_000 for n in range(rows)], pa.timestamp("us", tz="UTC")),
        pa.array([bytes([n % 256]) for n in range(rows)], pa.binary()),
    ]  # fmt: skip
    return pa.Table.from_arrays(
        [one.cast(field.type) for one, field in zip(columns, schema, strict=True)], schema=schema
    )


@pytest.mark.parametrize("group", [7, 60, 1_000])
def test_parquet(model, tmp_path, group):
    """Row groups smaller than a shard, larger, and one for all."""
    before = table_of(230)
    source = tmp_path / "in.parquet"
    pq.write_table(before, source, row_group_size=group, compression="zstd")
    before = pq.read_table(source)  # which calls the items of a list `element`
    job = Job(model, source, tmp_path / "work")
    plan = job.plan(lines_per_shard=50)
    assert [shard.first - 1 for shard in plan.shards] == [
        sum(s.lines for s in plan.shards[:n]) for n in range(len(plan.shards))
    ]
    assert max(shard.lines for shard in plan.shards) <= 50
    job.run()
    job.join()
    after = pq.read_table(job.folder / "joined" / "in.parquet")
    assert after.schema.remove(after.schema.get_field_index("translation")).equals(before.schema, check_metadata=True)
    assert after.drop_columns(["translation"]).equals(before)
    texts = before.column("text").to_pylist()
    expected = [text and job.translator().translate(text, "en", "zh").text for text in texts]
    assert after.column("translation").to_pylist() == expected
    assert status_of(plan).left == texts.count(None)
    assert pq.ParquetFile(job.folder / "joined" / "in.parquet").metadata.row_group(0).column(0).compression == "ZSTD"


@given(groups=st.lists(st.integers(0, 30), max_size=12), most=st.integers(1, 20))
def test_borders_of_rows(groups, most):
    class Metadata:
        def row_group(self, index):
            return type("Group", (), {"num_rows": groups[index]})

    file = type("File", (), {"num_row_groups": len(groups), "metadata": Metadata()})
    found = list(borders(file, most))
    assert sum(rows for _, rows in found) == sum(groups)
    assert [first for first, _ in found] == [sum(rows for _, rows in found[:n]) for n in range(len(found))]
    assert all(1 <= rows <= most for _, rows in found)


def test_parquet_that_cannot_be(model, tmp_path):
    source = tmp_path / "in.parquet"
    pq.write_table(table_of(10), source)
    job = Job(model, source, tmp_path / "work")
    for column, into, why in [
        ("none", "x", "--column is 'none': .* has id, text"), ("id", "x", "it holds int64, expected texts"),
        ("text", "kind", "has such a column already"),
    ]:  # fmt: skip
        with pytest.raises(ConfigError, match=why):
            job.plan(column=column, into=into)
    source.write_bytes(source.read_bytes()[:-5])
    with pytest.raises(DataError, match="is damaged or no parquet file"):
        job.plan()
    assert not (job.folder / "plan.json").exists()


def test_parquet_that_changed_is_noticed(model, tmp_path):
    source = tmp_path / "in.parquet"
    pq.write_table(table_of(100), source)
    job = Job(model, source, tmp_path / "work")
    job.plan(lines_per_shard=50, attempts=1)
    texts = table_of(100).column("text").to_pylist()
    pq.write_table(pa.table({"id": range(100), "text": [*texts[:70], "new", *texts[71:]]}), source)
    job.run()
    assert list(status_of(read_plan(job.folder)).failed) == [1]


def test_a_killed_writer_of_parquet_leaves_no_half_file(model, tmp_path, monkeypatch):
    source = tmp_path / "in.parquet"
    pq.write_table(table_of(100), source)
    job = Job(model, source, tmp_path / "work")
    plan = job.plan(lines_per_shard=25)
    real = parquet.RowsWriter.end_group

    def slow(self):
        real(self)
        time.sleep(5)

    def join_slowly():
        monkeypatch.setattr(parquet.RowsWriter, "end_group", slow)
        job.join()

    process = forked(lambda: (monkeypatch.setattr(parquet.RowsWriter, "end_group", slow), job.run()))
    while not any(name.endswith(".tmp") for name in job.names()):
        time.sleep(0.01)
    os.kill(process, signal.SIGKILL)
    end_of(process)
    assert not [name for name in job.names() if name.endswith(".parquet")]
    job.run()
    assert job.is_clean()
    process = forked(join_slowly)
    joined = job.folder / "joined"
    while not (joined.exists() and list(joined.iterdir())):
        time.sleep(0.01)
    os.kill(process, signal.SIGKILL)
    end_of(process)
    assert not (joined / "in.parquet").exists()
    job.join()
    assert pq.read_table(joined / "in.parquet").num_rows == plan.lines == 100
