"""What a user's terms, another script and lost things have to do with each other, over an engine without a model."""

import unicodedata

import pytest

import attendo
from attendo.engines.engine import Limits
from attendo.errors import InputError
from attendo.translation.checks import Miss
from attendo.translation.compose import in_script
from attendo.translation.glossary import Glossary, Term, read_glossary
from attendo.translation.options import DEFAULT, TranslationOptions
from attendo.translation.prepare import Languages, Preparer
from attendo.translation.retries import text_to_force
from tests.translation.fake_engine import FakeEngine, backwards, fake_translator, write_fake_model


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return write_fake_model(tmp_path_factory.mktemp("terms") / "model")


def test_in_another_script_the_user_s_terms_stay_as_they_were_written():
    taiwan = Languages("en", "zh", "zh-TW")
    assert in_script("我爱台北的面条", taiwan) == "我愛臺北的麵條"
    assert in_script("我爱台北的面条", taiwan, ["台北", "面"]) == "我愛台北的面條"
    assert in_script("我爱台北", Languages("en", "zh", "zh"), ["北"]) == "我爱台北"


def test_broken_characters_that_the_source_does_not_have_are_flagged(model):
    answer = fake_translator(model, FakeEngine(backwards)).translate("鲸", to="en")  # spelt in bytes
    assert "\ufffd" in answer.text
    assert answer.ledger.flagged == 1
    assert answer.remarks == ("'鲸': broken characters in the translation",)
    same = fake_translator(model).translate("鲸\ufffd", to="en")
    assert same.ledger.is_clean


def test_a_term_is_found_however_its_accents_and_spaces_are_typed(model, tmp_path):
    (tmp_path / "terms.tsv").write_text("café\t咖啡\nNew  York\tNY\n", encoding="utf-8")
    glossary = read_glossary(tmp_path / "terms.tsv")
    translator = fake_translator(model)
    options = TranslationOptions(glossary=glossary)
    for text in (unicodedata.normalize("NFD", "The café is open."), "New York", "New\u00a0York", "New   York"):
        assert len(translator.preparer.prepare(text, "zh", "en", options).requests[0].phrases) == 1


def test_terms_for_which_there_is_no_room_are_left_out_and_flagged(model):
    class Strict(FakeEngine):
        def search(self, requests, options):
            assert all(sum(map(len, one.phrases)) < one.max_length for one in requests)
            return super().search(requests, options)

    translator = fake_translator(model, Strict(limits=Limits(1_024, 40)))
    glossary = Glossary([Term("狗", "鲸" * 30)])
    long, other = translator.translate(["狗", "猫"], to="en", options=TranslationOptions(glossary=glossary))
    assert (long.text, other.text) == ("狗", "猫")
    assert long.ledger.flagged == 1
    assert "missing in the translation: the term" in long.remarks[0]


def test_what_cannot_be_cut_any_further_is_one_clear_error(model):
    translator = fake_translator(model)
    preparer = Preparer(translator.tokenizer, translator.bundle.directions, Limits(8, 8))
    with pytest.raises(InputError, match="tokens: the model reads 8"):
        preparer.prepare("𠮷𠮶𠮵𠮴 abc", "en", "zh", DEFAULT)


def test_a_number_is_said_in_digits_where_its_words_are_not_spoken():
    miss = Miss("number", "二十九")
    assert text_to_force(miss, "en") == "29"
    assert text_to_force(Miss("number", "二〇〇八"), "de") == "2008"
    assert text_to_force(miss, "zh") == "二十九"
    assert text_to_force(Miss("number", "5.2万"), "en") == "52000"
    assert text_to_force(Miss("number", "2.5 million"), "zh") == "2500000"
    assert text_to_force(Miss("number", "1,234"), "en") == "1,234"
    assert text_to_force(Miss("emoji", "😀"), "en") == "😀"


def test_tokens_in_another_script_are_those_of_the_translation():
    """干 is 乾 in one word and 幹 in another: what was streamed may change with what comes."""
    translator = attendo.load(engine="ct2", threads=1)
    for text in ("The noodles are delicious.", "Her hair is dry.", "Keep the floor clean and dry."):
        streamed = "".join(translator.stream_tokens(text, to="zh-TW"))
        assert streamed == translator.translate(text, to="zh-TW", options=TranslationOptions(beam=1)).text
