"""The front door: what `import attendo` offers, with docstrings whose examples run, typed, and light to open."""

import doctest
import inspect
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import attendo

ROOT = Path(__file__).parent.parent
NAMED = {
    "load", "Translator", "TranslationOptions", "SearchOptions", "Glossary", "train", "Trainer", "evaluate", "compare",
    "inspect", "examine", "models", "AttendoError",
}  # fmt: skip
PUBLIC = sorted(set(attendo.__all__) - {"__version__"})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where a reader would be: recipes beside, and files to work on."""
    path = tmp_path_factory.mktemp("api")
    shutil.copytree(ROOT / "recipes", path / "recipes")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(path)
        patch.setenv("ATTENDO_CACHE", str(path / "cache"))
        yield path


def test_dir_is_the_api():
    assert set(dir(attendo)) == set(attendo.__all__)
    assert set(dir(attendo)) > NAMED
    with pytest.raises(AttributeError, match="no attribute 'loud'"):
        attendo.loud  # noqa: B018


def test_a_room_does_not_hide_a_name():
    """A subpackage called as a public name is would take its place as soon as it is imported."""
    import attendo.inspection.inspect

    rooms = {path.parent.name for path in (ROOT / "attendo").glob("*/__init__.py")}
    assert not rooms & set(PUBLIC)
    assert callable(attendo.inspect)


@pytest.mark.parametrize("name", PUBLIC)
def test_every_example_runs(name, folder):
    value = getattr(attendo, name)
    assert value.__doc__, f"{name} has no docstring"
    examples = doctest.DocTestFinder(recurse=False).find(value, name, globs={"attendo": attendo})
    assert sum(len(one.examples) for one in examples) > 0, f"{name} has no example"
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE, verbose=False)
    printed = []
    for one in examples:
        runner.run(one, out=printed.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(printed)


@pytest.mark.parametrize("name", ["translate", "translate_lines", "stream", "score"])
def test_the_translators_methods_are_documented(name):
    method = getattr(attendo.Translator, name)
    assert len(method.__doc__) > 80
    parameters = inspect.signature(method).parameters
    assert "to" in parameters
    assert "options" in parameters or name == "score"


def test_the_tour_runs(folder, capsys):
    """demos/tour.py is a user's script; `make check` holds it against mypy's strict rules."""
    runpy.run_path(str(ROOT / "demos" / "tour.py"), run_name="__main__")
    assert "I love machine learning." in capsys.readouterr().out


def imported_by(statement):
    """The modules of attendo that a statement imports, in an interpreter of its own."""
    code = f"{statement}\nimport sys; print(*[name for name in sys.modules if name.split('.')[0] == 'attendo'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_importing_attendo_imports_nothing_else():
    assert imported_by("import attendo") == ["attendo"]


@pytest.mark.parametrize("name", ["train", "Trainer"])
def test_training_from_python_knows_no_console(name):
    """Neither the word Console nor argv occurs in anything that it imports."""
    modules = imported_by(f"from attendo import {name}")
    assert "attendo.training.loop" in modules
    for module in modules:
        path = Path(sys.modules[module].__file__ if module in sys.modules else source_of(module))
        words = path.read_text(encoding="utf-8")
        assert "Console" not in words, module
        assert "argv" not in words, module


def source_of(module):
    from importlib.util import find_spec

    return find_spec(module).origin
