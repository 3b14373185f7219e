"""The tables of everyday words and of labels: one sense each, the right script, German nouns as German writes them."""

import re
from collections import defaultdict
from random import Random

import pytest

from recipes.default.made_up_kinds import everyday_words, labels
from recipes.default.made_up_kinds.everyday_words import EVERYDAY, NAMED, Word
from recipes.default.made_up_kinds.labels import LABELS, title_case
from recipes.default.made_up_kinds.trilingual import Phrase
from recipes.default.made_up_kinds.words import NOUNS, rows

OLDER = ("words", "nouns", "adjectives", "places")  # tables with single words
CHINESE = re.compile(r"[\u4e00-\u9fff，？]+|在……之间|T恤|X光片")
LATIN = re.compile(r"[A-Za-zÄÖÜäöüßé][A-Za-zÄÖÜäöüßé '.,:?-]*|100.+|.*24.+")

# What decides a German noun's gender, whatever the noun means.
ENDINGS = {"ung": "f", "heit": "f", "keit": "f", "schaft": "f", "tion": "f", "tät": "f", "lein": "n", "eur": "m"}
# A compound has the gender of its last part: die Bahn, die Straßenbahn. These are none, or have another last part.
NOT_COMPOUNDS = {
    "Schwein", "Schalter", "Armband", "Schwindel", "Verband", "Haustier", "Stier", "Ahorn", "Maßband", "Klebeband",
    "Ersatzteil", "Schulleiter", "Flugbegleiter", "Matrose", "Buchhalter", "Reiseleiter", "Bruder", "Schlamm", "Kosten",
    "Spende", "Verbrechen", "Urteil", "Geburtsurkunde", "Versprechen", "Sekunde",
}  # fmt: skip


def word_class(word: Word) -> str:
    if word.en.startswith("to "):
        return "verb"
    return "noun" if word.takes_article else "other"


def known() -> list[tuple[str, Phrase]]:
    """All single words of the generator with their class; the older tables write verbs without "to"."""
    older = [
        *(("verb" if row["group"] == "verb" else "", row) for row in rows("words")),
        *(("", row) for name in OLDER[1:] for row in rows(name)),
    ]
    found = [(word_class(word), word.phrase) for word in EVERYDAY]
    for kind, row in older:
        en = f"to {row['en']}" if kind == "verb" else row["en"]
        found.append((kind or ("noun" if row["de"][0].isupper() else "other"), Phrase(row["zh"], en, row["de"])))
    return found


@pytest.mark.parametrize("language", ["en", "de", "zh"])
def test_a_word_has_one_sense(language: str) -> None:
    """Chinese writes nouns and verbs alike (工作), so there it is one sense of each class.

    The older tables know a few words twice among themselves (an orange is orange); no everyday word is one of them.
    """
    everyday = {word.phrase for word in EVERYDAY}
    senses: defaultdict[tuple[str, str], set[Phrase]] = defaultdict(set)
    for kind, phrase in known():
        senses[getattr(phrase, language), kind if language == "zh" else ""].add(phrase)
    assert [found for found in senses.values() if len(found) > 1 and found & everyday] == []


@pytest.mark.parametrize("language", ["en", "de", "zh"])
def test_a_label_says_one_thing(language: str) -> None:
    senses: defaultdict[str, set[Phrase]] = defaultdict(set)
    for label in LABELS:
        senses[getattr(label, language).casefold()].add(label)
    assert [found for found in senses.values() if len(found) > 1] == []


def test_there_are_enough_and_none_twice() -> None:
    assert len(set(EVERYDAY)) == len(EVERYDAY) >= 2_500
    assert len(set(LABELS)) == len(LABELS) >= 800


def test_each_column_is_in_its_script() -> None:
    """GB 2312 has the simplified characters and not the traditional ones."""
    for phrase in (*(word.phrase for word in EVERYDAY), *LABELS):
        assert phrase.zh.encode("gb2312")
        assert CHINESE.fullmatch(phrase.zh), phrase
        assert LATIN.fullmatch(phrase.en), phrase
        assert LATIN.fullmatch(phrase.de), phrase
        assert not re.search("[äöüß]", phrase.en.lower()), phrase


def test_labels_begin_with_a_capital() -> None:
    assert [label for label in LABELS if label.en[0].islower() or label.de[0].islower()] == []


def test_german_nouns_have_a_capital_and_other_words_have_none() -> None:
    for word in EVERYDAY:
        if word.takes_article:
            assert word.de.split(" ")[-1][0].isupper() or word.de == "Pommes frites", word
        if word.group in ("adjectives", "adverbs", "verbs") and " " not in word.de:  # in der Nähe, Angst haben
            assert word.de.islower(), word
        assert not word.de.startswith(("der ", "die ", "das ")), word


def test_verbs_are_infinitives() -> None:
    for word in EVERYDAY:
        assert word.en.startswith("to ") == (word.group == "verbs"), word
        if word.group == "verbs":
            assert any(part.endswith("n") for part in word.de.split(" ")), word


def test_genders_agree_with_endings_and_with_those_of_shorter_words() -> None:
    genders = {noun.de: str(noun.gender) for noun in NOUNS} | {word.de: str(word.gender) for word in NAMED}
    compared = 0
    for noun, gender in genders.items():
        last_parts = [part for part in genders if len(part) >= 4 and part != noun and noun.endswith(part.lower())]
        expected = {genders[max(last_parts, key=len)]} if last_parts and noun not in NOT_COMPOUNDS else set()
        expected |= {of_ending for ending, of_ending in ENDINGS.items() if noun.endswith(ending)}
        assert expected <= {gender}, noun
        compared += len(expected)
    assert compared > 400


def test_english_verbs_lose_their_to_only_where_nothing_else_is_written_so() -> None:
    rng = Random(1)
    drawn = {everyday_words.alone(rng) for _ in range(20_000)}
    meant = {row["en"]: row["de"] for name in OLDER for row in rows(name)} | {word.en: word.de for word in EVERYDAY}
    assert [phrase for phrase in drawn if meant.get(phrase.en, phrase.de) != phrase.de] == []
    assert any(phrase.de == "flüstern" and phrase.en == "whisper" for phrase in drawn)
    assert not any(phrase.en == "hope" and phrase.de == "hoffen" for phrase in drawn)


def test_words_with_their_article() -> None:
    rng = Random(1)
    drawn = {everyday_words.with_article(rng) for _ in range(20_000)}
    assert Phrase("", "the dishwasher", "die Spülmaschine") in drawn
    assert Phrase("", "the furniture", "die Möbel") in drawn
    assert not any("Erwachsener" in phrase.de for phrase in drawn)


def test_no_heading_contradicts_a_label() -> None:
    rng = Random(1)
    meant = {label.en: label.de for label in LABELS}
    drawn = {everyday_words.as_heading(rng) for _ in range(20_000)}
    assert [phrase for phrase in drawn if meant.get(phrase.en, phrase.de) != phrase.de] == []


@pytest.mark.parametrize(
    ("text", "titled"),
    [
        ("Log in", "Log In"),
        ("Add to cart", "Add to Cart"),
        ("Made in China", "Made in China"),
        ("Out of order", "Out of Order"),
        ("Not drinking water", "Not Drinking Water"),
    ],
)
def test_title_case(text: str, titled: str) -> None:
    assert title_case(text) == titled


def test_what_is_put_to_a_label_is_put_to_it_on_all_sides() -> None:
    rng = Random(1)
    known_labels = set(LABELS)
    for _ in range(300):
        assert Phrase(*(text[:-1] for text in labels.with_colon(rng))) in known_labels
        assert Phrase(*(text.rstrip(".…") for text in labels.with_ellipsis(rng))) in known_labels
        counts = {re.search(r" \(\d+\)$", text) for text in labels.with_count(rng)}
        assert len({found and found.group() for found in counts}) == 1
        assert None not in counts
        loud = labels.in_capitals(rng)
        assert loud.zh == ""
        assert loud.en.isupper()
        assert loud.de.isupper()
