"""Whatever the locale, and whatever stdout and stderr are: the result, one line, the exit code; never a traceback."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.command import command, raw_controls

GOLDEN = Path(__file__).parents[1] / "golden" / "model-format-1"
LOCALES = {  # of a real process: the encoding of its arguments and of file names depends on it, too
    "C": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "none": {"LANG": "", "LC_ALL": "", "PYTHONUTF8": "0", "PYTHONIOENCODING": "latin-1"},
}
every_locale = pytest.mark.parametrize("locale", LOCALES)
RAW = "\x1b[31m\x07\x9b\u202e\r\x7f"
full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
TO_ENGLISH = ("--to", "en", "--model", GOLDEN)


def attendo(*arguments, env=None, **more):
    """A real process, its output as bytes."""
    settings = {"capture_output": True, "timeout": 120, "check": False} | more
    return subprocess.run([sys.executable, "-m", "attendo", *arguments], env=os.environ | (env or {}), **settings)


@every_locale
def test_texts_and_files_have_their_names_in_every_locale(locale, tmp_path):
    (tmp_path / "我.txt").write_text("a\n", encoding="utf-8")
    done = attendo("translate", "-i", tmp_path / "我.txt", "--to", "我", "--model", GOLDEN, env=LOCALES[locale])
    assert done.returncode == 1
    assert "this model does not translate into '我'" in done.stderr.decode()
    done = attendo("translate", "我", *TO_ENGLISH, "--json", env=LOCALES[locale])
    answer = json.loads(done.stdout)
    assert (answer["text"], answer["ledger"]["repaired"]) == ("我", 0)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
@pytest.mark.parametrize(
    "arguments",
    [
        ["doctor", "tests/corpora/small.tsv"],
        ["models"],
        ["--help"],
        ["describe", "tiny"],
        ["lab", "list", "--lang", "zh"],
    ],
)
def test_results_are_utf_8_in_every_locale(arguments, encoding):
    done = command(*arguments, encoding=encoding)
    assert (done.code, done.err) == (0, "")
    assert done.out
    assert "\ufffd" not in done.out
    assert not any("\ud800" <= letter <= "\udfff" for letter in done.out)


def test_what_strangers_wrote_is_shown_and_not_obeyed(tmp_path):
    """In messages about a manifest, a configuration, a file's name, an option and a text; in reports and tables."""
    folder = tmp_path / f"model{RAW}"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({RAW: 1}), encoding="utf-8")
    (folder / "manifest.json").write_text(json.dumps({"files": {RAW: 1}}), encoding="utf-8")
    corpus = tmp_path / f"{RAW}.tsv"
    corpus.write_text(f"a{RAW}\tb\n", encoding="utf-8")
    for arguments in (
        ["describe", folder / "config.json"], ["translate", "a", "--model", folder, "--to", RAW], ["doctor", corpus],
        ["describe", "tiny", f"--{RAW}"], [RAW], ["lab", "run", RAW], ["tokenizer", "encode", corpus],
        ["evaluate", "--hypotheses", corpus, "--references", corpus], ["score", corpus, "--model", GOLDEN, "--to", RAW],
        ["tokenizer", "train", corpus, "--languages", RAW, "--out", "x"], ["doctor", corpus, "--languages", f"{RAW},b"],
    ):  # fmt: skip
        done = command(*map(str, arguments))
        assert done.out + done.err
        assert raw_controls(done.out + done.err) == [], arguments
    debug = attendo("describe", folder / "config.json", "--debug")
    assert debug.returncode == 1
    assert b"Traceback" in debug.stderr
    assert raw_controls(debug.stderr.decode()) == []


@full
@pytest.mark.parametrize("how", ["full", "closed", "nobody reads"])
def test_a_stderr_that_takes_nothing_changes_nothing(how, tmp_path):
    """Neither a success nor the exit code that tells of broken lines."""
    (tmp_path / "broken").write_bytes(b"\xff\n" * 20)
    reader, writer = os.pipe()
    os.close(reader)
    with Path("/dev/full").open("wb") as device, os.fdopen(writer, "wb") as pipe:
        words = [sys.executable, "-m", "attendo", "translate", "-i", tmp_path / "broken", "-o", tmp_path / "out"]
        words = ["sh", "-c", 'exec "$@" 2>&-', "sh", *words] if how == "closed" else words
        stderr = {"full": device, "closed": None, "nobody reads": pipe}[how]
        done = subprocess.run([*words, *TO_ENGLISH], stderr=stderr, timeout=120, check=False)
    assert done.returncode == 3
    assert (tmp_path / "out").read_bytes().count(b"\n") == 20


@full
def test_success_stays_success_without_stderr():
    with Path("/dev/full").open("wb") as device:
        done = attendo("translate", "", *TO_ENGLISH, capture_output=False, stdout=subprocess.PIPE, stderr=device)
    assert (done.returncode, done.stdout) == (0, b"\n")


@full
@pytest.mark.parametrize("arguments", [["models"], ["describe", "tiny", "--json"]])
def test_a_stdout_that_takes_nothing_is_one_line(arguments):
    with Path("/dev/full").open("wb") as device:
        done = attendo(*arguments, capture_output=False, stdout=device, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (1, b"attendo: cannot write: No space left on device\n")


def test_a_loop_of_links_is_one_line_wherever_it_is_named(tmp_path):
    loop, text = tmp_path / "loop", tmp_path / "text.txt"
    loop.symlink_to(loop)
    text.write_bytes(b"\n")
    translate = ["translate", *TO_ENGLISH]
    for arguments in (
        [*translate, "-i", loop], [*translate, "-i", text, "-o", loop], [*translate, "-i", text, "--glossary", loop],
        [*translate, "-i", text, "--report", loop], ["describe", loop / "config.json"],
        ["translate", "a", "--to", "en", "--model", loop], ["tokenizer", "decode", loop], ["score", loop],
        ["evaluate", "--hypotheses", loop, "--references", text], ["train", loop, "--run-dir", tmp_path / "run"],
        ["train", "recipes/reverse.toml", "--run-dir", loop], ["average", loop, "--out", tmp_path / "model"],
        ["export", "--to", "ct2", GOLDEN, loop], ["doctor", loop],
        ["inspect", "a", "--to", "en", "--model", GOLDEN, "--out", loop],
    ):  # fmt: skip
        done = command(*map(str, arguments))
        assert done.code in (1, 2), (arguments, done)
        assert (done.err.count("\n"), done.err[:9]) == (1, "attendo: "), (arguments, done)


@pytest.mark.parametrize("arguments", [["translate"], ["score", "-"], ["inspect", "-", "--out", "new"]])
def test_a_folder_as_stdin_is_one_line(arguments, tmp_path):
    folder = os.open(tmp_path, os.O_RDONLY)
    done = command(*arguments, *TO_ENGLISH, before=lambda: os.dup2(folder, 0), cwd=tmp_path)
    os.close(folder)
    assert (done.code, done.err.count("\n")) == (1, 1), done
    assert "Is a directory" in done.err


@pytest.mark.parametrize(
    "arguments",
    [["translate", *TO_ENGLISH], ["tokenizer", "encode", GOLDEN / "tokenizer.json"]],
    ids=["translate", "encode"],
)
def test_a_stdin_that_does_not_wait_is_read_to_its_end(arguments):
    """As node, ssh and event loops leave it: a read before the writer has written is no end."""
    given, writer = os.pipe()
    os.set_blocking(given, False)
    process = subprocess.Popen(
        [sys.executable, "-m", "attendo", *arguments], stdin=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    os.close(given)
    with os.fdopen(writer, "wb") as file:
        for line in (b"the sea\n", b"\n", b"the sea\n"):
            time.sleep(0.6)
            file.write(line)
            file.flush()
    out, err = process.communicate(timeout=60)
    assert process.returncode in (0, 3), err
    assert out.count(b"\n") == 3


@pytest.mark.parametrize("variable", ["ATTENDO_CACHE", "XDG_CACHE_HOME", "HOME"])
@pytest.mark.parametrize("kind", ["no UTF-8", "controls", "a file"])
def test_an_odd_place_for_the_cache_is_used_or_is_one_line(variable, kind, tmp_path):
    place = os.fsencode(tmp_path) + {"no UTF-8": b"/\xff\xfe", "controls": RAW.encode(), "a file": b"/file"}[kind]
    (tmp_path / "file").write_bytes(b"")

    def set_variable():
        for name in ("ATTENDO_CACHE", "XDG_CACHE_HOME"):
            os.environ.pop(name, None)
        os.environb[variable.encode()] = place

    done = command("translate", "the sea", *TO_ENGLISH, before=set_variable)
    assert done.code in (0, 3), done  # where nothing can be kept, the model is converted for now
    assert done.out.count("\n") == 1
    assert "Traceback" not in done.err
    assert raw_controls(done.err) == []


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the limit of memory is another")
@pytest.mark.parametrize("megabytes", [300, 450])
def test_too_few_addresses_for_the_fast_engine_are_one_line_and_no_crash(megabytes):
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({megabytes * 2**20},) * 2)\n"
    code = f"{limit}from attendo.cli.main import main; main(['translate', 'a', '--to', 'de'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=120, check=False)
    assert done.returncode == 1, done
    assert b"MB of address space are needed" in done.stderr
    assert done.stderr.count(b"\n") == 1


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the limit of memory is another")
def test_the_forms_of_a_shortlist_need_addresses_of_their_own():
    """Enough for the full vocabulary, and not for it and English, in which a translation would crash."""
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({680_000 * 2**10},) * 2)\n"
    for full, code, words in ((["--full-vocabulary"], 0, b""), ([], 1, b"MB of address space are needed")):
        arguments = ["translate", "a", "--to", "en", "--from", "zh", "--threads", "2", *full]
        run = f"{limit}from attendo.cli.main import main; main({arguments!r})"
        done = subprocess.run([sys.executable, "-c", run], capture_output=True, timeout=120, check=False)
        assert (done.returncode, words in done.stderr) == (code, True), done


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the limit of memory is another")
@pytest.mark.parametrize("arguments", [["translate", "a", "--to", "en"], ["describe", "tiny"], ["models"]])
def test_little_memory_is_one_line_or_the_library_s_own_message(arguments):
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({300 * 2**20},) * 2)\n"
    code = f"{limit}from attendo.cli.main import main; main({arguments!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=120, check=False)
    assert done.returncode in (0, 1, 3) or done.returncode < 0, done
    assert b"Traceback" not in done.stderr, done.stderr.decode()
