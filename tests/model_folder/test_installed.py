"""Models of the package are found by name; whatever else is named is a folder."""

import json
import shutil

import pytest

from attendo import load
from attendo.errors import InputError, UsageError
from attendo.model_folder import bundle
from attendo.model_folder.bundle import model_folder, shipped_models
from attendo.model_folder.installed import licence_of
from tests.cli.test_cli import attendo
from tests.inspection.small_models import save


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """A package with the models `default` and `other`, and a folder that is no model."""
    folder = tmp_path / "models"
    folder.mkdir()
    save("transformer", folder / "default")
    shutil.copytree(folder / "default", folder / "other")
    (folder / "remains").mkdir()
    monkeypatch.setattr(bundle, "SHIPPED", folder)
    return folder


@pytest.fixture
def nothing_shipped(tmp_path, monkeypatch):
    monkeypatch.setattr(bundle, "SHIPPED", tmp_path / "none")


def test_models_are_those_with_a_manifest(shipped):
    assert shipped_models() == [shipped / "default", shipped / "other"]


def test_a_name_and_no_name(shipped):
    assert model_folder(None) == shipped / "default"
    assert model_folder("other") == shipped / "other"


def test_a_folder_of_the_same_name_is_meant_by_its_path(shipped, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "default").mkdir()
    assert model_folder("default") == shipped / "default"
    assert model_folder("./default").resolve() == tmp_path / "default"


@pytest.mark.parametrize("name", ["missing", "../models/other", "remains"])
def test_a_name_that_is_none_is_an_error_that_tells_the_names(shipped, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path.parent)
    with pytest.raises(InputError, match=r"there is no model folder .*or a name: default, other"):
        model_folder(name)


def test_without_a_default_model_one_must_be_named(nothing_shipped):
    with pytest.raises(UsageError, match="no default model"):
        model_folder(None)
    with pytest.raises(InputError, match=r"RUN/model$"):
        model_folder("missing")


def test_the_licence_is_a_line_of_the_card(tmp_path):
    card = tmp_path / "README.md"
    card.write_text("# A model\n\nLicence: CC BY-SA 4.0\n", encoding="utf-8")
    assert licence_of(tmp_path) == "CC BY-SA 4.0"
    card.write_text("# A model\n", encoding="utf-8")
    assert licence_of(tmp_path) == ""


def test_the_command_lists_them(shipped, capsys):
    code, said, _ = attendo("models", capsys=capsys)
    assert code == 0
    assert said.startswith("default: zh → en")
    code, said, _ = attendo("models", "--json", capsys=capsys)
    tables = json.loads(said)
    assert [table["name"] for table in tables] == ["default", "other"]
    assert [table["default"] for table in tables] == [True, False]
    assert {table["storage"] for table in tables} == {"float32"}
    assert tables[0]["bytes"] == (shipped / "default" / "model.safetensors").stat().st_size


def test_the_command_without_any(nothing_shipped, capsys):
    code, said, remarks = attendo("models", capsys=capsys)
    assert (code, said) == (0, "")
    assert "attendo train makes one" in remarks


def test_the_default_model_translates(shipped, capsys):
    assert load().translate("爱", to="en").text == load(shipped / "default").translate("爱", to="en").text
    code, said, _ = attendo("translate", "爱", "--to", "en", capsys=capsys)
    assert code in (0, 3)
    assert said == load().translate("爱", to="en").text + "\n"
