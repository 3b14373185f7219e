"""What a user's terms, another script and lost things have to do with each other, over an engine without a model."""

import unicodedata

import pytest

import attendo
from attendo.engines.engine import Limits
from attendo.errors import InputError
from attendo.translation.checks import Miss
from attendo.translation.glossary import Glossary, Term, read_glossary
from attendo.translation.options import DEFAULT, TranslationOptions
from attendo.translation.prepare import Languages, Preparer
from attendo.translation.retries import find
from tests.translation.fake_engine import FakeEngine, backwards, fake_translator, write_fake_model


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return write_fake_model(tmp_path_factory.mktemp("terms") / "model")


def test_in_another_script_the_user_s_terms_stay_as_they_were_written(model):
    assert Languages("en", "zh", "zh-TW").in_script("我爱台北的面条") == "我愛臺北的麵條"
    assert Languages("en", "zh", "zh").in_script("我爱台北") == "我爱台北"
    translator = fake_translator(model)  # says what it reads
    options = TranslationOptions(glossary=Glossary([Term("cat", "发")]))
    assert translator.translate("cat 头发和发展", to="zh-TW", from_="en", options=options).text == "发 頭髮和發展"


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
    for text in (
        unicodedata.normalize("NFD", "The café is open."),
        "I see New York",
        "New\u00a0York is",
        "New   York is",
    ):
        assert len(translator.preparer.prepare(text, "zh", "en", options).asked[0].stand_ins) == 1
    assert translator.translate("New  York", to="zh", options=options).text == "NY"


def test_a_term_is_found_with_the_endings_of_its_language():
    glossary = Glossary(
        [Term("Bahnhof", "station"), Term("engine", "Motor"), Term("be", "sein"), Term("Linux", "Linux")]
    )

    def found(text, language):
        return [text[match.start : match.end] for match in glossary.matches(text, language)]

    assert found("des Bahnhofs, dem Bahnhofe, Bahnhofstraße", "de") == ["Bahnhofs", "Bahnhofe"]
    assert found("engines, the engine's, engineer, bees", "en") == ["engines", "engine's"]
    assert found("engines", "zh") == []
    assert found("Linuxe", "de") == []


def test_what_cannot_be_cut_any_further_is_one_clear_error(model):
    translator = fake_translator(model)
    preparer = Preparer(translator.tokenizer, translator.bundle.directions, Limits(8, 8))
    with pytest.raises(InputError, match="tokens: the model reads 8"):
        preparer.prepare("𠮷𠮶𠮵𠮴 abc", "en", "zh", DEFAULT)


def test_a_number_is_said_in_digits_where_its_words_are_not_spoken():
    def said(kind, text, target):
        return find(Miss(kind, text), f"是{text}。", Languages("zh", target, target)).target

    assert said("number", "二十九", "en") == "29"
    assert said("number", "二〇〇八", "de") == "2008"
    assert said("number", "二十九", "zh") == "二十九"
    assert said("number", "5.2万", "en") == "52000"
    assert said("number", "2.5 million", "zh") == "2500000"
    assert said("number", "1,234", "en") == "1,234"
    assert said("emoji", "😀", "en") == "😀"
    assert find(Miss("number", "7"), "sieben", Languages("de", "en", "en")) is None


def test_tokens_in_another_script_are_those_of_the_translation():
    """干 is 乾 in one word and 幹 in another: what was streamed may change with what comes."""
    translator = attendo.load(engine="ct2", threads=1)
    for text in ("The noodles are delicious.", "Her hair is dry.", "Keep the floor clean and dry."):
        streamed = "".join(translator.stream_tokens(text, to="zh-TW"))
        assert streamed == translator.translate(text, to="zh-TW", options=TranslationOptions(beam=1)).text
