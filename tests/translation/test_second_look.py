"""What the first answer lost is looked for in a wider beam; what lost nothing is asked once."""

import pytest

from attendo.decoding.options import SearchOptions
from attendo.documents.line_reader import Chunk
from attendo.documents.progress import Translating
from attendo.translation.glossary import Glossary, Term
from attendo.translation.second_look import BEAM
from tests.translation.fake_engine import Beams, fake_translator, write_fake_model

SOURCE = "他有12本书。"
FIRST = "He has books."


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_fake_model(tmp_path_factory.mktemp("fake") / "model")


def translate(folder, engine, text=SOURCE, **options):
    return fake_translator(folder, engine).translate(text, to="en", options=SearchOptions(beam_size=4, **options))


def test_the_likeliest_that_keeps_all_is_taken(folder):
    engine = Beams(FIRST, ["He has books.", "He has 12 books.", "He owns 12 books."])
    answer = translate(folder, engine)
    assert answer.text == "He has 12 books."
    assert answer.sentences[0].hypothesis.log_prob == pytest.approx(-1.1 * len(answer.sentences[0].hypothesis.ids))
    assert engine.beams == [4, BEAM]
    assert answer.ledger.is_clean
    assert answer.remarks == (f"'{SOURCE}': missing at first: the number '12'; decoded again with beam 16",)


def test_what_lost_nothing_is_asked_once(folder):
    engine = Beams("He has 12 books.", ["never"])
    assert translate(folder, engine).text == "He has 12 books."
    assert engine.beams == [4]


def test_without_it_the_first_answer_stays_and_is_flagged(folder):
    engine = Beams(FIRST, ["He has 12 books."])
    answer = fake_translator(folder, engine).translate(SOURCE, to="en", second_look=False)
    assert answer.text == FIRST
    assert engine.beams == [4]
    assert answer.ledger.flagged == 1


def test_where_nothing_helps_the_first_answer_stays_and_is_flagged(folder):
    answer = translate(folder, Beams(FIRST, ["She has books.", "He has a book."]))
    assert answer.text == FIRST
    assert answer.ledger.flagged == 1
    assert "missing in the translation: the number '12'" in answer.remarks[0]


def test_the_one_that_loses_least_is_taken_and_what_it_lost_is_said(folder):
    engine = Beams(FIRST, ["He has books.", "He has 12 books.", "He has 45 books."])
    answer = translate(folder, engine, "他有12本书，45支笔。")
    assert answer.text == "He has 12 books."
    assert answer.ledger.flagged == 1
    assert any("missing in the translation: the number '45'" in remark for remark in answer.remarks)


def test_one_that_runs_wild_is_not_taken(folder):
    engine = Beams(FIRST, ["He has 12 books " * 20, "He has 12 books."])
    assert translate(folder, engine).text == "He has 12 books."


def test_the_other_answers_come_behind(folder):
    engine = Beams(FIRST, ["He has books.", "He has 12 books.", "He owns 12 books."])
    answer = translate(folder, engine, n_best=2)
    assert (answer.text, *answer.alternatives) == ("He has 12 books.", "He has books.")


def test_each_of_many_gets_its_own(folder):
    engine = Beams(FIRST, ["He has 12 books."])
    answers = translate(folder, engine, [SOURCE, "他有书。", SOURCE])
    assert [answer.text for answer in answers] == ["He has 12 books.", FIRST, "He has 12 books."]
    assert engine.beams == [4, 4, BEAM]  # the same sentence once


def test_a_wider_beam_stays_as_wide(folder):
    engine = Beams(FIRST, ["He has books."])
    fake_translator(folder, engine).translate(SOURCE, to="en", options=SearchOptions(beam_size=BEAM + 4))
    assert engine.beams == [BEAM + 4, BEAM + 4]


def test_what_a_glossary_put_in_its_place_is_not_undone(folder):
    engine = Beams("He has a dozen books.", ["He has 12 books."])
    glossary = Glossary([Term("12本书", "a dozen books")])
    answer = fake_translator(folder, engine).translate(SOURCE, to="en", glossary=glossary)
    assert answer.text == "He has a dozen books."
    assert engine.beams == [4]


def test_what_the_guard_decoded_again_is_left_alone(folder):
    class Wild(Beams):
        def search(self, requests, options):
            self.narrow = "He has books." if options.no_repeat_ngram else "books " * 90
            return super().search(requests, options)

    engine = Wild(FIRST, ["He has 12 books."])
    answer = translate(folder, engine)
    assert answer.text == FIRST
    assert answer.ledger.flagged == answer.ledger.repeated == 1
    assert BEAM not in engine.beams


def test_a_stream_is_looked_at_too(folder):
    engine = Beams(FIRST, ["He has 12 books."])
    assert "".join(fake_translator(folder, engine).stream(SOURCE, to="en")) == "He has 12 books."


def test_what_is_mended_needs_no_force(folder):
    engine = Beams(FIRST, ["He has 12 books."])
    assert fake_translator(folder, engine).translate(SOURCE, to="en", keep=True).text == "He has 12 books."
    assert engine.beams == [4, BEAM]


def test_what_was_mended_is_no_warning(folder, capsys):
    """stderr names what deserves a look; the first ten only."""
    watch, chunk = Translating(None, "line", None), Chunk(1, [SOURCE], True, 1)
    mended, lost = (translate(folder, Beams(FIRST, [wide])) for wide in ("He has 12 books.", FIRST))
    assert mended.remarks
    assert (mended.mended, lost.mended) == (True, False)
    watch.done(chunk, [mended])
    assert capsys.readouterr().err == ""
    watch.done(chunk, [lost])
    assert "missing in the translation" in capsys.readouterr().err
    says_so = translate(folder, Beams(FIRST, [FIRST]), f"missing at first: {SOURCE}")  # what a text says hides nothing
    assert not says_so.mended
    watch.done(chunk, [says_so])
    assert "missing in the translation" in capsys.readouterr().err
