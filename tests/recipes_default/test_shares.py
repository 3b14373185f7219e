"""Shares of what is said, counted once more by hand."""

import tomllib
from collections import Counter

import pytest

from attendo.text.tokenizer import Tokenizer
from attendo.text.train_tokenizer import TokenizerConfig, train_tokenizer
from recipes.default.encode import encode_all, jobs_of
from recipes.default.shares import GROUPS, by_direction, count, group_of, table
from recipes.default.sources import CORPORA, HERE

RECIPE = """
[data]
languages = ["zh", "en"]
directions = ["zh-en", "en-zh"]

[[data.corpora]]
file = "zh-en/tatoeba.train.tsv"
languages = ["zh", "en"]
weight = 2.0

[[data.corpora]]
file = "distilled/wiki.en-zh.tsv"
languages = ["en", "zh"]
one_way = true

[[data.corpora]]
file = "made-up.zh-en.tsv"

[tokenizer]
file = "tokenizer.json"

[model]
preset = "tiny"
"""


@pytest.fixture
def work(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "cache"))
    (tmp_path / "recipe.toml").write_text(RECIPE, encoding="utf-8")
    for name, text in {"zh-en/tatoeba.train.tsv": "一\tone two\n", "distilled/wiki.en-zh.tsv": "three\t二三\n"}.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text, encoding="utf-8")
    words = TokenizerConfig(1_000, "char")
    train_tokenizer(lambda: ["一二三 one two three"], ("zh", "en"), words).save(tmp_path / "tokenizer.json")
    return tmp_path


def test_every_target_counts_as_often_as_it_is_shown(work):
    jobs = jobs_of(work / "recipe.toml", [work])
    assert [job.file.is_file() for job in jobs] == [True, True, False]
    encode_all(work / "tokenizer.json", jobs)
    found = count(jobs[:2], tokenizer := Tokenizer.load(work / "tokenizer.json"))

    def length(text):
        return len(tokenizer.encode(text)) + 1  # </s>

    assert found == Counter(
        {
            ("everyday", "zh-en"): 2 * length("one two"),
            ("everyday", "en-zh"): 2 * length("一"),
            ("plain", "en-zh"): length("二三"),
        }
    )


def test_a_column_for_each_model():
    one = Counter({("everyday", "zh-en"): 300, ("plain", "en-zh"): 100})
    lines = table({"teacher": one, "student": Counter({("plain", "en-zh"): 5})}).split("\n")
    assert lines[0] == "| share of the target tokens | teacher | student |"
    assert "| everyday language | 75.0 % |  |" in lines
    assert "| **en-zh** | 25.0 % | 100.0 % |" in lines
    assert "| plain text, translated by a teacher | 25.0 % |  |" in by_direction(one).split("\n")


def test_every_corpus_of_the_recipes_has_a_group():
    jobs = [job for recipe in (CORPORA, HERE / "student.toml") for job in jobs_of_text(recipe)]
    groups = {group_of(file) for file in jobs}
    assert groups == set(GROUPS)


def jobs_of_text(recipe):
    return [corpus["file"] for corpus in tomllib.loads(recipe.read_text(encoding="utf-8"))["data"]["corpora"]]
