"""The 400 texts are what they say, and a label never counts for another answer."""

import re
from collections import Counter
from dataclasses import replace

import pytest

from attendo.errors import DataError
from attendo.text.scripts import HAN_CHARACTER
from benchmarks.behaviour.inputs import read_inputs
from benchmarks.doubt.labelled import read_labelled
from benchmarks.first_tries.__main__ import loaded, main, translated
from benchmarks.first_tries.endless import LoopCounts, count_loops, inputs_of, loop_table
from benchmarks.first_tries.labels import Answer, read_answers, read_labels, write_answers, write_unread
from benchmarks.first_tries.seen import seen_in
from benchmarks.first_tries.shares import Share, share_of, table
from benchmarks.first_tries.texts import DIRECTIONS, FOLDER, read_texts, rows
from benchmarks.machine import ROOT
from tests.translation.fake_engine import FakeEngine, fake_translator, write_fake_model

TEXTS = read_texts()
ANSWERS = read_answers(TEXTS)
LABELS = read_labels()
COUNTS = {"label": 20, "shop": 15, "letter": 15, "news": 25, "encyclopaedia": 25}


def test_so_many_of_each_kind_and_direction():
    assert len(TEXTS) == len({one.text for one in TEXTS}) == 400
    assert Counter((one.direction, one.kind) for one in TEXTS) == {
        (direction, kind): count for direction in DIRECTIONS for kind, count in COUNTS.items()
    }
    for one in TEXTS:
        letters = [sign for sign in one.text if sign.isalpha()]
        assert (len(HAN_CHARACTER.findall(one.text)) > len(letters) / 2) == (one.direction == "zh-en"), one
        assert one.kind != "label" or len(one.text) <= 30, one


def test_none_was_shown_elsewhere():
    """What other measures have labelled, or the page on the model has shown as its faults, is no blind test."""
    known = {one.source for one in read_labelled()}
    known |= {one.text for direction in DIRECTIONS for one in read_inputs(*direction.split("-"))}
    known |= {"Your order has been shipped.", "Log out", "Mit freundlichen Grüßen", "Kühlschrank", "Ausverkauft"}
    assert not known & {one.text for one in TEXTS}


def test_every_answer_that_is_kept_is_labelled():
    assert len(ANSWERS) == 400
    assert share_of(ANSWERS, LABELS).unread == 0


def test_the_rule_quotes_labels_that_were_given():
    rule = (FOLDER / "README.md").read_text(encoding="utf-8")
    quoted = re.findall(r"^\| (.+?) \| (.+?) \| (acceptable|not) \|", rule, flags=re.MULTILINE)
    assert len(quoted) >= 10
    given = {(text, answer): acceptable for (_, text, answer), acceptable in LABELS.items()}
    for text, answer, label in quoted:
        assert given[text, answer] == (label == "acceptable"), text


def test_a_label_counts_for_its_answer_alone():
    accepted = next(one for one in ANSWERS if LABELS[one.key])
    assert share_of([accepted], LABELS) == Share(acceptable=1, read=1, unread=0)
    assert share_of([replace(accepted, answer=accepted.answer + ".")], LABELS) == Share(0, 0, 1)
    turned = replace(accepted.text, direction=next(one for one in DIRECTIONS if one != accepted.text.direction))
    assert share_of([replace(accepted, text=turned)], LABELS) == Share(0, 0, 1)


def test_the_table_adds_up():
    """Counted anew from its cells."""
    lines = [line.split(" | ") for line in table(ANSWERS, LABELS)[2:]]
    cells = {
        line[0].strip("|* "): [tuple(map(int, re.findall(r"\d+", cell)[:2])) for cell in line[1:]] for line in lines
    }
    assert (cells["label"][0][1], cells["news"][4][1]) == (20, 100)
    for row in cells.values():
        assert row[4] == tuple(map(sum, zip(*row[:4], strict=True)))
    for group, kinds in (("product", ("label", "shop", "letter")), ("prose", ("news", "encyclopaedia"))):
        assert cells[group][4] == tuple(map(sum, zip(*(cells[kind][4] for kind in kinds), strict=True)))
    assert cells["product"][4][0] + cells["prose"][4][0] == sum(LABELS[one.key] for one in ANSWERS)
    half = {key: label for number, (key, label) in enumerate(LABELS.items()) if number % 2}
    assert "unread" in table(ANSWERS, half)[2]


def test_the_page_has_the_table():
    page = (ROOT / "docs" / "default-model.md").read_text(encoding="utf-8")
    assert "\n".join(table(ANSWERS, LABELS)) in page


def test_unread_answers_are_handed_out_and_come_back(tmp_path):
    new = [Answer(one.text, f"{one.answer} 2") if one.text.kind == "letter" else one for one in ANSWERS]
    path, labels = tmp_path / "to-label.tsv", tmp_path / "labels.tsv"
    assert write_unread(new, LABELS, path) == 60
    handed = path.read_text(encoding="utf-8")
    assert [line[:2] for line in handed.splitlines()] == ["?\t"] * 60
    before = (FOLDER / "labels.tsv").read_text(encoding="utf-8")
    labels.write_text(before + handed, encoding="utf-8")
    with pytest.raises(DataError, match=rf"line {len(before.splitlines()) + 1}: the label is '\?'"):
        read_labels(labels)
    labels.write_text(before + re.sub(r"^\?", "acceptable", handed, flags=re.MULTILINE), encoding="utf-8")
    read = read_labels(labels)
    letters = [one for one in new if one.text.kind == "letter"]
    assert share_of(letters, read) == Share(60, 60, 0)
    assert share_of(ANSWERS, read) == share_of(ANSWERS, LABELS)
    labels.write_text(
        before + re.sub(r"^(not )?acceptable", "acceptable", before, flags=re.MULTILINE).partition("\n")[2]
    )
    with pytest.raises(DataError, match="both labels"):
        read_labels(labels)


def test_tables_that_are_none(tmp_path):
    path = tmp_path / "table.tsv"
    for line in ("label", "sonnet\tShall I", "label\ta\tb", "label\t "):
        path.write_text(f"label\tUmbrella\n{line}\n", encoding="utf-8")
        with pytest.raises(DataError, match="line 2"):
            list(rows(path, "en-de"))
    with pytest.raises(DataError, match="cannot stand in a table"):
        write_answers([Answer(TEXTS[0], "two\nlines")], path)
    write_answers(ANSWERS[1:], path)
    with pytest.raises(DataError, match="other texts"):
        read_answers(TEXTS, path)
    write_answers(ANSWERS, path)
    assert read_answers(TEXTS, path) == ANSWERS


def test_texts_of_training_files_are_found(tmp_path):
    path = tmp_path / "train.tsv"
    path.write_text("Regenschirm\tumbrella!\nein Regenschirm\tan umbrella\n", encoding="utf-8")
    assert {one.text for one in seen_in(TEXTS, [path])} == {"Regenschirm", "Umbrella"}


class Stammerer(FakeEngine):
    """Says all nine times."""

    def answer(self, request, rank):
        said = super().answer(request, rank)
        return replace(said, ids=(*said.ids[:-1] * 9, said.ids[-1]))


class Unending(FakeEngine):
    """Never says that it is done."""

    def answer(self, request, rank):
        said = super().answer(request, rank)
        return replace(said, ids=said.ids[:-1])


@pytest.mark.parametrize(
    ("engine", "expected"),
    [
        (FakeEngine, LoopCounts(3)),
        (Stammerer, LoopCounts(3, repeated_by_ledger=2, loops_at_first=2)),
        (Unending, LoopCounts(3, unended_by_guard=2, unended_at_first=2)),
    ],
)
def test_loops_are_counted_by_both_witnesses(engine, expected, tmp_path):
    translator = fake_translator(write_fake_model(tmp_path / "model"), engine())
    counts = count_loops(translator, ["我爱机器学习。", "", "机器学习很有趣！"], "en")
    assert counts == expected
    assert counts.clean == (engine is FakeEngine)
    assert "| loops at first | 0 |" in "\n".join(loop_table(dict.fromkeys(DIRECTIONS, LoopCounts(3))))


def test_six_hundred_inputs_are_asked_for_loops():
    assert [len(inputs_of(direction, TEXTS)) for direction in DIRECTIONS] == [150] * 4


def test_the_command_prints_the_shares(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["first_tries"])
    assert main() == 0
    out = capsys.readouterr().out
    assert "| **product** |" in out
    assert "0 of 400 answers have no label yet" in out
    monkeypatch.setattr("sys.argv", ["first_tries", "--write"])
    with pytest.raises(SystemExit, match="2"):
        main()


@pytest.mark.slow
def test_what_the_shipped_model_answers_was_read_and_does_not_loop():
    """A few answers may be others on another processor. Another model needs labels of its own: see README.md."""
    translator = loaded(None)
    assert share_of(translated(translator, TEXTS), LABELS).read >= 380
    for direction in DIRECTIONS:
        assert count_loops(translator, inputs_of(direction, TEXTS), direction[-2:]).clean
