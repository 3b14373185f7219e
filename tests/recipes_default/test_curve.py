"""The same student from fewer lines."""

import lzma
from pathlib import Path

from attendo.recipe.read import read_recipe
from recipes.default import curve
from recipes.default.curve import BY_SIZE, BY_TEXT, Point, Student, kept, learnt, main, table, thinned, write_point
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
file = "tokenizer.json"

[model]
preset = "tiny"
"""


def test_one_line_of_four_of_every_corpus(tmp_path, monkeypatch):
    work, data = tmp_path / "work", tmp_path / "data"
    for folder in (work / "distilled", data / "zh-en"):
        folder.mkdir(parents=True)
    (tmp_path / "student.toml").write_text(RECIPE, encoding="utf-8")
    (work / "tokenizer.json").write_text("{}", encoding="utf-8")
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
    assert read.tokenizer.file == str(work / "tokenizer.json")


SCORES = [Score("x", "Tatoeba", "de → en", 41.26, (40.0, 42.0), "s", 60.0)]


def test_a_row_for_each_student():
    assert table([Point(Student(8, 256), 12_345, 10_942_464, SCORES)]).split("\n") == [
        "| pairs | parameters | Tatoeba, de → en |",
        "|---:|---:|---:|",
        "| 12,345 | 10.9 M | 41.3 |",
    ]


def test_a_student_that_was_scored_is_not_trained_again(tmp_path):
    student = Student(8, 256)
    point = Point(student, 12_345, 10_942_464, SCORES)
    kept(student, tmp_path, 6_000).parent.mkdir()
    write_point(point, kept(student, tmp_path, 6_000))
    assert learnt(student, tmp_path, steps=6_000) == point
    assert not kept(student, tmp_path, 12_000).exists()


def test_what_is_there_is_shown_and_drawn(tmp_path, monkeypatch, capsys):
    (tmp_path / "curve").mkdir()
    there = [BY_TEXT[0], BY_TEXT[-1], BY_SIZE[0]]
    for index, student in enumerate(there):
        write_point(Point(student, 1_000 + index, 2_000_000, SCORES), kept(student, tmp_path, 6_000))
    monkeypatch.setattr("sys.argv", ["curve", "--work", str(tmp_path), "--out", str(tmp_path), "--show"])
    main()
    assert [line.split(" | ")[0] for line in capsys.readouterr().out.split("\n")[2:5]] == [
        "| 1,000",
        "| 1,001",
        "| 1,002",
    ]
    assert (tmp_path / "default-model.png").stat().st_size > 10_000
