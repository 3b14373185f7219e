"""What was written of a translation is believed only as it was written: flips, edits, a file changed after the fact."""

import json
import os
import random

import pytest

from attendo.documents.durable_output import BESIDE
from attendo.documents.file_translation import FileTranslation
from attendo.documents.journal import record_path, sealed_line
from attendo.errors import InputError
from tests.translation.fake_engine import FakeEngine, Listener, backwards, fake_translator, logged, write_fake_model

FLIPS = 200
TEXT = "".join(f"{'我爱机器学习' * (n % 5)}{n}。 see {n * 7}\n" for n in range(60)).encode()


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return write_fake_model(tmp_path_factory.mktemp("flipped") / "model")


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "cache"))
    (tmp_path / "in.txt").write_bytes(TEXT)
    return tmp_path / "in.txt", tmp_path / "out.txt"


def go(model, source, target, listener=None, **settings):
    work = FileTranslation(source=source, target=target, to="en", from_="zh", **settings)
    with work.opened() as stream, logged():
        return work.run(fake_translator(model, FakeEngine(backwards)), stream, None, listener or Listener())


def stopped(model, source, target):
    """What lies beside the output of a run that ended in its middle: the partial file and the journal."""

    class Watch(Listener):
        chunks = 0

        def done(self, chunk, answers):
            self.chunks += 1
            if self.chunks == 6:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        go(model, source, target, Watch())
    with target.with_name(f"{target.name}{BESIDE[0]}").open("ab") as partial:
        partial.write("一句半".encode())  # written when the power went, and not in the journal yet
    return [target.with_name(f"{target.name}{ending}") for ending in BESIDE]


def test_random_flips_in_what_a_stopped_run_left(model, files, evidence):
    source, target = files
    account = go(model, source, target)
    wanted = target.read_bytes()
    target.unlink()
    left = stopped(model, source, target)
    as_left = [path.read_bytes() for path in left]
    draw = random.Random(25)
    refused = equal = believed = 0
    for _ in range(FLIPS):
        changed = [bytearray(data) for data in as_left]
        which = draw.randrange(2)
        position = draw.randrange(len(changed[which]))
        changed[which][position] ^= 1 << draw.randrange(8) if draw.random() < 0.5 else draw.randrange(1, 256)
        for path, data in zip(left, changed, strict=True):
            path.write_bytes(data)
        try:
            again = go(model, source, target, resume=True)
        except InputError:
            assert [path.read_bytes() for path in left] == changed
            assert not target.exists()
            refused += 1
            continue
        same = (target.read_bytes(), again.ledger, again.lines) == (wanted, account.ledger, account.lines)
        equal, believed = equal + same, believed + (not same)
        target.unlink()
        record_path(target).unlink()
    assert (refused + equal, believed) == (FLIPS, 0)
    assert refused > 180
    evidence(
        "X1",
        "random flips in the partial file and the journal of a translation: refused / cut off, and the end identical / "
        "believed",
        f"{refused} / {equal} / {believed}",
    )


def edited(line, **changes):
    """A line of a journal as somebody would change it by hand."""
    table = json.loads(line)
    return json.dumps(table | changes).encode() + b"\n"


EDITS = {
    "head": lambda lines: [lines[0].replace(b'"to": "en"', b'"to": "zh"'), *lines[1:]],
    "a count": lambda lines: [*lines[:-1], edited(lines[-1], lines=json.loads(lines[-1])["lines"] - 1)],
    "the ledger": lambda lines: [*lines[:-1], lines[-1].replace(b'"cut": 0', b'"cut": 9')],
    "a line between": lambda lines: [*lines[:2], edited(lines[2], seconds=0), *lines[3:]],
    "a line left out": lambda lines: [*lines[:2], *lines[3:]],
    "a line twice": lambda lines: [*lines, lines[-1]],
    "two exchanged": lambda lines: [lines[0], lines[2], lines[1], *lines[3:]],
    "spaces": lambda lines: [*lines[:-1], lines[-1].replace(b'": ', b'":  ', 1)],
    "sealed, but not in its place": lambda lines: [
        *lines[:-1],
        sealed_line({key: value for key, value in json.loads(lines[-1]).items() if key != "seal"})[0],
    ],
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edited_journal_is_refused(model, files, edit):
    source, target = files
    partial, journal = stopped(model, source, target)
    journal.write_bytes(b"".join(EDITS[edit](journal.read_bytes().splitlines(keepends=True))))
    before = partial.read_bytes(), journal.read_bytes()
    with pytest.raises(InputError, match=r"out\.txt\.partial\.jsonl, line \d is not what was written there") as error:
        go(model, source, target, resume=True)
    assert "without --resume the translation begins anew" in str(error.value)
    assert (partial.read_bytes(), journal.read_bytes()) == before
    go(model, source, target)
    assert target.read_bytes().count(b"\n") == 60


def test_a_finished_file_changed_at_the_same_size_and_time(model, files):
    source, target = files
    go(model, source, target)
    status, data = target.stat(), bytearray(target.read_bytes())
    data[len(data) // 2] ^= 1
    target.write_bytes(data)
    os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))
    with pytest.raises(InputError, match=r"out\.txt was changed after this command made it"):
        go(model, source, target, resume=True)
    assert target.read_bytes() == data
    data[len(data) // 2] ^= 1
    target.write_bytes(data)
    go(model, source, target, resume=True)  # its bytes are what counts, not its date


def test_an_edited_record_of_a_finished_file_is_not_believed(model, files):
    source, target = files
    go(model, source, target)
    record = record_path(target)
    record.write_bytes(record.read_bytes().replace(b'"cut": 0', b'"cut": 1'))
    with pytest.raises(InputError, match="nothing tells that this command made it"):
        go(model, source, target, resume=True)
