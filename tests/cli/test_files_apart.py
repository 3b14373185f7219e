"""No option destroys a file that another option names: every pair of every command, by every name a file may have."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from attendo.cli.main import main
from attendo.documents.durable_output import BESIDE
from attendo.errors import UsageError
from attendo.files.apart import check_apart
from tests.translation.fake_engine import write_fake_model

ROOT = Path(__file__).parents[2]
FILES = {
    "in.txt": "你好\n", "terms.tsv": "你好\thello\n", "test.tsv": "你好\thello\n", "hyp.txt": "hello\n",
    "ref.txt": "hello\n", "src.txt": "你好\n", "train.txt": "hello\n", "corpus.tsv": "你好\thello\n",
    "against.tsv": "再见\tbye\n", "check.txt": "你好\n",
}  # fmt: skip
RECIPE = '[data]\nlanguages = ["zh", "en"]\ndirections = ["zh-en"]\n[[data.corpora]]\nfile = "{}"\n'
# A command; the files it reads, by option (without dash: an argument); the files it may write, and what beside them.
COMMANDS = {
    "translate": (
        ["translate", "--to", "en"],
        {"-i": "in.txt", "--glossary": "terms.tsv", "--model": "m"},
        {"-o": BESIDE, "--report": ()},
    ),
    "translate TEXT": (["translate", "hi", "--to", "en"], {"--glossary": "terms.tsv"}, {"-o": BESIDE, "--report": ()}),
    "evaluate": (
        ["evaluate", "--to", "en"],
        {"TEST.tsv": "test.tsv", "--training-text": "train.txt", "--model": "m"},
        {"--report": (), "--write-translations": ()},
    ),
    "evaluate --hypotheses": (
        ["evaluate"],
        {"--hypotheses": "hyp.txt", "--references": "ref.txt", "--source": "src.txt", "--training-text": "train.txt"},
        {"--report": ()},
    ),
    "doctor": (["doctor"], {"FILE": "corpus.tsv", "--against": "against.tsv"}, {"--write": ()}),
    "doctor --source": (
        ["doctor"],
        {"--source": "src.txt", "--target": "ref.txt", "--against": "against.tsv"},
        {"--write": ()},
    ),
    "tokenizer train": (["tokenizer", "train", "--languages", "zh,en"], {"CORPUS": "corpus.tsv"}, {"--out": ()}),
    "export": (["export", "--to", "ct2"], {"MODEL": "m", "--check": "check.txt"}, {"DIR": ()}),
}  # fmt: skip
PROCESS = "/proc/self/cwd" if Path("/proc/self/cwd").exists() else "."
SPELLINGS = {
    "the same name": lambda path: path,
    "./": lambda path: f"./{path}",
    "../": lambda path: f"../{Path.cwd().name}/{path}",
    "the full path": lambda path: str(Path.cwd() / path),
    "a symbolic link": lambda path: linked(os.symlink, Path.cwd() / path, "soft"),
    "a link to a link": lambda path: linked(os.symlink, linked(os.symlink, path, "soft"), "softer"),
    "a hard link": lambda path: linked(os.link, path, "hard"),
    "the folder of the process": lambda path: f"{PROCESS}/{path}",
    "a folder that is a link": lambda path: f"{linked(os.symlink, Path.cwd(), 'here')}/{path}",
}


def linked(how, path, name):
    how(path, name)
    return name


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return write_fake_model(tmp_path_factory.mktemp("apart") / "m")


@pytest.fixture
def folder(model, tmp_path, monkeypatch):
    """A folder of files to be lost, and nowhere to write but in it."""
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "cache"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    renew(model)
    return tmp_path / "work"


def renew(model):
    for path in Path().iterdir():
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")
    shutil.copytree(model, "m")
    Path("recipe.toml").write_text(RECIPE.format(Path("corpus.tsv").absolute()), encoding="utf-8")


def contents():
    return {str(path): path.read_bytes() for path in sorted(Path().rglob("*")) if path.is_file()}


def refused(capfd, *arguments):
    """What is said on stderr; all files are as they were, and there is no other."""
    before = contents()
    with pytest.raises(SystemExit) as end:
        main(list(map(str, arguments)))
    out, err = capfd.readouterr()
    assert (end.value.code, out, err.count("\n")) == (2, "", 1), (arguments, err)
    assert contents() == before, arguments
    return err


def command_line(command, named):
    words, _, _ = COMMANDS[command]
    options = [(option, path) for option, path in named.items() if path is not None]
    return [*words, *(word for option, path in options for word in ([option, path] if option[0] == "-" else [path]))]


@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_written_is_nothing_that_is_read(model, folder, command, capfd, evidence):
    _, reads, writes = COMMANDS[command]
    pairs = 0
    for written in writes:
        for option, file in reads.items():
            if file == "m":
                continue  # a folder: below
            for spelling, spelled in SPELLINGS.items():
                renew(model)
                name = str(spelled(file))
                err = refused(capfd, *command_line(command, {**reads, written: name}))
                assert f"{written} would write " in err, err
                assert f"the file of {option}" in err, err
                pairs += 1
                if spelling != "the same name":  # and the other way round
                    refused(capfd, *command_line(command, {**reads, option: name, written: file}))
                    pairs += 1
    evidence("X1", f"{command}: an option that would overwrite the file of another, refused", f"{pairs} of {pairs}")


@pytest.mark.parametrize("command", ["translate", "translate TEXT"])
def test_what_is_made_on_the_way_is_nothing_that_is_read(model, folder, command, capfd):
    _, reads, _ = COMMANDS[command]
    for option, file in reads.items():
        for ending in BESIDE:
            for spelling, spelled in SPELLINGS.items():
                if file == "m" or spelling == "a hard link":
                    continue  # an output to come has none
                renew(model)
                Path("x").mkdir()
                shutil.copy(file, f"x/out{ending}")
                name = str(spelled("x/out"))
                err = refused(capfd, *command_line(command, {**reads, option: f"x/out{ending}", "-o": name}))
                assert "-o would write " in err, err
                os.link(f"x/out{ending}", "other")  # what is read has two names
                refused(capfd, *command_line(command, {**reads, option: "other", "-o": name}))


@pytest.mark.parametrize("there", [False, True])
@pytest.mark.parametrize("command", ["translate", "evaluate"])
def test_two_files_to_write_are_two(model, folder, command, there, capfd):
    _, reads, writes = COMMANDS[command]
    one, other = writes
    for spelling, spelled in SPELLINGS.items():
        for ending in ("", *writes[one]):
            renew(model)
            Path("x").mkdir()
            if there or "link" in spelling:
                Path(f"x/out{ending}").write_bytes(b"precious")
            try:
                name = str(spelled(f"x/out{ending}"))
            except FileNotFoundError:
                continue
            err = refused(capfd, *command_line(command, {**reads, one: "x/out", other: name}))
            assert one in err
            assert other in err


# --- folders that are read or written


@pytest.mark.parametrize("command", ["translate", "evaluate", "inspect", "export"])
def test_nothing_is_written_into_a_model_that_is_read(model, folder, command, capfd):
    Path("soft").symlink_to("m")
    os.link("m/config.json", "hard")
    names = ["m/config.json", "m/new", "./m/README.md", "soft/manifest.json", str(folder / "m" / ".hidden")]
    for name in (*names, "hard"):
        if command in COMMANDS:
            _, reads, writes = COMMANDS[command]
            for option in writes:
                refused(capfd, *command_line(command, {**reads, option: name}))
        elif name != "hard":
            err = refused(capfd, "inspect", "你好", "--to", "en", "--model", "m", "--out", Path(name).parent)
            assert "into m, the folder of --model" in err


def test_export_and_average_keep_what_they_read(model, folder, capfd):
    for name in ("m", "./m", "m/ct2", "."):
        refused(capfd, "export", "--to", "ct2", "m", name)
    for part in ("checkpoints/step-1", "model"):
        Path("run", part).mkdir(parents=True)
    for name in ("config.json", "tokenizer.json", "recipe.toml", "checkpoints/step-1/state.json"):
        Path("run", name).write_bytes(b"{}")
    for name in ("run", "./run/checkpoints", "run/checkpoints/step-1", "run/checkpoints/mean", "run/config.json"):
        err = refused(capfd, "average", "run", "--out", name)
        assert "--out would write " in err
        assert "RUN_DIR" in err


@pytest.mark.parametrize("picture", ["lengths.png", "ratios.png"])
def test_pictures_of_a_corpus_do_not_replace_it(folder, picture, capfd):
    Path("pictures").mkdir()
    shutil.copy("corpus.tsv", f"pictures/{picture}")
    err = refused(capfd, "doctor", f"pictures/{picture}", "--pictures", "./pictures")
    assert "--pictures would write " in err
    refused(capfd, "doctor", "corpus.tsv", "--write", f"pictures/{picture}", "--pictures", "pictures")


def test_a_run_does_not_replace_its_recipe_or_its_data(folder, capfd):
    Path("run/model").mkdir(parents=True)
    shutil.copy("recipe.toml", "run/recipe.toml")
    for name in ("run/recipe.toml", "./run/recipe.toml"):
        err = refused(capfd, "train", name, "--run-dir", "run")
        assert "--run-dir would write run/recipe.toml" in err
        assert "the file of RECIPE.toml" in err
    for data in ("log.jsonl", "environment.json", "model/corpus.tsv", "report.html"):
        shutil.copy("corpus.tsv", f"run/{data}")
        Path("mine.toml").write_text(RECIPE.format(f"run/{data}"), encoding="utf-8")
        err = refused(capfd, "train", "mine.toml", "--run-dir", "./run")
        assert "the file of the recipe" in err
        Path("run", data).unlink()


def test_a_run_may_be_resumed_by_its_own_recipe(folder):
    from attendo.cli.train import is_of_a_run
    from attendo.recipe.read import read_recipe
    from attendo.recipe.write import recipe_to_toml

    Path("run").mkdir()
    assert not is_of_a_run(Path("recipe.toml"), Path("run"))
    Path("run/recipe.toml").write_text(recipe_to_toml(read_recipe(Path("recipe.toml"))), encoding="utf-8")
    assert is_of_a_run(Path("run/recipe.toml"), Path("run"))
    assert not is_of_a_run(Path("recipe.toml"), Path("run"))


# --- streams, and what does no harm


def test_stdin_and_stdout_are_files_too(folder):
    def code(command):
        words = f"exec {sys.executable} -m attendo {command}"
        done = subprocess.run(
            ["/bin/sh", "-c", words], capture_output=True, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)}
        )
        return done.returncode, done.stderr.decode()

    text = Path("in.txt").read_bytes()
    for command in (
        "translate --to en --model m -o in.txt < in.txt",
        "translate --to en --model m -i in.txt >> in.txt",
        "translate --to en --model m -i in.txt --report r.json > r.json",
        "score --model m in.txt >> in.txt",
    ):
        ended, err = code(command)
        assert (ended, err.count("\n")) == (2, 1), err
        assert "std" in err
        assert Path("in.txt").read_bytes() == text


def test_a_disk_in_memory_is_a_disk(folder):
    if not os.access("/dev/shm", os.W_OK):  # noqa: S108
        pytest.skip("no /dev/shm here")
    with tempfile.NamedTemporaryFile(dir="/dev/shm") as file, pytest.raises(UsageError, match="the file of -i"):
        check_apart({"-i": Path(file.name)}, {"-o": Path(file.name)})


def test_a_stream_by_its_name_is_meant(folder):
    with Path("out.txt").open("wb") as file:
        words = [
            sys.executable,
            "-m",
            "attendo",
            "translate",
            "--model",
            "m",
            "--to",
            "en",
            "--report",
            "/dev/stdout",
            "",
        ]
        done = subprocess.run(
            words, stdout=file, stderr=subprocess.PIPE, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)}
        )
    assert b"would write" not in done.stderr


def test_pairs_that_do_no_harm_are_allowed(folder):
    file, other = Path("in.txt"), Path("new.txt")
    Path("soft").symlink_to("in.txt")
    check_apart({"-i": file, "--glossary": file, "--source": Path("soft")}, {"-o": other})
    check_apart({"-i": file, "--model": Path("m")}, {"-o": Path("m.txt"), "--report": Path("m-report")})
    check_apart({"-i": Path("/dev/null")}, {"-o": Path("/dev/null"), "--report": Path("/dev/null")})
    check_apart({"-i": Path("-")}, {"-o": Path("-"), "--report": Path("-")})
    check_apart({"-i": Path("x.partial")}, {"-o": Path("x")})  # it makes nothing beside it
    check_apart({"-i": None, "TEST.tsv": []}, {"-o": None})
    check_apart({"MODEL": Path("m")}, {"--out": [Path("index.html"), Path("a.png")]})
    with pytest.raises(UsageError, match=r"-o would write x\.partial, which is the file of -i: name another file"):
        check_apart({"-i": Path("x.partial")}, {"-o": Path("x")}, {"-o": BESIDE})
    os.mkfifo("pipe")
    check_apart({"-i": Path("pipe")}, {"-o": Path("pipe")})
    Path("loop").symlink_to("loop")
    with pytest.raises(UsageError):
        check_apart({"-i": Path("loop")}, {"-o": Path("loop")})


def test_names_that_a_disk_takes_for_one(folder, monkeypatch):
    """Where upper and lower case are one, a file to come is known by its name in other letters."""
    monkeypatch.setattr("attendo.files.apart.folds_case", lambda path: True)
    with pytest.raises(UsageError, match="--report"):
        check_apart({}, {"-o": Path("Out.txt"), "--report": Path("out.TXT")})
    monkeypatch.undo()
    check_apart({}, {"-o": Path("Out.txt"), "--report": Path("out.TXT")})
