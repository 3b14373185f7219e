"""Which language a sentence is in, where that is clear; and where it is not, nobody is told one."""

import pytest

from attendo.text.function_words import ENDINGS, LETTERS, WORDS
from attendo.text.written_language import languages_by_word, script_of, script_of_language, written_in


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("Good morning", "Latin"),
        ("Größe: 5 €", "Latin"),
        ("我爱机器学习。", "Han"),
        ("我明天再fix这个bug吧。", "Han"),
        ("駅はどこですか。", "Kana"),
        ("カートに入れる", "Kana"),
        ("鲜の味道真是非常非常不错", "Han"),  # a sign on a shop
        ("기차역이 어디에 있어요?", "Hangul"),
        ("Сегодня очень холодно.", "Cyrillic"),
        ("أين محطة القطار؟", "Arabic"),
        ("איפה תחנת הרכבת?", "Hebrew"),
        ("Πού είναι ο σταθμός;", "Greek"),
        ("सेब", "Devanagari"),
        ("วันนี้อากาศหนาวมาก", "Thai"),
        ("π", ""),
        ("α, β", ""),
        ("я", ""),
        ("12:30 €", ""),
        ("😀", ""),
        ("Привет means hello", ""),
        ("", "Latin"),
    ],
)
def test_scripts(text, script):
    assert script_of(text) == script


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("How are you today, my friend?", "en"),
        ("Wo ist denn hier der Bahnhof?", "de"),
        ("Où est la gare, s'il vous plaît ?", "fr"),
        ("¿Dónde está la estación de tren?", "es"),
        ("Il gatto dorme sul divano.", "it"),
        ("Não percebo o que estás a dizer.", "pt"),
        ("Ik begrijp niet wat je zegt.", "nl"),
        ("Jag förstår inte vad du säger.", "sv"),
        ("Han var her for to", "da"),  # most of it is English, too, but not as much as Danish
        ("Vi har to over her", "da"),
        ("Nie rozumiem, co mówisz.", "pl"),
        ("Yardımınız için çok teşekkür ederim.", "tr"),
    ],
)
def test_languages_in_latin_letters(text, language):
    assert written_in(text, ("en", "de")).language == language


@pytest.mark.parametrize(
    "text",
    [
        "OK", "Internet", "Hotel", "Restaurant", "Die Hard", "Tour de France", "Coq au vin", "Los Angeles",
        "Rio de Janeiro", "Tom", "iPhone 15 Pro Max", "Log out", "Microsoft Windows Server", "c = a + b", "Café",
        "COVID-19", "http://example.org/a/b/c", "C++ in Java", "Man in Black", "Was war in Berlin?",
        "So kocht man Reis.", "ha ha ha ha ha ha", "To-do-Liste", "Proof-of-Work und Mining", "Happy Birthday!",
        'He said: "Ich weiß es nicht."', "Handy hat man in the hand",
    ],
)  # fmt: skip
def test_names_and_labels_are_in_no_clear_language(text):
    assert written_in(text, ("en", "de")).language == ""


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Good morning!", "en"),  # two words of no other language
        ("Vielen Dank", ""),  # one of them unknown
        ("Guten Morgen", ""),  # morgen is Dutch, too
        ("The Yas Marina Circuit website has exact timings.", "en"),  # less than half are small words
        ("Die Produktion des Smartphone-Modells wurde komplett eingestellt.", "de"),
        ("Nevada's outputs are tourism, mining, printing and publishing.", "en"),  # by their ends
    ],
)
def test_few_words_of_an_expected_language(text, language):
    assert written_in(text, ("en", "de")).language == language


def test_the_lists_are_sound():
    assert not [word for words in WORDS.values() for word in words.split() if word != word.lower()]
    assert all(len(words.split()) == len(set(words.split())) >= 60 for words in WORDS.values())
    for table in (LETTERS, ENDINGS):
        assert {language for languages in table.values() for language in languages.split()} <= set(WORDS)
    assert set(languages_by_word()["in"]) == {"en", "de", "nl", "it"}
    assert (script_of_language("zh-TW"), script_of_language("en-GB"), script_of_language("xx")) == ("Han", "Latin", "")
