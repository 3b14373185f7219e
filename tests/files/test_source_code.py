"""The hash of the code: another as soon as a letter of it is another, the same wherever it lies."""

import shutil

import pytest

from attendo.files.source_code import PACKAGE, hash_of_sources, modules_in, package_code


@pytest.fixture
def package(tmp_path):
    folder = tmp_path / "attendo"
    (folder / "inner").mkdir(parents=True)
    (folder / "__init__.py").write_text("", encoding="utf-8")
    (folder / "inner" / "words.py").write_text("A = 1\n", encoding="utf-8")
    (folder / "inner" / "words.tsv").write_text("a\tb\n", encoding="utf-8")
    (folder / "inner" / "page.md").write_text("no code\n", encoding="utf-8")
    return folder


def test_every_module_of_the_package_by_its_name():
    modules = modules_in(PACKAGE)
    assert modules["attendo.files.source_code"] == PACKAGE / "files" / "source_code.py"
    assert len(modules) > 200
    assert len(package_code()) == 16
    assert package_code() == hash_of_sources(modules)


def test_the_same_code_elsewhere_has_the_same_hash(package, tmp_path):
    shutil.copytree(package, tmp_path / "other" / "attendo")
    assert hash_of_sources(modules_in(package)) == hash_of_sources(modules_in(tmp_path / "other" / "attendo"))


@pytest.mark.parametrize(("file", "counts"), [("words.py", True), ("words.tsv", True), ("page.md", False)])
def test_a_letter_more_is_another_hash(package, file, counts):
    before = hash_of_sources(modules_in(package))
    with (package / "inner" / file).open("a", encoding="utf-8") as opened:
        opened.write("#")
    assert (hash_of_sources(modules_in(package)) != before) is counts


def test_a_module_of_another_name_is_another_hash(package):
    before = hash_of_sources(modules_in(package))
    (package / "inner" / "words.py").rename(package / "inner" / "letters.py")
    (package / "inner" / "words.tsv").rename(package / "inner" / "letters.tsv")
    assert hash_of_sources(modules_in(package)) != before


def test_what_an_editor_leaves_behind_is_no_module(package):
    before = hash_of_sources(modules_in(package))
    (package / "inner" / ".#words.py").symlink_to("somebody@somewhere.1234")
    (package / "inner" / "link.py").symlink_to("nowhere.py")
    (package / "folder.py").mkdir()
    assert hash_of_sources(modules_in(package)) == before
