"""The examples of the pages that show Python run, links lead somewhere, pages are in the index."""

import ast
import builtins
import re
import runpy
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted(path for path in (ROOT / "docs").rglob("*.md") if "lab" not in path.parts)
PAGES += [ROOT / name for name in ("CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")]


def python_blocks(name):
    return re.findall(r"```python\n(.*?)```", (ROOT / "docs" / name).read_text(encoding="utf-8"), flags=re.DOTALL)


def lines_of_code(block):
    """Imports and comments included."""
    return sum(1 for line in block.split("\n") if line.strip())


RUN = ("api.md", "extending.md", "glass.md", "inspecting.md", "translating.md")
EXAMPLES = [(name, index) for name in RUN for index in range(len(python_blocks(name)))]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("docs")
    shutil.copytree(ROOT / "recipes", path / "recipes")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(path)
        patch.setenv("ATTENDO_CACHE", str(path / "cache"))
        yield path


@pytest.mark.parametrize(("name", "index"), EXAMPLES)
def test_every_example_runs(name, index, folder):
    path = folder / f"{name.split('.')[0]}_{index}.py"
    path.write_text(python_blocks(name)[index], encoding="utf-8")
    runpy.run_path(str(path), run_name="__main__")


def test_the_examples_are_short():
    words = ("attendo.train(", "Trainer(")
    by_word = {word: block for block in python_blocks("api.md") for word in words if word in block}
    assert set(by_word) == {"attendo.train(", "Trainer("}
    assert all(lines_of_code(block) < 25 for block in by_word.values())
    variants = python_blocks("extending.md")
    assert len(variants) == 4
    assert all(lines_of_code(block) < 30 for block in variants)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_link_leads_somewhere(path):
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", path.read_text(encoding="utf-8"))
    assert [link for link in links if "://" not in link and not (path.parent / link).exists()] == []


def test_every_page_is_in_the_index():
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    pages = {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"}
    assert {page for page in pages if f"]({page})" not in index} == set()


# The cells of the ten steps build on each other; tests/test_ten_steps.py runs them.
SINGLE = [path for path in PAGES if "ten-steps" not in path.parts]


@pytest.mark.parametrize("path", SINGLE, ids=lambda path: path.name)
def test_every_python_example_can_be_pasted_as_it_is(path):
    """All the names it uses are its own, Python's, or imported by it."""
    for block in re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), flags=re.DOTALL):
        nodes = list(ast.walk(ast.parse(block)))
        known = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        known |= {node.arg for node in nodes if isinstance(node, ast.arg)}
        named = (ast.FunctionDef, ast.ClassDef, ast.ExceptHandler)
        known |= {node.name for node in nodes if isinstance(node, named) and node.name}
        imported = [alias for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom)) for alias in node.names]
        known |= {(alias.asname or alias.name).split(".")[0] for alias in imported}
        used = {node.id for node in nodes if isinstance(node, ast.Name)}
        assert used - known - set(dir(builtins)) == set()
