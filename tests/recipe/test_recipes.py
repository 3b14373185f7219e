"""The recipes we ship: each reads, those on made-up words prepare, and base.toml explains every key."""

import re
import shutil
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from attendo.data.filters import FilterConfig
from attendo.data.prepare.settings import CorpusConfig, DataConfig, TokenizerSettings
from attendo.model.config import FAMILIES
from attendo.model.presets import preset
from attendo.model_folder import bundle
from attendo.recipe.read import read_recipe
from attendo.recipe.recipe import Recipe
from attendo.recipe.write import recipe_to_toml
from attendo.runs.prepare import prepare
from attendo.training.config import TrainingConfig, ValidationConfig

FOLDER = Path(__file__).parent.parent.parent / "recipes"
RECIPES = sorted(FOLDER.glob("*.toml"))


def files_of(table):
    data = table["data"]
    named = [corpus.get(name) for corpus in data["corpora"] for name in ("file", "source", "target", "text")]
    validation = data.get("validation", [])
    return [name for name in [*named, *([validation] if isinstance(validation, str) else validation)] if name]


@pytest.fixture(params=RECIPES, ids=lambda path: path.stem)
def recipe(request, tmp_path):
    """A copy, with something empty in place of the files and models it names."""
    path = tmp_path / request.param.name
    shutil.copy(request.param, path)
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    if model := table.get("model", {}).get("init_from"):
        (tmp_path / "data" / model).mkdir(parents=True)
    for name in files_of(table):
        (tmp_path / "data" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "data" / name).write_text("", encoding="utf-8")
    return path


def test_it_reads_and_can_be_written(recipe, tmp_path):
    read = read_recipe(recipe)
    again = tmp_path / "again.toml"
    again.write_text(recipe_to_toml(read), encoding="utf-8")
    assert read_recipe(again) == read


def test_a_model_of_the_package_is_gone_on_from_by_its_name(tmp_path, monkeypatch):
    (tmp_path / "models" / "default").mkdir(parents=True)
    (tmp_path / "models" / "default" / "manifest.json").write_text("{}", encoding="utf-8")
    monkeypatch.setattr(bundle, "SHIPPED", tmp_path / "models")
    for name in ("mine.tsv", "mine.dev.tsv"):
        (tmp_path / name).write_text("", encoding="utf-8")
    shutil.copy(FOLDER / "fine-tune.toml", tmp_path)
    assert read_recipe(tmp_path / "fine-tune.toml").model.init_from == str(tmp_path / "models" / "default")


def test_it_says_how_it_is_run(recipe):
    text = recipe.read_text(encoding="utf-8")
    assert re.search(r"^#     attendo train \S+\.toml --run-dir \S+", text, re.MULTILINE)
    assert "base.toml" in text


def test_it_prepares_where_nothing_is_needed(recipe, tmp_path):
    if any(corpus.task is None for corpus in read_recipe(recipe).data.corpora):
        return
    small = read_recipe(recipe, ["data.corpora.0.pairs=2000", "validation.max_pairs=50"])
    prepared = prepare(small, tmp_path / "cache")
    assert len(prepared.validation[0].corpus) == 20
    assert prepared.tokenizer.subwords.kind == "char"
    word = prepared.validation[0].pairs[0]
    assert word.target == (word.source if recipe.stem == "copy" else word.source[::-1])


def test_the_page_shows_the_starter_as_it_is():
    page = (FOLDER.parent / "docs" / "training.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```toml\n(.*?)```", page, flags=re.DOTALL)
    assert tomllib.loads(shown) == tomllib.loads((FOLDER / "starter.toml").read_text(encoding="utf-8"))


def test_the_starter_takes_ones_own_files_and_languages(tmp_path, monkeypatch):
    """As its first lines and docs/training.md say: from another folder, as one file or two."""
    for name in ("own.tsv", "own.fr", "own.en"):
        (tmp_path / name).write_text("", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    languages = ["data.languages=fr,en", "data.directions=fr-en,en-fr"]
    one = read_recipe(FOLDER / "starter.toml", [*languages, "data.corpora.0.file=own.tsv"])
    assert one.data.corpora[0].file == str(tmp_path / "own.tsv")
    assert one.data.parsed_directions() == [("fr", "en"), ("en", "fr")]
    two = read_recipe(FOLDER / "starter.toml", [*languages, 'data.corpora=[{source="own.fr", target="own.en"}]'])
    corpus = two.data.corpora[0]
    assert (corpus.source, corpus.target) == (str(tmp_path / "own.fr"), str(tmp_path / "own.en"))


def test_base_explains_every_key():
    text = (FOLDER / "base.toml").read_text(encoding="utf-8")
    kinds = [CorpusConfig, DataConfig, FilterConfig, TokenizerSettings, TrainingConfig, ValidationConfig]
    known = {field.name for kind in [*kinds, *FAMILIES.values()] for field in fields(kind)} | {"preset", "family"}
    tables = set(re.findall(r"^\[+(?:\w+\.)?(\w+)\]", text, re.MULTILINE))
    named = tables | set(re.findall(r"^(?:# )?(\w+) = ", text, re.MULTILINE))
    assert known | {"init_from"} <= named
    assert named <= known | {"init_from"} | {field.name for field in fields(Recipe)}


def test_base_shows_the_defaults(tmp_path):
    """Save where a comment says otherwise."""
    shutil.copy(FOLDER / "base.toml", tmp_path / "base.toml")
    for name in ("train.en", "train.de"):
        (tmp_path / name).write_text("", encoding="utf-8")
    read = read_recipe(tmp_path / "base.toml")
    assert read.model.config(37_000) == preset("base", 37_000)
    assert read.training == TrainingConfig(max_steps=100_000)
    assert read.validation == ValidationConfig()
    assert read.tokenizer == TokenizerSettings(vocab_size=37_000)
    assert read.data.filters == FilterConfig()
