"""Plain text through a teacher: people's words are what is to be said, and what the teacher doubts is left out."""

import lzma
from pathlib import Path

from recipes.default import rounds as module
from recipes.default.answers import Answer
from recipes.default.build import DIRECTIONS
from recipes.default.rounds import PLAIN_TEXT, plain_sentences, surest, translate_plain_text


def plain_text(folder: Path) -> None:
    (folder / "mono").mkdir()
    for name in PLAIN_TEXT:
        language = name.split(".")[1]
        lines = [f"{language} {number} {name}" for number in range(3)] + [f"held {language}", f"{language} twice"]
        with lzma.open(folder / name, "wt", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)


def test_plain_text_of_a_language_once_and_without_what_is_held_out(tmp_path):
    plain_text(tmp_path)
    found = list(plain_sentences(tmp_path, "de", {"held de"}))
    assert len(found) == len(set(found)) == 3 * 3 + 1
    assert all(line.startswith("de ") for line in found)


def test_what_people_wrote_is_the_second_column(tmp_path, monkeypatch):
    plain_text(tmp_path)

    def backwards(model, questions, processes):
        return [[Answer(sentence[::-1], -0.1, True) for sentence in one.sentences] for one in questions]

    monkeypatch.setattr(module, "answers", backwards)
    translate_plain_text(tmp_path, tmp_path, set(), DIRECTIONS, tmp_path / "out", processes=1, most=3)
    assert {file.name for file in (tmp_path / "out").iterdir()} == {"zh-en.tsv", "en-zh.tsv", "de-en.tsv", "en-de.tsv"}
    for line in (tmp_path / "out" / "zh-en.tsv").read_text(encoding="utf-8").splitlines():
        read, said = line.split("\t")
        assert read == said[::-1]
        assert said.startswith("en ")


def test_the_worst_tenth_and_what_lost_something_is_left_out():
    sentences = [f"s{number}" for number in range(20)]
    found = [Answer("t", -number / 10, number != 3) for number in range(20)]
    kept, answers = surest(sentences, found)
    assert kept == [f"s{number}" for number in range(19) if number != 3]
    assert len(answers) == len(kept)
