"""Text in the target language already, or in one that the model does not read, is noticed."""

import pytest

import attendo
from attendo.cli.main import run
from attendo.translation.answer import LanguageNote
from attendo.translation.language_check import language_check
from benchmarks.doubt.labelled import read_labelled
from benchmarks.languages.__main__ import UNLISTED, check_for, is_long, is_noted, read_other
from tests.translation.fake_engine import FakeEngine, fake_translator, write_fake_model
from tests.translation.real_pairs import pairs

DIRECTIONS = (("zh", "en"), ("en", "zh"), ("de", "en"), ("en", "de"))


@pytest.fixture
def fake(tmp_path):
    """Reads zh for en and en for zh."""
    return fake_translator(write_fake_model(tmp_path / "model"), FakeEngine())


def judge(text, target, source=None, directions=DIRECTIONS):
    return language_check(target, target, source, directions).judge(text)


def test_what_is_in_the_target_language_already_stays(fake):
    answer = fake.translate("How are you today, my friend?", to="en")
    assert answer.text == "How are you today, my friend?"
    assert not fake.engine.asked
    assert (answer.ledger.already, answer.ledger.untranslated, answer.ledger.foreign) == (1, 0, 0)
    assert answer.ledger.adds_up
    assert not answer.ledger.is_clean
    assert answer.remarks == ("'How are you today, my friend?': already in English: left as it is",)
    assert answer.warnings == answer.remarks
    [sentence] = answer.sentences
    assert (sentence.outcome, sentence.language.kind) == ("copied", "already")


def test_chinese_for_chinese_stays(fake):
    assert fake.translate("我爱机器学习。", to="zh").ledger.already == 1
    assert fake.translate("我爱機器學習。", to="zh").ledger.already == 1
    assert fake.translate("What does 加油 mean?", to="zh").ledger.is_clean
    assert fake.translate("Größe: 5 €", to="zh").ledger.is_clean


def test_letters_that_the_model_never_saw_stay(fake):
    for text in ("駅はどこですか。", "Сегодня очень холодно.", "기차역이 어디에 있어요?", "أين محطة القطار؟"):
        answer = fake.translate(text, to="en")
        assert answer.text == text
        assert (answer.ledger.foreign, answer.ledger.untranslated) == (1, 0)
        assert "left as it is" in answer.warnings[0]
    assert not fake.engine.asked


def test_a_third_language_is_translated_and_said(fake):
    answer = fake.translate("Où est la gare, s'il vous plaît ?", to="zh")
    assert len(fake.engine.asked) == 1
    assert answer.ledger.foreign == 1
    assert "looks like French, but into zh this model reads en" in answer.warnings[0]


def test_segments_are_judged_one_by_one_and_short_ones_with_the_text(fake):
    mixed = fake.translate("我爱机器学习。How are you today, my friend? 你好吗？", to="en")
    assert [one.language.kind if one.language else "" for one in mixed.sentences] == ["", "already", ""]
    english = fake.translate("Hello. How are you today, my friend? Fine.", to="en")
    assert english.ledger.already == 3
    assert fake.translate("Fine.", to="en").ledger.already == 0


def test_who_says_from_decides(fake):
    answer = fake.translate("How are you today, my friend?", to="en", from_="zh")
    assert len(fake.engine.asked) == 1
    assert answer.ledger.already == 0
    assert judge("Où est la gare, s'il vous plaît ?", "en", "de") is None
    assert judge("Сегодня очень холодно.", "en", "de").copied
    assert not judge("我爱机器学习。", "de", "en").copied  # the model knows Chinese, but not into German


def test_a_list_may_hold_several_languages(fake):
    answers = fake.translate(["我很好。", "I am fine, how are you?", "", "OK", "Hotel"], to="en")
    assert [answer.ledger.already for answer in answers] == [0, 1, 0, 0, 0]


def test_other_models_read_other_languages():
    japanese = (("ja", "en"), ("en", "ja"))
    assert judge("駅はどこですか。", "en", directions=japanese) == "expected"
    assert judge("東京大学", "en", directions=japanese) is None
    assert judge("東京大学", "ja", directions=japanese) is None
    french = (("fr", "en"),)
    assert judge("Où est la gare, s'il vous plaît ?", "en", directions=french) == "expected"
    assert judge("Wo ist denn hier der Bahnhof?", "en", directions=french).written_in == "German"
    assert judge("Wo ist denn hier der Bahnhof?", "zh").kind == "foreign"
    assert judge("Сьогодні дуже холодно.", "uk", directions=(("ru", "uk"),)) == "expected"
    assert judge("How are you today?", "en", directions=(("en", "en-GB"), ("en-GB", "en"))) == "expected"
    assert language_check("en", "en", None, (("xx", "en"),)) is None  # nothing is known of xx


def test_other_languages_are_noticed_and_no_others(evidence):
    for target in ("en", "de", "zh"):
        notes = [judge(text, target) for _, text in read_other()]
        found = sum(isinstance(note, LanguageNote) and note.kind == "foreign" for note in notes)
        assert len(notes) >= 200
        assert found >= 0.9 * len(notes)
        evidence("X11", f"sentences in a third language noticed, into {target}", f"{found} of {len(notes)}")
    labelled = read_labelled()
    wrong = [one.source for one in labelled if isinstance(judge(one.source, one.direction[1]), LanguageNote)]
    assert not wrong
    evidence("X11", "sentences in the right language noticed by mistake", f"{len(wrong)} of {len(labelled)}")
    for language in ("en", "de", "zh"):
        notes = [judge(one.source, language) for one in labelled if one.direction[0] == language]
        found = sum(isinstance(note, LanguageNote) and note.kind == "already" for note in notes)
        assert found >= 0.7 * len(notes)
        evidence("X11", f"sentences already in {language} noticed", f"{found} of {len(notes)}")


def test_placeholders_are_in_no_language():
    assert judge("%s von %d Dateien kopiert", "en") == "expected"
    assert judge("{{ the }} {{ and }} {{ with }} {{ from }}", "en") is None
    assert judge("Open {name} and close the %s of it.", "en").kind == "already"


def test_languages_without_a_list_are_not_taken_for_the_target():
    unlisted = read_other(UNLISTED)
    for target, most in (("en", 1), ("de", 0), ("zh", 0)):
        notes = [judge(text, target) for _, text in unlisted]
        assert sum(isinstance(note, LanguageNote) and note.kind == "already" for note in notes) <= most


@pytest.mark.parametrize(
    "name", ["zh-en/tatoeba.test.tsv", "zh-en/pud.test.tsv", "de-en/tatoeba.test.tsv", "de-en/pud.test.tsv"]
)
def test_in_real_text_sources_pass_and_targets_are_noticed(name):
    sentences = pairs(name)
    wrong = [text for _, target, text, _ in sentences if is_noted(check_for(target), text, "already")]
    assert len(wrong) < 0.001 * len(sentences)
    for language in name[:5].split("-"):
        texts = [text for source, _, text, _ in sentences if source == language and is_long(text, language)]
        assert sum(is_noted(check_for(language), text, "already") for text in texts) >= 0.95 * len(texts)


def test_the_command_says_so(capfdbinary):
    assert run(["translate", "How are you today, my friend?", "--to", "en", "--threads", "1"], debug=True) == 3
    out, err = capfdbinary.readouterr()
    assert out == b"How are you today, my friend?\n"
    assert b"already in English" in err
    assert b"1 \xc3\x97 segment already in the target language" in err


def test_one_word_that_stays_the_same_is_not_doubtful():
    translator = attendo.load(engine="ct2", threads=1)
    for word in ("OK", "Hotel", "Internet", "Inflation"):
        assert not translator.translate(word, to="en").doubtful, word
