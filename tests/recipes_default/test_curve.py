"""The same student from fewer lines."""

import lzma
from pathlib import Path

from attendo.recipe.read import read_recipe
from recipes.default import curve
from recipes.default.curve import Point, Student, table, thinned
from recipes.default.scores import Score

RECIPE = """
[data]
languages = ["zh", "en"]
directions = ["zh-en"]

[[data.corpora]]
file = "distilled/everyday.zh-en.tsv"

[[data.corpora]]
file = "zh-en/words.train.tsv.xz"

[tokenizer]
file = "teacher/tokenizer.json"

[model]
preset = "tiny"
"""


def test_one_line_of_four_of_every_corpus(tmp_path, monkeypatch):
    work, data = tmp_path / "work", tmp_path / "data"
    for folder in (work / "distilled", work / "teacher", data / "zh-en"):
        folder.mkdir(parents=True)
    (tmp_path / "student.toml").write_text(RECIPE, encoding="utf-8")
    (work / "teacher" / "tokenizer.json").write_text("{}", encoding="utf-8")
    lines = "".join(f"{n}\t{n}\n" for n in range(10))
    (work / "distilled" / "everyday.zh-en.tsv").write_text(lines, encoding="utf-8")
    (data / "zh-en" / "words.train.tsv.xz").write_bytes(lzma.compress(lines.encode()))
    monkeypatch.setenv("ATTENDO_DATA", str(data))
    monkeypatch.setattr(curve, "HERE", tmp_path)
    recipe, pairs = thinned(4, work, work / "curve" / "x")
    assert pairs == 6  # 0, 4 and 8, twice
    read = read_recipe(recipe, [])
    texts = [Path(corpus.file).read_text(encoding="utf-8") for corpus in read.data.corpora]
    assert texts == ["0\t0\n4\t4\n8\t8\n"] * 2
    assert read.tokenizer.file == str(work / "teacher" / "tokenizer.json")


def test_a_row_for_each_student():
    scores = [Score("x", "Tatoeba", "de → en", 41.26, (40.0, 42.0), "s", 60.0)]
    assert table([Point(Student(8, 256), 12_345, 10_942_464, scores)]).split("\n") == [
        "| pairs | parameters | Tatoeba, de → en |",
        "|---:|---:|---:|",
        "| 12,345 | 10.9 M | 41.3 |",
    ]
