"""What the student learns from: the teacher's words to what people wrote, nothing lost, nothing held out."""

from pathlib import Path

from recipes.default import distil as module
from recipes.default.answers import Answer, Question
from recipes.default.distil import questions_of, said, sentences, translate
from recipes.default.sources import KINDS, Source


def in_capitals(model, questions, processes):
    for question in questions:
        yield question, [Answer(sentence.upper(), -0.1, True) for sentence in question.sentences]


def corpora(folder: Path) -> list[Source]:
    """Everyday German and Chinese, Taiwan's Chinese, a manual, and another that is lifted."""
    texts = {
        "de-en": [("hallo", "hello"), ("danke", "thanks"), ("hallo", "hi"), ("copied", "copied")],
        "zh-en": [("你好 a", "hello"), ("谢谢 b", "many thanks")],
        "talk": [("软体 t", "software t")],
        "manual": [("按 c", "press c"), ("停 d", "stop d"), ("STOP", "x\u2028y")],
        "lifted": [("张量 e", "tensor e")],
    }
    for name, pairs in texts.items():
        (folder / f"{name}.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in pairs), encoding="utf-8")
    return [
        Source("a", ("de", "en"), "everyday", folder / "de-en.tsv"),
        Source("b", ("zh", "en"), "everyday", folder / "zh-en.tsv"),
        Source("c", ("zh", "en"), "talk", folder / "talk.tsv"),
        Source("d", ("zh", "en"), "rest", folder / "manual.tsv"),
        Source("e", ("zh", "en"), "lifted", folder / "lifted.tsv"),
        Source("f", ("zh", "en"), "itself", folder / "nowhere.tsv"),
    ]


def test_everyday_english_goes_into_both_languages_and_the_rest_into_its_own(tmp_path):
    def found(source, target, kind):
        return list(sentences(corpora(tmp_path), (source, target), kind))

    assert found("en", "zh", "everyday") == ["hello", "thanks", "hi", "hello", "many thanks"]
    assert found("de", "en", "everyday") == ["hallo", "danke", "hallo"]  # what is copied is in no known language
    assert found("en", "de", "rest") == []
    assert found("zh", "en", "rest") == ["按 c", "停 d", "STOP"]
    assert found("zh", "en", "lifted") == ["张量 e"]
    assert found("en", "de", "talk") == ["software t"]


def test_nothing_twice_and_nothing_that_is_held_out(tmp_path):
    asked = {q.direction: q.sentences for q in questions_of(corpora(tmp_path), {"manythanks"}, ("everyday",))}
    assert asked["en", "zh"] == ["hello", "thanks", "hi"]
    assert asked["de", "en"] == ["hallo", "danke"]
    few = questions_of(corpora(tmp_path), set(), ("everyday",), most=1)
    assert [len(question.sentences) for question in few] == [1, 1, 1, 1]


def test_every_answer_stands_beside_its_own_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "answers", in_capitals)
    out = tmp_path / "distilled"
    translate(tmp_path, questions_of(corpora(tmp_path), {"thanks"}, KINDS), out, processes=3)
    assert {file.name for file in out.iterdir()} == {
        *(f"everyday.{direction}.tsv" for direction in ("zh-en", "en-zh", "de-en", "en-de")),
        *(f"{kind}.{direction}.tsv" for kind in ("talk", "lifted", "rest") for direction in ("zh-en", "en-zh")),
        "talk.en-de.tsv",
    }
    written = {file.name: file.read_text(encoding="utf-8").split("\n")[:-1] for file in out.iterdir()}
    assert written["everyday.en-zh.tsv"] == ["hello\tHELLO", "hi\tHI", "many thanks\tMANY THANKS"]
    assert written["everyday.de-en.tsv"] == ["hallo\tHALLO", "danke\tDANKE"]
    assert written["rest.zh-en.tsv"] == ["按 c\t按 C", "停 d\t停 D"]  # an answer that is the question teaches nothing
    assert written["lifted.en-zh.tsv"] == ["tensor e\tTENSOR E"]


def test_a_translation_that_was_stopped_goes_on_with_the_next_file(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "answers", in_capitals)
    asked = list(questions_of(corpora(tmp_path), set(), ("rest", "lifted")))
    translate(tmp_path, asked[:2], tmp_path / "out", processes=1)
    there = tmp_path / "out" / "rest.zh-en.tsv"
    there.write_text("as it was\tAS IT WAS\n", encoding="utf-8")
    translate(tmp_path, asked, tmp_path / "out", processes=1)
    assert there.read_text(encoding="utf-8") == "as it was\tAS IT WAS\n"
    assert (tmp_path / "out" / "lifted.zh-en.tsv").exists()


def test_the_worst_tenth_and_what_lost_something_is_left_out():
    sentences = [f"s{number}" for number in range(20)]
    found = [Answer("t", -number / 10, number != 3) for number in range(20)]
    kept = [sentence for sentence, _ in said(Question("wiki", ("en", "de"), sentences, kept=0.9), found)]
    assert kept == [f"s{number}" for number in range(19) if number != 3]
    every = [sentence for sentence, _ in said(Question("everyday", ("en", "de"), sentences), found)]
    assert every == [f"s{number}" for number in range(20) if number != 3]


def test_english_is_learnt_with_straight_marks_that_close():
    texts = ["“Go,” she said.", "It’s ‘fine’", 'a "half', '“mixed"']
    found = [Answer(text, -0.1, True) for text in texts]
    sentences = [str(number) for number in range(len(texts))]
    english = [answer for _, answer in said(Question("talk", ("zh", "en"), sentences), found)]
    assert english == ['"Go," she said.', "It's 'fine'", '"mixed"']
    german = [answer for _, answer in said(Question("talk", ("en", "de"), sentences[:2]), found[:2])]
    assert german == texts[:2]
