"""What the student learns from: the teacher's words to what people wrote, nothing lost, nothing held out."""

import tomllib
from pathlib import Path

from recipes.default import distil as module
from recipes.default.answers import Answer
from recipes.default.build import DIRECTIONS
from recipes.default.card import HERE
from recipes.default.distil import KINDS, Source, distil, held_out, sentences, sources


def in_capitals(model, questions, processes):
    return [[Answer(sentence.upper(), -0.1, True) for sentence in question.sentences] for question in questions]


def corpora(folder: Path) -> list[Source]:
    """Everyday German and Chinese, a manual, and another that the teacher's recipe lifts."""
    texts = {
        "de-en": [("hallo", "hello"), ("danke", "thanks"), ("hallo", "hi")],
        "zh-en": [("你好 a", "hello"), ("谢谢 b", "many thanks")],
        "manual": [("按 c", "press c"), ("停 d", "stop d"), ("STOP", "x\u2028y")],
        "lifted": [("张量 e", "tensor e")],
    }
    for name, pairs in texts.items():
        (folder / f"{name}.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in pairs), encoding="utf-8")
    return [
        Source(folder / "de-en.tsv", ("de", "en"), 2.0),
        Source(folder / "zh-en.tsv", ("zh", "en"), 4.0),
        Source(folder / "manual.tsv", ("zh", "en"), 0.7),
        Source(folder / "lifted.tsv", ("zh", "en"), 1.5),
    ]


def test_everyday_english_goes_into_both_languages_and_the_rest_into_its_own(tmp_path):
    known = corpora(tmp_path)
    assert list(sentences(known, ("en", "zh"), "everyday", set())) == ["hello", "thanks", "hi", "many thanks"]
    assert list(sentences(known, ("en", "de"), "everyday", {"hi"})) == ["hello", "thanks", "many thanks"]
    assert list(sentences(known, ("de", "en"), "everyday", set())) == ["hallo", "danke"]
    assert list(sentences(known, ("en", "de"), "rest", set())) == []
    assert list(sentences(known, ("zh", "en"), "rest", set())) == ["按 c", "停 d", "STOP"]
    assert list(sentences(known, ("zh", "en"), "lifted", set())) == ["张量 e"]


def test_every_answer_stands_beside_its_own_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "answers", in_capitals)
    out = tmp_path / "distilled"
    distil(tmp_path, corpora(tmp_path), {"thanks"}, DIRECTIONS, KINDS, out, processes=3)
    assert {file.name for file in out.iterdir()} == {
        *(f"everyday.{a}-{b}.tsv" for a, b in DIRECTIONS),
        *(f"{kind}.{direction}.tsv" for kind in ("lifted", "rest") for direction in ("zh-en", "en-zh")),
    }
    written = {file.name: file.read_text(encoding="utf-8").split("\n")[:-1] for file in out.iterdir()}
    assert written["everyday.en-zh.tsv"] == ["hello\tHELLO", "hi\tHI", "many thanks\tMANY THANKS"]
    assert written["everyday.de-en.tsv"] == ["hallo\tHALLO", "danke\tDANKE"]
    assert written["rest.zh-en.tsv"] == ["按 c\t按 C", "停 d\t停 D"]  # an answer that is the question teaches nothing
    assert written["lifted.en-zh.tsv"] == ["tensor e\tTENSOR E"]


def test_what_a_model_made_is_learnt_as_it_is(tmp_path):
    (tmp_path / "zhwiki1.train.tsv").write_text("北京 a\tPeking a\n", encoding="utf-8")
    known = [*corpora(tmp_path), Source(tmp_path / "zhwiki1.train.tsv", ("zh", "en"), 1.0)]
    assert "北京 a" not in list(sentences(known, ("zh", "en"), "rest", set()))


def test_the_student_learns_from_every_corpus_of_the_teacher_by_its_translation_or_itself():
    student = tomllib.loads((HERE / "student.toml").read_text(encoding="utf-8"))["data"]["corpora"]
    itself = {corpus["file"] for corpus in student}
    taught = sources(HERE / "corpora.toml", Path())
    assert {file for file in itself if file.startswith("distilled")} == {
        f"distilled{'' if source.kind == 'everyday' else '-rest'}/{source.kind}.{'-'.join(direction)}.tsv"
        for source in taught
        for direction in DIRECTIONS
        if source.is_taught and source.speaks(direction)
    }
    for source in taught:
        assert source.is_taught != (str(source.file) in itself), source.file


def test_both_sides_of_the_validation_sets_are_held_out(tmp_path):
    (tmp_path / "recipe.toml").write_text('[data]\nvalidation = ["a.tsv", "b.tsv"]\n', encoding="utf-8")
    (tmp_path / "a.tsv").write_text("eins\tone\n", encoding="utf-8")
    (tmp_path / "b.tsv").write_text("二\ttwo\n", encoding="utf-8")
    assert held_out(tmp_path / "recipe.toml", tmp_path) == {"eins", "one", "二", "two"}
