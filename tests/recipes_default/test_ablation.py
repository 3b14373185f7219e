"""More and more of the text, and nothing else changes."""

import tomllib

from recipes.default.ablation import INGREDIENTS, MODEL, slug, text_of
from recipes.default.rounds import PLAIN_TEXT


def files(name):
    recipe = tomllib.loads(text_of(name) + MODEL.format(steps=5))
    return [corpus["file"] for corpus in recipe["data"]["corpora"]]


def test_each_ingredient_adds_to_those_before():
    parallel, encyclopaedia, first = map(files, INGREDIENTS)
    assert {file for file in encyclopaedia if file not in parallel} == {
        f"zh-en/zhwiki{n}.train.tsv.xz" for n in (1, 2, 3)
    }
    assert set(parallel) < set(encyclopaedia) < set(first)
    more = [file for file in first if file not in encyclopaedia]
    assert len(more) > 10
    assert all(file.startswith("../round-1/") for file in more)
    assert {name.split(".")[1] for name in PLAIN_TEXT} == {"zh", "en", "de"}


def test_what_the_build_made_stands_one_folder_up():
    assert all(file.startswith(("../", "zh-en/", "de-en/")) for name in INGREDIENTS for file in files(name))
    assert slug("+ round 1") == "round-1"
