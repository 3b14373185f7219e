"""Shards cover their inputs, byte for byte; a plan is what it was made from, or it is refused."""

import gzip
import io
import lzma
import re

import pytest
from backports import zstd
from hypothesis import given
from hypothesis import strategies as st

from attendo.bulk.lines import cut_lines, read_shard
from attendo.bulk.plan import read_plan
from attendo.errors import ConfigError, DataError, InputError, UsageError
from tests.bulk.job import lines_of_text

PACK = {".gz": gzip.compress, ".xz": lzma.compress, ".zst": zstd.compress}


@given(data=st.binary(max_size=300).map(lambda raw: raw.replace(b"\x01", b"\n\n")), most=st.integers(1, 7))
def test_cuts_are_the_file_and_end_where_lines_end(data, most, tmp_path_factory):
    cuts = list(cut_lines(io.BytesIO(data), tmp_path_factory.getbasetemp(), most))
    assert b"".join(cut.data for cut in cuts) == data
    lines = [line for line in re.split(rb"(?<=\n)", data) if line]  # another way to see lines
    assert sum(cut.lines for cut in cuts) == len(lines)
    for cut in cuts:
        assert cut.start == data.index(cut.data, cut.start)
        assert lines[cut.first - 1 : cut.first - 1 + cut.lines] == re.findall(rb"[^\n]*\n|[^\n]+$", cut.data)
        assert 1 <= cut.lines <= most
    assert all(cut.data.endswith(b"\n") for cut in cuts[:-1])


def test_many_bytes_make_a_shard_of_fewer_lines(job, monkeypatch):
    monkeypatch.setattr("attendo.bulk.lines.MOST_BYTES", 200)
    plan = job.plan(lines_per_shard=100_000)
    assert len(plan.shards) > 10
    assert max(shard.bytes for shard in plan.shards if shard.lines > 1) <= 200
    job.run()
    assert job.join() == job.expected()


def test_a_plan_is_read_back_as_it_was_written(job):
    plan = job.plan(glossary=(("sea", "See"),), beam=3, keep=True)
    assert read_plan(job.folder) == plan
    assert plan.lines == 200
    assert plan.settings.options.search.beam_size == 3
    assert [term.target for term in plan.settings.options.glossary.terms] == ["See"]


def test_the_same_plan_again_changes_nothing_and_another_is_refused(job):
    job.plan()
    before = (job.folder / "plan.json").read_bytes()
    job.plan()
    for change in ({"lines_per_shard": 21}, {"beam": 2}, {"to": "zh", "from_": "en"}):
        with pytest.raises(InputError, match="is the plan of something else"):
            job.plan(**change)
    job.source.write_bytes(b"another\n")
    with pytest.raises(InputError, match="is the plan of something else"):
        job.plan()
    assert (job.folder / "plan.json").read_bytes() == before


@pytest.mark.parametrize("ending", PACK)
def test_packed_files_are_laid_down_in_pieces(job, ending):
    data = job.source.read_bytes()
    expected = job.expected()
    packed = job.source.with_name(f"in.txt{ending}")
    packed.write_bytes(PACK[ending](data))
    job.source.unlink()
    packed_job = type(job)(job.model, packed, job.folder)
    plan = packed_job.plan()
    packed.unlink()  # a runner needs the pieces alone
    assert b"".join(read_shard(plan, shard) for shard in plan.shards) == data
    packed_job.run()
    assert packed_job.join() == expected
    assert (job.folder / "joined" / "in.txt").is_file()


def test_a_damaged_packed_file_makes_no_plan(job):
    packed = job.source.with_name("in.txt.gz")
    packed.write_bytes(gzip.compress(job.source.read_bytes())[:-20])
    with pytest.raises(DataError, match="is damaged"):
        type(job)(job.model, packed, job.folder).plan()
    assert not (job.folder / "plan.json").exists()


def test_several_inputs_become_as_many_files(job, tmp_path):
    second = tmp_path / "second.txt"
    second.write_bytes(lines_of_text(33, seed=2).removesuffix(b"\n"))
    empty = tmp_path / "empty.txt"
    empty.write_bytes(b"")
    plan = job.plan(second, empty)
    assert len({(shard.source, shard.first) for shard in plan.shards}) == len(plan.shards) == 10 + 2
    job.run()
    job.join()
    for source in (job.source, second):
        assert (job.folder / "joined" / source.name).read_bytes() == job.expected(source.read_bytes())
    assert (job.folder / "joined" / "empty.txt").read_bytes() == b""


def test_what_makes_no_plan(job, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "in.txt").write_bytes(b"x\n")
    with pytest.raises(UsageError, match=r"would both become in\.txt"):
        job.plan(tmp_path / "other" / "in.txt")
    with pytest.raises(UsageError, match="is a folder"):
        job.plan(tmp_path / "other")
    with pytest.raises(DataError, match="cannot read"):
        job.plan(tmp_path / "none.txt")
    for wrong in ({"lines_per_shard": 0}, {"attempts": 0}, {"stale_after": 0.0}, {"into": "text"}):
        with pytest.raises(ConfigError):
            job.plan(**wrong)
    (job.folder / "mine.txt").write_bytes(b"x")
    with pytest.raises(InputError, match=r"holds 'mine\.txt' and no plan"):
        job.plan()


def test_a_damaged_plan_is_refused(job):
    job.plan()
    path = job.folder / "plan.json"
    whole = path.read_text(encoding="utf-8")
    for wrong in (
        whole[:-30],
        "[]",
        "{}",
        whole.replace('"format": 1', '"format": 2'),
        whole.replace("[0, 1,", "[5, 1,"),
    ):
        path.write_text(wrong, encoding="utf-8")
        with pytest.raises(InputError):
            job.run()
    path.unlink()
    with pytest.raises(InputError, match="attendo bulk plan makes one"):
        job.run()
