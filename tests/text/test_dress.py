"""Bullets, capitals and rows of marks come off a sentence before a model reads it, and are on its translation again."""

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import attendo
from attendo.glass.look import look
from attendo.text.capitals import in_capitals, in_small_letters, is_german_noun
from attendo.text.dress import NARROW, PLAIN, undress
from attendo.text.verbatim import find_verbatim
from attendo.text.written_language import small_words
from tests.translation.real_pairs import pairs


def without_dress(text, language):
    found, dress = undress(text, language)
    return in_small_letters(found, language) if dress.capitals else found, dress


@pytest.mark.parametrize(
    ("language", "text", "read"),
    [
        ("en", "WARNING: DO NOT TOUCH!", "Warning: do not touch!"),
        ("en", "I'M SORRY, I CAN'T COME.", "I'm sorry, I can't come."),
        ("en", "STOP! DO NOT ENTER. CALL ME, I'M AT 5.30 HERE.", "Stop! Do not enter. Call me, I'm at 5.30 here."),
        ("en", "SHE SAID I’M LATE, IT’S LATE.", "She said I’m late, it’s late."),
        ("en", "I’M SORRY, I’M LATE", "I’m sorry, I’m late"),
        ("en", "THE USA AND THE EU SIGNED A TREATY", "The USA and the EU signed a treaty"),
        ("en", "CALL {NAME} AT HTTPS://A.ORG/X NOW", "Call {NAME} at HTTPS://A.ORG/X now"),
        ("en", "THE US GOVERNMENT GAVE IT TO US", "The US government gave it to us"),
        ("en", "BREAKING: US SENDS TROOPS", "Breaking: US sends troops"),
        ("en", "US SENDS TROOPS. TELL US WHO IT IS!", "US sends troops. Tell us who it is!"),
        ("en", "THE WHO AND A NEW IT COMPANY", "The WHO and a new IT company"),
        ("en", "{NAME} AND 5 FRIENDS", "{NAME} and 5 friends"),
        ("en", "SET $HOME AND RUN SETUP.EXE --VERBOSE", "Set $HOME and run SETUP.EXE --VERBOSE"),
        ("de", "RAUCHEN VERBOTEN", "Rauchen verboten"),
        ("de", "DER ZUG NACH BERLIN FÄHRT HEUTE NICHT", "Der Zug nach Berlin fährt heute nicht"),
        ("de", "BITTE TÜR SCHLIESSEN", "Bitte Tür Schließen"),  # in doubt a noun
        ("de", "DIE STRAßE IST GESPERRT", "Die Straße ist Gesperrt"),
        ("de", "HAUPTSTRASSE: GROSSE AUSSENGRÖSSE", "Hauptstraße: große Außengröße"),
        ("de", "ES IST HEISS: AUSSTELLUNG GESCHLOSSEN", "Es ist Heiß: Ausstellung geschlossen"),
        ("de", "LESEN SIE DIE ANLEITUNG", "Lesen Sie die Anleitung"),
        ("de", "WIR HABEN IHRE BESTELLUNG ERHALTEN", "Wir haben Ihre Bestellung erhalten"),
        ("de", "KÖNNEN SIE MIR HELFEN?", "Können Sie mir helfen?"),
        ("de", "BITTE NEHMEN SIE DAMIT PLATZ", "Bitte nehmen Sie damit Platz"),
        ("de", "WANN KOMMT SIE NACH HAUSE?", "Wann kommt sie nach Hause?"),
        ("en", "- WHERE ARE YOU???", "Where are you?"),
        ("de", "* Bitte lesen!!!", "Bitte lesen!"),
        ("zh", "你在哪里？？？", "你在哪里？"),
        ("de", "## Kapitel eins", "Kapitel eins"),
    ],
)
def test_what_the_model_reads(language, text, read):
    found, dress = without_dress(text, language)
    assert found == read
    assert dress is not PLAIN


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "NATO"), ("en", "USB HDMI"), ("en", "OK"), ("de", "BMW AG"), ("en", "ABC-1234-X"), ("en", "What?!"),
        ("en", "- 5 degrees"), ("en", "> 5 years"), ("en", "-verbose"), ("zh", "你好"), ("en", "????"), ("en", ""),
        ("en", "I... I..."), ("de", "DAS ist ein Test"), ("ru", "СЕГОДНЯ ЗАКРЫТО"),
        ("el", "ΣΗΜΕΡΑ ΚΛΕΙΣΤΑ"), ("ru", "ЗАКРЫТО ENTRANCE"),
    ],
)  # fmt: skip
def test_what_stays_as_it_is(language, text):
    assert undress(text, language) == (text, PLAIN)


@pytest.mark.parametrize(
    ("text", "answer", "language", "translation"),
    [
        ("- WHERE ARE YOU???", "Wo bist du?", "de", "- WO BIST DU???"),
        ("WHERE IS THE STREET", "Wo ist die Straße {1}?", "de", "WO IST DIE STRAẞE {1}?"),
        ("MAIL TO INFO@A.ORG NOW", "Schreiben Sie jetzt an info@a.org", "de", "SCHREIBEN SIE JETZT AN info@a.org"),
        ("Where are you?!?", "你在哪里？", "zh", "你在哪里？！？"),
        ("DO NOT ENTER", "不要进入 Tom", "zh", "不要进入 Tom"),
        ("CLOSED TODAY", "Сегодня закрыто", "ru", "СЕГОДНЯ ЗАКРЫТО"),
        ("Really???", "Wirklich.", "de", "Wirklich???"),
        ("Well...!!!", "Nun...!", "de", "Nun...!!!"),
        ("Well...!!!", "Nun...", "de", "Nun...!!!"),
        ("In the U.S.A.???", "In den U.S.A.", "de", "In den U.S.A.???"),
        ("What" + "?" * 25, "Was?", "de", "Was" + "?" * 25),
    ],
)
def test_it_is_on_the_translation_again(text, answer, language, translation):
    assert undress(text, "en")[1].put_on(answer, language) == translation


@given(
    st.text(alphabet=st.characters() | st.sampled_from("AEINORST *-!?#>.！？。 "), max_size=60),
    st.sampled_from(["en", "de", "zh", "xx"]),
)
def test_a_sentence_that_puts_on_its_dress_is_itself(text, language):
    found, dress = without_dress(text, language)
    again = dress.put_on(found, language)
    if dress.marks:  # in the width of the language
        text, again = text.translate(NARROW), again.translate(NARROW)
    assert again == text or (dress.capitals and again.casefold() == text.casefold())


@given(st.text(alphabet="ABCDEÄÖÜẞSİI 'Ω1-{}.", max_size=40))
def test_capitals_come_back_and_no_position_changes(text):
    for language in ("en", "de"):
        small = in_small_letters(text, language)
        assert len(small) == len(text) or language == "de"  # ss is ß
        assert len(in_capitals(small, language)) == len(small)
        assert in_capitals(small, language).casefold() == text.casefold()


@pytest.mark.parametrize(
    ("language", "read"),
    [
        ("de", "Der König isst Fisch und Honig"),
        ("de", "Unsere Bedingungen und Bestellungen"),
        ("de", "Mit allen Tieren in den Bergen und Gebäuden"),
        ("de", "Nach den Ereignissen und Verhältnissen"),
        ("de", "Das Spiel und das Leben: gefährlich, englische Beeren zu verkaufen"),
    ],
)
def test_nouns_among_capitals(language, read):
    assert in_small_letters(in_capitals(read, language), language) == read


def test_small_words_of_german_are_nouns_where_people_write_them_with_a_capital():
    capital, small = Counter(), Counter()
    for name in ("tatoeba", "wesnoth", "gnomehelp", "debianhandbook"):
        for source, _, text, _ in pairs(f"de-en/{name}.test.tsv"):
            if source == "de":
                for word in re.findall(r"(?<=[a-zäöüß,] )[^\W\d_]+", text):  # none that begins a sentence
                    (capital if word[0].isupper() else small)[word.lower()] += 1
    seen = [word for word in small_words("de") - {"sie", "ihnen"} if capital[word] + small[word] >= 10]
    assert len(seen) > 150
    for word in seen:
        share = capital[word] / (capital[word] + small[word])
        assert share < 0.75 or is_german_noun(word), word
        assert share > 0.25 or not is_german_noun(word), word


VERBATIM = st.sampled_from(
    ["$HOME", "CONFIG.INI", "--VERBOSE", "A_B", "A@B.DE", "%S", "&NBSP;", "{NAME}", "C:\\A", "<B>"]
)


@given(st.lists(st.sampled_from(["RUN", "THE", "İ", "I", "FIRST"]) | VERBATIM, max_size=6).map(" ".join))
def test_what_is_verbatim_in_either_case_stays_as_it_is(text):
    small = in_small_letters(text, "en")
    for start, end, _ in (*find_verbatim(text), *find_verbatim(small)):
        assert small[start:end] == text[start:end]
    if len(text.lower()) == len(text):
        assert all(small[start:end] == text[start:end] for start, end, _ in find_verbatim(text.lower()))


def test_translations_wear_what_their_sources_wear():
    translator = attendo.load(engine="ct2", threads=1)
    options = attendo.TranslationOptions(alignment=True)
    assert translator.translate("DIE STRAßE IST GESPERRT.", to="en").text.isupper()
    source = "- WO IST DER BAHNHOF???\n- Ich liebe dich!!!"
    answer = translator.translate(source, to="en", options=options)
    first, second = answer.text.split("\n")
    assert first.startswith("- WHERE")
    assert first.endswith("???")
    assert second == "- I love you!!!"
    assert answer.ledger.adds_up
    words = {answer.text[word.start : word.end]: word.sources for word in answer.alignment}
    [(start, end, _)] = words["STATION"]
    assert source[start:end] == "BAHNHOF"
    [(start, end, _)] = words["love"]
    assert source[start:end] == "liebe"


@pytest.mark.parametrize("text", ["WO IST DER BAHNHOF???", "- Wo bist du?"])
def test_whatever_reads_as_translate_does_reads_a_dress_so(text):
    translator = attendo.load(engine="ct2", threads=1)
    answer = translator.translate(text, to="en", from_="de", options=attendo.TranslationOptions(beam=1))
    assert "".join(translator.stream_tokens(text, to="en", from_="de")) == answer.text
    found = attendo.inspect(text, to="en", from_="de", beam=1)
    assert (found.text, found.translation) == (answer.sentences[0].request.text, answer.text)
    seen = look(text, to="en", from_="de", beam=1)
    assert (seen.source, seen.translation) == (answer.sentences[0].request.ids, answer.text)


def test_a_term_matches_as_it_is_written_also_among_capitals():
    translator = attendo.load(engine="ct2", threads=1)
    glossary = attendo.Glossary.from_pairs(
        {"SALE": "Ausverkauf", "Sale": "Schlussverkauf", "train station": "Hauptbahnhof", "macos": "macos"}
    )
    options = attendo.TranslationOptions(glossary=glossary)

    def said(text):
        answer = translator.translate(text, to="de", from_="en", options=options)
        assert answer.ledger.is_clean
        return answer.text

    assert "AUSVERKAUF" in said("THE SALE ENDS TODAY")
    assert "HAUPTBAHNHOF" in said("THE TRAIN STATION IS CLOSED.")
    assert "MACOS" in said("I LIKE MACOS VERY MUCH")
    assert said("- SALE!!!") == "- Ausverkauf!!!"  # nothing else is said, and one word is no sentence in capitals
    assert said("THE SALE").isupper()
