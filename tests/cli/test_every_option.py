"""Every option of every command with odd values, in three locales: one line and an exit code, never a traceback.

The commands and options are asked of the application itself: a new one is tried as soon as it is there.
"""

import os
import random
import shutil
import socket
import stat
from contextlib import suppress
from pathlib import Path

import pytest
import typer
from matplotlib.figure import Figure

from attendo.cli.main import app
from attendo.lab import check as lab_check
from attendo.lab import index, run
from attendo.lab.check import CheckedClaim
from attendo.lab.tools import tuning
from attendo.server import run as server
from tests.cli.command import command, import_all, raw_controls

GOLDEN = Path(__file__).parents[1] / "golden" / "model-format-1"
RAW = "\x1b[31m\x07\u009b\u202e\r\x7f"
ENCODINGS = ("utf-8", "ascii", "latin-1")
WORDS = [
    "", " ", "-", "--", "en", "zh", "xx", "EN-us", "a\tb", "a\nb", RAW, "\udcff\udcfe", "\ud800", "我爱", "a" * 300,
    "%s{0}[/b]", "../here", "0", "1", "-1", "2", "99999999999999999999999", "1e400", "nan", "0x10", "1.5", "true",
    "auto", "torch", "ct2", "cpu", "cuda", "cuda:99", "int8", "L1", "L999", "bpe", "zh,en", ",", "training.seed=x", "=",
]  # fmt: skip
# Of a case most values are good ones, so that the odd one is met where it is used; a new option gets one by its type.
GOOD = {
    "name": ["tiny", "model/config.json"], "model": ["model"], "to": ["en", "zh"], "from_": ["en"], "start": ["en"],
    "form": ["ct2"], "engine": ["ct2", "auto"], "device": ["cpu"], "recipe": ["recipe.toml", "broken.json"],
    "languages": ["zh,en"], "kind": ["bpe"], "vocab_size": ["300"], "settings": ["training.seed=2"], "ids": ["L1"],
    "language": ["en"], "file": ["pairs.tsv", "model/tokenizer.json"], "run_dir": ["folder"], "out": ["new"],
    "target": ["new"], "report": ["new.html"], "folder": ["new"], "write": ["new"], "quantization": ["int8"],
    "texts": ["the sea"], "text": ["the sea"], "drawing": ["masks", "positions", "schedule", "qkv"], "preset": ["tiny"],
}  # fmt: skip
GOOD_BY_TYPE = {
    "integer": ["1", "2"],
    "float": ["0.6"],
    "path": ["pairs.tsv", "text.txt", "broken.tsv"],
    "text": ["en"],
}
DEVICES = {3: "null", 5: "zero", 7: "full"}
ALLOWED = {0, 1, 2, 3, 130}
MOST_LINES = 15  # of stderr: warnings of single lines are ten, and a sum


@pytest.fixture(scope="module", autouse=True)
def warm():
    import_all()


def make_place(folder):
    """Files and folders of every sort, by names that a value may have. Nothing outside is named: commands write."""
    folder.mkdir()
    (folder / "loop").symlink_to("loop")
    (folder / "dangling").symlink_to("nowhere")
    (folder / "folder").mkdir()
    (folder / "empty.txt").write_bytes(b"")
    (folder / "text.txt").write_bytes(b"the sea\n\nno one\n")
    (folder / "pairs.tsv").write_bytes(b"the sea\tno one\nand so on\tthe sound\n")
    (folder / "broken.tsv").write_bytes(b"\xff\xfe\n\x1b[31m\t\xe2\x80\xae\t\n\0")
    (folder / "broken.json").write_text('{"\\u001b[31m": {"\\u202e": 1}}', encoding="utf-8")
    (folder / "recipe.toml").write_text('[data]\nlanguages = ["\\u001b[2J", "\\u202e"]\n', encoding="utf-8")
    (folder / f"{RAW}.tsv").write_bytes(b"a\tb\n")
    (folder / os.fsdecode(b"\xff.tsv")).write_bytes(b"a\tb\n")
    (folder / "closed").mkdir(mode=0)
    shutil.copytree(GOLDEN, folder / "model")
    hostile = shutil.copytree(GOLDEN, folder / "hostile")
    (hostile / "manifest.json").write_text('{"\\u001b[31m": 1}', encoding="utf-8")
    with suppress(OSError):  # devices of our own, for root alone: a command that replaced them would harm nobody
        for minor, name in DEVICES.items():
            os.mknod(folder / name, stat.S_IFCHR | 0o666, os.makedev(1, minor))


def commands(group=None, before=()):
    """(words of a command, its parameters), for all of them."""
    group = group or typer.main.get_command(app)
    for name, one in group.commands.items():
        words = (*before, name)
        if hasattr(one, "commands"):
            yield from commands(one, words)
        else:
            yield words, one.params


def one_case(chance, words, params, names):
    """Some of the options; the required ones mostly."""
    arguments = list(words)
    for param in params:
        if chance.random() > (0.9 if param.required else 0.25):
            continue
        option = [max(param.opts, key=len)] if param.param_type_name == "option" else []
        if getattr(param, "is_flag", False):
            arguments += option
            continue
        for _ in range(chance.choice([1, 1, 2]) if param.nargs == -1 or getattr(param, "multiple", False) else 1):
            kind = param.type.name.split()[0].lower()
            good = GOOD.get(param.name) or GOOD_BY_TYPE.get(kind, ["en"])
            odd = names if chance.random() < (0.8 if kind == "path" else 0.2) else WORDS
            arguments += [*option, chance.choice(good if chance.random() < 0.7 else odd)]
    return arguments


def nothing_that_takes_minutes():
    """What is tried here is how options are read: not the claims of the lab, some of which train, nor the pictures, nor
    a server, which ends when it is told to."""
    run.run_all = lambda *_: []
    lab_check.check_claims = lambda experiments: [CheckedClaim(one.id, "same numbers") for one in experiments]
    index.write_index = tuning.write_rows = lambda *_: None  # `lab run --all --store` would keep that nothing came out
    Figure.savefig = lambda *_, **__: None
    server.serve_until_told = lambda *_, **__: None
    server.bind = lambda *_: socket.socket()  # the names of other machines would be looked up


def check(arguments, encoding, folder):
    done = command(*arguments, encoding=encoding, cwd=folder, before=nothing_that_takes_minutes, stdin=b"the sea\n")
    case = (encoding, arguments, done.code, done.err[-2_000:])
    assert done.code in ALLOWED, case
    assert "Traceback" not in done.err, case
    assert done.err.count("\n") <= MOST_LINES, case
    assert not raw_controls(done.err), case
    if "--json" not in arguments and arguments[0] not in ("translate", "tokenizer"):
        assert not raw_controls(done.out), case
    return done.code


def cases(seed, count, names):
    chance = random.Random(seed)
    every = list(commands())
    return [(one_case(chance, *every[n % len(every)], names), ENCODINGS[n % len(ENCODINGS)]) for n in range(count)]


@pytest.mark.parametrize("seed", range(2))
def test_odd_values_get_a_line_and_a_code(seed, tmp_path, evidence):
    run_cases(seed, 70, tmp_path, evidence)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 110))
def test_many_odd_values_get_a_line_and_a_code(seed, tmp_path, evidence):
    run_cases(seed, 500, tmp_path, evidence)


def test_what_the_lab_keeps_is_left_alone(tmp_path):
    kept = {path: path.read_bytes() for path in (index.PATH, tuning.PATH)}
    assert check(["lab", "run", "--all", "--store", "--json"], "utf-8", tmp_path) == 0
    assert check(["lab", "tune", "--all"], "utf-8", tmp_path) == 0
    assert kept == {path: path.read_bytes() for path in kept}


def run_cases(seed, count, tmp_path, evidence):
    found = {}
    folder = tmp_path / "here"
    make_place(folder)
    names = sorted({*(path.name for path in folder.iterdir()), *DEVICES.values(), "no/such", "new", "closed/in"})
    for arguments, encoding in cases(seed, count, names):
        shutil.rmtree(folder)
        make_place(folder)
        code = check(arguments, encoding, folder)
        found[code] = found.get(code, 0) + 1
    codes = ", ".join(f"{code}: {number}" for code, number in sorted(found.items()))
    evidence("X3", f"odd options, seed {seed}: commands / tracebacks / by exit code", f"{count} / 0 / {codes}")
