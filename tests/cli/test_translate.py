"""attendo translate: what a user types, and what comes back on stdout, on stderr and as exit code."""

import io
import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from attendo.cli.main import main
from attendo.model_folder import bundle
from attendo.translation import load as load_module
from tests.translation.fake_engine import FakeEngine, backwards, fake_translator, write_fake_model
from tests.translation.small_translator import save_random

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def fake(tmp_path_factory):
    return write_fake_model(tmp_path_factory.mktemp("translate") / "m")


@pytest.fixture
def attendo(fake, monkeypatch, capfdbinary, tmp_path):
    """Runs a command in this process, over the fake engine; returns exit code, stdout and stderr."""
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(bundle, "SHIPPED", fake.parent)  # the model is known by its name there

    def run(*arguments, stdin=b"", engine=None):
        translator = fake_translator(fake, engine or FakeEngine(tokens_per_batch=20))
        monkeypatch.setattr(load_module, "load", lambda *_, **__: translator)
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as end:
            main(["translate", *map(str, arguments)])
        sys.stdout.flush()
        out, err = capfdbinary.readouterr()
        return end.value.code or 0, out, err

    return run


def real(*arguments, stdin=b"", **settings):
    command = [sys.executable, "-m", "attendo", "translate", *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=120, **settings)


MODEL = ("--model", "m", "--to", "en")


# --- in and out


def test_texts(attendo):
    assert attendo("我爱你。", "你好吗？", *MODEL) == (0, "我爱你。\n你好吗？\n".encode(), b"")
    assert attendo("我\n\n爱", "", *MODEL)[1] == "我 爱\n\n".encode()


def test_stdin(attendo):
    lines = "我爱你。\n\n你好\r\nlast".encode()
    assert attendo(*MODEL, stdin=lines) == (0, lines, b"")
    assert attendo("-", *MODEL, stdin=lines)[1] == lines
    assert attendo("-i", "-", "-o", "-", *MODEL, stdin=lines)[1] == lines
    assert attendo(*MODEL, stdin=b"") == (0, b"", b"")


def test_files(attendo, tmp_path):
    (tmp_path / "in.txt").write_bytes("我爱你。\n你好".encode())
    assert attendo("-i", "in.txt", "-o", "out.txt", *MODEL) == (0, b"", b"")
    assert (tmp_path / "out.txt").read_bytes() == "我爱你。\n你好".encode()
    code, out, err = attendo("-i", "in.txt", "-o", "out.txt", "--resume", *MODEL)
    assert (code, out) == (0, b"")
    assert err == b"attendo: out.txt is there already, made by the same command: nothing to do\n"
    code, out, err = attendo("-i", "in.txt", "-o", "out.txt", "--resume", "--full-vocabulary", *MODEL)
    assert (code, out, b"was made with or without --full-vocabulary" in err) == (1, b"", True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache", "in.txt", "out.txt"]
    (tmp_path / "empty").write_bytes(b"")
    assert attendo("-i", "empty", "-o", "out.txt", *MODEL)[0] == 0
    assert (tmp_path / "out.txt").read_bytes() == b""


def test_json_and_alternatives(attendo):
    code, out, _ = attendo("--json", "--n-best", "5", *MODEL, stdin="我爱机器学习。\n\n你好\n".encode())
    first, blank, last = map(json.loads, out.decode().split("\n")[:-1])
    assert code == 0
    assert first["text"] == "我爱机器学习。"
    assert len(first["alternatives"]) == 4
    assert (first["from"], first["to"], first["engine"]) == ("zh", "en", "fake")
    assert first["score"] == pytest.approx(-0.5)
    assert (blank["text"], blank["score"]) == ("", None)
    assert last["ledger"]["characters_in"] == 2


def test_report(attendo, tmp_path):
    code, out, err = attendo("--report", "r.json", *MODEL, stdin=b"12 apples\n\xff\n", engine=FakeEngine(backwards))
    report = json.loads((tmp_path / "r.json").read_bytes())
    assert list(report)[:8] == [
        "lines_in", "lines_out", "characters_in", "characters_accounted_for", "segments", "cut", "repeated", "flagged",
    ]  # fmt: skip
    assert (report["lines_in"], report["lines_out"], report["flagged"], report["repaired"]) == (2, 2, 1, 1)
    assert report["characters_in"] == report["characters_accounted_for"] == 10
    assert report["engine"] == "fake"
    assert report["seconds"] >= 0
    assert (code, out.count(b"\n")) == (3, 2)
    assert err.decode().split("\n")[:-1] == [
        "attendo: stdin, line 1: '12 apples': missing in the translation: the number '12'",
        "attendo: stdin, line 2: 1 broken characters replaced by U+FFFD",
        "attendo: done, with remarks: "
        "1 × segment with something missing in its translation, or put together from pieces; "
        "1 × broken character replaced by U+FFFD",
    ]
    assert attendo("x", "--report", "/dev/null", *MODEL)[0] == 0
    assert not Path("/dev/null").is_file()


def test_the_report_of_a_resumed_run_counts_all_lines(attendo, tmp_path):
    (tmp_path / "in.txt").write_text("".join(f"我爱机器学习{n}\n" for n in range(50)), encoding="utf-8")

    class Interrupted(FakeEngine):
        def search(self, requests, options, *, attention=False):
            if len(self.asked) > 20:
                raise KeyboardInterrupt
            return super().search(requests, options)

    command = ("-i", "in.txt", "-o", "out.txt", "--report", "r.json", *MODEL)
    code, _, err = attendo(*command, engine=Interrupted(tokens_per_batch=20))
    assert code == 130
    assert err.endswith(b"done: the same command with --resume continues after them\nattendo: interrupted\n")
    assert not (tmp_path / "r.json").exists()
    code, _, err = attendo(*command, "--resume")
    assert code == 0
    assert err.startswith(b"attendo: resuming out.txt.partial after line ")
    assert json.loads((tmp_path / "r.json").read_bytes())["lines_out"] == 50
    assert attendo(*command, "--resume")[0] == 0
    assert json.loads((tmp_path / "r.json").read_bytes())["lines_out"] == 50


def test_remarks_are_few(attendo):
    code, out, err = attendo(*MODEL, stdin=b"\xff\n" * 25)
    lines = err.decode().split("\n")[:-1]
    assert (code, out) == (3, "\ufffd\n".encode() * 25)
    assert lines[0] == "attendo: stdin, line 1: 1 broken characters replaced by U+FFFD"
    assert lines[9].startswith("attendo: stdin, line 10: ")
    assert lines[10:] == [
        "attendo: and 15 more remarks",
        "attendo: done, with remarks: 25 × broken character replaced by U+FFFD",
    ]


def test_a_report_does_not_replace_the_text(attendo, tmp_path):
    (tmp_path / "in.txt").write_bytes(b"one\n")
    for same in ("in.txt", "out.txt", tmp_path / "out.txt"):
        code, _, err = attendo("-i", "in.txt", "-o", "out.txt", "--report", same, *MODEL)
        assert code == 2
        assert b" would write " in err
    assert (tmp_path / "in.txt").read_bytes() == b"one\n"
    assert not (tmp_path / "out.txt").exists()


def test_a_text_that_is_a_file_s_name_is_remarked_on(attendo, tmp_path):
    (tmp_path / "in.txt").write_bytes(b"one\n")
    assert attendo("in.txt", *MODEL) == (
        0, b"in.txt\n", b"attendo: 'in.txt' is also the name of a file: -i translates its lines\n",
    )  # fmt: skip
    assert b"name of a file" not in attendo("a" * 5000, *MODEL)[2]


@pytest.mark.parametrize("name", ["out.gz", "out.txt.xz", "out.zst"])
def test_nothing_is_written_under_the_name_of_a_packed_file(attendo, tmp_path, name):
    (tmp_path / "in.txt").write_bytes(b"one\n")
    code, _, err = attendo("-i", "in.txt", "-o", name, *MODEL)
    assert code == 2
    assert b"attendo writes plain text" in err
    assert not (tmp_path / name).exists()


def test_too_many_threads(attendo):
    code, _, err = attendo("hi", "--threads", "99999999999", *MODEL)
    assert code == 2
    assert b"256" in err


def test_stdout_that_is_closed(tmp_path):
    """What is written there is an error; what is written elsewhere is none."""
    model = save_random(tmp_path / "model", ends=9.0)
    (tmp_path / "in.txt").write_bytes("你好\n".encode())
    options = ["--model", str(model), "--to", "en", "--engine", "torch", "--beam", "1", "-i", str(tmp_path / "in.txt")]
    command = [sys.executable, "-m", "attendo", "translate", *options]

    def closed(*more):
        shell = ["sh", "-c", '"$@" >&-', "sh", *command, *more]
        return subprocess.run(shell, stderr=subprocess.PIPE, check=False, timeout=120, cwd=ROOT)

    nowhere = closed()
    assert nowhere.returncode == 1
    assert nowhere.stderr.split(b"\n")[-2] == b"attendo: cannot write: Bad file descriptor"
    assert closed("-o", str(tmp_path / "out.txt")).returncode in (0, 3)
    assert (tmp_path / "out.txt").read_bytes().count(b"\n") == 1


def test_remarks_cannot_write_to_the_terminal(attendo, tmp_path):
    """A file's name or text may hold what a terminal would obey."""
    (tmp_path / "\x1b[31mred").write_bytes(b"\x1b[31m12\xff\n")
    _, _, err = attendo("-i", "\x1b[31mred", *MODEL, engine=FakeEngine(backwards))
    assert err.count(b"\n") == 4  # read broken, said broken, a number lost, all in all
    assert b"\x1b" not in err


def test_strict(attendo):
    code, _, err = attendo("--strict", *MODEL, stdin=b"good\nb\xffd\n")
    assert code == 1
    assert err == b"attendo: stdin, line 2: character 2 is not UTF-8; without --strict it becomes U+FFFD\n"


def test_a_glossary_is_handed_on(attendo, tmp_path):
    (tmp_path / "terms.tsv").write_text("你好\thello\n", encoding="utf-8")
    code, out, err = attendo("你好吗", "--glossary", "terms.tsv", *MODEL)  # the fake engine says what it reads
    assert (code, out, err) == (0, "hello 吗\n".encode(), b"")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("你好", "--to", "en"), 2, "no default model"),
        (("你好", "-i", "in.txt", *MODEL), 2, "TEXT and -i exclude each other"),
        (("你好", "--n-best", "2", *MODEL), 2, "--n-best 2 needs --json"),
        (("你好", "--n-best", "3", "--beam", "2", "--json", *MODEL), 2, "needs a --beam of at least 3, not 2"),
        (("你好", "--beam", "0", *MODEL), 2, "--beam"),
        (("你好", "--threads", "0", *MODEL), 2, "--threads"),
        (("--resume", "-i", "in.txt", *MODEL), 2, "--resume needs -i FILE and -o FILE"),
        (("--resume", "-o", "out.txt", *MODEL), 2, "--resume needs -i FILE and -o FILE"),
        (("--resume", "-i", "-", "-o", "out.txt", *MODEL), 2, "--resume needs -i FILE and -o FILE"),
        (("你好", "-o", ".", *MODEL), 2, "-o is .: expected the name of a file"),
        (("你好", "-o", "none/out.txt", *MODEL), 2, "in a folder that is there"),
        (("你好", "--report", "none/r.json", *MODEL), 2, "--report is none/r.json"),
        (("-i", "none.txt", *MODEL), 1, "cannot read none.txt: No such file"),
        (("-i", ".", *MODEL), 1, "cannot read .: expected a file"),
        (("你好", "--glossary", "none.tsv", *MODEL), 1, "cannot read the glossary none.tsv"),
        (("你好", "--model", "m"), 2, "this model translates into en, zh: say which"),
        (("你好", "--model", "m", "--to", "fr"), 1, "does not translate into 'fr'"),
        (("--model", "m", "--to", "fr"), 1, "does not translate into 'fr'"),
    ],
)
def test_mistakes_are_one_line(attendo, arguments, code, words):
    ended, out, err = attendo(*arguments)
    assert (ended, out, err.count(b"\n")) == (code, b"", 1), err
    assert words in err.decode()


def test_a_missing_model_is_one_line():
    for arguments, words in (
        (("--model", "none"), b"there is no model folder none"),
        (("--model", "none", "--engine", "ct2"), b"none"),
    ):
        done = real("x", "--to", "en", *arguments)
        assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (1, b"", 1)
        assert words in done.stderr


# --- real processes; without torch they start at once

FAKE = """
import sys
sys.path.insert(0, {root!r})
from pathlib import Path
from attendo.cli.main import main
from attendo.translation import load
from tests.translation.fake_engine import FakeEngine, fake_translator
translator = fake_translator(Path({model!r}), FakeEngine(tokens_per_batch=20, seconds={seconds}))
load.load = lambda *_, **__: translator
main(["translate", "--model", {model!r}, "--to", "en", *sys.argv[1:]])
"""


def fake_command(fake, *arguments, seconds=0.0):
    code = FAKE.format(root=str(ROOT), model=str(fake), seconds=seconds)
    return [sys.executable, "-c", code, *map(str, arguments)]


def test_head_ends_it_quietly(fake, tmp_path):
    (tmp_path / "in.txt").write_text("我爱机器学习。\n" * 20_000, encoding="utf-8")
    ours = subprocess.Popen(
        fake_command(fake, "-i", tmp_path / "in.txt"), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert ours.stdout.readline() == "我爱机器学习。\n".encode()
    ours.stdout.close()
    assert ours.stderr.read() == b""
    ours.stderr.close()
    assert ours.wait(timeout=60) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_one_line(fake):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(fake_command(fake, "我"), stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert done.stderr == b"attendo: cannot write: No space left on device\n"


def test_ctrl_c_is_130_and_can_be_gone_on_with(fake, tmp_path):
    (tmp_path / "in.txt").write_text("我爱机器学习。\n" * 300, encoding="utf-8")
    arguments = ("-i", tmp_path / "in.txt", "-o", tmp_path / "out.txt")
    ours = subprocess.Popen(fake_command(fake, *arguments, seconds=0.01), stderr=subprocess.PIPE)
    journal = tmp_path / "out.txt.partial.jsonl"
    while not journal.exists() or journal.read_bytes().count(b"\n") < 3:
        assert ours.poll() is None
        time.sleep(0.01)
    ours.send_signal(signal.SIGINT)
    _, err = ours.communicate(timeout=60)
    assert ours.returncode == 130
    assert err.endswith(b"--resume continues after them\nattendo: interrupted\n")
    assert err.count(b"\n") == 2
    environment = {**os.environ, "ATTENDO_CACHE": str(tmp_path / "cache")}
    done = subprocess.run(fake_command(fake, *arguments, "--resume"), env=environment, check=False)
    assert done.returncode == 0
    assert (tmp_path / "out.txt").read_bytes() == (tmp_path / "in.txt").read_bytes()


def test_on_a_terminal_there_is_progress_and_elsewhere_none(fake, tmp_path):
    (tmp_path / "in.txt").write_text("我爱机器学习。\n" * 200, encoding="utf-8")
    command = fake_command(fake, "-i", tmp_path / "in.txt", "-o", tmp_path / "out.txt", seconds=0.01)
    ours, theirs = pty.openpty()
    done = subprocess.Popen(command, stderr=theirs, env={**os.environ, "TERM": "xterm", "COLUMNS": "120"})
    os.close(theirs)
    seen = b""
    while True:
        try:
            block = os.read(ours, 65536)
        except OSError:  # Linux says so when the other end is closed
            break
        if not block:
            break
        seen += block
    os.close(ours)
    assert done.wait(timeout=60) == 0
    assert b" lines, " in seen
    assert b" characters/s, " in seen
    assert b" left" in seen
    quiet = subprocess.run(command, capture_output=True, check=False)
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, b"", b"")


# --- a real model


@pytest.mark.parametrize("engine", ["torch", "auto"])
def test_a_real_model_folder(tmp_path, engine, evidence):
    """Weights that know nothing: what must hold of lines holds all the same."""
    folder = save_random(tmp_path / "model")
    lines = ["我爱机器学习。", "", "你好吗？\r", "\u3000", "12 x", "</s> >>en<<", "a\u2028b", "bad\ufffd"]
    data = "\n".join(lines).encode().replace("\ufffd".encode(), b"\xff")
    arguments = ("--model", folder, "--to", "en", "--beam", "1", "--threads", "1", "--device", "cpu")
    settings = {"env": {**os.environ, "ATTENDO_CACHE": str(tmp_path / "cache")}, "cwd": ROOT}
    done = real(*arguments, "--report", tmp_path / "r.json", "--engine", engine, stdin=data, **settings)
    out = done.stdout.decode().split("\n")
    assert done.returncode == 3, done.stderr
    assert len(out) == len(lines)
    assert [out[1], out[3]] == ["", "\u3000"]
    assert out[2].endswith("\r")
    assert out[6].count("\u2028") == 1
    assert not any(name in done.stdout.decode() for name in ("<pad>", "<unk>"))
    report = json.loads((tmp_path / "r.json").read_bytes())
    assert report["lines_in"] == report["lines_out"] == len(lines)
    assert report["characters_in"] == report["characters_accounted_for"]
    assert report["repaired"] == 1
    assert report["engine"].startswith({"torch": "torch ", "auto": "CTranslate2 "}[engine])
    evidence(
        "X1", f"hostile lines lost or added by the command, a random model (engine {engine})", f"0 of {len(lines)}"
    )


def test_a_wrong_engine_is_one_line(tmp_path):
    done = real("x", "--model", save_random(tmp_path / "model"), "--to", "en", "--engine", "steam", cwd=ROOT)
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (1, b"", 1)
    assert b"engine is 'steam': expected auto, torch or ct2" in done.stderr
