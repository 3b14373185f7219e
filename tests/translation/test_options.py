"""One value holds all that a user may ask for; its shorthands and the search's own options are the same thing."""

from dataclasses import FrozenInstanceError, replace

import pytest

from attendo.decoding.options import SearchOptions
from attendo.errors import ConfigError
from attendo.translation.glossary import Glossary, Term
from attendo.translation.options import TranslationOptions
from tests.translation.fake_engine import FakeEngine, fake_translator, write_fake_model


def test_shorthands_are_those_of_the_search():
    assert TranslationOptions(beam=8) == TranslationOptions(search=SearchOptions(beam_size=8))
    assert TranslationOptions(n_best=6).search == SearchOptions(beam_size=6, n_best=6)
    assert TranslationOptions(n_best=2).search == SearchOptions(beam_size=4, n_best=2)
    assert TranslationOptions(search=SearchOptions(length_penalty=0.6), beam=5).search.length_penalty == 0.6
    with pytest.raises(ConfigError, match="beam_size = 0"):
        TranslationOptions(beam=0)


def test_a_search_of_one_s_own_stops_as_the_default_does():
    assert SearchOptions(beam_size=8).stop == TranslationOptions().search.stop == "early"


def test_it_is_frozen_and_can_be_replaced():
    options = TranslationOptions(beam=8, keep=True)
    with pytest.raises(FrozenInstanceError):
        options.keep = False
    assert replace(options, wider_retry=False).search.beam_size == 8
    assert replace(options, search=SearchOptions()).search.beam_size == 4


def test_its_table_tells_options_apart():
    glossary = Glossary([Term("a", "b")])
    changes = [{}, {"beam": 2}, {"keep": True}, {"wider_retry": False}, {"glossary": glossary}, {"doubt": False}]
    tables = [TranslationOptions(**change).to_dict() for change in changes]
    assert all(tables.count(table) == 1 for table in tables)
    assert list(tables[0]) == ["options", "keep", "second_look", "doubt", "glossary"]


def test_lines_are_translated_in_order_and_a_few_at_a_time(tmp_path):
    engine = FakeEngine(tokens_per_batch=20)
    translator = fake_translator(write_fake_model(tmp_path / "model"), engine)
    read = []

    def lines():
        for n in range(50):
            read.append(n)
            yield f"书{n}。\n"

    answers = translator.translate_lines(lines(), to="en")
    assert next(answers).text == "书0。"
    assert len(read) < 25
    assert [answer.text for answer in answers] == [f"书{n}。" for n in range(1, 50)]
    assert list(translator.translate_lines([], to="en")) == []
