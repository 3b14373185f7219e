"""Plain text for the teachers: of a file or a column, so much of it as is asked for."""

import lzma
from pathlib import Path

from recipes.default import distil
from recipes.default.answers import Answer
from recipes.default.distil import translate
from recipes.default.rounds import ALL, TEXTS, PlainText, first_round, lines, plain_questions, second_round
from recipes.default.sources import Source


def plain_text(folder: Path) -> None:
    for text in TEXTS:
        (folder / text.file).parent.mkdir(exist_ok=True)
        rows = [f"{text.language} {number} {text.file}" for number in range(3)] + ["twice", "held"]
        if ".tsv" in text.file:
            rows = [f"beside\t{row}" for row in rows]
        with lzma.open(folder / text.file, "wt", encoding="utf-8") as file:
            file.writelines(f"{row}\n" for row in [*rows, "twice" if ".tsv" not in text.file else "b\ttwice"])


def test_each_text_goes_where_it_should_once_and_without_what_is_held_out(tmp_path):
    plain_text(tmp_path)
    asked = list(second_round(tmp_path, {"held"}, None))
    assert [(one.kind, *one.direction) for one in asked] == [
        (text.kind, text.language, target) for text in TEXTS for target in text.into
    ]
    assert all(len(one.sentences) == 4 and one.sentences[0].startswith(one.direction[0]) for one in asked)


def test_no_more_than_is_asked_for(tmp_path):
    plain_text(tmp_path)
    text = PlainText("wiki", "mono/enwiki.en.txt.xz", "en", {"zh": 2, "de": ALL})
    assert [len(one.sentences) for one in plain_questions([text], tmp_path, set(), None, 2)] == [2, 5]
    assert [len(one.sentences) for one in plain_questions([text], tmp_path, set(), 1, 2)] == [1, 1]


def test_the_column_of_a_language(tmp_path):
    (tmp_path / "de-en").mkdir()
    file = tmp_path / "de-en" / "speeches.train.tsv"
    file.write_text("eins\tone\nzwei\ttwo\n", encoding="utf-8")
    assert list(lines(file, "en")) == ["one", "two"]
    assert list(lines(file, "de")) == ["eins", "zwei"]


def test_the_first_round_has_english_for_the_language_that_is_not_beside_it(tmp_path):
    plain_text(tmp_path)
    (tmp_path / "a.tsv").write_text("hallo\thello\n", encoding="utf-8")
    (tmp_path / "b.tsv").write_text("你好\thi\n", encoding="utf-8")
    corpora = [
        Source("a", ("de", "en"), "everyday", tmp_path / "a.tsv"),
        Source("b", ("zh", "en"), "talk", tmp_path / "b.tsv"),
    ]
    asked = {(one.kind, *one.direction): one.sentences for one in first_round(corpora, tmp_path, set(), None)}
    assert asked["everyday", "en", "zh"] == ["hello"]
    assert asked["everyday", "en", "de"] == []
    assert asked["talk", "en", "de"] == ["hi"]
    assert not any(source == "zh" for _, source, _ in asked)
    assert {one.beam for one in first_round(corpora, tmp_path, set(), None)} == {1}


def test_what_people_wrote_is_the_second_column_of_back_translation(tmp_path, monkeypatch):
    plain_text(tmp_path)

    def backwards(model, questions, processes):
        for one in questions:
            yield one, [Answer(sentence[::-1], -0.1, True) for sentence in one.sentences]

    monkeypatch.setattr(distil, "answers", backwards)
    translate(tmp_path, first_round([], tmp_path, set(), 3), tmp_path / "out", processes=1, backwards=True)
    assert {file.name for file in (tmp_path / "out").iterdir()} == {
        f"{text.kind}.{target}-{text.language}.tsv" for text in TEXTS if text.language != "zh" for target in text.into
    }
    for line in (tmp_path / "out" / "wiki.zh-en.tsv").read_text(encoding="utf-8").splitlines():
        read, said = line.split("\t")
        assert read == said[::-1]
        assert said.startswith("en ")
