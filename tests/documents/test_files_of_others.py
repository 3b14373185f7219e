"""Files of strangers or of other programs where attendo reads and writes: nothing is lost by them."""

import gzip
import io
import json
import os
import sys
import time
from types import SimpleNamespace

import pytest

from attendo.cli.main import main
from attendo.documents.file_kinds import look
from attendo.documents.file_translation import FileTranslation
from attendo.documents.journal import LONGEST_LINE, read_record, record_path
from attendo.engines.ct2.conversion import FILES, check_sizes
from attendo.errors import DataError, InputError
from attendo.files.manifest import NAME as MANIFEST
from attendo.files.tables import parse_json
from attendo.model_folder.bundle import read_bundle
from attendo.model_folder.optional_keys import read_doubt
from attendo.translation import load as load_module
from attendo.translation.prepare import choose_target
from tests.translation.fake_engine import FakeEngine, Listener, fake_translator, write_fake_model

MANY = tuple((f"a{i}", f"b{j}") for i in range(150) for j in range(150))


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return write_fake_model(tmp_path_factory.mktemp("others") / "m")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "cache"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    (tmp_path / "work" / "in.txt").write_bytes(b"the sea\n")
    return tmp_path / "work"


def translate(model, folder, engine=None, **settings):
    work = FileTranslation(
        source=folder / "in.txt", target=folder / "o", **({"to": "en", "from_": "zh"} | settings)
    )  # fmt: skip
    with work.opened() as stream:
        return work.run(fake_translator(model, engine or FakeEngine()), stream, sys.stdout.buffer, Listener())


def test_a_long_line_in_place_of_a_journal_is_not_ours(model, folder):
    mine = b'{"attendo": "translation"' + b"x" * 2 * LONGEST_LINE
    (folder / "o.partial.jsonl").write_bytes(mine)
    with pytest.raises(InputError, match="is in the way"):
        translate(model, folder)
    assert (folder / "o.partial.jsonl").read_bytes() == mine


def test_a_link_in_place_of_a_journal_is_not_followed(model, folder):
    (folder / "mine").write_bytes(b"")
    (folder / "o.partial.jsonl").symlink_to(folder / "mine")
    with pytest.raises(InputError, match="is in the way"):
        translate(model, folder)
    assert (folder / "o.partial.jsonl").is_symlink()
    assert (folder / "mine").read_bytes() == b""


def test_strict_is_part_of_the_command(model, folder):
    translate(model, folder)
    with pytest.raises(InputError, match="--strict"):
        translate(model, folder, strict=True, resume=True)
    translate(model, folder, resume=True)


def test_a_pipe_in_place_of_a_record_keeps_nobody_waiting(folder):
    os.mkfifo(record_path(folder / "o"))
    assert read_record(folder / "o") is None


def test_a_converted_model_is_not_hashed_if_it_is_far_too_large(model, tmp_path):
    entries = {name: {"bytes": 0, "sha256": "0" * 64} for name in FILES}
    for name in FILES:
        (tmp_path / name).touch()
    os.truncate(tmp_path / "model.bin", 2**40)
    entries["model.bin"]["bytes"] = 2**40
    (tmp_path / MANIFEST).write_text(json.dumps({"format": 1, "files": entries}), encoding="utf-8")
    with pytest.raises(InputError, match="is too large"):
        check_sizes(read_bundle(model), tmp_path)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-16-le"])
def test_json_is_utf_8(encoding):
    with pytest.raises(ValueError, match=r"utf-8|JSON|Expecting"):
        parse_json('{"a": 1}'.encode(encoding))


def test_many_directions_are_read_fast_and_not_all_told(tmp_path):
    languages = [name for number in range(150) for name in (f"a{number}", f"b{number}")]
    table = {"extra_tokens": 3, "below": {f"{source}-{target}": -1.0 for source, target in MANY}}
    started = time.process_time()
    assert len(read_doubt(tmp_path, table, languages, MANY).below) == len(MANY)
    assert time.process_time() - started < 3
    with pytest.raises(InputError, match=r"a0-b0, .* and 22,476 more") as caught:
        choose_target("xx", MANY)
    assert len(str(caught.value)) < 400


def test_an_empty_gz_is_no_gz(model, folder):
    (folder / "in.txt").rename(folder / "in.gz")
    (folder / "in.gz").write_bytes(b"")
    work = FileTranslation(source=folder / "in.gz", target=folder / "o", to="en")
    with pytest.raises(DataError, match=r"in\.gz is damaged"), work.opened():
        pass
    (folder / "in.gz").write_bytes(gzip.compress(b""))
    with work.opened() as stream:
        assert stream.read() == b""


@pytest.mark.parametrize(
    "text", [b"%PDF-1.4 is how a PDF begins.\n", b"GIF89a is the newer one.\n", b"1,000,000\n" * 6, b"-2,000,000\n" * 6]
)
def test_text_that_begins_like_another_format_is_text(text):
    assert look(text, "in.txt") is None


def test_a_file_whose_name_is_a_dash(model, folder, monkeypatch, capfdbinary):
    monkeypatch.setattr(load_module, "load", lambda *_, **__: fake_translator(model))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"stdin\n")))
    (folder / "-").write_bytes(b"the file\n")
    for output in ("./-", "-"):
        with pytest.raises(SystemExit):
            main(["translate", "--to", "en", "--model", str(model), "-i", "in.txt", "-o", output])
    assert (folder / "-").read_bytes() == capfdbinary.readouterr().out == b"the sea\n"
    with pytest.raises(SystemExit):
        main(["translate", "--to", "en", "--model", str(model), "-i", "./-"])
    assert capfdbinary.readouterr().out == b"the sea\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["doctor", "in.txt", "--write", "w.tsv.zst"],
        ["evaluate", "in.txt", "--write-translations", "x.gz"],
        ["translate", "-i", "in.txt", "-o", "x.xz"],
    ],
)
def test_plain_text_gets_no_name_of_a_packed_file(folder, arguments, capfd):
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert f"{arguments[-2]} is {arguments[-1]}: attendo writes plain text" in capfd.readouterr().err
    assert [path.name for path in folder.iterdir()] == ["in.txt"]
