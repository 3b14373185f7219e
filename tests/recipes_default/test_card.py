"""The card of the default model names every source, and only what may be given away is learnt from."""

import json
import os
import tomllib
from pathlib import Path

import pytest

from recipes.default.card import card, corpora_of, origins, score_table
from recipes.default.scores import TEST_SETS, Score
from recipes.default.sources import CORPORA, HERE, sources

SCORES = [
    Score(model, test.name, test.direction, 40.0 + index, (39.0, 41.0), "nrefs:1", 60.0)
    for model in ("teacher", "student")
    for index, test in enumerate(TEST_SETS)
]


def test_every_corpus_of_the_recipe_has_an_origin_and_no_other():
    assert {name for name, _ in corpora_of(CORPORA)} == {origin.name for origin in origins()}


def test_the_card_names_every_origin_with_its_licence():
    text = card(11_000_000, SCORES, gpu_seconds=1800, storage="int8")
    for origin in origins():
        assert f"| {origin.what} | {origin.licence} | {origin.where} |" in text
    assert "\nLicence: CC BY-SA 4.0\n" in text
    assert "11,000,000 parameters" in text
    assert "stored in int8." in text
    assert "About 30 minutes" in text
    assert "0.17 kg" in text  # half an hour, 0.7 kW, 0.48 kg a kWh


def test_scores_stand_side_by_side():
    lines = score_table(SCORES).split("\n")
    assert lines[0] == "| test set | direction | teacher | student |"
    assert "| Tatoeba | de → en | 40.0 | 40.0 |" in lines
    assert len(lines) == 2 + len(TEST_SETS)


def test_only_what_may_be_given_away_is_learnt_from():
    manifest = Path(os.environ.get("ATTENDO_DATA", "data")) / "manifest.json"
    if not manifest.exists():
        pytest.skip("needs the corpora's manifest.json in $ATTENDO_DATA")
    entries = {entry["file"]: entry for entry in json.loads(manifest.read_text(encoding="utf-8"))}
    found = sources(CORPORA, [Path()])
    assert len(found) > 80
    for source in found:
        entry = entries[f"{'-'.join(source.languages)}/{source.name}.train.tsv.xz"]
        assert entry["redistributable_weights"] is True, source.file
        assert entry["split"] == "train"


def test_teacher_and_student_learn_the_same_made_up_pairs():
    def made_up(name):
        corpora = tomllib.loads((HERE / name).read_text(encoding="utf-8"))["data"]["corpora"]
        return {corpus["file"] for corpus in corpora if corpus["file"].startswith(("made-up", "words", "rough"))}

    assert made_up("corpora.toml") == made_up("student.toml") != set()
