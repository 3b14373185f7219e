"""What the READMEs say is true: files exist, commands run, code runs, and both languages say the same."""

import contextlib
import io
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from attendo.cli.main import run
from benchmarks.doubt.labelled import read_labelled

ROOT = Path(__file__).parent.parent
READMES = ["README.md", "README.zh.md"]


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(name, language):
    return re.findall(rf"```{language}\n(.*?)```", text(name), flags=re.DOTALL)


def commands(name):
    """Command lines without their comments."""
    lines = "".join(blocks(name, "bash")).split("\n")
    return [line.split("#")[0].strip() for line in lines if line.strip()]


@pytest.mark.parametrize("name", READMES)
def test_every_link_leads_somewhere(name):
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", text(name)) if "://" not in link]
    assert len(links) > 15
    assert [link for link in links if not (ROOT / link).exists()] == []


@pytest.mark.parametrize("name", READMES)
def test_every_make_target_exists(name):
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    named = set(re.findall(r"`?make (\w+)", text(name))) | {
        line.split()[1] for line in commands(name) if "make" in line
    }
    assert {"demo", "test", "check"} <= named <= targets


# A README's training takes a minute; here it is the same command with fewer steps.
SHORTER = ("max_steps=3", "warmup_steps=1", "checkpoint_every=1", "tokens_per_batch=400", "threads=1")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder of its own, where the project's files are and results go."""
    path = tmp_path_factory.mktemp("readme")
    for name in ("recipes", "tests"):
        (path / name).symlink_to(ROOT / name)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(path)
        patch.setenv("ATTENDO_CACHE", str(path / "cache"))
        yield path


@pytest.fixture(scope="module")
def said(folder):
    """What all commands of the README said, one after the other. (Both languages have the same commands.)"""
    lines = [line for line in commands("README.md") if not line.startswith("make")]
    assert len(lines) > 10
    with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO(), encoding="utf-8")) as out:
        for line in lines:
            words = shlex.split(line)
            if words[0] != ".venv/bin/attendo":
                subprocess.run(["/bin/sh", "-c", line], check=True)
                continue
            if words[1] == "train":
                words += [word for setting in SHORTER for word in ("--set", f"training.{setting}")]
            # A model of three steps may go round in circles, and that is told.
            assert run(words[1:], debug=True) in ((0, 3) if words[1] == "translate" else (0,)), line
        out.flush()
        return out.buffer.getvalue().decode("utf-8")


def test_the_first_translation_is_the_one_that_is_shown(said):
    shown = {block for name in READMES for block in blocks(name, "text")}
    assert shown == {"I love machine learning.\n"}
    assert said.startswith(*shown)


@pytest.mark.parametrize("name", READMES)
def test_the_commands_of_the_doors_are_among_those_that_run(name):
    doors = re.findall(r"^\|.*\| `(attendo [^`]+)` \|", text(name), flags=re.MULTILINE)
    assert len(doors) > 5
    doors.remove("attendo serve")  # it ends when it is told to
    assert [door for door in doors if f".venv/bin/{door}" not in commands(name)] == []


def test_every_attendo_command_runs(folder, said):
    assert "the mean of steps 2, 3" in said
    assert "I love machine learning." in said
    assert (folder / "out" / "lines.en.txt").read_bytes().count(b"\n") == 3


@pytest.mark.parametrize("name", READMES)
def test_the_python_examples_run(name, folder, said, tmp_path):
    """Each written to a file and imported: the way a reader would run it."""
    import importlib.util

    expected = ["(True|False)"]
    for number, (block, shown) in enumerate(zip(blocks(name, "python"), expected, strict=True)):
        path = tmp_path / f"example{number}.py"
        path.write_text(block, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        with contextlib.redirect_stdout(io.StringIO()) as answer:
            spec.loader.exec_module(importlib.util.module_from_spec(spec))
        assert re.search(shown, answer.getvalue())


@pytest.mark.parametrize("name", READMES)
def test_how_good_the_default_model_is_was_counted(name):
    """The five shares of good answers, as the table of labelled answers has them."""
    answers = read_labelled()
    shares = []
    for kind in ("talk", "letter", "news", "product", "manual"):
        good = [not one.bad for one in answers if one.kind == kind]
        shares.append(f"{100 * sum(good) / len(good):.0f}")
    first_screen = text(name).partition("```bash\nmake install")[0]
    assert re.findall(r"(\d+) ?%", first_screen) == shares
    assert f"{len(answers)} " in first_screen


LAB = ("docs/lab/en/README.md", "docs/lab/zh/README.md")  # each README leads to the report in its own language


def test_both_languages_say_the_same():
    assert [lab in text(name) for name in READMES for lab in LAB] == [True, False, False, True]
    in_chinese = [command.replace(" --lang zh", "") for command in commands("README.zh.md")]
    assert commands("README.md") == in_chinese
    for pattern in (r"\]\(([^)]+\.(?:py|md|png))\)", r"1e-\d+", r"`([\w-]+)`"):
        ours, theirs = (
            # A picture with words in it has a Chinese version.
            {found.replace(".zh.png", ".png") for found in re.findall(pattern, text(name))}
            - {"README.md", "README.zh.md", *LAB}
            for name in READMES
        )
        assert ours == theirs
