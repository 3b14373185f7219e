"""Small files that are not small, and JSON that means two things (F4)."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from attendo.cli.tokenizer import texts
from attendo.data.lines import ignore, read_lines
from attendo.errors import AttendoError, InputError
from attendo.evaluation.test_set import read_texts
from attendo.files.tables import read_json, read_small_file
from attendo.recipe.read import read_toml
from attendo.text.tokenizer import Tokenizer
from attendo.translation.glossary import read_glossary

ZERO, RANDOM = Path("/dev/zero"), Path("/dev/urandom")

pytestmark = pytest.mark.skipif(not ZERO.exists(), reason="there is no /dev/zero here")


def test_as_large_as_it_may_be(tmp_path):
    (tmp_path / "x").write_bytes(b"12345")
    assert read_small_file(tmp_path / "x", 5) == b"12345"
    with pytest.raises(InputError, match="x is too large: expected at most 4 bytes"):
        read_small_file(tmp_path / "x", 4)


READERS = {
    "a glossary": read_glossary,
    "a test set or hypotheses": read_texts,
    "a recipe": read_toml,
    "a tokenizer": Tokenizer.load,
    "a corpus or check file": lambda path: list(read_lines(path, ignore)),
    "text for a tokenizer": lambda path: list(texts(path, ["zh", "en"])),
}


@pytest.mark.parametrize(
    ("what", "device"), [*((what, ZERO) for what in READERS), ("a glossary", RANDOM), ("a tokenizer", RANDOM)], ids=str
)
def test_a_device_without_end(what, device, evidence):
    """In a process of its own, which has 1 GB for what it reads: endless reading would end it, or not end."""
    code = f"import resource\nfrom pathlib import Path\nfrom {__name__} import READERS\n"
    code += "from attendo.errors import AttendoError\nimport sys\n"
    code += "size = int(Path('/proc/self/statm').read_text().split()[0]) * 4096 + 2**30\n"
    code += "resource.setrlimit(resource.RLIMIT_AS, (size, size))\n"
    code += f"try:\n    READERS[{what!r}](Path({str(device)!r}))\nexcept AttendoError as error:\n    print(error)\n"
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=False, cwd=Path(__file__).parents[2]
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 1
    assert str(device) in done.stdout
    evidence("F4", f"{device} as {what}", "one sentence")


def test_a_sparse_file_of_a_terabyte(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"")
    os.truncate(path, 2**40)
    for what, read in READERS.items():
        started = time.process_time()
        with pytest.raises(AttendoError, match=r"too large|has a line of more than"):
            read(path)
        assert time.process_time() - started < 20, what


@pytest.mark.parametrize(
    ("raw", "complaint"),
    [
        ('{"a": 1, "a": 2}', "the key 'a' stands in it twice"),
        ('{"x": [{"b": {}, "c": 1, "b": {}}]}', "the key 'b' stands in it twice"),
        ('{"\\u001b[2J": 1, "\\u001b[2J": 2}', r"the key '\\x1b\[2J' stands in it twice"),
        ('{"a": NaN}', "NaN is no number of JSON"),
        ("[-Infinity]", "-Infinity is no number of JSON"),
    ],
)
def test_json_that_means_two_things_or_nothing(tmp_path, raw, complaint):
    (tmp_path / "x.json").write_text(raw)
    with pytest.raises(InputError, match=f"x.json is not JSON: {complaint}") as caught:
        read_json(tmp_path / "x.json", 1000)
    assert str(caught.value).isprintable()


def test_many_keys_take_no_longer_than_they_should(tmp_path):
    (tmp_path / "x.json").write_text("{" + ",".join(f'"{n}":1' for n in range(100_000)) + ',"99999":1}')
    started = time.process_time()
    with pytest.raises(InputError, match="the key '99999' stands in it twice"):
        read_json(tmp_path / "x.json", 10_000_000)
    assert time.process_time() - started < 2


def test_nan_only_where_it_is_expected(tmp_path):
    (tmp_path / "x.json").write_text('{"a": NaN, "b": Infinity}')
    assert read_json(tmp_path / "x.json", 1000, nan=True)["b"] == float("inf")
