"""How each corpus is learnt, and that nothing is which a model is measured with."""

import lzma
import os
import tomllib
from itertools import chain
from pathlib import Path

import pytest

from recipes.default.cleaned import UNCLEAN
from recipes.default.distil import DIRECTIONS, questions_of
from recipes.default.rounds import TEXTS, first_round, lines, plain_questions, second_round
from recipes.default.sources import CORPORA, HERE, KINDS, Source, fold, found_in, held_out, origins_table, sources

DATA = Path(os.environ.get("ATTENDO_DATA", "data"))


def corpora_in(recipe: str) -> dict[str, dict]:
    corpora = tomllib.loads((HERE / recipe).read_text(encoding="utf-8"))["data"]["corpora"]
    assert len({corpus["file"] for corpus in corpora}) == len(corpora)
    return {corpus["file"]: corpus for corpus in corpora}


def test_the_student_learns_from_every_corpus_of_the_teacher_by_its_translation_or_itself():
    itself, taught = corpora_in("student.toml"), sources(CORPORA, [Path()])
    plain = {f"distilled/{text.kind}.{text.language}-{target}.tsv" for text in TEXTS for target in text.into}
    assert {file for file in itself if file.startswith("distilled")} - plain == {
        f"distilled{'-rest' if source.learnt == 'rest' else ''}/{source.learnt}.{'-'.join(direction)}.tsv"
        for source in taught
        for direction in DIRECTIONS
        if source.is_taught and source.speaks(direction)
    }
    assert plain < set(itself)
    for source in taught:
        assert source.is_taught != (str(source.file) in itself), source.file
        assert source.learnt in (*KINDS, "itself")


def test_the_second_teacher_learns_all_of_the_first_round():
    own = tomllib.loads(CORPORA.read_text(encoding="utf-8") + (HERE / "second-teacher.toml").read_text("utf-8"))
    found = {corpus["file"]: corpus for corpus in own["data"]["corpora"] if corpus["file"].startswith("round-1/")}
    everyday = [Source("a", languages, "everyday", Path()) for languages in (("zh", "en"), ("de", "en"))]
    talk = Source("b", ("zh", "en"), "talk", Path())
    texts = {f"round-1/{text.kind}.{target}-{text.language}.tsv" for text in TEXTS for target in text.into}
    abroad = {
        f"round-1/{one.learnt}.{target}-en.tsv"
        for one in (*everyday, talk)
        for target in ("zh", "de")
        if target not in one.languages
    }
    assert set(found) == (texts - {"round-1/interviews.en-zh.tsv"}) | abroad
    assert all(corpus["one_way"] for corpus in found.values())


def test_taiwans_chinese_is_never_said():
    names = {name for name, entry in origins_table().items() if entry["learnt"] == "talk"} | {"twlaws"}
    for source in sources(CORPORA, [Path()]):
        assert (source.name in names) == corpora_in("corpora.toml")[str(source.file)].get("one_way", False)
    student = corpora_in("student.toml")
    for file in ("distilled/talk.zh-en.tsv", "distilled/interviews.zh-en.tsv", "cleaned/twlaws.zh-en.tsv"):
        assert student[file]["one_way"]


def test_what_is_cleaned_is_learnt_from_clean():
    files = {str(source.file) for source in sources(CORPORA, [Path()])}
    for name, (first, second) in UNCLEAN:
        assert f"cleaned/{name}.{first}-{second}.tsv" in files
        assert f"{first}-{second}/{name}.train.tsv.xz" not in files


def test_a_file_is_looked_for_in_the_work_folder_first(tmp_path):
    for folder in ("work", "data"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "both.tsv").touch()
    (tmp_path / "data" / "one.tsv").touch()
    folders = [tmp_path / "work", tmp_path / "data"]
    assert found_in(folders, "both.tsv") == tmp_path / "work" / "both.tsv"
    assert found_in(folders, "one.tsv") == tmp_path / "data" / "one.tsv"
    assert found_in(folders, "none.tsv") == tmp_path / "work" / "none.tsv"


def test_all_that_is_measured_with_is_held_out_however_it_is_written(tmp_path):
    (tmp_path / "de-en").mkdir()
    for name, pair in {"a.test": "Eins!\tOne", "b.dev": "zwei\ttwo", "c.train": "drei\tthree"}.items():
        (tmp_path / "de-en" / f"{name}.tsv").write_text(f"{pair}\n", encoding="utf-8")
    assert held_out(tmp_path) == {"eins", "one", "zwei", "two"}
    assert fold("„EINS“ …") == "eins"
    assert fold("１２ Uhr") == "12uhr"


@pytest.fixture(scope="module")
def asked():
    """All that the teachers are asked, by (kind, direction)."""
    if not (DATA / "manifest.json").exists():
        pytest.skip("needs the corpora in $ATTENDO_DATA")
    corpora, held = sources(CORPORA, [DATA]), held_out(DATA)
    # The cleaned ones are parts of these.
    corpora = [
        Source(one.name, one.languages, one.learnt, DATA / "-".join(one.languages) / f"{one.name}.train.tsv.xz")
        for one in corpora
    ]
    return list(
        chain(
            first_round(corpora, DATA, held, None), second_round(DATA, held, None), questions_of(corpora, held, KINDS)
        )
    )


@pytest.mark.slow
def test_no_sentence_of_a_test_or_development_set_is_asked(asked):
    measured = {
        line.split("\t")[column]
        for file in DATA.glob("*/*.tsv*")
        if ".train." not in file.name
        for line in raw(file)
        for column in (0, 1)
    }
    assert len(measured) > 50_000
    assert sum(len(question.sentences) for question in asked) > 1_000_000
    for question in asked:
        assert measured.isdisjoint(question.sentences), (question.kind, question.direction)


def raw(file: Path) -> list[str]:
    """Another reader than the recipe's."""
    opened = lzma.open if file.suffix == ".xz" else open
    with opened(file, "rt", encoding="utf-8", newline="\n") as stream:
        return [line.removesuffix("\n") for line in stream]


def test_plain_text_has_sentences_of_tests_which_are_left_out():
    """A quick look at the file that has most of them."""
    if not (DATA / "manifest.json").exists():
        pytest.skip("needs the corpora in $ATTENDO_DATA")
    chinese = [text for text in TEXTS if text.language == "zh"]
    there = set(lines(DATA / chinese[0].file, "zh"))
    tested = {line.split("\t")[0] for line in raw(DATA / "zh-en" / "audreytang.test.tsv")}
    assert len(there & tested) > 50
    question = next(plain_questions(chinese, DATA, held_out(DATA), None, 1))
    assert tested.isdisjoint(question.sentences)
    assert len(question.sentences) > 70_000
