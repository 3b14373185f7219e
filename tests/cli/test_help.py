"""The help of every command: whole sentences, options by subject, examples that can be typed; in both languages."""

import inspect
import re
import shlex
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from attendo.cli.help import EXAMPLES, SUBJECTS
from attendo.cli.main import app
from attendo.report.messages import read_catalogue, to_chinese

ROOT = typer.main.get_command(app)
HAN = re.compile("[\u4e00-\u9fff]")
FEWEST_WORDS = 5


def walk(command, names=()):
    yield names, command
    for name, one in getattr(command, "commands", {}).items():
        yield from walk(one, (*names, name))


COMMANDS = dict(walk(ROOT))
LEAVES = {names: command for names, command in COMMANDS.items() if not hasattr(command, "commands")}


def shown(command):
    return [one for one in command.params if not getattr(one, "hidden", False)]


def examples_of(command):
    """Comments and lines to type."""
    text = inspect.cleandoc(command.help).partition(EXAMPLES)[2]
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    return [line[2:] for line in lines if line.startswith("# ")], [line for line in lines if not line.startswith("#")]


def help_of(*arguments):
    result = CliRunner().invoke(app, [*arguments, "--help"], env={"COLUMNS": "100"})
    assert result.exit_code == 0
    return result.stdout


@pytest.mark.parametrize("names", COMMANDS, ids=" ".join)
def test_every_option_says_what_it_does(names):
    for one in shown(COMMANDS[names]):
        assert len(one.help.split()) >= FEWEST_WORDS, one.name
        assert one.help[0].isupper(), one.help
        assert one.help.endswith("."), one.help
        if one.param_type_name == "option" and one.opts != ["--version"] and one.opts != ["--debug"]:
            assert one.rich_help_panel in SUBJECTS, one.opts


@pytest.mark.parametrize("names", LEAVES, ids=" ".join)
def test_every_command_ends_with_examples_that_parse(names):
    comments, lines = examples_of(LEAVES[names])
    assert len(lines) >= 2
    assert comments
    mine = 0
    for line in lines:
        for part in line.split(" | "):
            words = shlex.split(part.partition(" < ")[0])
            if words[0] != "attendo":
                continue
            command, path, rest = ROOT, (), words[1:]
            while hasattr(command, "commands"):
                command, path, rest = command.commands[rest[0]], (*path, rest[0]), rest[1:]
            command.make_context(" ".join(path), list(rest))  # an option that is none is an error
            mine += path == names
    assert mine >= 1


@pytest.mark.parametrize("names", COMMANDS, ids=" ".join)
def test_all_of_it_is_there_in_chinese(names):
    command = COMMANDS[names]
    text = inspect.cleandoc(command.help).partition(EXAMPLES)[0]
    said = [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]
    said += [" ".join(one.help.split()) for one in shown(command)] + examples_of(command)[0] + list(SUBJECTS)
    assert [one for one in said if not HAN.search(to_chinese(one))] == []
    page = help_of(*names, "--lang", "zh")
    assert page.startswith("用法：attendo")
    assert "Show this message" not in page


def test_no_sentence_of_help_is_left_in_the_catalogue_that_nobody_says():
    import tomllib

    from attendo.report.messages import CATALOGUE

    known = tomllib.loads(CATALOGUE.read_text(encoding="utf-8"))["help"]
    said = {*SUBJECTS, "Show this message and exit."}
    for command in COMMANDS.values():
        text = inspect.cleandoc(command.help).partition(EXAMPLES)[0]
        said |= {" ".join(paragraph.split()) for paragraph in text.split("\n\n")} | set(examples_of(command)[0])
        said |= {" ".join(one.help.split()) for one in command.params if one.help}
    assert {one for one in known if "{" not in one} - said == set()
    assert len(read_catalogue()) >= len(known)


def test_options_stand_by_subject():
    page = help_of("translate")
    headings = re.findall(r"^(\S.*):$", page, re.MULTILINE)
    expected = [
        "Arguments",
        "Input and output",
        "Languages and model",
        "Search",
        "Sampling",
        "Checks",
        "Machine",
        "General",
        "Examples",
    ]
    assert headings == expected
    assert page.index("Search:") < page.index("--beam N") < page.index("Checks:") < page.index("--glossary FILE")
    assert "[1 to 256]" in page
    assert "\x1b" not in page
    assert max(map(len, page.split("\nExamples:")[0].split("\n"))) <= 100


def test_english_reads_no_catalogue():
    program = (
        "import sys; sys.argv = ['attendo', 'translate', '--help']\n"
        "import runpy\ntry: runpy.run_module('attendo', run_name='__main__')\nexcept SystemExit: pass\n"
        "from attendo.report.messages import read_catalogue\n"
        "sys.exit(read_catalogue.cache_info().currsize)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
